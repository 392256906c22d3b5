#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-resource(1): versions, their states, formats, and who may do what with them.

load case
load examples

HELLO=automator/shell/scripts/hello.sh

setup() {
	fresh
	export COOPR_STORE=$PWD/store
	unset COOPR_USER SUDO_USER
	coopr-store init
}

# Uploads a text: upload RESOURCE TEXT [OPTION]...
upload() {
	local resource=$1 text=$2

	shift 2
	echo "$text" | coopr-resource upload -q "$@" "$resource" -
}

states() {
	coopr-resource list -o json "$@" | jq -r '"\(.name)@\(.version) \(.state)"'
}

content_of() {
	local sum

	sum=$(coopr-resource list -o json "${1%@*}" | jq -r "select(.version == ${1#*@}) | .sum")
	echo "$COOPR_STATE/resources/${sum:0:2}/$sum"
}

@test "versions are uploaded, staged, active and recalled, and a sync makes all of them what they are to be" {
	upload "$HELLO" one
	upload "$HELLO" two
	upload automator/shell/files/motd hello --stage
	same "motd@1 staged
hello.sh@1 inactive
hello.sh@2 inactive" "$(states)"
	coopr-resource stage -q "$HELLO@1"
	same "hello.sh@1 staged
hello.sh@2 inactive" "$(states "$HELLO")"
	same "motd@1 hello.sh@1" "$(coopr-resource sync -o json | jq -r '"\(.name)@\(.version)"' | paste -sd' ')"
	same "motd@1 active
hello.sh@1 active
hello.sh@2 inactive" "$(states)"
	coopr-resource stage -q "$HELLO"
	same "hello.sh@1 recalled
hello.sh@2 staged" "$(states "$HELLO")"
	same "one" "$(coopr-resource get "$HELLO")"
	# Who changes his mind has what he had.
	coopr-resource recall -q "$HELLO"
	same "hello.sh@1 active
hello.sh@2 inactive" "$(states "$HELLO")"
	coopr-resource stage -q "$HELLO"
	coopr-resource sync -q
	same "hello.sh@1 inactive
hello.sh@2 active" "$(states "$HELLO")"
	same "two" "$(coopr-resource get "$HELLO")"
	same "one" "$(coopr-resource get "$HELLO@1")"
	coopr-resource recall -q "$HELLO" automator/shell/files/motd
	same "motd@1 recalled
hello.sh@2 recalled" "$(states | grep -v inactive)"
	same "motd@1 hello.sh@2" "$(coopr-resource list --status recalled -o json | jq -r '"\(.name)@\(.version)"' | paste -sd' ')"
	coopr-resource sync -q
	same "" "$(states | grep -v inactive)"
	run --separate-stderr -0 coopr-resource sync -o json
	same "" "$output"
}

@test "an upload of what is the newest version adds none; one of other permissions does" {
	upload "$HELLO" one
	upload "$HELLO" one
	same "hello.sh@1 inactive" "$(states)"
	upload "$HELLO" one --permissions 600
	same "1 0755 2 0600" "$(coopr-resource list -o json | jq -r '"\(.version) \(.permissions)"' | paste -sd' ')"
	upload "$HELLO" two --sync -m 'because of it'
	same "hello.sh@3 active because of it" "$(coopr-resource list -o json | jq -r 'select(.why) | "\(.name)@\(.version) \(.state) \(.why)"')"
	run -64 upload "$HELLO" one --permissions 99
	run -64 upload "$HELLO@2" one
	for name in .x ... .git; do
		run -64 upload "automator/shell/scripts/$name" one
		contains "$output" "does not begin with a dot"
	done
}

@test "only versions that are inactive can be deleted, and no number is given twice" {
	upload "$HELLO" one --sync
	upload "$HELLO" two --stage
	run -75 coopr-resource delete -y "$HELLO@1"
	contains "$output" "version 1 is active; recall it, and sync, first"
	run -75 coopr-resource delete -y "$HELLO@2"
	coopr-resource sync -q
	coopr-resource delete -y "$HELLO@1"
	run -1 coopr-resource get "$HELLO@1"
	run -1 coopr-resource delete -y "$HELLO@1"
	coopr-resource recall -q "$HELLO"
	coopr-resource sync -q
	coopr-resource delete -y "$HELLO@2"
	same "" "$(states)"
	upload "$HELLO" two
	same "hello.sh@3 inactive" "$(states)"
	# Without a version, all of them, or none.
	upload "$HELLO" three --sync
	upload "$HELLO" four
	run -75 coopr-resource delete -y "$HELLO"
	same "hello.sh@3 inactive
hello.sh@4 active
hello.sh@5 inactive" "$(states)"
	coopr-resource recall -q "$HELLO"
	coopr-resource sync -q
	coopr-resource delete -y "$HELLO"
	same "" "$(states)"
	run -1 coopr-resource delete -y "$HELLO"
}

