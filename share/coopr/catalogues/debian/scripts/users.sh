#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Who may log in: the actions configure, start, which does the same and repairs, and status.
#
# Configuration: users/accounts, a list of {name, groups (commas between), shell, sudo (true: without a password), keys (a list of lines of
# authorized_keys, all that the user has)}; users/remove, a list of names, whose homes stay.

set -eu
# shellcheck source=/dev/null # comes with the task
. ./base.sh

# In the user's home only the user writes: whatever links are there lead no further than the user may go.
as_user()
{
	(cd / && runuser -u "$name" -- "$@")
}

write_keys()
{
	# shellcheck disable=SC2016 # arguments of the inner shell
	echo "$keys" | as_user sh -c 'umask 077 && mkdir -p "$1/.ssh" && cd "$1/.ssh" && cat >new && mv new authorized_keys' sh "$home"
}

keys()
{
	home=$(getent passwd "$name" | cut -d : -f 6)
	[ "$(as_user cat "$home/.ssh/authorized_keys" 2>/dev/null)" = "$keys" ] || act "the keys of $name" write_keys
}

sudo_right()
{
	if [ "$sudo" = true ]; then
		echo "$name ALL=(ALL) NOPASSWD: ALL" | put "/etc/sudoers.d/coopr-$name" 440
	elif [ -e "/etc/sudoers.d/coopr-$name" ]; then
		act "$name has no sudo" rm "/etc/sudoers.d/coopr-$name"
	fi
}

account()
{
	name=$(coopr_config "$1/name")
	groups=$(coopr_config "$1/groups" '')
	shell=$(coopr_config "$1/shell" /bin/bash)
	keys=$(coopr_config "$1/keys" '')
	sudo=$(coopr_config "$1/sudo" false)
	case $name in
	root | *[!a-z0-9_-]* | -*) coopr_fail "users/accounts: $name: expected a name of a-z 0-9 _ -, and not root" ;;
	esac
	id "$name" >/dev/null 2>&1 || act "user $name" useradd --create-home --user-group --password '*' "$name"
	[ "$(getent passwd "$name" | cut -d : -f 7)" = "$shell" ] || act "the shell of $name" usermod --shell "$shell" "$name"
	wanted=$(echo "$name,$groups" | tr ',' '\n' | grep . | sort -u)
	[ "$(id -nG "$name" | tr ' ' '\n' | sort -u)" = "$wanted" ] || act "the groups of $name" usermod --groups "$groups" "$name"
	keys
	sudo_right
}

# Killed first: who is logged in would stay.
remove()
{
	pkill -KILL -U "$1" || true
	userdel "$1"
	rm -f "/etc/sudoers.d/coopr-$1"
}

case $COOPR_ACTION in
configure | start | status)
	each users/accounts name account
	for gone in $(coopr_config users/remove ''); do
		[ "$gone" != root ] || coopr_fail "users/remove: root stays"
		! id "$gone" >/dev/null 2>&1 || act "no user $gone" remove "$gone"
	done
	finish
	;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
