#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Services whose scripts and files are resources: clusters of real machines, made from the store alone.

load case

HELLO=automator/shell/scripts/hello.sh

setup() {
	fresh
	need_root
	need_program ip ssh sshd
	own_network
	mkdir -p mine/scripts/kit/sub mine/files
	cat >mine/services/hello.json <<-'EOT'
		{"name": "hello", "provisioner": {"actions": {
			"configure": {"type": "shell", "fields": {"script": "hello.sh", "files": "motd kit/sub"}, "retries": 0},
			"start": {"type": "shell", "fields": {"script": "kit/start.sh"}, "retries": 0},
			"stop": {"type": "shell", "fields": {"script": "kit/start.sh"}, "retries": 0}}}}
	EOT
	cat >mine/clustertemplates/hello.json <<-'EOT'
		{"name": "hello", "defaults": {"services": ["hello"], "provider": "sandbox", "hardwaretype": "small", "imagetype": "debian12"}}
	EOT
	printf '#!/bin/sh\n. ./lib.sh\n{ echo one; cat motd kit/sub/part; } >/root/hello\n' >mine/scripts/hello.sh
	printf '#!/bin/sh\ncat kit/sub/part >/root/started\n' >mine/scripts/kit/start.sh
	echo part >mine/scripts/kit/sub/part
	echo welcome >mine/files/motd
	unset COOPR_CATALOGUE
	coopr-store init
}

teardown() {
	[ -z "$(find "$COOPR_STATE/clusters" -name '0*' 2>/dev/null)" ] || coopr-delete -y --discard-data hello
}

# The file that holds the bytes of the active version.
content_of() {
	local sum

	sum=$(coopr-resource list -o json "$1" | jq -r 'select(.state == "active") | .sum')
	echo "$COOPR_STATE/resources/${sum:0:2}/$sum"
}

@test "a catalogue's scripts and files are imported with it, and are what its clusters are made with until an upgrade" {
	coopr-import -m 'as in git' mine >said 2>&1
	contains "$(cat said)" "automator/shell/scripts/hello.sh"
	same "files/motd file scripts/hello.sh file scripts/kit archive" \
		"$(coopr-resource list -o json --status active | jq -r '"\(.type)/\(.name) \(.format)"' | paste -sd' ')"
	coopr-import mine >said 2>&1
	contains "$(cat said)" "0 changed"
	rm -r mine/scripts mine/files

	coopr-create -q hello -t hello -n 1
	same "one welcome part" "$(coopr ssh hello/1000 cat /root/hello | paste -sd' ')"
	same part "$(coopr ssh hello/1000 cat /root/started)"
	# Tasks name digests, never paths.
	same "configure 64 start 64" "$(coopr-queue show 00000001-001 --plan |
		jq -r 'select(.kind == "task" and .service) | "\(.action) \(.scripts | length)"' | sort | paste -sd' ')"

	# What is active now is for new clusters and upgrades; this one goes on with what it was made with.
	printf '#!/bin/sh\n{ echo two; cat motd; } >/root/hello\n' | coopr-resource upload -q --sync "$HELLO" -
	coopr-config -q hello --set a=b
	same "one welcome part" "$(coopr ssh hello/1000 cat /root/hello | paste -sd' ')"
	run -75 coopr-resource delete -y "$HELLO@1"
	contains "$output" "cluster hello is made with it"
	coopr-upgrade -o json -y hello >now 2>said
	contains "$(cat said)" "hello: service hello: script hello.sh (configure) has changed"
	same "two welcome" "$(coopr ssh hello/1000 cat /root/hello | paste -sd' ')"
	coopr-rollback -q -y hello
	same "one welcome part" "$(coopr ssh hello/1000 cat /root/hello | paste -sd' ')"
	coopr-delete -q -y hello
	coopr-resource delete -y "$HELLO@1"
	same "2" "$(coopr-resource list -o json "$HELLO" | jq .version)"
}

