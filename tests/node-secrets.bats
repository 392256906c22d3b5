#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Where the secrets of a task are on its node, coopr-shell(7), against a real sshd; how it ends does not matter.

load case
load sshd

setup() {
	fresh
	need_root
	export TMPDIR=$BATS_TEST_TMPDIR COOPR_STORE=$PWD/store
	unset COOPR_KEY
	[ "$(stat -f -c %T /dev/shm)" = tmpfs ] || skip "/dev/shm is not in memory here"
	sshd_stop
	# Private directories of its own, too, which users of the node may enter.
	node_tmp=$(mktemp -d /var/tmp/coopr-test.XXXXXX)
	chmod 1777 "$node_tmp"
	export SSHD_ENV=TMPDIR=$node_tmp
	: >begun
	node_start
	coopr-store init
	canary=canary-$$-$RANDOM
	echo "$canary" | coopr-secret set db
	mkfifo started go
}

teardown() {
	sshd_stop
	rm -rf "${node_tmp:?}"
}

# A node with such file systems on /run and /dev/shm: a tmpfs with these options, or a folder of the disk.
node_start() { # [RUN [SHM [COMMAND]]]
	local run="-t tmpfs -o mode=755,${1-} tmpfs" shm="-t tmpfs -o mode=1777,${2-} tmpfs"

	[ "${1-}" != disk ] || run="--bind $PWD/disk"
	[ "${2-}" != disk ] || shm="--bind $PWD/disk"
	sshd_stop
	sshd_start sh -c "mount $run /run && mount $shm /dev/shm && mkdir -p /run/sshd && ${3-:}"
}

secretly='{"db": {"password": {"secret": "db"}, "user": "shop"}}'

# Looks into the node as a script sees it, which has a /run of its own.
on_node() {
	nsenter -m -t "$SSHD_PID" "$@"
}

# What has the secret's value: files that are new, of the node and of coopr, and what all processes were started with.
leaks() {
	{
		on_node find "$PWD" "$node_tmp" -newer "$PWD/begun" -type f ! -path "$PWD/store*" -print0 | on_node xargs -0 -r grep -lsF -e "$canary"
		on_node find /run /tmp /var/tmp /var/log /dev/shm /root /home -maxdepth 3 -newer "$PWD/begun" -type f -print0 2>/dev/null |
			on_node xargs -0 -r grep -lsF -e "$canary"
		find /run /dev/shm -maxdepth 3 -newer begun -type f -print0 2>/dev/null | xargs -0 -r grep -lsF -e "$canary"
		grep -lsF -e "$canary" /proc/[0-9]*/environ /proc/[0-9]*/cmdline
	} | sort -u
}

# Nothing of the task is in the node's memory, nor elsewhere: waits for that, since some ends are seen by the node alone.
nothing_left() {
	local tries=0

	until [ -z "$(on_node sh -c "ls -d /run/coopr.* /dev/shm/coopr.* $node_tmp/coopr.* /run/coopr/*.pid" 2>/dev/null)" ]; do
		sleep 0.02
		[ $((tries += 1)) -lt 3000 ] || {
			on_node sh -c "ls -lR /run/coopr* /dev/shm/coopr.* $node_tmp/coopr.*"
			return 1
		}
	done
	same "" "$(leaks)"
}

# Starts a task that says where it is, and waits for a word; $job, $pid, $wrapper, $memory.
start_task() { # [FIELDS]
	script wait.sh <<-END
		echo \$\$ \$PPID \$(readlink config.json) \$PWD >$PWD/started
		read -r word <$PWD/go
		exit \$word
	END
	task install "$(jq -c '.script = "wait.sh"' <<<"${1-{\}}")" "$secretly" | jq -c ". + ${more-{\}}" >task.json
	coopr-exec -q <task.json >result.json 3>&- 8<&- &
	job=$!
	hear started pid wrapper memory dir
	memory=${memory%/config.json}
}

@test "a configuration with secrets lies in memory, for its user alone, and the script finds it where it always is" {
	script look.sh <<-'END'
		. ./lib.sh
		coopr_config db/password
		coopr_config db/user
		cat config.json
		for file in . config.json lib.sh; do
			file=$(readlink -f "$(dirname "$(readlink -f "$file")")")
		done
		echo "$(stat -c '%a %U' "$file") $(stat -f -c %T "$file") $(ls "$file" | xargs) $(stat -c '%a %U' "$file"/* | sort -u)"
	END
	do_task install '{"script": "look.sh"}' "$secretly"
	same "[secret db]
shop
{\"db\":{\"password\":\"[secret db]\",\"user\":\"shop\"}}
700 root tmpfs config.json lib.sh 600 root" "$(member .stderr)"
	nothing_left
	do_task install '{"script": "look.sh"}' '{"db": {"password": "plain", "user": "shop"}}'
	contains "$(member .stderr)" " config.json lib.sh look.sh "
}

@test "a service with a user of its own has it in that user's hands" {
	script look.sh <<-'END'
		. ./lib.sh
		file=$(dirname "$(readlink -f lib.sh)")
		[ "$(coopr_config db/password | wc -c)" -gt 8 ] && echo "$(id -un): $(stat -c '%a %U' "$file" "$file"/* | xargs)"
	END
	do_task install '{"script": "look.sh", "user": "nobody"}' "$secretly"
	same "nobody: 700 nobody 600 nobody 600 nobody" "$(member .stderr)"
	nothing_left
}

@test "a login that is not root, and needs no other, has it where such a user may write" {
	command -v sudo >/dev/null && ! sudo -n true 2>/dev/null && skip "there is a sudo here"
	sshd_add_user
	node_start "" "" "mount --bind $PWD/sshd/passwd /etc/passwd"
	script look.sh <<<'echo "$(readlink config.json) $(stat -c "%a %u" "$(dirname "$(readlink config.json)")")"'
	task install '{"script": "look.sh", "user": "coopr-test"}' "$secretly" | jq -c '.machine.facts["ssh-auth"].user = "coopr-test"' >task.json
	coopr-exec -q <task.json >result.json
	same 0 "$(member .status)"
	[[ $(member .stderr) == /dev/shm/coopr.*/config.json\ 700\ 54321 ]]
	nothing_left
}

