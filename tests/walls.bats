#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What a tenant's documents name is nothing of the host, coopr-security(7): refused when it is written, and again when it is done.

load case
load examples

setup() {
	fresh
	export COOPR_STORE=$PWD/store
	unset COOPR_USER SUDO_USER
	own_catalogue
	coopr-store init
	coopr-tenant create qa
	coopr-member set -T qa -r admin ann
	coopr-member set -T qa bob
	coopr-store import -T qa mine >/dev/null 2>&1
	echo canary-of-the-host >canary
}

# What the administrator of the tenant is told of a document: put KIND DOCUMENT
put() {
	COOPR_USER=ann COOPR_TENANT=qa coopr-store put -k "$1" - <<<"$2" 2>&1
}

# A service whose action of that name has these fields: service FIELDS [ACTION]
service() {
	jq -cn --argjson fields "$1" --arg action "${2:-install}" '{name: "evil", provisioner: {actions: {($action): {type: "shell", fields: $fields}}}}'
}

@test "a tenant's provider says nothing of the host, and its services and images name no path" {
	for fields in '{"share":["/proc"]}' '{"share":"/"}' '{"network":"10.0.0.0/8"}' '{"route":true}' '{"unconfined":true}' '{"flavors":{}}'; do
		run -77 put provider "{\"name\":\"p\",\"providertype\":\"sandbox\",\"provisioner\":$fields}"
		contains "$output" "a tenant's document does not say that"
	done
	for fields in '{"machines":"m"}' "{\"machines\":\"$PWD/m\"}" '{"machines":"","identityfile":"k"}'; do
		run -77 put provider "{\"name\":\"p\",\"providertype\":\"static\",\"provisioner\":$fields}"
	done
	for path in /etc/shadow ../x a/../../x ./x '"/etc/shadow"' "'/etc/shadow'" '\/etc/shadow' 'a /etc/shadow' $'a\t/etc/shadow' '~/x' '%config.x%/../..' ''; do
		fields=$(jq -cn --arg path "$path" '{script: "web.sh", files: $path}')
		case $path in ''|%*) run put service "$(service "$fields")";; *) run -77 put service "$(service "$fields")";; esac
		run put service "$(service "$(jq -cn --arg path "$path" '{script: $path}')")"
		[ "$status" -eq 77 ] || [ -z "$path" ]
	done
	for path in /etc ../../etc /proc/self/root; do
		run -77 put imagetype "{\"name\":\"i\",\"providermap\":{\"lab\":{\"image\":\"$path\"}}}"
	done
	run -1 coopr-store get -T qa provider p
	run -1 coopr-store get -T qa imagetype i
	run -0 put provider '{"name":"p","providertype":"sandbox"}'
}

@test "what the installation has written, a tenant may put again as it is, and not change" {
	document='{"name":"p","providertype":"sandbox","provisioner":{"share":["/usr"]}}'
	coopr-store put -T qa -k provider - <<<"$document"
	run -0 put provider "$document"
	run -77 put provider "$(jq -c '.description = "mine"' <<<"$document")"
	run -77 put provider "$(jq -c '.of = "installation" | .provisioner.share = ["/proc"]' <<<"$document")"
	run -77 put provider "$(jq -c '.provisioner.route = true' <<<"$document")"
}

@test "a plain user sends no secret anywhere that the template does not" {
	coopr-store get -T qa clustertemplate lamp | jq -c '.defaults.config = {db: {pass: {secret: "dbpass"}}}' |
		coopr-store put -T qa -k clustertemplate -
	echo canary-secret | coopr-secret set -T qa dbpass
	export COOPR_TENANT=qa
	for user in bob; do
		for value in '{"secret":"dbpass"}' '{"generated_secret":"dbpass"}' '{"a":[{"secret":"dbpass"}]}'; do
			COOPR_USER=$user run -77 coopr-create one -t lamp -n 4 --set "x=$value"
			contains "$output" 'the secret "dbpass" is not yours to send'
		done
		COOPR_USER=$user run -77 coopr-create one -t lamp -n 4 --set 'db.pass2={"secret":"dbpass"}'
	done
	COOPR_USER=bob coopr-create one -t lamp -n 4
	COOPR_USER=bob run -77 coopr-config one --set 'x={"secret":"dbpass"}'
	COOPR_USER=bob coopr-config one --set x=1
	COOPR_USER=ann coopr-config one --set 'x={"secret":"dbpass"}'
	COOPR_USER=bob coopr-config one --set y=1
}
