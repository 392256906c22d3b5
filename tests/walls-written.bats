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

# Documents with a string wherever one can be.
documents() {
	jq -cn '
		{kind: "provider", document: {name: "p", label: "l", description: "d", providertype: "sandbox", zones: ["z"], provisioner: {network: "n",
			route: "r", share: "s", unconfined: "u", flavors: {small: {cpu: "1"}}, image: "i", other: "o"}}},
		{kind: "provider", document: {name: "p", providertype: "sandbox", provisioner: {share: ["s"]}}},
		{kind: "provider", document: {name: "p", providertype: "static", provisioner: {machines: "m", identityfile: "k", user: "u"}}},
		{kind: "provider", document: {name: "p", providertype: "dummy", provisioner: {delay_ms: "0", seed: "0", fail_percent: "0"}}},
		{kind: "hardwaretype", document: {name: "h", label: "l", description: "d", providermap: {dummy: {flavor: "f"}}}},
		{kind: "imagetype", document: {name: "i", label: "l", description: "d", providermap: {dummy: {image: "x", sshuser: "u"}}}},
		{kind: "service", document: {name: "evil", label: "l", description: "d", data: ["/d"], links: [{label: "l", url: "u"}], provisioner: {actions: {
			install: {type: "shell", fields: {script: "s", args: "a", files: "f", user: "u", nodes: ["n"], config: ["c"], other: "o"}},
			start: {type: "dummy", fields: {delay_ms: "0", seed: "0"}}, status: {type: "shell", fields: {script: "s"}}}}}},
		{kind: "clustertemplate", document: {name: "t", label: "l", description: "d", compatibility: {services: ["evil"], hardwaretypes: ["h"],
			imagetypes: ["i"]}, defaults: {services: ["evil"], provider: "p", hardwaretype: "h", imagetype: "i", dnsSuffix: "x", config: {a: "b"}}}},
		{kind: "partialtemplate", document: {name: "pt", label: "l", description: "d"}}'
}

# What comes of one change of the store: attempt USER KIND DOCUMENT. What names of the host remains in the store is none of its fields.
attempt() {
	tried=$((tried + 1))
	SUDO_USER=$1 COOPR_TENANT=qa coopr-store put -q --force -k "$2" - <<<"$3" >>out 2>&1 || return 0
	stored=$((stored + 1))
}

setup() {
	walls_setup
}

try_all() {
	local spelling document kind path changed user tried=0 stored=0

	exec 9<"$HOME"
	documents >documents
	spellings >spellings
	while read -r document; do
		kind=$(jq -r .kind <<<"$document")
		# Fields that are of the host get all spellings, others every fifth.
		jq -c --slurpfile spellings spellings '.document as $d | [$d | paths(type == "string")] | to_entries[] | .key as $i | .value as $p |
			range($spellings | length) as $j | select(($i + $j) % 5 == 0 or any($p[]; . == ("share", "machines", "script", "files", "image"))) |
			$d | setpath($p; $spellings[$j])' <<<"$document" >changed
		while read -r changed; do
			attempt ann "$kind" "$changed"
		done <changed
		for user in bob eve mallory; do
			attempt $user "$kind" "$(sed -n 1p changed)"
		done
	done <documents
	echo "$tried" >tried
	echo "$stored" >stored
}

@test "whatever a tenant writes, wherever, nothing of the host is opened" {
	strace -f -qq -o trace -e trace=%file cat canary >out
	run nothing_was_touched
	[ "$status" -ne 0 ]
	: >out
	export -f try_all attempt documents spellings
	strace -f -qq -o trace -e trace=%file bash -c try_all
	nothing_was_touched
	[ "$(cat tried)" -ge 300 ]
	[ "$(cat stored)" -gt 0 ]
	# What is stored is judged once more.
	coopr-store export -T qa >stored.ndjson
	contains "$(cat stored.ndjson)" '"evil"'
	same "" "$(jq -c '.. | objects | (.share?, .machines?, .network?, .identityfile?) // empty' stored.ndjson)"
	same "" "$(jq -r '.provisioner.actions? // empty | .. | objects | (.script?, .files?) // empty | strings' stored.ndjson | grep -E '^/|[ "\\]/|\.\.')"
	same "" "$(jq -r '.providermap? // empty | .. | objects | .image? // empty | strings' stored.ndjson | grep -E '^/|[ "\\]/|\.\.')"
}
