# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Clusters of share/coopr/catalogues/debian on sandbox machines, with real packages. Needs case and sandbox.
#
#	debian_catalogue TEMPLATE   fetches what its services install, and copies the catalogue to mine, with a network of its own
#	debian_down                 in teardown, which is this alone where a file has no other: deletes them
#	on NODE COMMAND             runs a command on a node, as CLUSTER/1000 or CLUSTER/@SERVICE, and prints what that prints
#	is_well CLUSTER             its services say that they are healthy; what they say otherwise is printed
#	soon COMMAND...             it succeeds within two minutes
#	nodes_with CLUSTER SERVICE  their numbers
#	address CLUSTER NODE        where it is reached
#	unchanged CLUSTER           all services are configured again, and none has anything to change

# Packages are kept from one run to the next.
DEBIAN_PACKAGES=/var/cache/coopr-catalogues

debian_catalogue() {
	local template=$1 file

	fresh
	need_root
	need_program apt-get curl ip nft sshd
	cp -R "$COOPR_ROOT/share/coopr/catalogues/debian" mine
	export COOPR_CATALOGUE=$PWD/mine
	jq --arg network "10.$((248 + $$ / 256 % 7)).$(($$ % 256)).0/24" --arg cache "$DEBIAN_PACKAGES" \
		'.provisioner += {network: $network, share: $cache}' "$COOPR_ROOT/share/coopr/catalogues/debian/providers/sandbox.json" \
		>mine/providers/sandbox.json
	for file in mine/clustertemplates/*.json mine/partialtemplates/*.json; do
		jq --arg cache "$DEBIAN_PACKAGES" 'if .defaults.config.packages then .defaults.config.packages.archive = $cache else . end' "$file" >file
		mv file "$file"
	done
	# shellcheck disable=SC2046 # words
	"$COOPR_ROOT/tests/outside" coopr-packages -d "$DEBIAN_PACKAGES" $(debian_packages "$template") 2>log || skip "the packages cannot be had: $(tail -n 1 log)"
}

# What the services of a template install.
debian_packages() {
	jq -r '.defaults.services[]' "mine/clustertemplates/$1.json" | while read -r service; do
		jq -r '.provisioner.actions.install.fields.args // empty' "mine/services/$service.json" | tr ' ' '\n'
	done | sort -u
}

debian_down() {
	[ ! -d "$COOPR_STATE" ] || coopr-list -o name | while read -r cluster; do
		coopr-delete -y --discard-data "$cluster" </dev/null >/dev/null
	done
	[ ! -d "$COOPR_STATE" ] || coopr-volume list -o json | jq -r .id | while read -r volume; do
		coopr-volume delete -y --discard-data "$volume" </dev/null >/dev/null
	done
}

teardown() {
	debian_down
}

on() {
	coopr-ssh "$1" "$2" </dev/null
}

is_well() {
	run -0 coopr-status --probe "$1"
	contains "$output" healthy
}

soon() {
	for _ in $(seq 240); do
		! "$@" >said 2>&1 || return 0
		sleep 0.5
	done
	echo "in vain: $*"
	cat said
	return 1
}

nodes_with() {
	coopr-show -o json "$1" | jq -r --arg service "$2" 'select(.kind == "node" and (.services | index($service))).nodenum'
}

address() {
	coopr-show -o json "$1" | jq -r --argjson node "$2" 'select(.nodenum == $node).ipaddresses.access_v4'
}

unchanged() {
	local job

	job=$(coopr-plan -a configure "$COOPR_STATE/clusters/$(coopr-list --search "$1" -o jsonpath='{.id}')/cluster.ndjson" | COOPR_SPOOL=$PWD/again coopr-queue put)
	COOPR_SPOOL=$PWD/again coopr-work --drain
	same complete "$(COOPR_SPOOL=$PWD/again coopr-queue show -o json "$job" | jq -r 'select(.kind == "status").status')"
	find again/*/"$job"/log -type f -size +0 >logs
	[ -s logs ]
	xargs grep -L "^nothing has changed" <logs >changing || true
	[ ! -s changing ] || xargs tail -n +1 <changing
	[ ! -s changing ]
}
