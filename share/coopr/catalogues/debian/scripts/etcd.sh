#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# etcd, a member of a cluster of them: the actions configure, start, stop, reload, status, backup and restore.
#
# Configuration: etcd/self, the address of the node; etcd/nodes, those of all (commas between). A member is called by its address. Who has no
# data joins the cluster that there is, or founds it together with all others.

set -eu
# shellcheck source=/dev/null # comes with the task
. ./base.sh

export ETCDCTL_API=3
data=/var/lib/etcd/coopr
settings=/etc/default/etcd

# A setting that the file has.
setting()
{
	sed -n "s/^$1=\"\(.*\)\"\$/\1/p" $settings
}

# What the start decides stays as it is.
configure()
{
	self=$(coopr_config etcd/self)
	nodes=$(coopr_config etcd/nodes)
	own /var/lib/etcd etcd
	put /etc/coopr/etcd-nodes <<-EOT
		$nodes
	EOT
	founders=$(setting ETCD_INITIAL_CLUSTER || :)
	state=$(setting ETCD_INITIAL_CLUSTER_STATE || :)
	token=$(setting ETCD_INITIAL_CLUSTER_TOKEN || :)
	put $settings <<-EOT
		ETCD_NAME="$self"
		ETCD_DATA_DIR="$data"
		ETCD_LISTEN_PEER_URLS="http://$self:2380"
		ETCD_LISTEN_CLIENT_URLS="http://$self:2379,http://127.0.0.1:2379"
		ETCD_INITIAL_ADVERTISE_PEER_URLS="http://$self:2380"
		ETCD_ADVERTISE_CLIENT_URLS="http://$self:2379"
		ETCD_AUTO_COMPACTION_RETENTION="1"
		ETCD_INITIAL_CLUSTER="$founders"
		ETCD_INITIAL_CLUSTER_STATE="$state"
		ETCD_INITIAL_CLUSTER_TOKEN="$token"
	EOT
}

# A command of the others, of which one with a leader answers.
others()
{
	etcdctl --command-timeout=4s --endpoints="$others" "$@" 2>/dev/null
}

read_nodes()
{
	self=$(setting ETCD_NAME)
	nodes=$(cat /etc/coopr/etcd-nodes)
	others=$(all_but "$self" "$nodes" | sed 's|.*|http://&:2379|' | paste -s -d ,)
}

# Members whose machine is gone: their URLs are those of no node. Lines of "member list": ID, status, name, peers, clients, learner.
remove_gone()
{
	others member list | while IFS=', ' read -r id _ _ peers _; do
		address=${peers#http://} address=${address%:2380}
		if ! is_among "$address" "$nodes"; then
			echo "member $address is gone"
			others member remove "$id" >/dev/null
		fi
	done
}

decide()
{
	sed -i "s|^\(ETCD_INITIAL_CLUSTER\)=.*|\1=\"$1\"|; s|^\(ETCD_INITIAL_CLUSTER_STATE\)=.*|\1=\"$2\"|
		s|^\(ETCD_INITIAL_CLUSTER_TOKEN\)=.*|\1=\"coopr-$COOPR_CLUSTER_ID\"|" $settings
}

# Data of a member that the cluster does not know is of no use: the others have all of it.
start()
{
	! service_runs etcd || return 0
	read_nodes
	if [ -n "$others" ] && members=$(others member list); then
		join
	elif [ ! -d $data/member ]; then
		decide "$(echo "$nodes" | tr ',' '\n' | sed 's|.*|&=http://&:2380|' | paste -s -d ,)" new
	fi
	service etcd start
	sleep 1
	service_runs etcd || later "etcd has ended at once: another member is joining, or its settings are wrong"
}

join()
{
	remove_gone
	mine=$(echo "$members" | grep -F "http://$self:2380" || :)
	# Without data, who has started is a machine that had this address before; data of who has not are those of a start that failed, as another
	# one was joining.
	case $([ ! -d $data/member ] || echo data)$(echo "$mine" | cut -d , -f 2) in
	' started' | 'data unstarted')
		others member remove "${mine%%,*}" >/dev/null || later "the others do not let the former member of this address go now"
		mine=
		;;
	esac
	if [ -z "$mine" ]; then
		rm -rf $data
		others member add "$self" --peer-urls="http://$self:2380" >/dev/null || later "the others do not take a further member now"
		members=$(others member list) || later "the others have no leader now"
	fi
	# Those that have not started yet have no name in the list: all are called by their address.
	[ -d $data/member ] || decide "$(echo "$members" | cut -d , -f 4 | sed 's|^ http://\(.*\):2380$|\1=http://\1:2380|' | paste -s -d ,)" existing
}

# Who is gone leaves the cluster; the first of those that stay says so.
reload()
{
	read_nodes
	start_service etcd
	[ "${nodes%%,*}" != "$self" ] || { others="http://$self:2379" && remove_gone; }
}

status()
{
	health=$(etcdctl --command-timeout=5s endpoint health 2>&1) || fail "$(echo "etcd is not healthy: $health" | tail -n 1)"
}

backup()
{
	trap 'rm -f /var/lib/etcd/coopr-backup*' EXIT
	etcdctl snapshot save /var/lib/etcd/coopr-backup >/dev/null
	cat /var/lib/etcd/coopr-backup
}

cluster_id()
{
	etcdctl --command-timeout=4s --endpoints="$1" endpoint status -w fields 2>/dev/null | sed -n 's/^"ClusterID" : //p'
}

# The first node becomes a new cluster of what the archive says; the others forget all, and join that.
restore()
{
	read_nodes
	first=${nodes%%,*}
	before=$(cluster_id http://127.0.0.1:2379 || :)
	trap 'rm -f /var/lib/etcd/coopr-restore' EXIT
	(umask 077 && cat >/var/lib/etcd/coopr-restore)
	etcdctl snapshot status /var/lib/etcd/coopr-restore >/dev/null || coopr_fail "what came is no snapshot of etcd; nothing has changed"
	stop_service etcd
	rm -rf $data
	if [ "$first" = "$self" ]; then
		etcdctl snapshot restore /var/lib/etcd/coopr-restore --data-dir $data --name "$self" --initial-cluster "$self=http://$self:2380" \
			--initial-advertise-peer-urls "http://$self:2380" --initial-cluster-token "$COOPR_TASK-$(date +%s)" 2>&1
		chown -R etcd:etcd $data
	else
		wait_for 120 is_other "http://$first:2379" || later "the first node, $first, is not restored yet"
		wait_for 120 joined || later "the restored cluster takes no further member now"
	fi
	service etcd start
}

is_other()
{
	now=$(cluster_id "$1") && [ -n "$now" ] && [ "$now" != "$before" ]
}

joined()
{
	others=http://$first:2379
	members=$(others member list) && (join)
}

case $COOPR_ACTION in
configure) configure && finish ;;
start) start ;;
stop) stop_service etcd ;;
reload) reload ;;
status) status ;;
backup) backup ;;
restore) restore ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
