#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# node-exporter, which measures the node for Prometheus: the actions configure, start, stop and status.
#
# Configuration: node-exporter/self, the address of the node.

set -eu
# shellcheck source=/dev/null # comes with the task
. ./base.sh

configure()
{
	self=$(coopr_config node-exporter/self)
	echo "ARGS=\"--web.listen-address=$self:9100\"" | put /etc/default/prometheus-node-exporter
	echo "http://$self:9100/metrics" | put /etc/coopr/node-exporter
}

answers()
{
	curl -s -f -m 5 -o /dev/null "$(cat /etc/coopr/node-exporter)"
}

case $COOPR_ACTION in
configure) configure && finish ;;
start) answers || service prometheus-node-exporter start ;;
stop) service prometheus-node-exporter stop ;;
status) answers || { echo "node-exporter does not answer" >&2 && exit 1; } ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