@test "what is named is done as a whole, or nothing" {
	upload "$HELLO" one
	run -1 coopr-resource stage "$HELLO" automator/shell/scripts/none.sh
	same "hello.sh@1 inactive" "$(states)"
	run -1 coopr-resource delete -y "$HELLO@1" "$HELLO@7"
	same "hello.sh@1 inactive" "$(states)"
}

@test "names that are none are misuse, types and plugins that are none a no" {
	for name in hello.sh automator/shell automator/shell/scripts automator/shell/scripts/ automator/shell/scripts/a/b \
		automator/shell/scripts/.. automator/../scripts/x other/shell/scripts/x "automator/shell/scripts/a b" \
		automator/shell/scripts/x@0 automator/shell/scripts/x@-1 automator/shell/scripts/x@1x /etc/shadow; do
		run -64 coopr-resource get "$name"
	done
	run -1 upload automator/shell/recipes/x text
	contains "$output" 'automator/shell has no resources of type "recipes", but files, scripts'
	run -1 upload automator/none/recipes/x text
	run -1 upload provider/dummy/scripts/x text
	upload automatortypes/shell/scripts/hello.sh one
	same "hello.sh@1 inactive" "$(states)"
}

@test "a folder becomes an archive, the same folder the same bytes, which come back as they were" {
	mkdir -p site/sub
	echo page >site/index.html
	printf '#!/bin/sh\n' >site/sub/run
	chmod +x site/sub/run
	coopr-resource upload -q automator/shell/files/site site
	touch -d yesterday site/index.html
	coopr-resource upload -q automator/shell/files/site site
	same "site@1 inactive" "$(states)"
	coopr-resource get automator/shell/files/site >site.tar
	tar -tf site.tar | sort >names
	same "site/ site/index.html site/sub/ site/sub/run" "$(paste -sd' ' names)"
	tar -tvf site.tar | grep -q '^-rwxr-xr-x .* site/sub/run$'
	coopr-resource upload -q --format archive automator/shell/files/other - <site.tar
	cmp site.tar <(coopr-resource get automator/shell/files/other)
}

@test "diff shows what the newest version changes, and exits with 1 where there is something" {
	upload "$HELLO" one --sync
	upload "$HELLO" two
	run -1 coopr-resource diff "$HELLO"
	same "--- $HELLO@1
+++ $HELLO@2
@@ -1 +1 @@
-one
+two" "$output"
	run -0 coopr-resource diff "$HELLO@2" "$HELLO@2"
	same "" "$output"
	mkdir a
	echo 1 >a/same
	echo 1 >a/changed
	echo 1 >a/gone
	coopr-resource upload -q --sync automator/shell/files/a a
	rm a/gone
	echo 2 >a/changed
	echo 1 >a/new
	coopr-resource upload -q automator/shell/files/a a
	run -1 coopr-resource diff automator/shell/files/a
	same "~ a/changed
- a/gone
+ a/new" "$output"
}

# Makes an archive of hostile entries with Python, which lets itself be told anything: hostile NAME FORMAT PYTHON
hostile() {
	python3 - "$1" <<-END
		import io, sys, tarfile, zipfile
		def plain(name, text=b"x"):
		    i = tarfile.TarInfo(name); i.size = len(text); return i, io.BytesIO(text)
		def special(name, type, link=""):
		    i = tarfile.TarInfo(name); i.type = type; i.linkname = link; return i, None
		with tarfile.open(sys.argv[1], "w") as t:
		    for i, f in $2:
		        t.addfile(i, f)
	END
}

