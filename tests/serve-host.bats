#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What users see of the machine that the server runs on: none of its paths, coopr-security(7).

load case
load serve

setup() {
	serve_setup
	unset COOPR_SPOOL
	coopr-tenant create qa
	stubborn_service
	coopr-import -T qa -yq mine
	coopr-member set -T qa -r user ann
	coopr-member set -T qa -r admin adam
	serve
	coopr-token create --as ann -T qa mine >token-ann
	coopr-token create --as adam -T qa mine >token-adam
	on_server() { env -u COOPR_STATE HOME="$PWD/run" COOPR_SERVER="unix:$SOCKET" COOPR_TOKEN="$(cat "$1")" "${@:2}"; }
	on_server token-ann coopr-create -q -t lamp -n 4 -P dummy shop
	on_server token-ann coopr-config -y -q shop --set greeting=hello
	# Providers of whatever plugin there is, which cannot be right.
	for plugin in "$COOPR_BIN"/../libexec/coopr/provider/*; do
		case ${plugin##*/} in *.*) continue ;; esac
		jq -nc --arg type "${plugin##*/}" '{kind: "provider", name: "wrong-\($type)", providertype: $type, provisioner: {api_user: 7, endpoint: [], machines: {}}}'
	done >wrong.ndjson
	[ "$(wc -l <wrong.ndjson)" -gt 8 ]
	coopr-import -T qa -yq --force - <wrong.ndjson
	: >broken
	run -1 on_server token-ann coopr-create -q -t lamp -n 4 -s apache,mysql,haproxy,stubborn sad
}

teardown() {
	serve_end
}

@test "no GET of the API shows a user, or an administrator of a tenant, a path of the host" {
	for user in ann adam; do
		token=token-$user
		answers 200 GET /v1/openapi.json -H "Authorization: Bearer $(cat "$token")"
		python3 -B - "$SOCKET" "$(cat "$token")" "$PWD" "$user" <<-'END'
			import http.client, json, socket, sys, urllib.parse
			where, token, folder, user = sys.argv[1:]
			def ask(path, headers):
			    one = http.client.HTTPConnection("a")
			    one.sock = socket.socket(socket.AF_UNIX)
			    one.sock.settimeout(60)
			    one.sock.connect(where)
			    one.request("GET", path, None, headers)
			    answer = one.getresponse()
			    text = answer.read()
			    one.close()
			    assert folder.encode() not in text, (path, text[max(0, text.index(folder.encode()) - 300):][:600])
			    return answer.status
			own = {"Authorization": "Bearer " + token}
			one = {"cluster": ["shop", "sad", "none"], "kind": ["provider"], "name": ["dummy"], "job": ["00000001-001", "00000002-001"],
			       "tenant": ["qa"], "node": ["00000001-1000"], "token": ["1"], "operation": ["1"], "diff": ["1"], "plan": ["1"]}
			def paths(path):
			    begin = path.find("{")
			    if begin < 0:
			        return [path]
			    name, rest = path[begin + 1:].split("}", 1)
			    return [path[:begin] + value + more for value in one.get(name, ["none"]) for more in paths(rest)]
			found = 0
			for path, methods in json.load(open("body"))["paths"].items():
			    if "get" not in methods or path.startswith("/ui") or path == "/v1/events":
			        continue
			    options = [o["name"] for o in methods["get"].get("parameters", []) if o["in"] == "query"]
			    for concrete in paths(path):
			        found += ask(concrete, own) == 200
			        for option in options:
			            for value in [*one.get(option, []), "true", "no/such"]:
			                ask("%s?%s=%s" % (concrete, option, urllib.parse.quote(value)), own)
			for line in open("wrong.ndjson"):
			    assert ask("/v1/providers/%s/test" % json.loads(line)["name"], own) in (200, 403, 422, 503)
			coopr = {"Coopr-UserID": user, "Coopr-TenantID": "qa", "Coopr-ApiKey": token}
			for path in ("clusters", "clusters/00000001", "clusters/00000002", "clusters/00000002/status", "clusters/00000002/config",
			             "clusters/00000002/services", "clusters/00000002/plans", "clusters/00000002/plans/00000002-001", "nodes",
			             "nodes/00000002-1000", "providers/dummy", "services/apache", "export", "profile", "metrics/nodes/usage", "tenants",
			             "plugins/automatortypes", "plugins/automatortypes/shell", "plugins/providertypes/sandbox"):
			    found += ask("/v2/" + path, coopr) == 200
			assert found > 45, found
		END
	done
}

@test "no command that looks shows a user a path of the server's host" {
	for options in '' '-o wide' '-o json' '-o yaml'; do
		for words in list show status 'status --probe' history 'history --diff 1' 'history --plan 1' log events report config 'config --expanded' \
			ssh-config inventory 'ssh --dry-run' 'queue ls' 'queue show --events' 'queue show --layout' 'queue show --plan' 'queue show --tasks' \
			'queue stats' 'queue limit' 'queue log' audit usage 'tenant list' quota 'member list' 'token list' whoami 'secret list' export \
			'hook list' 'resource list' 'expand -n 5 --dry-run' 'delete --dry-run' 'rollback --dry-run' 'upgrade --dry-run' 'backup --dry-run'; do
			read -ra command <<<"$words $options"
			operands=(shop sad)
			case $words in
			queue*) operands=(00000001-001 00000002-001) ;;
			list | audit | usage | tenant* | quota | member* | token* | whoami | secret* | export | hook* | resource*) operands=('') ;;
			esac
			for operand in "${operands[@]}"; do
				on_server token-ann "coopr-${command[0]}" "${command[@]:1}" ${operand:+"$operand"} </dev/null >said 2>&1 || true
				! grep -F "$PWD" said | grep -vF "unix:$SOCKET" || {
					echo "${command[*]} $operand"
					return 1
				}
			done
		done
	done
	[[ $(coopr-show -T qa shop) = *"$COOPR_STATE/clusters/00000001"* ]]
}
