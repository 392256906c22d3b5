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

is_ready()
{
	answers "$(cat /etc/coopr/node-exporter)"
}

case $COOPR_ACTION in
configure) configure && finish ;;
start) is_ready || service prometheus-node-exporter start ;;
stop) stop_service prometheus-node-exporter ;;
status) is_ready || fail "node-exporter does not answer" ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
