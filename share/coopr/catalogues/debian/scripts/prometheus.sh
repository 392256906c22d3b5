#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Prometheus: the actions configure, start, stop, reload, status, backup and restore.
#
# Configuration: prometheus/self, the address of the node; prometheus/jobs, a list of {name, targets (ADDRESS:PORT, commas between), path
# (/metrics)}; prometheus/alertmanagers (ADDRESS:PORT, commas between); prometheus/interval (15s) and prometheus/keep (15d);
# prometheus/alerts, a list of {name, expr, for (5m), severity (page), summary}.

set -eu
# shellcheck source=/dev/null # comes with the task
. ./base.sh

data=/var/lib/prometheus/metrics2

# ADDRESS:PORT, commas between, as a list.
targets()
{
	echo "[$(echo "$1" | sed "s/[^,]\{1,\}/'&'/g")]"
}

job()
{
	name=$(coopr_config "$1/name")
	list=$(coopr_config "$1/targets")
	path=$(coopr_config "$1/path" /metrics)
	echo "  - job_name: $(in_quotes "$name")"
	echo "    metrics_path: $(in_quotes "$path")"
	echo "    static_configs: [{targets: $(targets "$list")}]"
}

alert()
{
	name=$(coopr_config "$1/name")
	expr=$(coopr_config "$1/expr")
	lasts=$(coopr_config "$1/for" 5m)
	severity=$(coopr_config "$1/severity" page)
	summary=$(coopr_config "$1/summary" "$name")
	say "      - alert: $(in_quotes "$name")"
	say "        expr: $(in_quotes "$expr")"
	say "        for: $lasts"
	say "        labels: {severity: $(in_quotes "$severity")}"
	say "        annotations: {summary: $(in_quotes "$summary")}"
}

configure()
{
	self=$(coopr_config prometheus/self)
	interval=$(coopr_config prometheus/interval 15s)
	keep=$(coopr_config prometheus/keep 15d)
	managers=$(coopr_config prometheus/alertmanagers '')
	jobs=$(each prometheus/jobs name job) || exit
	alerts=$(each prometheus/alerts name alert) || exit
	{
		printf 'groups:\n  - name: coopr\n    rules:\n'
		say "$alerts"
	} >rules.yml
	cat >prometheus.yml <<-EOT
		global: {scrape_interval: $interval, evaluation_interval: $interval}
		rule_files: [/etc/prometheus/coopr-rules.yml]
		alerting:
		  alertmanagers: [{static_configs: [{targets: $(targets "$managers")}]}]
		scrape_configs:
		$jobs
	EOT
	promtool check rules rules.yml >/dev/null || coopr_fail "promtool refuses the alerts"
	own /var/lib/prometheus prometheus
	put /etc/prometheus/coopr-rules.yml <rules.yml
	put /etc/prometheus/prometheus.yml <prometheus.yml
	promtool check config /etc/prometheus/prometheus.yml >/dev/null || coopr_fail "promtool refuses the configuration"
	echo "ARGS=\"--web.listen-address=$self:9090 --storage.tsdb.retention.time=$keep --web.enable-admin-api\"" | put /etc/default/prometheus
	echo "http://$self:9090" | put /etc/coopr/prometheus
}

url()
{
	cat /etc/coopr/prometheus
}

is_ready()
{
	answers "$(url)/-/ready"
}

reload()
{
	is_ready || { service prometheus restart && return; }
	pkill -HUP -x prometheus
}

# What is stored at this moment, and what is only in the log of the server with it.
backup()
{
	name=$(curl -s -f -X POST "$(url)/api/v1/admin/tsdb/snapshot" | sed 's/.*"name":"\([^"]*\)".*/\1/')
	[ -d "$data/snapshots/$name" ] || fail "prometheus has made no snapshot"
	trap 'rm -rf "$data/snapshots/$name"' EXIT
	tar -C "$data/snapshots/$name" -c .
}

restore()
{
	rm -rf $data.new
	install -d -o prometheus -g prometheus $data.new
	tar -C $data.new -x || coopr_fail "what came is no archive of prometheus; nothing has changed"
	chown -R prometheus:prometheus $data.new
	stop_service prometheus
	rm -rf $data
	mv $data.new $data
	service prometheus start
}

case $COOPR_ACTION in
configure) configure && finish ;;
start) is_ready || service prometheus start ;;
stop) stop_service prometheus ;;
reload) reload ;;
status) is_ready || fail "prometheus is not ready" ;;
backup) backup ;;
restore) restore ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
