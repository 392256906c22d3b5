# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
#
# itamae.sh recipes=FILE...: has itamae run the recipes, with config.json as the attributes of the node, for automator/itamae. What it keeps
# beside its work is in $own.
#
# Exit code: 0, whether anything has changed or not; 1 where something has failed; for status 1 if something would change.

# shellcheck disable=SC1091
. ./tool.sh
: "${own:?}"

tool_find 'add the package itamae to its image, or a service that installs it' itamae
: "${tool:?}"

# A recipe that comes first: copies of files are in $own, too, and where there are secrets in the configuration no file's text is shown. By
# its exit code alone, itamae does not tell a failure from a change.
{
	echo "its_runner = @recipe.runner"
	echo "at_exit { File.write('$own/changed', '') if its_runner.diff? }"
	echo "require 'tmpdir'"
	echo "Dir.define_singleton_method(:tmpdir) { '$own' }"
	if [ -L config.json ]; then
		echo 'Itamae::Resource::File.define_attribute :sensitive, default: true'
	fi
} >coopr-first.rb

count=$#
for word; do
	case $word in
	recipes=/*) set -- "$@" "./${word##*/}" ;;
	recipes=*) set -- "$@" "./${word#*=}" ;;
	esac
done
shift "$count"

dry_run=
[ "$COOPR_ACTION" != status ] || dry_run=--dry-run
# shellcheck disable=SC2086
"$tool" local $dry_run --no-color --node-json=config.json --tmp-dir="$own" ./coopr-first.rb "$@" 2>&1
status=$?

changed=false
[ ! -e "$own/changed" ] || changed=true
if [ "$status" -ne 0 ]; then
	tool_end 1 "$changed"
fi
[ -z "$dry_run" ] || tool_status "$changed"
tool_end 0 "$changed"