@test "archives that are hostile, damaged or too large are refused with 65, and nothing is kept of them" {
	hostile 1 '[plain("../x")]'
	hostile 2 '[plain("/etc/x")]'
	hostile 3 '[plain("a/../../x")]'
	hostile 4 '[special("l", tarfile.SYMTYPE, "/etc/passwd")]'
	hostile 5 '[plain("f"), special("l", tarfile.LNKTYPE, "f")]'
	hostile 6 '[special("d", tarfile.CHRTYPE)]'
	hostile 7 '[special("d", tarfile.BLKTYPE)]'
	hostile 8 '[special("p", tarfile.FIFOTYPE)]'
	hostile 9 '[plain("a"), plain("a")]'
	hostile 10 '[plain("a"), plain("a/b")]'
	hostile 11 '[plain("a\nb")]'
	hostile 12 '[plain("/".join("a" * 50))]'
	hostile 13 '[plain("f%d" % n, b"") for n in range(10001)]'
	hostile 14 '[]'
	hostile 15 '[plain("a//b")]'
	hostile 16 '[plain("./../x")]'
	hostile 17 '[plain("x" * 1500)]'
	hostile 24 '[plain("n\u202egpj.sh")]'
	hostile 25 '[plain("n\u009b31m")]'
	hostile 26 '[plain("n\udcff")]'
	truncate -s 1G hole
	tar -S -cf 27 hole
	rm hole
	printf 'not an archive' >./18
	python3 -c 'import gzip, tarfile, io
b = io.BytesIO()
with tarfile.open(fileobj=b, mode="w") as t:
    i = tarfile.TarInfo("zeros"); i.size = 70 << 20; t.addfile(i, io.BytesIO(bytes(i.size)))
open("19", "wb").write(gzip.compress(b.getvalue(), 1))'
	python3 -c 'import zipfile
with zipfile.ZipFile("20", "w") as z: z.writestr("../x", "x")
i = zipfile.ZipInfo("l"); i.external_attr = 0o120777 << 16
with zipfile.ZipFile("21", "w") as z: z.writestr(i, "/etc/passwd")
with zipfile.ZipFile("22", "w", zipfile.ZIP_DEFLATED) as z: z.writestr("big", bytes(70 << 20))'
	hostile whole '[plain("f", b"y" * 5000)]'
	head -c 3000 whole >./23
	# It says that it needs a dictionary of 1 GiB.
	python3 -c 'import lzma, struct, zlib
d = bytearray(lzma.compress(open("whole", "rb").read(), format=lzma.FORMAT_XZ))
end = 12 + (d[12] + 1) * 4 - 4
assert d[14] == 0x21
d[16] = 36
d[end:end + 4] = struct.pack("<I", zlib.crc32(d[12:end]))
open("28", "wb").write(d)'
	# Only the limit of memory keeps the last one out, and a build for the sanitizers has none.
	[[ $COOPR_BUILD != *san* ]] || rm 28
	for n in $(seq 28); do
		[ -e "$n" ] || continue
		echo "archive $n"
		run -65 coopr-resource upload --format archive automator/shell/files/evil "$n"
	done
	same "" "$(states)"
	same "" "$(find "$COOPR_STATE" -path '*resources*' -type f)"
}

@test "an archive may be a tar, compressed or not, or a zip, with ./ before its names" {
	mkdir -p kit/sub
	echo 1 >kit/one
	echo 2 >kit/sub/two
	tar -cf plain.tar kit
	tar -czf packed.tgz kit
	tar -cJf packed.txz kit
	tar -C kit -cf inside.tar .
	python3 -c 'import zipfile
with zipfile.ZipFile("kit.zip", "w", zipfile.ZIP_DEFLATED) as z: z.write("kit/one"); z.write("kit/sub/two")'
	coopr-resource upload -q --sync automator/shell/files/kit kit
	for file in plain.tar packed.tgz packed.txz inside.tar kit.zip; do
		coopr-resource upload -q --format archive automator/shell/files/kit "$file"
		run -0 coopr-resource diff automator/shell/files/kit
		same "" "$output"
	done
	same 6 "$(states | wc -l)"
}

@test "a byte that has changed in what is kept is found at every reading, and the same upload repairs it" {
	upload "$HELLO" one --sync
	path=$(content_of "$HELLO@1")
	printf O | dd of="$path" conv=notrunc status=none
	run -78 coopr-resource get "$HELLO"
	contains "$output" "it is damaged"
	run -78 coopr-resource diff "$HELLO"
	upload "$HELLO" one
	same one "$(coopr-resource get "$HELLO")"
	rm "$path"
	run -78 coopr-resource get "$HELLO"
	upload "$HELLO" one
	same one "$(coopr-resource get "$HELLO")"
	same "hello.sh@1 active" "$(states)"
}

