#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-debian(7): the template prometheus.

load ../case
load ../sandbox
load ../debian

teardown() {
	[ -z "${HOOK:-}" ] || kill "$HOOK"
	debian_down
}

server() {
	address m "$(nodes_with m prometheus)"
}

# The value that Prometheus has of an expression.
ask() {
	curl -sS -f -m 10 -G --data-urlencode "query=$1" "http://$(server):9090/api/v1/query" | jq -r '.data.result[0].value[1] // "none"'
}

# Alerts come to a program on the host, which writes down which.
hook() {
	local port

	cat >hook.py <<-'END'
		import http.server, json, sys
		class Hook(http.server.BaseHTTPRequestHandler):
		    def do_POST(self):
		        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
		        with open("alerts", "a") as file:
		            for alert in body["alerts"]:
		                file.write(alert["status"] + " " + alert["annotations"]["summary"] + "\n")
		        self.send_response(200)
		        self.end_headers()
		    def log_message(self, *words): pass
		server = http.server.HTTPServer((sys.argv[1], 0), Hook)
		print(server.server_port, flush=True)
		server.serve_forever()
	END
	mkfifo port
	python3 hook.py "$1" >port 3>&- &
	HOOK=$!
	hear port port
	URL=http://$1:$port/
}

@test "all machines are watched, a dead one is told of once, by one of two Alertmanagers, more are watched when they come, and what was measured is restored" {
	need_program python3
	debian_catalogue prometheus
	host=$(jq -r .provisioner.network mine/providers/sandbox.json | sed 's|\.0/24|.1|')
	coopr-create m -t prometheus -n 3 --set prometheus.interval=1s --set alertmanager.wait=1s --set alertmanager.interval=1s --set 'prometheus.alerts=[{"name": "Down",
		"expr": "up == 0", "for": "2s", "summary": "{{ $labels.instance }} does not answer"}]'
	unchanged m
	is_well m
	soon eval 'same 3 "$(ask "count(up{job=\"node\"} == 1)")"'
	same 2 "$(ask 'count(up{job="alertmanager"} == 1)')"
	# The two know of each other.
	manager=$(address m "$(nodes_with m alertmanager | head -n 1)")
	soon eval 'same 2 "$(curl -sS -f "http://$manager:9093/api/v2/status" | jq ".cluster.peers | length")"'
	hook "$host"
	coopr-config -y m --set "alertmanager.webhooks=[\"$URL\"]"

	coopr-expand -y -n 4 m
	soon eval 'same 4 "$(ask "count(up{job=\"node\"} == 1)")"'
	coopr-backup m
	now=$(date +%s)
	kill_machine 1003
	soon grep -q "firing .*:9100 does not answer" alerts
	same 1 "$(sort -u alerts | wc -l)"
	coopr-reconcile --repair --work || true
	is_well m
	soon eval 'same 4 "$(ask "count(up{job=\"node\"} == 1)")"'
	soon eval 'same 0 "$(curl -sS -f "http://$manager:9093/api/v2/alerts" | jq length)"'

	coopr-restart -y m
	is_well m
	soon eval 'same 4 "$(ask "count(up{job=\"node\"} == 1)")"'

	coopr-restore -y --discard-data m
	soon eval 'same 4 "$(ask "count(count_over_time(up{job=\"node\"}[5m] @ '"$now"'))")"'
	unchanged m
}
