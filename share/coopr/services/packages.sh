#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# packages.sh PACKAGE...
#
# Installs Debian packages on the node, or removes them, as the task's action says. Where the node has the archive
# that the configuration names (packages/archive, a folder that coopr-packages has filled), they come from there
# and no network is needed; else from the sources that the node's apt knows.
#
# Installing starts nothing: that is the work of the action start. Running it again changes nothing.

set -eu
# shellcheck source=/dev/null # comes with the task
. ./lib.sh

export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

# A machine that lost power in the middle of this is made anew, so there is no point in waiting for the disk after
# each file. The rest: no questions, no recommendations, and patience with whoever holds dpkg's lock.
apt() {
	apt-get -q -y -o APT::Install-Recommends=false -o DPkg::Options::=--force-unsafe-io \
		-o DPkg::Options::=--force-confold -o DPkg::Lock::Timeout=120 -o DPkg::Use-Pty=0 "$@" </dev/null
}

# apt with nothing but the archive as its source. Lists and caches are scratch, so that the node's own stay as they are.
apt_from_archive() {
	apt -o Dir::Etc::SourceList="$PWD/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::Lists="$PWD/lists" -o Dir::Cache="$PWD/cache" -o APT::Sandbox::User=root "$@"
}

# What the packages' own scripts ask before they start a service: the answer is no. It is taken back at the end.
forbid_starting() {
	policy=/usr/sbin/policy-rc.d
	kept=$PWD/policy-rc.d
	[ ! -e $policy ] || mv $policy "$kept"
	trap 'rm -f $policy; [ ! -e "$kept" ] || mv "$kept" $policy' EXIT
	printf '#!/bin/sh\nexit 101\n' >$policy
	chmod 755 $policy
}

# An earlier attempt may have been cut off in the middle of a package.
repair() {
	dpkg --force-confold --configure -a </dev/null
}

install() {
	forbid_starting
	repair
	if [ -d "$archive" ]; then
		[ -e "$archive/Packages" ] || coopr_fail "$archive is empty; on the host that shares it: coopr-packages $*"
		mkdir -p lists/partial cache/archives/partial
		echo "deb [trusted=yes] file:$archive ./" >sources.list
		apt_from_archive update >/dev/null
		apt_from_archive --fix-broken install "$@"
	else
		apt update
		apt --fix-broken install "$@"
	fi
}

remove() {
	forbid_starting
	repair
	for package; do
		dpkg-query -W "$package" >/dev/null 2>&1 || continue
		apt purge "$package"
	done
}

archive=$(coopr_config packages/archive '')
case $COOPR_ACTION in
install) install "$@" ;;
remove) remove "$@" ;;
*) coopr_fail "packages are installed or removed, not: $COOPR_ACTION" ;;
esac