@test "fsck --contents reads all that is kept, and names what is damaged or missing with each version that it concerns" {
	upload "$HELLO" one --sync
	upload automator/shell/files/same one
	upload "$HELLO" two
	run -0 coopr-store fsck --contents
	same "" "$output"
	one=$(content_of "$HELLO@1") two=$(content_of "$HELLO@2")
	printf O | dd of="$one" conv=notrunc status=none
	rm "$two"
	run -0 coopr-store fsck
	run -1 coopr-store fsck --contents
	same 3 "${#lines[@]}"
	contains "$output" "resource automator/shell/files/same@1 of tenant default: $one: it is damaged: its SHA-256 is not its name; upload it again"
	contains "$output" "resource $HELLO@1 of tenant default: $one: it is damaged"
	contains "$output" "resource $HELLO@2 of tenant default: $two: No such file"
	upload automator/shell/files/same one
	upload "$HELLO" two
	run -0 coopr-store fsck --contents
	same "" "$output"
	# What an executable of the installation has is whole again.
	export COOPR_RESOURCES="$COOPR_ROOT/libexec/coopr/archives/folder $PWD/far"
	upload "$HELLO" two
	printf O | dd of="$two" conv=notrunc status=none
	run -0 coopr-store fsck --contents
	cmp "$two" "far/${two##*/}"
}

@test "an executable of the installation keeps what is uploaded; the folder is a cache, which mends itself" {
	export COOPR_RESOURCES="$COOPR_ROOT/libexec/coopr/archives/folder $PWD/far"
	upload "$HELLO" one --sync
	path=$(content_of "$HELLO@1")
	cmp "$path" "far/${path##*/}"
	rm "$path"
	same one "$(coopr-resource get "$HELLO")"
	cmp "$path" "far/${path##*/}"
	printf O | dd of="$path" conv=notrunc status=none
	same one "$(coopr-resource get "$HELLO")"
	cmp "$path" "far/${path##*/}"
	printf O | dd of="far/${path##*/}" conv=notrunc status=none
	same one "$(coopr-resource get "$HELLO")"
	rm "$path"
	run -78 coopr-resource get "$HELLO"
	contains "$output" "where it is kept it is damaged"
	[ ! -e "$path" ]
	upload "$HELLO" one
	cmp "$path" "far/${path##*/}"
	rm "$path" "far/${path##*/}"
	run -66 coopr-resource get "$HELLO"
	contains "$output" "there is no such resource"
}

@test "where the executable keeps nothing, no version is recorded" {
	for code in 75 3; do
		printf '#!/bin/sh\ncat >/dev/null\nexit %s\n' $code >keeper
		chmod +x keeper
		COOPR_RESOURCES=$PWD/keeper run "-$([ $code = 75 ] && echo 75 || echo 74)" upload "$HELLO" one
		same "" "$(states)"
	done
	COOPR_RESOURCES=$PWD/none run upload "$HELLO" one
	[ "$status" -ne 0 ]
	same "" "$(states)"
}

@test "reconcile removes what no version has named for a day, here and where it is kept, and nothing else" {
	export COOPR_RESOURCES="$COOPR_ROOT/libexec/coopr/archives/folder $PWD/far"
	upload "$HELLO" one --sync
	upload "$HELLO" two
	upload "$HELLO" three
	second=$(content_of "$HELLO@2") third=$(content_of "$HELLO@3")
	coopr-resource delete -y "$HELLO@2"
	: >"${third%/*}/killed.123.new"
	coopr-reconcile >said 2>&1 || true
	[ -e "$second" ] && [ -e "far/${second##*/}" ]
	find "$COOPR_STATE/resources" -type f -exec touch -d '2 days ago' {} +
	coopr-reconcile >said 2>&1 || true
	[ ! -e "$second" ] && [ ! -e "far/${second##*/}" ] && [ ! -e "${third%/*}/killed.123.new" ]
	same "one three" "$(coopr-resource get "$HELLO@1") $(coopr-resource get "$HELLO@3")"
	same 2 "$(find far -type f | wc -l)"
}

@test "ten thousand versions are listed, and become active together" {
	need_program sqlite3
	sqlite3 "$COOPR_STORE" "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
		INSERT INTO resource SELECT 2, 'automator/shell', 'scripts', 's' || (i / 10), 1 + i % 10, printf('%064d', i), 1048576, 'file', 493,
		'2026-11-23T04:45:46.952Z', 'root', NULL, i % 10 = 4, i % 10 = 3, 0 FROM n"
	same 10000 "$(coopr-resource list -o json | wc -l)"
	same 2000 "$(coopr-resource sync -o json | wc -l)"
	same "1000 4" "$(coopr-resource list --status active -o json | jq .version | sort | uniq -c | xargs)"
}

