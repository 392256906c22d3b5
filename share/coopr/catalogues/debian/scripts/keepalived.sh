#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# An address that one of several nodes has, by keepalived (VRRP between their addresses): the actions configure, start, stop, reload and status.
#
# Configuration: keepalived/address, the address, with its prefix length; keepalived/self, the address of the node; keepalived/nodes, those of all
# (commas between), the most preferred first; keepalived/port, a TCP port: who does not answer there does not have the address;
# keepalived/router, the number of the group in this network (51).

set -eu
# shellcheck source=/dev/null # comes with the task
. ./base.sh

file=/etc/keepalived/keepalived.conf

# The interface that has the node's own address.
interface()
{
	ip -o addr show to "$1" | awk '{ print $2; exit }'
}

configure()
{
	self=$(coopr_config keepalived/self)
	nodes=$(coopr_config keepalived/nodes)
	address=$(coopr_config keepalived/address)
	port=$(coopr_config keepalived/port)
	router=$(coopr_config keepalived/router 51)
	case $address in
	*[!0-9a-f.:/]* | '') coopr_fail "keepalived/address: expected an address that no machine has, as 10.0.0.100/24" ;;
	esac
	place=$(place_of "$self" "$nodes")
	put /etc/keepalived/coopr-check 755 <<-EOT
		#!/bin/sh
		exec bash -c '</dev/tcp/127.0.0.1/$port' 2>/dev/null
	EOT
	put $file 640 <<-EOT
		global_defs {
			enable_script_security
			script_user nobody
			vrrp_garp_master_refresh 10
		}
		vrrp_script answers {
			script "/etc/keepalived/coopr-check"
			interval 1
			timeout 2
			fall 2
			rise 2
		}
		vrrp_instance coopr {
			state BACKUP
			interface $(interface "$self")
			virtual_router_id $router
			priority $((200 - place))
			advert_int 1
			unicast_src_ip $self
			unicast_peer {
				$(all_but "$self" "$nodes")
			}
			virtual_ipaddress {
				$address
			}
			track_script {
				answers
			}
		}
	EOT
}

runs()
{
	pid=$(cat /run/keepalived.pid 2>/dev/null || cat /run/keepalived/keepalived.pid 2>/dev/null) && kill -0 "$pid" 2>/dev/null
}

reload()
{
	runs || { service keepalived start && return; }
	kill -s HUP "$pid"
}

case $COOPR_ACTION in
configure) configure && finish ;;
start) runs || service keepalived start ;;
stop) stop_service keepalived runs ;;
reload) reload ;;
status) runs || fail "keepalived does not run" ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
