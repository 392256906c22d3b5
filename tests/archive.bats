#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Archives of services: how they are kept, encrypted, and given back; coopr-config(5), archives.

load case

setup() {
	fresh
	coopr-store init
	archive=$(dirname "$COOPR_BIN")/libexec/coopr/archive
	unset COOPR_ARCHIVES
}

# A file of that many bytes.
bytes() {
	head -c "$1" /dev/urandom >plain
}

@test "what was put is given back, whatever its size" {
	for size in 0 1 65535 65536 65537 131072 400000; do
		bytes "$size"
		"$archive" put "a-$size" <plain >said
		same "a-$size $(stat -c %s "$COOPR_STATE/archives/a-$size") $(sha256sum <"$COOPR_STATE/archives/a-$size" | cut -d ' ' -f 1)" \
			"$(jq -r '"\(.id) \(.bytes) \(.sum)"' said)"
		"$archive" get "a-$size" | cmp - plain
		"$archive" verify "a-$size"
	done
	same 7 "$("$archive" list | wc -l)"
	"$archive" delete a-0
	"$archive" delete a-0
	same 6 "$("$archive" list | wc -l)"
	run -66 "$archive" get a-0
	contains "$output" "there is no such archive"
}

@test "nothing of an archive can be read where it is kept" {
	yes 'a known sentence' | head -c 200000 >plain
	"$archive" put a <plain
	run ! grep -q 'known' "$COOPR_STATE/archives/a"
	same 600 "$(stat -c %a "$COOPR_STATE/archives/a")"
	same 700 "$(stat -c %a "$COOPR_STATE/archives")"
}

@test "every flipped byte and every cut is found, and nothing unproven is printed" {
	echo 'INSERT INTO t VALUES (1)' >plain
	"$archive" put a <plain
	kept=$COOPR_STATE/archives/a
	cp "$kept" whole
	size=$(stat -c %s whole)
	for ((at = 0; at < size; at++)); do
		cp whole "$kept"
		byte=$(od -An -tu1 -j "$at" -N 1 whole)
		printf '%b' "\\x$(printf %02x $((byte ^ 1)))" | dd of="$kept" bs=1 seek="$at" conv=notrunc status=none
		! "$archive" get a >got 2>said || { echo "byte $at"; return 1; }
		[ ! -s got ]
		head -c "$at" whole >"$kept"
		! "$archive" get a >got 2>said || { echo "cut at $at"; return 1; }
		[ ! -s got ]
	done
	cat whole plain >"$kept"
	run -65 "$archive" verify a
	cp whole "$kept"
	"$archive" verify a
}

@test "chunks that are missing, repeated or exchanged are found, and so is another archive under that name" {
	bytes 300000
	"$archive" put a <plain
	kept=$COOPR_STATE/archives/a
	cp "$kept" whole
	head=$((49 + 24)) chunk=65553
	piece() { tail -c +$((head + $1 * chunk + 1)) whole | head -c $chunk; }
	head -c $head whole >begin
	for order in "0 1 2 3" "0 1 3 4" "0 1 2 2 3 4" "1 0 2 3 4" "4" ""; do
		{
			cat begin
			for n in $order; do piece "$n"; done
		} >"$kept"
		run -65 "$archive" verify a
		contains "$output" "damaged"
	done
	{
		cat begin
		for n in 0 1 2 3 4; do piece "$n"; done
	} >"$kept"
	"$archive" verify a
	mv "$kept" "$COOPR_STATE/archives/b"
	run -65 "$archive" verify b
}

@test "an archive of another key is refused, and says so" {
	bytes 10
	"$archive" put a <plain
	od -An -tx1 -N 32 /dev/urandom | tr -d ' \n' >"$COOPR_STATE/store.sqlite3.key"
	run -65 "$archive" get a
	contains "$output" "encrypted with another key"
	rm "$COOPR_STATE/store.sqlite3.key"
	run -66 "$archive" get a
	contains "$output" "the key of the secrets is missing"
}

