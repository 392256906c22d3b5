# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the tests of coopr-solve share:
#
#	load case
#	load solve
#
#	changed PROGRAM            the file "request" with a change made by a jq program, as the file "changed"
#	nodes [FILE]               the nodes of a layout in words
#	refuses PROGRAM POINTER... the changed request is refused with this conflict

# A request for three machines: a master, workers beside it, monitoring everywhere.
setup() {
	fresh
	cat >request <<-'END'
	{"kind":"request",
	 "cluster":{"id":"00000042","name":"kv-qa","tenant":"qa","numMachines":3,"services":["monitor","master","worker"],
	  "config":{"a":1},"catalogue":"/some/where","dnsSuffix":"dev.example.net"},
	 "template":{"name":"kv","constraints":{"layout":{"cantcoexist":[["master","worker"]]},
	  "services":{"master":{"hardwaretypes":["large"],"quantities":{"min":1,"max":1}},"worker":{"quantities":{"min":1}}}}},
	 "provider":{"name":"p","providertype":"dummy","provisioner":{}},
	 "hardwaretypes":[{"name":"small","providermap":{"p":{"flavor":"f.small","cost":"0.087"}}},
	  {"name":"large","providermap":{"p":{"flavor":"f.large","cost":0.5}}}],
	 "imagetypes":[{"name":"rocky","providermap":{"p":{"image":"7d1e","sshuser":"rocky"}}}],
	 "services":[{"name":"master"},{"name":"worker"},{"name":"monitor"},{"name":"idle"}],
	 "nodes":[]}
	END
}

# The request with a change made by a jq program.
changed() {
	jq "$1" request >changed
}

# The nodes of a layout in words: "1000 large rocky master,monitor".
nodes() {
	jq -r 'select(.kind == "node") | "\(.nodenum) \(.hardwaretype) \(.imagetype) \(.services // ["-"] | join(","))"' "$@"
}

# Refused with these pointers: refuses PROGRAM POINTER...
refuses() {
	changed "$1"
	shift
	run -1 --separate-stderr coopr-solve changed
	same "$(printf '%s\n' unsatisfiable "$@")" "$(jq -r '.kind, .conflict[]' <<<"$output")"
}
