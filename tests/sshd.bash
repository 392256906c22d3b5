# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# A real sshd on loopback, for tests of what goes over ssh:
#
#	load case
#	load sshd
#
#	sshd_start [COMMAND...]   with its own keys in sshd/; COMMAND... runs first, in its own mount namespace
#	sshd_stop                 in teardown; also where none was started
#	task ACTION FIELDS [CONFIG]   a take record for automator/shell on that machine
#	sshd_add_user             writes sshd/passwd, to be mounted over /etc/passwd, with a user coopr-test
#	script NAME <TEXT         a service script in the catalogue that task names

sshd_start() {
	local line

	need_program sshd ssh-keygen jq
	# All of them are this one machine, with its /tmp and /run: one test at a time may look whether it is clean.
	if [ -z "${SSHD_LOCKED:-}" ]; then
		exec 8<"$COOPR_ROOT/tests/sshd.bash"
		flock 8
		SSHD_LOCKED=yes
	fi
	if [ "$(id -u)" -eq 0 ]; then
		mkdir -p /run/sshd
	fi
	mkdir -p sshd catalogue/scripts
	[ -e sshd/host ] || ssh-keygen -q -t ed25519 -N '' -C host -f sshd/host
	[ -e sshd/user ] || ssh-keygen -q -t ed25519 -N '' -C user -f sshd/user
	[ -e sshd/log ] || mkfifo sshd/log
	: >>sshd/hosts
	for SSHD_PORT in $(shuf -i 20000-59999 -n 10); do
		sshd_config >sshd/config
		if [ $# -gt 0 ]; then
			unshare -m sh -c '"$@" && exec "$0" -D -e -f sshd/config' "$(command -v sshd)" "$@" 2>sshd/log 3>&- 8<&- &
		else
			"$(command -v sshd)" -D -e -f sshd/config 2>sshd/log 3>&- 8<&- &
		fi
		SSHD_PID=$!
		# It says that it listens, or why it does not; what it says later is for whoever looks.
		exec 7<sshd/log
		while read -r line <&7; do
			echo "$line" >>sshd/said
			case $line in
			*"Server listening on 127.0.0.1 "*)
				cat <&7 >>sshd/said 3>&- 8<&- &
				exec 7<&-
				return 0
				;;
			*"Bind to port "*" failed"*) # it goes on with the other address
				kill "$SSHD_PID"
				;;
			esac
		done
		exec 7<&-
		wait "$SSHD_PID" || true
	done
	SSHD_PID=
	cat sshd/said
	return 1
}

# The key exchange is that of sandbox machines, as the other takes a tenth of the processor time of these tests.
# At SHLVL=1, bash does not take the session for one that wants the ~/.bashrc of whoever runs the tests.
sshd_config() {
	cat <<-END
		Port $SSHD_PORT
		ListenAddress 127.0.0.2
		ListenAddress 127.0.0.1
		HostKey $PWD/sshd/host
		AuthorizedKeysFile $PWD/sshd/user.pub
		StrictModes no
		UsePAM no
		KexAlgorithms -sntrup*,mlkem*
		PasswordAuthentication no
		KbdInteractiveAuthentication no
		PidFile none
		MaxStartups 100
		SetEnv PATH=$PWD/sshd/bin:/usr/local/bin:/usr/bin:/bin SHLVL=1 COOPR_HOSTS=$PWD/sshd/hosts COOPR_CACHE=$PWD/sshd/cache ${SSHD_ENV-}
	END
}

sshd_stop() {
	if [ -n "${SSHD_PID:-}" ]; then
		kill "$SSHD_PID" 2>/dev/null || true
		wait "$SSHD_PID" || true
	fi
	[ -z "${SSHD_LOCKED:-}" ] || flock -u 8
	SSHD_PID=
	SSHD_LOCKED=
}

task() {
	local config=${3:-{\}}

	paste -sd ' ' <<-END
		{"kind": "task", "id": "t1", "job": "00000042-001", "token": "00000042-001:t1", "attempt": 1, "action": "$1",
		"service": "web", "type": "shell", "fields": $2, "timeout_s": 60, "log": "$PWD/log", "nodes": "$PWD/nodes.ndjson",
		"cluster": {"id": "00000042", "name": "shop", "catalogue": "$PWD/catalogue", "config": $config},
		"machine": {"id": "00000042-1000", "nodenum": 1000, "hostname": "shop42-1000.example.net", "ipaddresses": {"access_v4": "127.0.0.1"},
		"facts": {"ssh-auth": {"user": "${SSHD_USER:-$(id -un)}", "identityfile": "$PWD/sshd/user", "port": $SSHD_PORT},
		"ssh_host_keys": {"ed25519": "$(cut -d' ' -f1,2 sshd/host.pub)"}}}}
	END
}

script() {
	cat >"catalogue/scripts/$1"
}

# sshd reads the keys of coopr-test as that user.
sshd_add_user() {
	local dir=$PWD/sshd

	{
		cat /etc/passwd
		echo "coopr-test:*:54321:54321::/tmp:/bin/sh"
	} >sshd/passwd
	until [ "$dir" = / ] || [ "$dir" = /tmp ]; do
		chmod a+x "$dir"
		dir=$(dirname "$dir")
	done
}
