#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The page for browsers with machines that are real: from the login to a web site that answers, all by clicks.

load case
load serve
load browser

setup_file() {
	browser_start
}

teardown_file() {
	browser_end
}

setup() {
	fresh
	need_root
	need_program curl ip python3 ssh sshd
	need_browser
	own_network
	site_catalogue
	coopr-store init
	coopr-import -yq mine
}

teardown() {
	[ ! -s "$COOPR_STATE/store.sqlite3" ] || coopr-list -o name | sed 's|.*/||' | while read -r name; do coopr-delete -y --discard-data "$name"; done
	browse_end
	serve_end
}

# In the catalogue mine, a service that is a web server with one page, and a template of it.
site_catalogue() {
	mkdir mine/scripts
	cat >mine/scripts/site.sh <<-'EOT'
		#!/bin/sh
		set -eu
		. ./lib.sh
		answers() {
			curl -s -o /dev/null http://127.0.0.1:8080/
		}
		start() {
			answers && return
			setsid python3 -m http.server -d /srv/site 8080 </dev/null >/dev/null 2>&1 &
			for _ in $(seq 200); do
				! answers || return 0
				sleep 0.05
			done
			coopr_fail "the server does not answer"
		}
		case $COOPR_ACTION in
		configure) mkdir -p /srv/site && coopr_config site/text >/srv/site/index.html ;;
		start) start ;;
		stop) pkill -f http.server || : ;;
		status) answers || { echo "nothing listens on port 8080" >&2 && exit 1; } ;;
		esac
	EOT
	jq -n '{name: "site", provisioner: {actions: ([("configure", "start", "stop", "status") as $action |
		{key: $action, value: {type: "shell", fields: {script: "site.sh"}, retries: 0}}] | from_entries)}}' >mine/services/site.json
	jq -n '{name: "pages", label: "Web pages", defaults: {services: ["site"], provider: "sandbox", hardwaretype: "small", imagetype: "debian12",
		config: {site: {text: "good morning"}}}, constraints: {services: {site: {quantities: {min: 1}}}}}' >mine/clustertemplates/pages.json
}

# A server by TCP, and the code of a link with which an administrator logs in.
site_serve() {
	code=$(coopr-user add -y -r superadmin -o json demo | jq -r .code)
	serve --listen 127.0.0.1:0
	ADDRESS=$(sed -n 's|.*serving on http://||p' serve.log)
}

@test "from the login to a site that answers by clicks; a change is previewed, carried out and rolled back" {
	site_serve
	browse site "$code"
	same "active healthy 2" "$(coopr-list -o json | jq -r '"\(.state) \(.condition) \(.nodes)"')"
}

@test "a service that has died is seen once somebody looks, and is started again from the page" {
	coopr-create -yq -t pages -n 2 shop
	serve
	(
		until [ -e kill ]; do sleep 0.1; done
		coopr exec shop/1001 'pkill -f http.server'
		rm kill
	) 3>&- &
	killer=$!
	browse broken 1001
	wait "$killer"
	same "active healthy" "$(coopr-list -o json | jq -r '"\(.state) \(.condition)"')"
}

@test "services that a person has stopped are no faults, and are started again from the page" {
	coopr-create -yq -t pages -n 2 shop
	coopr-stop -yq shop
	serve
	browse stopped
	same "active healthy" "$(coopr-list -o json | jq -r '"\(.state) \(.condition)"')"
}

@test "the same is done by keyboard alone" {
	site_serve
	browse siteByKeyboard "$code"
	same terminated "$(coopr-list --status all -o json | jq -r .state)"
}
