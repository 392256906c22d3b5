#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-automators(7): the automator puppet, on sandbox nodes.

load ../case
load ../sandbox
load ../automator

AUTOMATOR=puppet

setup() {
	automator_setup
}

teardown() {
	automator_teardown
}

has_tool() {
	command -v puppet >/dev/null || "$COOPR_ROOT/tests/install-packages" puppet-agent >installed 2>&1 ||
		skip "needs puppet, which cannot be installed: $(tail -n 1 installed)"
}

recipe() {
	local modules=

	case $1 in
	write)
		mkdir -p catalogue/scripts/web/manifests
		echo 'class web($port) { file { "/root/made": content => "port $port\n" } }' >catalogue/scripts/web/manifests/init.pp
		echo 'include web' >catalogue/scripts/write.pp
		modules=web
		;;
	fail) manifest fail 'exec { "/bin/sh -c \"echo no room >&2; exit 3\"": logoutput => true }' ;;
	wait) manifest wait 'exec { "/usr/bin/setsid /bin/sh -c \"echo >/root/begun; exec sleep 1000\"": timeout => 0 }' ;;
	secret)
		manifest secret '$password = lookup("db.password")
			file { "/dev/shm/secret": content => "$password\n" }
			-> exec { "/bin/sh -c \"echo >/root/begun; cat /root/go\"": }
			-> notify { "the password is ${password}": }'
		;;
	noise) manifest noise 'exec { "/root/noise": logoutput => true }' ;;
	esac
	echo "{\"manifest\": \"$1.pp\", \"modules\": \"$modules\"}"
}

manifest() {
	echo "$2" >"catalogue/scripts/$1.pp"
}

@test "bootstrap keeps the version of puppet as a fact, and changes nothing" {
	looks_for_its_tool puppet
}

@test "where there is no puppet, bootstrap says so and the action fails for good, with what to add" {
	says_what_is_missing puppet
}

@test "the first run changes the node, the second says that nothing has changed, a new configuration changes it again" {
	changes_once
}

@test "status compares the node with the manifest and changes nothing" {
	status_says_whether_it_would_change
}

@test "of a run that fails the reason is puppet's last error" {
	fails_with_the_reason "Error: "
}

@test "a run that is killed leaves nothing behind, also of commands in sessions of their own" {
	leaves_nothing_when_killed
}

@test "output of 100 MB, NUL and escape sequences harm nobody" {
	bears_hostile_output
}

@test "a secret is nowhere but where the manifest puts it" {
	keeps_secrets
}

@test "Hiera has the configuration as it is, the parameters of classes, and what coopr knows" {
	mkdir -p catalogue/scripts/web/manifests
	echo 'class web::tls($cert) { notice("cert=${cert}") }' >catalogue/scripts/web/manifests/tls.pp
	echo 'class web($port, $tls) { notice("port=${port}") }' >catalogue/scripts/web/manifests/init.pp
	cat >catalogue/scripts/look.pp <<-'END'
		include web
		include web::tls
		notice(lookup('text'))
		notice(lookup('list')[1])
		notice(lookup('coopr.nodes')['00000042-1001']['hostname'])
		notice("action=${lookup('coopr.action')}")
	END
	do_task configure '{"manifest": "look.pp", "modules": "web"}' \
		'{"web": {"port": 80, "tls": {"cert": "a%{b}c"}}, "text": "50%{::x} \"q\" %{literal(1)}", "list": [1, "two\nlines"]}'
	same 0 "$(member .status)"
	for part in 'port=80' 'cert=a%{b}c' '50%{::x} "q" %{literal(1)}' two other action=configure; do
		contains "$(cat log)" "$part"
	done
}

@test "a module that is not there, and an action without a manifest, are refused" {
	recipe write
	do_task configure '{"manifest": "write.pp", "modules": "nowhere"}'
	same 78 "$(member .status)"
	contains "$(member .message)" "field modules: "
	do_task configure '{}'
	same 78 "$(member .status)"
	contains "$(member .message)" "manifest"
}