@test "tenants see their own resources and those of superadmin; only admins change them" {
	coopr-tenant create qa
	coopr-tenant create dev
	coopr-member set -T qa -r admin ann
	coopr-member set -T qa bob
	coopr-member set -T dev -r admin eve
	upload "$HELLO" shared --sync -T superadmin
	upload automator/shell/scripts/own.sh qa --sync -T qa --as ann
	same "hello.sh@1 active
own.sh@1 active" "$(states -T qa --as bob)"
	same "hello.sh@1 active" "$(states -T dev --as eve)"
	same shared "$(coopr-resource get -T dev --as eve "$HELLO")"
	run -1 coopr-resource get -T dev --as eve automator/shell/scripts/own.sh
	run -1 coopr-resource list -T qa --as eve
	for verb in stage recall; do
		run -77 coopr-resource "$verb" -T qa --as bob automator/shell/scripts/own.sh
	done
	run -77 coopr-resource sync -T qa --as bob
	run -77 coopr-resource delete -y -T qa --as bob automator/shell/scripts/own.sh@1
	run -77 coopr-resource delete -y -T qa --as bob automator/shell/scripts/own.sh
	run -77 upload "$HELLO" bob -T qa --as bob
	run -1 coopr-resource recall -T qa --as ann "$HELLO"
	upload "$HELLO" mine --sync -T qa --as ann
	same mine "$(coopr-resource get -T qa --as bob "$HELLO")"
	same shared "$(coopr-resource get -T dev --as eve "$HELLO")"
	coopr-tenant delete -y dev
	same "hello.sh@1 active" "$(states -T superadmin)"
}

# How many bytes the quota counts.
counted() {
	coopr-quota -o json "$@" | jq '.amounts.uploads.use // 0'
}

kept() {
	find "$COOPR_STATE" -path '*resources*' -type f | wc -l
}

@test "a quota of uploads counts what is kept, also of uploads that were killed, and refuses what is more before it is kept" {
	head -c 60 /dev/zero >sixty
	head -c 61 /dev/zero >more
	coopr-tenant change --uploads 100 default
	coopr-resource upload -q --sync "$HELLO" sixty
	same 60 "$(counted)"
	contains "$(coopr-quota)" "bytes of uploads"
	run -1 coopr-resource upload "$HELLO" more
	contains "$output" "the tenant's quota of uploads is 100 bytes: 60 are in use, this would need 61 more"
	run -1 coopr-resource upload "$HELLO" - <more
	same "hello.sh@1 active 1 60" "$(states) $(kept) $(counted)"
	# The same bytes count once, and are no more than there are where the quota was lowered.
	coopr-resource upload -q automator/shell/files/same sixty
	same 60 "$(counted)"
	coopr-tenant change --uploads 10 default
	coopr-resource upload -q --sync "$HELLO" sixty
	coopr-resource upload -q automator/shell/files/again sixty
	coopr-tenant change --uploads 121 default
	coopr-resource upload -q automator/shell/files/more more
	same 121 "$(counted)"
	run -1 upload automator/shell/files/last x
	# What was deleted takes its bytes for a day.
	coopr-resource delete -y automator/shell/files/more@1
	same 121 "$(counted)"
	run -1 upload automator/shell/files/last x
	need_program sqlite3
	sqlite3 "$COOPR_STORE" "UPDATE resource SET at = '2020-01-01T00:00:00.000Z'"
	same 60 "$(counted)"
	# So does an upload that does not succeed, once, and until it does.
	printf '#!/bin/sh\ncat >/dev/null\nexit 75\n' >keeper
	chmod +x keeper
	for _ in 1 2; do
		COOPR_RESOURCES=$PWD/keeper run -75 coopr-resource upload "$HELLO" more
		same 121 "$(counted)"
	done
	coopr-resource upload -q "$HELLO" more
	same 121 "$(counted)"
	coopr-tenant change --uploads any default
	upload "$HELLO" x
	same 123 "$(counted)"
}

@test "of a tenant four uploads are under way at once, which keeps no other waiting" {
	coopr-tenant create qa
	for n in 1 2 3 4; do
		mkfifo "gate$n"
		coopr-resource upload -q "automator/shell/files/f$n" - <"gate$n" 3>&- &
		exec {fd}>"gate$n"
		gates+=("$fd")
		until [ "$(grep -cs ":$(stat -c %i "$COOPR_STATE/uploads.lock" 2>/dev/null) " /proc/locks)" = "$n" ]; do
			read -rt 0.02 _ <>"gate$n" || true
		done
	done
	run -75 upload "$HELLO" x
	contains "$output" "4 uploads of the tenant are under way; try again when one has ended"
	upload "$HELLO" x -T qa
	for fd in "${gates[@]}"; do
		echo bytes >&"$fd"
		exec {fd}>&-
	done
	wait
	upload "$HELLO" x
	same 5 "$(coopr-resource list -o name | wc -l)"
}

