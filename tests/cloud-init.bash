# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the tests of the automator cloud-init share: has_tool and recipe of tests/automator.bash.

# shellcheck disable=SC2034
AUTOMATOR=cloud-init

has_tool() {
	command -v cloud-init >/dev/null || "$COOPR_ROOT/tests/install-packages" cloud-init >installed 2>&1 ||
		skip "needs cloud-init, which cannot be installed: $(tail -n 1 installed)"
}

recipe() {
	{
		printf '%s\n' '## template: jinja' '#cloud-config'
		case $1 in
		write) printf '%s\n' 'write_files:' '- {path: /root/made, content: "port {{ web.port }}\n"}' ;;
		fail) printf '%s\n' 'runcmd:' '- "echo no room >&2; exit 3"' ;;
		wait) printf '%s\n' 'runcmd:' "- 'setsid sh -c \"echo >/root/begun; exec sleep 1000\"'" ;;
		secret)
			cat <<-'END'
				write_files:
				- {path: /dev/shm/secret, content: "{{ db.password }}\n"}
				runcmd:
				- 'echo >/root/begun; cat /root/go'
				- 'echo "the password is {{ db.password }}"'
			END
			;;
		noise) printf '%s\n' 'runcmd:' '- /root/noise' ;;
		esac
	} >"catalogue/scripts/$1.yaml"
	echo "{\"documents\": \"$1.yaml\"}"
}