@test "a byte that has changed, in a resource or in what a task names, is found before it runs anywhere" {
	coopr-import mine >said 2>&1
	rm -r mine
	path=$(content_of "$HELLO")
	cp "$path" whole
	sed -i 's/one/0ne/' "$path"
	run -78 coopr-create -q hello -t hello -n 1
	contains "$output" "it is damaged"
	cp whole "$path"
	coopr-create -q hello -t hello -n 1
	bundle=$(sqlite3 "$COOPR_STATE/store.sqlite3" 'SELECT wish FROM cluster_document' | jq -r '.services[] | select(.name == "hello") |
		.provisioner.actions.configure.digest')
	sed -i 's/echo one/echo 1ne/' "$COOPR_STATE/resources/${bundle:0:2}/$bundle"
	run coopr-config -q hello --set a=b
	[ "$status" -ne 0 ]
	contains "$output" "it is damaged"
	same "one welcome part" "$(coopr ssh hello/1000 cat /root/hello | paste -sd' ')"
}

@test "an export is what was imported, with its scripts and files, in the same bytes" {
	chmod +x mine/scripts/kit/start.sh
	coopr-import mine >said 2>&1
	coopr-export out
	diff -r mine/scripts out/scripts
	diff -r mine/files out/files
	[ -x out/scripts/kit/start.sh ]
	[ ! -x out/files/motd ]
	coopr-import out >said 2>&1
	contains "$(cat said)" "0 changed"
	echo three >mine/files/motd
	coopr-import --dry-run mine >said 2>&1
	contains "$(cat said)" "1 would be changed"
	same welcome "$(coopr-resource get automator/shell/files/motd)"
	coopr-import mine >said 2>&1
	same three "$(coopr-resource get automator/shell/files/motd)"
}

@test "an import of links, or of names that no resource can have, changes nothing" {
	ln -s /etc/passwd mine/files/link
	run -65 coopr-import mine
	contains "$output" "mine/files/link: neither a file nor a folder; resources have no links"
	rm mine/files/link
	ln -s /etc/passwd mine/scripts/kit/link
	run coopr-import mine
	[ "$status" -ne 0 ]
	rm mine/scripts/kit/link
	echo x >"mine/files/a b"
	run -65 coopr-import mine
	same "" "$(coopr-resource list -o json)$(coopr-store list -o name)"
}

@test "a tenant's clusters are made with its resources, else with those of superadmin" {
	coopr-import -T superadmin mine >said 2>&1
	coopr-tenant create --bootstrap qa
	echo "mine of qa" | coopr-resource upload -q --sync -T qa automator/shell/files/motd -
	coopr-create -q hello -T qa -t hello -n 1
	same "one mine of qa part" "$(coopr ssh -T qa hello/1000 cat /root/hello | paste -sd' ')"
	coopr-delete -q -y -T qa hello
}

@test "a service is asked how it is with the script that it was made with, and repaired by a cron line alone" {
	jq '.provisioner.actions.status = {type: "shell", fields: {script: "status.sh"}} |
		.provisioner.actions.stop.fields.script = "stop.sh"' mine/services/hello.json >changed
	mv changed mine/services/hello.json
	printf '#!/bin/sh\n[ -e /root/started ]\n' >mine/scripts/status.sh
	printf '#!/bin/sh\nrm -f /root/started\n' >mine/scripts/stop.sh
	coopr-import -q mine
	rm -r mine/scripts mine/files
	coopr-create -q hello -t hello -n 1
	coopr-status --probe hello
	printf '#!/bin/sh\nexit 3\n' | coopr-resource upload -q --sync automator/shell/scripts/status.sh -
	coopr-status --probe hello
	coopr ssh hello/1000 rm /root/started
	run -1 coopr-status --probe hello
	contains "$output" "degraded" || contains "$output" "down"
	coopr-reconcile --probe --repair >said 2>&1 || true
	coopr-status --probe hello
}

@test "services of Coopr's chef-solo reach chef unchanged, with all cookbooks, roles and data bags that there are" {
	local folder=mine/automator/chef-solo before

	mkdir -p $folder/cookbooks/{apache2,users}/recipes $folder/data_bags/users $folder/roles
	echo 'package "apache2"' | tee $folder/cookbooks/apache2/recipes/default.rb >$folder/cookbooks/users/recipes/default.rb
	echo '{"id": "anna"}' >$folder/data_bags/users/anna.json
	echo '{"name": "web", "run_list": []}' >$folder/roles/web.json
	cp "$BATS_TEST_DIRNAME/chef-solo-recorder" mine/files/chef-solo
	echo 'cp chef-solo /usr/local/bin/' >mine/scripts/chef.sh
	cat >mine/services/hello.json <<-'EOT'
		{"name": "hello", "dependencies": {"install": {"requires": ["chef"]}}, "provisioner": {"actions": {
			"install": {"type": "chef-solo", "fields": {"run_list": "recipe[apache2::default], role[web]"}},
			"start": {"type": "chef-solo", "fields": {"run_list": "recipe[apache2::default],recipe[users]",
				"json_attributes": "{\"coopr\": {\"node\": {\"services\": {\"apache2\": \"start\"}}}, \"apache2\": {\"port\": 81}}"}}}}}
	EOT
	echo '{"name": "chef", "provisioner": {"actions": {"install": {"type": "shell", "fields": {"script": "chef.sh", "files": "chef-solo"}}}}}' >mine/services/chef.json
	jq '.defaults += {services: ["hello", "chef"], config: {apache2: {port: 80, host: "%host.self%"}}}' mine/clustertemplates/hello.json >template
	mv template mine/clustertemplates/hello.json

	echo 'not a cookbook' >$folder/cookbooks/README
	run -65 coopr-import mine
	contains "$output" "automator/chef-solo/cookbooks: a resource of this type cannot be a file"
	rm $folder/cookbooks/README
	coopr-import mine >said 2>&1
	coopr-export out
	diff -r mine/automator out/automator
	rm -r mine

	coopr-create -q hello -t hello -n 1
	coopr ssh hello/1000 'cd /var/log/chef-solo && tar c *' | tar x
	same "recipe[apache2::default],role[web]" "$(tail -n 1 1/words)"
	same "recipe[apache2::default],recipe[users]" "$(tail -n 1 2/words)"
	same "$(cd out/automator/chef-solo && find . -type f -exec sha256sum {} + | sed 's,\./,,' | sort -k 2)" "$(cat 1/files)"
	same '{"host":"hello1-1000.local","port":81} {"apache2":"start"} {"host":"hello1-1000.local","port":80}' \
		"$(jq -cS '.apache2, .coopr.node.services, .coopr.cluster.apache2' 2/attributes | paste -sd' ')"

	# What is uploaded as by Coopr's data-uploader is for new clusters and upgrades.
	before=$(coopr-queue show 00000001-001 --plan | jq -r 'select(.kind == "task" and .action == "start").scripts')
	mkdir apache2
	echo 'package "httpd"' >apache2/metadata.rb
	tar cz apache2 | coopr-resource upload -q --sync --format archive automatortypes/chef-solo/cookbooks/apache2 -
	coopr-config -q hello --set a=b
	same "$before" "$(coopr-queue show 00000001-002 --plan | jq -r 'select(.scripts).scripts' | sort -u)"
	coopr-upgrade -o json -y hello >now 2>said
	contains "$(cat said)" "hello: service hello: what install sends has changed"
	coopr ssh hello/1000 'cat "/var/log/chef-solo/$(ls /var/log/chef-solo | sort -n | tail -n 1)/files"' >files
	contains "$(cat files)" "cookbooks/apache2/metadata.rb"
	run ! grep apache2/recipes files
}
