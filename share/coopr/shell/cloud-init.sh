# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
#
# cloud-init.sh documents=FILE...: has the node's cloud-init do what the documents ask for, for automator/cloud-init. cloud-init.py merges
# them as cloud-init does, into $own, where all that is kept for the run is.
#
# Exit code: 0, whether anything has changed or not; 1 where something has failed.

# shellcheck disable=SC1091
. ./tool.sh
: "${own:?}"

tool_find 'add the package cloud-init to its image, or a service that installs it' cloud-init
: "${tool:?}"
python=$(head -n 1 "$tool" | sed -n 's/^#! *//p')
set -- "$@" end
while [ "$1" != end ]; do
	word=${1#documents=}
	case $word in
	/*) word=${word##*/} ;;
	esac
	set -- "$@" "./$word"
	shift
done
shift

# What a document may not take away: who may enter, as whom, and the keys by which the node is known.
login=${SUDO_USER:-root}
keys=$(getent passwd "$login" | cut -d : -f 6)/.ssh/authorized_keys
mkdir "$own/kept" "$own/run" || exit 75
if [ -e "$keys" ]; then
	cp -p "$keys" "$own/kept/authorized_keys" || exit 75
fi
cp -p /etc/ssh/ssh_host_*_key* "$own/kept/" 2>/dev/null

# cloud_init_keep: brings back the host keys, and the lines of our keys, where they are not what they were.
cloud_init_keep()
{
	for key in "$own"/kept/ssh_host_*; do
		[ ! -e "$key" ] || cmp -s "$key" "/etc/ssh/${key##*/}" || cp -p "$key" "/etc/ssh/${key##*/}"
	done
	[ -e "$own/kept/authorized_keys" ] || return 0
	if [ ! -e "$keys" ]; then
		cp -p "$own/kept/authorized_keys" "$keys"
		return
	fi
	while IFS= read -r line; do
		grep -qxF -e "$line" "$keys" || printf '%s\n' "$line" >>"$keys"
	done <"$own/kept/authorized_keys"
}

mark=/var/lib/cloud/sem/coopr.$COOPR_SERVICE
# shellcheck disable=SC2086
$python -B ./cloud-init.py "$own" "$mark" "$keys" "$@" || exit
"$tool" schema --config-file "$own/config" >"$own/said" 2>&1 || {
	cat "$own/said"
	coopr_fail "cloud-init takes no such document: $(grep -m 1 'errors:' "$own/said" || tail -n 1 "$own/said")"
}
if [ -e "$own/same" ]; then
	tool_end 0 false
fi
rm -f "$mark"

trap cloud_init_keep EXIT
_CLOUD_INIT_SAVE_STDOUT=1
export _CLOUD_INIT_SAVE_STDOUT
while read -r module; do
	echo "module $module"
	"$tool" --file "$own/config" --force single --name "$module" --frequency always 2>&1 || {
		echo "cloud-init: module $module: $(awk '/^Traceback/ { is = 1; next } is && /^[^ ]/ { last = $0; is = 0 } END { print last }' "$own/log")"
		tool_end 1 true
	}
done <"$own/modules"
if [ -s "$own/runcmd" ]; then
	sh "$own/runcmd" 2>&1 || {
		echo "cloud-init: runcmd exited with $?"
		tool_end 1 true
	}
fi
if [ "$COOPR_ACTION" != remove ]; then
	mkdir -p /var/lib/cloud/sem && cp "$own/mark" "$mark"
fi
tool_end 0 true
