# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
#
# ansible.sh playbook=FILE [roles=FOLDER...] [files=FILE...]: has ansible-playbook play for this node alone, with config.json as the inventory,
# for automator/ansible. Nothing of the node's own settings is read, and all that ansible keeps is in $own. With COOPR_CONTROL, for automator/ansible-control, it
# does so from another host, by coopr-ssh.
#
# Exit code: 0, whether anything has changed or not; 1 where something has failed; for status 1 if something would change.

# shellcheck disable=SC1091
. ./tool.sh
: "${own:?}"

tool_find 'add the package ansible-core to its image, or a service that installs it' ansible ansible-playbook
: "${tool:?}"
for word; do
	case $word in
	playbook=/*) playbook=${word##*/} ;;
	playbook=*) playbook=${word#*=} ;;
	esac
done
tool_place roles "$@"

connection=local
[ -z "${COOPR_CONTROL:-}" ] || connection=ssh
cat >ansible.cfg <<END
[defaults]
inventory = $COOPR_DIR/config.json
roles_path = $COOPR_DIR/roles:/etc/ansible/roles:/usr/share/ansible/roles
local_tmp = $own/local
remote_tmp = $own/remote
callback_plugins = $COOPR_DIR/callbacks
callbacks_enabled = coopr
stdout_callback = default
interpreter_python = auto_silent
gathering = implicit
fact_caching = memory
host_key_checking = true
retry_files_enabled = false
nocows = true
localhost_warning = false
inventory_unparsed_warning = false
[inventory]
enable_plugins = yaml
[ssh_connection]
ssh_executable = $COOPR_DIR/coopr-ssh
ssh_args =
pipelining = true
transfer_method = piped
control_path_dir = $own/cp
END

# Says whether anything has changed, and keeps what set_stats gives as facts.
mkdir callbacks "$own/home" || exit 75
cat >callbacks/coopr.py <<'END'
import json
import os
import re

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: coopr
type: notification
short_description: what a run has changed, and its facts
description: For coopr.
"""


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "coopr"
    CALLBACK_NEEDS_ENABLED = True

    def v2_playbook_on_stats(self, stats):
        own = os.environ["COOPR_OWN"]
        if stats.changed:
            open(own + "/changed", "w").close()
        if not stats.processed:
            open(own + "/nobody", "w").close()
        with open(os.environ["COOPR_DIR"] + "/../facts", "ab") as facts:
            for values in stats.custom.values():
                for name, value in values.items():
                    if re.fullmatch("[A-Za-z0-9_.-]+", name) and name not in ("changed", "providerid", "ssh-auth", "ssh_host_keys"):
                        text = value if isinstance(value, str) else json.dumps(value, default=str)
                        facts.write((name + "=" + text.replace("\0", "") + "\0").encode())
END

check=
[ "$COOPR_ACTION" != status ] || check=--check
COOPR_OWN=$own HOME=$own/home ANSIBLE_CONFIG=$COOPR_DIR/ansible.cfg ANSIBLE_HOME=$own/home ANSIBLE_NOCOLOR=1 PYTHONUNBUFFERED=1 \
	PYTHONDONTWRITEBYTECODE=1
export COOPR_OWN HOME ANSIBLE_CONFIG ANSIBLE_HOME ANSIBLE_NOCOLOR PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE
"$tool" $check --connection "$connection" --limit "$COOPR_HOSTNAME" "./$playbook" 2>&1
status=$?

changed=false
[ ! -e "$own/changed" ] || changed=true
[ "$status" -eq 0 ] || tool_end 1 "$changed"
[ ! -e "$own/nobody" ] || coopr_fail "no play of $playbook is for this node, $COOPR_HOSTNAME, or for a group that is called as one of its services"
[ -z "$check" ] || tool_status "$changed"
tool_end 0 "$changed"
