# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the tests of the automators ansible and ansible-control share: has_tool and recipe of tests/automator.bash.

has_tool() {
	command -v ansible-playbook >/dev/null || "$COOPR_ROOT/tests/install-packages" ansible-core >installed 2>&1 ||
		skip "needs ansible, which cannot be installed: $(tail -n 1 installed)"
}

recipe() {
	{
		printf '%s\n' '- hosts: web' '  gather_facts: no' '  tasks:'
		case $1 in
		write) echo '  - copy: {dest: /root/made, content: "port {{ web.port }}\n"}' ;;
		fail) echo '  - shell: "echo no room >&2; exit 3"' ;;
		wait) echo '  - shell: "setsid sh -c \"echo >/root/begun; exec sleep 1000\""' ;;
		secret)
			cat <<-'END'
				  - copy: {dest: /dev/shm/secret, content: "{{ db.password }}\n"}
				  - shell: "echo >/root/begun; cat /root/go"
				  - debug: {msg: "the password is {{ db.password }}"}
			END
			;;
		noise) echo '  - raw: /root/noise' ;;
		esac
	} >"catalogue/scripts/$1.yml"
	echo "{\"playbook\": \"$1.yml\"}"
}
