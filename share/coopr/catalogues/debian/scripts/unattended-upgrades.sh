#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Upgrades by themselves: the actions configure, start, which does the same and repairs, and status.
#
# Configuration: unattended-upgrades/origins, a list of patterns ("origin=Debian,codename=${distro_codename}-security"); .../blacklist, a list of
# packages that stay; .../mail, an address; .../reboot ("true" or "false") and .../reboot-time ("02:00").

set -eu
# shellcheck source=/dev/null # comes with the task
. ./base.sh

# A list of apt's configuration: list NAME, of the lines that are read.
list()
{
	echo "#clear $1;"
	echo "$1 {"
	sed '/^$/d; s/["\\]//g; s/.*/	"&";/'
	echo "};"
}

configure()
{
	# shellcheck disable=SC2016 # the program's own names
	origins=$(coopr_config unattended-upgrades/origins 'origin=Debian,codename=${distro_codename},label=Debian-Security')
	blacklist=$(coopr_config unattended-upgrades/blacklist '')
	mail=$(coopr_config unattended-upgrades/mail '')
	reboot=$(coopr_config unattended-upgrades/reboot false)
	at=$(coopr_config unattended-upgrades/reboot-time 02:00)
	put /etc/apt/apt.conf.d/60coopr-upgrades <<-EOT
		APT::Periodic::Update-Package-Lists "1";
		APT::Periodic::Unattended-Upgrade "1";
		$(echo "$origins" | list Unattended-Upgrade::Origins-Pattern)
		$(echo "$blacklist" | list Unattended-Upgrade::Package-Blacklist)
		Unattended-Upgrade::Mail "$mail";
		Unattended-Upgrade::Automatic-Reboot "$reboot";
		Unattended-Upgrade::Automatic-Reboot-Time "$at";
	EOT
}

# What apt really reads counts: another file may say otherwise.
status()
{
	configure
	command -v unattended-upgrade >/dev/null || fail "unattended-upgrade is not installed"
	[ "$(apt-config shell on APT::Periodic::Unattended-Upgrade)" = "on='1'" ] || fail "another file in /etc/apt/apt.conf.d turns it off"
}

case $COOPR_ACTION in
configure | start) configure && finish ;;
status) status ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
