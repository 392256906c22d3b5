#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Ten shell tasks on each of 50 sandbox nodes, by coopr-work, pdsh and ansible-playbook, in turns, all over connections that
# are open already; then what 1,000 tasks that sleep on their nodes cost on this side. Needs root, for the nodes are
# namespaces of this machine. Environment: BENCH_NODES (50), BENCH_FLIGHT (1000), BENCH_ROUNDS (3).

set -eu
# shellcheck disable=SC1091 # checked by itself
. "$COOPR_ROOT/tests/bench/bench.bash"

nodes=${BENCH_NODES:-50}
flight=${BENCH_FLIGHT:-1000}
rounds=${BENCH_ROUNDS:-3}
network=10.$((216 + $$ / 256 % 32)).$(($$ % 256)).0/24
sandbox=$COOPR_ROOT/libexec/coopr/provider/sandbox
worker='' sshd=''

if [ "$(id -u)" -ne 0 ] || ! command -v sshd >/dev/null; then
	echo "skipped: needs root and sshd"
	exit 0
fi

stop_all() {
	exec 9>&-
	[ -z "$worker" ] || { kill "$worker"; wait "$worker"; } 2>/dev/null || :
	for control in "$PWD"/control/*; do
		[ ! -S "$control" ] || ssh -F none -S "$control" -O exit none 2>/dev/null || :
	done
	[ -z "$sshd" ] || kill "$sshd"
	"$sandbox" purge >/dev/null
}
trap stop_all EXIT

# A job on the nodes of nodes.ndjson, whose cluster has the provider of $provider: job TASKS SCRIPT [TIMEOUT_S]
job() {
	jq -cn --slurpfile nodes nodes.ndjson --argjson each "$1" --arg script "$2" --argjson timeout "${3:-60}" \
		--arg catalogue "$PWD/catalogue" --argjson provider "$provider" '
		{kind: "job", id: null, cluster: "00000042", tenant: "default", action: "cluster_configure",
			tasks: ($each * ($nodes | length)), critical_path_s: 1},
		{kind: "cluster", id: "00000042", name: "bench", tenant: "default", services: ["web"], config: {},
			catalogue: $catalogue, definitions: [{name: "web"}], provider: $provider},
		$nodes[],
		($nodes[] | .id as $node | range($each) | {kind: "task", id: "t\($node)-\(.)", node: $node, action: "configure",
			service: "web", type: "shell", fields: {script: $script}, timeout_s: $timeout, retries: 0, expect_s: 1,
			rank: 1, after: []})'
}

mkdir -p catalogue/scripts control /run/sshd
echo ':' >catalogue/scripts/nothing.sh

# --- the nodes ---

provider='{"name": "here", "providertype": "sandbox", "provisioner": {"network": "'$network'"}}'
jq -cn --argjson provider "$provider" --argjson count "$nodes" '
	{kind: "job", id: null, cluster: "00000042", tenant: "default", action: "cluster_create", tasks: (2 * $count),
		critical_path_s: 1},
	{kind: "cluster", id: "00000042", name: "bench", tenant: "default", services: ["web"], config: {},
		definitions: [{name: "web"}], provider: $provider},
	(range($count) | {kind: "node", id: "00000042-\(1000 + .)", nodenum: (1000 + .), services: ["web"], was: null,
		hostname: "bench42-\(1000 + .).local", image: "host", flavor: "any", sshuser: "root"}),
	(range($count) | "00000042-\(1000 + .)" as $node
		| {kind: "task", id: "c\(.)", node: $node, action: "create", service: null, type: "sandbox", fields: {},
			timeout_s: 300, retries: 2, expect_s: 1, rank: 2, after: []},
		{kind: "task", id: "d\(.)", node: $node, action: "confirm", service: null, type: "sandbox", fields: {},
			timeout_s: 300, retries: 2, expect_s: 1, rank: 1, after: ["c\(.)"]})' >create
job=$(coopr-queue put <create)
repeat -n 1 -l "$nodes sandbox nodes made" coopr-work -j 4 --drain
coopr-queue show "$job" --layout | jq -c 'select(.kind == "node") | .was = .services' >nodes.ndjson
jq -r '"\(.ipaddresses.access_v4) \(.facts.ssh_host_keys.ed25519)"' nodes.ndjson >known
jq -r .ipaddresses.access_v4 nodes.ndjson >addresses
key=$(jq -r '.facts["ssh-auth"].identityfile' nodes.ndjson | head -n 1)

# --- ten tasks on each, by three ---

cat >ssh_config <<-END
	Host *
	User root
	IdentityFile $key
	UserKnownHostsFile $PWD/known
	StrictHostKeyChecking yes
	BatchMode yes
	LogLevel ERROR
	ControlMaster auto
	ControlPath $PWD/control/%h
	ControlPersist 120
END
printf '%s\n' '- hosts: all' '  gather_facts: false' '  tasks:' >ten.yml
for ((i = 0; i < 10; i++)); do printf '    - shell: ":"\n' >>ten.yml; done
printf '[all]\n' | cat - addresses >inventory
cat >ansible.cfg <<-END
	[defaults]
	forks = $nodes
	inventory = $PWD/inventory
	remote_user = root
	private_key_file = $key
	interpreter_python = /usr/bin/python3
	local_tmp = $PWD/ansible
	[ssh_connection]
	pipelining = True
	ssh_args = -F $PWD/ssh_config
	control_path = $PWD/control/%%h
END
export PDSH_SSH_ARGS_APPEND="-F $PWD/ssh_config" PDSH_RCMD_TYPE=ssh ANSIBLE_CONFIG=$PWD/ansible.cfg HOME=$PWD

ours() { coopr-queue wait "$(coopr-queue put <ten)" 2>/dev/null; }
pdsh_ten() {
	local i

	for ((i = 0; i < 10; i++)); do pdsh -S -f "$nodes" -w "^addresses" ':'; done
}
ansible_ten() { ansible-playbook ten.yml >playbook.out 2>&1 || { tail -n 20 playbook.out; return 1; }; }

job 10 nothing.sh >ten
coopr-work -j "$nodes" 2>worker.log &
worker=$!
ways=(ours)
! has pdsh pdsh || ways+=(pdsh_ten)
! has ansible-playbook ansible-core || ways+=(ansible_ten)
versions openssh-client pdsh ansible-core
for ((round = 0; round <= rounds; round++)); do # the first opens the connections
	for way in "${ways[@]}"; do
		start=$(date +%s%N)
		"$way" || echo "$way: failed" >&2
		[ "$round" -eq 0 ] || echo $((($(date +%s%N) - start) / 1000000)) >>"ms.$way"
	done
done
echo "10 shell tasks on each of $nodes nodes"
mine=$(median <ms.ours)
echo "    coopr-work -j $nodes: $mine ms"
[ ! -e ms.pdsh_ten ] || echo "    pdsh, ten times: $(median <ms.pdsh_ten) ms; ours takes" \
	"$(against "$(awk -v a="$mine" -v b="$(median <ms.pdsh_ten)" 'BEGIN {print a / b}')" 1.3 times) as long"
[ ! -e ms.ansible_ten ] || echo "    ansible-playbook: $(median <ms.ansible_ten) ms; ours is" \
	"$(at_least "$(awk -v a="$mine" -v b="$(median <ms.ansible_ten)" 'BEGIN {print b / a}')" 8 times) as fast"
kill "$worker"
wait "$worker" || :
worker=''

# --- a thousand in flight: addresses of loopback, all of them one sshd in a network namespace of its own ---

ssh-keygen -q -t ed25519 -N '' -f host
ssh-keygen -q -t ed25519 -N '' -f user
mkfifo gate
cat >catalogue/scripts/sleep.sh <<-END
	echo >>$PWD/asleep
	read -r _ <$PWD/gate || :
END
cat >sshd_config <<-END
	Port 2222
	ListenAddress 0.0.0.0
	HostKey $PWD/host
	AuthorizedKeysFile $PWD/user.pub
	StrictModes no
	UsePAM no
	PidFile none
	MaxStartups 1000
END
provider='{"name": "loopback", "providertype": "static"}'
jq -cn --argjson count "$flight" --arg key "$(cut -d ' ' -f 1,2 host.pub)" --arg user "$PWD/user" '
	range($count) | {kind: "node", id: "00000042-\(1000 + .)", nodenum: (1000 + .), services: ["web"], was: ["web"],
		hostname: "bench42-\(1000 + .).local", ipaddresses: {access_v4: "127.0.\(. / 250 | floor).\(. % 250 + 1)"},
		facts: {"ssh-auth": {user: "root", identityfile: $user, port: 2222}, ssh_host_keys: {ed25519: $key}}}' >nodes.ndjson
: >asleep
job 1 sleep.sh 3600 | coopr-queue put >/dev/null
exec 9<>gate # nobody reads before there is something to read
# shellcheck disable=SC2016 # a program of its own
unshare -n sh -c 'ip link set lo up; "$0" -D -e -f sshd_config 2>sshd.log 9>&- & echo $! >sshd.pid
	exec coopr-work -j "$1" --drain' "$(command -v sshd)" "$flight" 2>worker.log 9>&- &
worker=$!
start=$(date +%s)
while [ "$(wc -l <asleep)" -lt "$flight" ] && [ $(($(date +%s) - start)) -lt 600 ] && kill -0 "$worker" 2>/dev/null; do sleep 1; done
sshd=$(cat sshd.pid)

# Processes of ours: coopr-work and all below it, which sshd is not: it was started before.
family() {
	ps -eo pid=,ppid= | awk -v root="$worker" -v sshd="$sshd" '{parent[$1] = $2} END {
		for (p in parent) {
			for (q = p; q in parent && q != root && q != sshd; q = parent[q]);
			if (q == root) print p
		}
	}'
}
ticks() {
	awk '{sub(/.*\) /, ""); print $12 + $13}' "/proc/$worker/stat"
}
before=$(ticks)
sleep 10
busy=$(awk -v a="$(ticks)" -v b="$before" -v hz="$(getconf CLK_TCK)" 'BEGIN {print (a - b) / hz / 10 * 100}')
family >pids
pss=$(while read -r p; do cat "/proc/$p/smaps_rollup" 2>/dev/null || :; done <pids | awk '/^Pss:/ {kb += $2} END {print kb / 1024}')
echo "$(wc -l <asleep) tasks in flight over ssh, after $(($(date +%s) - start - 10)) s, in $(wc -l <pids) processes"
echo "    PSS a task $(against "$(awk -v mb="$pss" -v n="$flight" 'BEGIN {print mb / n}')" 4 MB)"
echo "    coopr-work: RSS $(against "$(awk '/^VmRSS/ {print $2 / 1024}' "/proc/$worker/status")" 100 MB)," \
	"$(against "$busy" 10 "% of a processor") while they sleep"
yes | head -n "$flight" >&9
wait "$worker" || echo "coopr-work: exit code $?"
worker=''