@test "a put that is killed, or whose caller is, keeps nothing" {
	mkfifo pipe
	"$archive" put a <pipe &
	pid=$!
	exec 4>pipe
	head -c 200000 /dev/urandom >&4
	kill -9 $pid
	wait $pid || true
	exec 4>&-
	same "" "$("$archive" list)"

	sh -c 'echo $$ >caller; "$1" put b; true' - "$archive" <pipe 2>&1 | cat >said &
	exec 4>pipe
	head -c 200000 /dev/urandom >&4
	until [ -s caller ]; do sleep 0.05; done
	kill -9 "$(cat caller)"
	while grep -q '^State:[[:space:]]*[^ZX]' "/proc/$(cat caller)/status" 2>/dev/null; do sleep 0.05; done
	exec 4>&-
	wait || true # for all that writes to said
	contains "$(cat said)" "the process that makes the archive is dead; it is not kept"
	same "" "$("$archive" list)"
}

@test "another executable keeps the archives, with its first arguments" {
	cat >mine <<-'E'
		#!/bin/sh
		echo "$@" >>calls
		[ "$1" = cellar ] || exit 64
		case $2 in
		put) cat >"kept-$3" ;;
		get) cat "kept-$3" ;;
		list) echo "x and more"; echo "../y" ;;
		delete) exit "${CODE:-0}" ;;
		esac
	E
	chmod +x mine
	export COOPR_ARCHIVES="$PWD/mine cellar"
	bytes 1000
	"$archive" put a-1 <plain
	"$archive" get a-1 | cmp - plain
	same x "$("$archive" list)"
	"$archive" delete a-1
	same "cellar put a-1,cellar get a-1,cellar list,cellar delete a-1" "$(paste -sd , calls)"
	CODE=75 run -75 "$archive" delete a-1
	CODE=3 run -74 "$archive" delete a-1
	contains "$output" "mine delete: it failed with exit code 3"
	export COOPR_ARCHIVES=false
	run -74 "$archive" put a <plain
	export COOPR_ARCHIVES=/nowhere
	run -69 "$archive" put a <plain
}

# The program of that name of coopr-config(5), as the page has it.
program_of_page() { # NAME
	{
		echo "#!/bin/sh"
		sed -n "\\|^# /usr/local/lib/$1 |,/^esac/p" "$COOPR_ROOT/man/man5/coopr-config.5" | sed "s|/etc/coopr/restic.key|$PWD/password|"
	} >"$1"
	grep -q "^delete)" "$1"
	chmod +x "$1"
}

keeps_archives() { # SETTING
	export COOPR_ARCHIVES=$1
	bytes 100000
	"$archive" put 00000001-002-1000-mysql <plain
	"$archive" put other <plain
	"$archive" get 00000001-002-1000-mysql | cmp - plain
	same "00000001-002-1000-mysql other" "$("$archive" list | sort | paste -sd' ')"
	"$archive" delete 00000001-002-1000-mysql
	"$archive" delete 00000001-002-1000-mysql
	same other "$("$archive" list)"
	run ! "$archive" get 00000001-002-1000-mysql
}

@test "the program for rclone of coopr-config(5) keeps archives" {
	need_program rclone
	program_of_page coopr-rclone
	mkdir remote
	keeps_archives "$PWD/coopr-rclone $PWD/remote"
}

@test "the program for restic of coopr-config(5) keeps archives" {
	need_program restic jq
	program_of_page coopr-restic
	echo secret >password
	restic init --quiet --repo "$PWD/repository" --password-file password
	keeps_archives "$PWD/coopr-restic $PWD/repository"
}

@test "a key is a name, and misuse ends with 64" {
	for key in "" ../a .a -a a/b "$(printf '%0201d' 0)"; do
		run -64 "$archive" put -- "$key"
	done
	run -64 "$archive"
	run -64 "$archive" eat a
	run -64 "$archive" put
	run -64 "$archive" put a b
	run -64 "$(dirname "$archive")/archives/folder" x put ../a
	run -64 "$(dirname "$archive")/archives/folder" x
}