@test "a script with many files needs no more memory than its secrets" {
	node_start size=64k size=64k
	mkdir catalogue/files
	head -c 3000000 /dev/urandom >catalogue/files/large
	script look.sh <<<'cksum <large'
	do_task install '{"script": "look.sh", "files": "large"}' "$secretly"
	same "$(cksum <catalogue/files/large)" "$(member .stderr)"
	nothing_left
}

@test "while a task runs, only the two files in memory have its secret" {
	start_task
	same "$memory/config.json
$memory/lib.sh" "$(leaks)"
	echo 0 >go
	wait "$job"
	same 0 "$(member .status)"
	nothing_left
}

@test "however a task ends, nothing of its secret stays: done, failed, killed, timed out, stopped, cut off" {
	local ending more='{}'

	for ending in "echo 0 >go" "echo 7 >go" 'kill -KILL $pid' 'kill -TERM $pid' 'kill -TERM $job' 'kill -KILL $job' \
		'kill -KILL $(pgrep -P $job)' 'kill -KILL $(pgrep -f "ssh .*coopr.*$(basename $memory | cut -d. -f2)")' \
		'kill -KILL $(ps -o ppid= -p $wrapper)' 'kill -TERM $wrapper' 'kill -KILL $wrapper'; do
		start_task
		[ -n "$(leaks)" ]
		eval "$ending"
		wait "$job" || true
		nothing_left || { echo "after: $ending"; false; }
		[ ! -e "/proc/$pid" ] || grep -q ' Z ' "/proc/$pid/stat"
	done
	more='{timeout_s: 1}'
	start_task
	wait "$job"
	nothing_left
}

@test "what was killed together with all that watches it is removed by the next task, of whatever kind" {
	local next all

	for next in bootstrap install; do
		start_task
		all="$(pgrep -f "$(basename "$memory" | cut -d. -f2)") $pid $job"
		# All at one instant: who is stopped does not see another end.
		kill -STOP $all || true
		kill -KILL $all || true
		wait "$job" || true
		[ -n "$(on_node grep -lF "$canary" "$memory/config.json")" ]
		script quick.sh </dev/null
		task "$next" '{"script": "quick.sh"}' | jq -c '.id = "t2" | .token = "00000042-001:t2"' | coopr-exec -q >result.json
		same 0 "$(member .status)"
		[ -z "$(on_node ls -d "$memory" 2>/dev/null)" ]
		on_node rm -rf "${dir%/work}" /run/coopr
		nothing_left
	done
}

@test "a task that runs is not what the next one removes" {
	start_task
	script quick.sh </dev/null
	task status '{"script": "quick.sh"}' '{"a": {"secret": "db"}}' | jq -c '.id = "t2" | .token = "00000042-001:t2"' | coopr-exec -q >other.json
	same 0 "$(jq .status other.json)"
	same "$memory/config.json
$memory/lib.sh" "$(leaks)"
	echo 0 >go
	wait "$job"
	nothing_left
}

@test "where neither /run nor /dev/shm is in memory, a task with secrets is refused, unless its service says that a disk will do" {
	script look.sh <<<'readlink -f config.json'
	mkdir disk
	[ "$(stat -f -c %T disk)" != tmpfs ] || skip "there is no disk here"
	node_start disk
	do_task install '{"script": "look.sh"}' "$secretly"
	contains "$(member .stderr)" /dev/shm/coopr.
	nothing_left
	node_start disk disk
	do_task install '{"script": "look.sh"}' "$secretly"
	same 78 "$(member .status)"
	contains "$(member .message)" "neither /run nor /dev/shm keeps files in memory (tmpfs), and secrets are written to no disk"
	nothing_left
	do_task install '{"script": "look.sh"}' '{"a": 1}'
	same 0 "$(member .status)"
	do_task install '{"script": "look.sh", "secrets": "disk"}' "$secretly"
	contains "$(member .stderr)" "/work/config.json"
	nothing_left
}

@test "a memory that is full fails the task for a while, and keeps nothing" {
	node_start size=16k size=16k
	script quick.sh </dev/null
	do_task install '{"script": "quick.sh"}' "$(jq -c --arg x "$(head -c 20000 /dev/zero | tr '\0' x)" '.x = $x' <<<"$secretly")"
	same 75 "$(member .status)"
	nothing_left
	node_start nr_inodes=3 nr_inodes=1
	do_task install '{"script": "quick.sh"}' "$secretly"
	same 75 "$(member .status)"
	contains "$(member .message)" "there is no space for secrets in /run or /dev/shm"
}

@test "a secret in the arguments of a script is refused" {
	script quick.sh </dev/null
	do_task install '{"script": "quick.sh", "args": {"secret": "db"}}'
	same 78 "$(member .status)"
	contains "$(member .message)" "args"
	same "" "$(leaks)"
}

@test "nodes whose shell is bash or busybox" {
	for shell in bash busybox; do
		command -v $shell >/dev/null || continue
		node_start '' '' "mount --bind $(command -v $shell) /bin/sh"
		start_task
		same "$memory/config.json
$memory/lib.sh" "$(leaks)"
		kill -KILL "$wrapper"
		wait "$job" || true
		nothing_left
	done
}
