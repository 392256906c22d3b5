#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# libexec/coopr/archives/s3: archives and resources in a bucket, coopr-config(5).
#
# The bucket is tests/s3-server.py, which checks signatures by itself. Against a real service, the last test runs where S3_URL, S3_REGION
# and S3_KEYFILE name one.

load case

setup() {
	fresh
	need_program python3
	s3=$(dirname "$COOPR_BIN")/libexec/coopr/archives/s3
	printf 'AKIDEXAMPLE\nwJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY\n' >key
	chmod 600 key
	mkfifo port
	python3 "$BATS_TEST_DIRNAME/s3-server.py" AKIDEXAMPLE wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY eu-test-1 >port 3>&- &
	server=$!
	hear port number
	url=http://127.0.0.1:$number/bucket
}

teardown() {
	[ -z "${server:-}" ] || kill "$server"
}

keep() {
	"$s3" key eu-test-1 "$url/folder" "$@"
}

@test "what was put is given back, listed over all pages, and deleted" {
	head -c 300000 /dev/urandom >large
	keep put one <large
	: | keep put empty
	for key in a b c.d e_f-g; do echo "$key" | keep put "$key"; done
	echo other | "$s3" key eu-test-1 "$url" put elsewhere
	cmp large <(keep get one)
	same "" "$(keep get empty)"
	same "a b c.d e_f-g empty one" "$(keep list | paste -sd' ')"
	same "elsewhere" "$("$s3" key eu-test-1 "$url/" list | paste -sd' ')"
	keep has one
	run -1 keep has none
	keep delete one
	keep delete one
	run -1 keep has one
	run -66 keep get one
	contains "$output" "NoSuchKey"
	echo again | keep put a
	same again "$(keep get a)"
}

@test "a wrong key is refused with 77, and so is a file that others may read" {
	echo text | keep put one
	printf 'AKIDEXAMPLE\nanother\n' >wrong
	chmod 600 wrong
	run -77 "$s3" wrong eu-test-1 "$url/folder" get one
	contains "$output" "SignatureDoesNotMatch"
	run -77 "$s3" key elsewhere "$url/folder" get one
	chmod 640 key
	run -77 keep get one
	contains "$output" "others may read it"
	echo half >half
	chmod 600 half
	run -78 "$s3" half eu-test-1 "$url/folder" get one
	run -66 "$s3" none eu-test-1 "$url/folder" get one
}

@test "a service that is busy or not there is a temporary failure, an answer that breaks off no success" {
	echo text >text
	run -75 keep put busy <text
	contains "$output" "SlowDown"
	keep put cut <text
	run -75 keep get cut
	kill "$server"
	wait "$server" || true
	server=
	run -75 keep get cut
	run -75 keep list
}

@test "wrong calls are misuse" {
	for call in "" "get" "get a b" "list a" "take a" "get a/b" "get .." "put"; do
		# shellcheck disable=SC2086 # words
		run -64 keep $call </dev/null
	done
	for where in "$number" "ftp://127.0.0.1/bucket" "http://127.0.0.1" "http://127.0.0.1/" "http://127.0.0.1/a?b" "http://127.0.0.1/a b"; do
		run -64 "$s3" key eu-test-1 "$where" get one
	done
	run -74 sh -c "echo x | '$s3' key eu-test-1 '$url' put one; '$s3' key eu-test-1 '$url' get one >/dev/full"
}

@test "resources and archives are kept there" {
	export COOPR_RESOURCES="$s3 $PWD/key eu-test-1 $url/resources" COOPR_ARCHIVES="$s3 $PWD/key eu-test-1 $url/archives"
	export COOPR_STORE=$PWD/store
	coopr-store init
	echo one | coopr-resource upload -q --sync automator/shell/scripts/hello.sh -
	rm -r "$COOPR_STATE/resources"
	same one "$(coopr-resource get automator/shell/scripts/hello.sh)"
	archive=$(dirname "$COOPR_BIN")/libexec/coopr/archive
	head -c 200000 /dev/urandom >plain
	"$archive" put first <plain >record
	cmp plain <("$archive" get first)
	same first "$("$archive" list)"
	"$archive" delete first
	same "" "$("$archive" list)"
}

@test "another client of the protocol reads what was put" {
	need_program rclone
	other() {
		env -u AWS_CA_BUNDLE rclone --config /dev/null --s3-provider Other --s3-endpoint "http://127.0.0.1:$number" --s3-region eu-test-1 \
			--s3-access-key-id AKIDEXAMPLE --s3-secret-access-key wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY --s3-no-check-bucket "$@"
	}
	echo ours | keep put ours
	same ours "$(other cat :s3:bucket/folder/ours)"
}

@test "a real service of the protocol keeps, lists and deletes" {
	[ -n "${S3_URL:-}" ] || skip "S3_URL, S3_REGION and S3_KEYFILE name no service; the only one that Debian has, radosgw, needs a Ceph cluster"
	key=test-$$
	echo text | "$s3" "$S3_KEYFILE" "$S3_REGION" "$S3_URL" put $key
	same text "$("$s3" "$S3_KEYFILE" "$S3_REGION" "$S3_URL" get $key)"
	"$s3" "$S3_KEYFILE" "$S3_REGION" "$S3_URL" list | grep -qx $key
	"$s3" "$S3_KEYFILE" "$S3_REGION" "$S3_URL" delete $key
	run -1 "$s3" "$S3_KEYFILE" "$S3_REGION" "$S3_URL" has $key
}
