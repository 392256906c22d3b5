# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
#
# chef.sh run_list=LIST [cookbooks=FOLDER...] [roles=FILE...] [data_bags=FOLDER...]: has chef-solo or cinc-solo do the run list, with
# config.json as its attributes, for automator/chef. Nothing of the node's own settings is read, and all that chef keeps is in $own.
#
# Exit code: 0, whether anything has changed or not; 1 where something has failed.

# shellcheck disable=SC1091
. ./tool.sh
: "${own:?}"

tool_find 'add the package chef or cinc to its image, or a service that installs it' chef chef-solo cinc-solo
: "${tool:?}"
for word; do
	case $word in
	run_list=*) run_list=${word#*=} ;;
	esac
done
tool_place cookbooks "$@"
tool_place roles "$@"
tool_place data_bags "$@"

# What was put on the machine in other ways is found after what comes along.
cat >solo.rb <<END
cookbook_path ['$COOPR_DIR/cookbooks', '/var/chef/cookbooks', '/var/chef/site-cookbooks'].select { |path| Dir.exist?(path) }
role_path ['$COOPR_DIR/roles', '/var/chef/roles'].select { |path| Dir.exist?(path) }
data_bag_path ['$COOPR_DIR/data_bags', '/var/chef/data_bags'].select { |path| Dir.exist?(path) }
cache_path '$own'
file_cache_path '$own/cache'
file_backup_path '$own/backup'
node_path '$own/nodes'
lockfile '$own/lock'
log_location STDOUT
require 'tmpdir'
Dir.define_singleton_method(:tmpdir) { '$own' }
require 'chef/handler'
class CooprHandler < Chef::Handler
  def report
    File.write('$own/changed', '') unless (run_status.updated_resources || []).empty?
  end
end
report_handlers << CooprHandler.new
exception_handlers << CooprHandler.new
END
[ ! -L config.json ] || echo 'diff_disabled true' >>solo.rb

CHEF_LICENSE=accept-no-persist
export CHEF_LICENSE
"$tool" --no-color -c "$COOPR_DIR/solo.rb" -j "$COOPR_DIR/config.json" -o "${run_list-}" 2>&1
status=$?

changed=false
[ ! -e "$own/changed" ] || changed=true
[ "$status" -eq 0 ] || tool_end 1 "$changed"
tool_end 0 "$changed"
