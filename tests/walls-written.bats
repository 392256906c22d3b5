#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# A generator puts paths of the host, in all spellings, into every string of every document, as every role: nothing of the host is
# opened, and nothing that names it is stored. The paths have the word "canary", which no call of the kernel may then see.

load case
load walls

# The strings that name canaries, a line each, as JSON.
spellings() {
	local c=$PWD/canary

	jq -n --arg c "$c" --arg here "$PWD" '[$c, "/" + $c, $c + "/.", $c + "/", "../canary", "../../../../../../../../" + $c, "x/../../canary",
		"./canary", "a/./canary", "a//canary", $here + "/canary-link", $here + "/canary-hard", "/proc/self/root" + $c, "/proc/self/cwd/canary",
		"/proc/self/fd/9/../canary", "/dev/fd/9/canary", "file://" + $c, "\"" + $c + "\"", "\u0027" + $c + "\u0027", "\\" + $c, "a " + $c,
		"a\t" + $c, "a\n" + $c, "a\u0001" + $c, "a\u007f" + $c, $c + "*", "~/canary", "~root" + $c, "$HOME/canary", "$(cat " + $c + ")",
		"`cat " + $c + "`", ";cat " + $c, "|cat " + $c, "%file.canary%", "@" + $c, "-oProxyCommand=cat " + $c, "--machines=" + $c,
		"\u00e4/../" + $c, "\u202e" + $c]' | jq -c '.[]'
}

# What comes of one change: attempt USER KIND DOCUMENT. What names of the host remains in the store is none of its fields.
attempt() {
	tried=$((tried + 1))
	case $2 in
	clusterspec) SUDO_USER=$1 COOPR_TENANT=qa coopr-apply --dry-run -f - <<<"$3" >>out 2>&1 || return 0 ;;
	*) SUDO_USER=$1 COOPR_TENANT=qa coopr-store put -q --force -k "$2" - <<<"$3" >>out 2>&1 || return 0 ;;
	esac
	stored=$((stored + 1))
}

setup() {
	walls_setup
}

try_all() {
	local kind document user tried=0 stored=0

	exec 9<"$HOME"
	while IFS=$'\t' read -r kind document; do
		attempt ann "$kind" "$document"
	done <documents
	sort -u -k1,1 documents >one
	while IFS=$'\t' read -r kind document; do
		for user in bob eve mallory; do
			attempt $user "$kind" "$document"
		done
	done <one
	echo "$tried" >tried
	echo "$stored" >stored
}

# The plugins that come along.
plugins() {
	find "$COOPR_BIN/../libexec/coopr/provider" "$COOPR_BIN/../libexec/coopr/automator" -type f -perm -100 ! -name '*.c'
}

@test "whatever a tenant writes, wherever, nothing of the host is opened" {
	strace -f -qq -o trace -e trace=%file cat canary >out
	run nothing_was_touched
	[ "$status" -ne 0 ]
	: >out
	plugins >plugins
	mapfile -t plugin <plugins
	spellings | python3 -B "$BATS_TEST_DIRNAME/walls-documents.py" "$COOPR_ROOT/share/coopr/schema" "${plugin[@]}" >generated
	jq -r '[.kind, (.document | tostring)] | join("\t")' generated >documents
	[ "$(jq -r '.kind + .place' generated | sort -u | wc -l)" -ge 300 ]
	export -f try_all attempt
	strace -f -qq --seccomp-bpf -o trace -e trace=%file bash -c try_all
	nothing_was_touched
	[ "$(cat tried)" -ge 500 ]
	[ "$(cat stored)" -gt 0 ]
	# What is stored is judged once more.
	coopr-store export -T qa >stored.ndjson
	contains "$(cat stored.ndjson)" '"evil"'
	same "" "$(jq -c '.. | objects | (.share?, .machines?, .network?, .identityfile?) // empty' stored.ndjson)"
	same "" "$(jq -r '.provisioner.actions? // empty | .. | objects | (.script?, .files?) // empty | strings' stored.ndjson | grep -E '^/|[ "\\]/|\.\.')"
	same "" "$(jq -r '.providermap? // empty | .. | objects | .image? // empty | strings' stored.ndjson | grep -E '^/|[ "\\]/|\.\.')"
}