@test "an import beyond the quota changes nothing, and a rehearsal says so" {
	mkdir -p folder/scripts
	head -c 60 /dev/zero >folder/scripts/a
	head -c 61 /dev/zero >folder/scripts/b
	coopr-tenant change --uploads 100 default
	run -1 coopr-import --dry-run folder
	contains "$output" "quota of uploads"
	same 0 "$(kept)"
	run -1 coopr-import folder
	contains "$output" "quota of uploads"
	same "" "$(states)"
	coopr-tenant change --uploads 121 default
	coopr-import -q folder
	coopr-import -q folder
	same "121 2" "$(counted) $(states | wc -l)"
	# A folder of scripts alone may be imported, one of nothing not.
	mkdir nothing
	run -66 coopr-import folder nothing
	run -66 coopr-import folder none
}

@test "a folder that one installation exports is the same in another that imports it, to the byte" {
	cp -r "$COOPR_ROOT/share/coopr/catalogue" folder
	mkdir -p folder/scripts/kit/sub folder/scripts/kit/void folder/files/none
	printf '#!/bin/sh\n' >folder/scripts/kit/sub/run
	chmod +x folder/scripts/kit/sub/run
	echo x >folder/scripts/a.sh
	: >folder/files/empty
	export COOPR_STATE=$PWD/one COOPR_STORE=$PWD/one.store
	coopr-store init
	coopr-import -q folder
	coopr-export first >/dev/null
	states >states.one
	export COOPR_STATE=$PWD/two COOPR_STORE=$PWD/two.store
	coopr-store init
	coopr-import -q first
	coopr-export second >/dev/null
	diff -r first second
	diff states.one <(states)
	diff -r folder/scripts second/scripts
	diff -r folder/files second/files
	[ -x second/scripts/kit/sub/run ]
	[ ! -x second/scripts/a.sh ]
}

@test "who deletes what is his hears nothing of other tenants that have the same bytes" {
	need_program sqlite3
	coopr-tenant create qa
	upload "$HELLO" one -T qa
	upload "$HELLO" one -T superadmin
	sum=$(coopr-resource list -T qa -o json "$HELLO" | jq -r 'select(.tenant == "qa") | .sum')
	sqlite3 "$COOPR_STORE" "INSERT INTO cluster (id, tenant, name, owner, template, provider, status, created_ms, changed_ms, nodes, revision,
		operation) SELECT 1, id, 'hidden', 'x', 't', 'p', 'active', 1, 1, 0, 0, 0 FROM tenant WHERE name = 'default';
		INSERT INTO cluster_document VALUES (1, '{\"sum\":\"$sum\"}', '')"
	coopr-resource delete -y -T qa "$HELLO@1"
	run -75 coopr-resource delete -y -T superadmin "$HELLO@1"
	contains "$output" "cluster hidden is made with it"
}

@test "a device, a pipe and a file that is not there are refused; so is more than 64 MiB" {
	mkfifo pipe
	run -66 coopr-resource upload "$HELLO" pipe
	run -66 coopr-resource upload "$HELLO" /dev/null
	run -66 coopr-resource upload "$HELLO" none
	truncate -s 65M large
	run -65 coopr-resource upload "$HELLO" large
	mkdir folder
	ln -s /dev/zero folder/zero
	run -65 coopr-resource upload automator/shell/files/folder folder
	same "" "$(states)"
}

@test "an answer that cannot be written is an error" {
	upload "$HELLO" one --sync
	upload "$HELLO" two
	for command in "list" "get $HELLO" "diff $HELLO" sync; do
		coopr-resource stage -q "$HELLO"
		run -74 sh -c "coopr-resource $command >/dev/full"
	done
}

@test "the examples of the page run" {
	rm -f "$COOPR_STORE"*
	commands_of "$COOPR_ROOT/man/man1/coopr-resource.1" >examples
	[ -s examples ]
	bash -eu examples >said
	same web.sh@2 "$(coopr-resource list --status active -o json | jq -r '"\(.name)@\(.version)"')"
}
