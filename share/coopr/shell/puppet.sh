# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
#
# puppet.sh manifest=FILE [modules=FOLDER...]: has puppet apply the manifest, with the modules and with config.json as the data of Hiera, for
# automator/puppet. Nothing of the node's own settings is read, and all that puppet keeps is in $own.
#
# Exit code: 0, whether anything has changed or not; 1 where something has failed; for status 1 if something would change.

# shellcheck disable=SC1091
. ./tool.sh
: "${own:?}"

tool_find 'add the package puppet-agent to its image, or a service that installs it' puppet
: "${tool:?}"
for word; do
	case $word in
	manifest=/*) manifest=${word##*/} ;;
	manifest=*) manifest=${word#*=} ;;
	esac
done
tool_place modules "$@"

cat >hiera.yaml <<END
version: 5
hierarchy:
  - {name: coopr, path: config.json, datadir: ., data_hash: json_data}
END

noop=
[ "$COOPR_ACTION" != status ] || noop=--noop
"$tool" apply $noop --color=false --detailed-exitcodes --hiera_config="$COOPR_DIR/hiera.yaml" --no-show_diff \
	--modulepath="$COOPR_DIR/modules:/etc/puppetlabs/code/modules:/etc/puppet/code/modules:/usr/share/puppet/modules" \
	--confdir="$own/conf" --codedir="$own/code" --vardir="$own/var" --rundir="$own/run" --logdir="$own/log" --publicdir="$own/public" \
	"./$manifest" 2>&1
status=$?

if [ -n "$noop" ] && [ "$status" -eq 0 ]; then
	grep -q '^noop_pending: true' "$own/var/state/last_run_report.yaml" || tool_status false
	tool_status true
fi
case $status in
0) tool_end 0 false ;;
2) tool_end 0 true ;;
6) tool_end 1 true ;;
*) tool_end 1 false ;;
esac
