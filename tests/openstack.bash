# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What tests/cloud/stack/stack.py, a real OpenStack, takes of the host. Needs case.
#
#	need_openstack       skips where it cannot be
#	openstack_start      starts it as a daemon of podman.bash, where that is loaded; it is at $DAEMON, HOST:PORT

need_openstack() {
	/usr/bin/python3 -c 'import keystone, nova, glance, neutron, placement, openstackclient' 2>/dev/null ||
		"$COOPR_ROOT/tests/install-packages" python3-keystone python3-nova python3-placement python3-glance python3-neutron python3-openstackclient \
			>"$BATS_FILE_TMPDIR/installed" 2>&1 || skip "needs Debian's packages of OpenStack"
}

openstack_start() {
	mkdir stack
	mkfifo stack/alive
	cat >stack/start.sh <<-'END'
		ip link set lo up
		exec /usr/bin/python3 "$COOPR_ROOT/tests/cloud/stack/stack.py" "$PWD" 0<>alive
	END
	daemon_start stack test -s stack/port
	DAEMON=127.0.0.1:$(cat stack/port)
}
