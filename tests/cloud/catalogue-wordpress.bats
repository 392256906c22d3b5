#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-debian(7): the template wordpress.

load ../case
load ../sandbox
load ../debian

front() {
	curl -sS -f -m 20 "http://$site/"
}

@test "a blog is installed once, somebody logs in and writes, what is uploaded is served by all, and a backup brings it back, also to the machine that comes after the first" {
	debian_catalogue wordpress
	coopr-create w -t wordpress -n 4 --set wordpress.title='It'"'"'s our blog' --set wordpress.user=ann --set wordpress.password=secret\'word
	site=$(address w "$(nodes_with w haproxy)")
	unchanged w
	is_well w
	contains "$(front)" "our blog"
	curl -sS -f -m 20 -c jar -b wordpress_test_cookie=WP+Cookie+check -o /dev/null "http://$site/wp-login.php" \
		--data-urlencode log=ann --data-urlencode "pwd=secret'word" -d testcookie=1
	contains "$(curl -sS -f -m 20 -b jar "http://$site/wp-admin/profile.php")" 'value="ann"'

	first=$(nodes_with w wordpress | head -n 1)
	on "w/$first" 'echo picture >/var/lib/wordpress/wp-content/uploads/one.txt; chown www-data: /var/lib/wordpress/wp-content/uploads/one.txt'
	for _ in 1 2 3 4; do same picture "$(curl -sS -f -m 20 "http://$site/wp-content/uploads/one.txt")"; done
	coopr-backup w

	coopr-expand -y -n 5 w
	same 3 "$(on w/@haproxy 'grep -c "^[[:space:]]*server s" /etc/haproxy/haproxy.cfg')"
	for _ in 1 2 3 4; do contains "$(front)" "our blog"; done
	on w/@mariadb 'echo "UPDATE wp_options SET option_value = \"spoiled\" WHERE option_name = \"blogname\"" | mariadb wordpress'
	on "w/$first" 'rm /var/lib/wordpress/wp-content/uploads/one.txt'
	contains "$(front)" spoiled
	coopr-restore -y --discard-data w
	contains "$(front)" "our blog"
	same picture "$(curl -sS -f -m 20 "http://$site/wp-content/uploads/one.txt")"
	coopr-restart -y w
	is_well w
	contains "$(front)" "our blog"
	# Another password of its database, which both take over.
	databases='[{"name": "wordpress", "user": "wordpress", "password": "another one", "clients": "%ip.service.firewall%"}]'
	coopr-config -y w --set "mariadb.databases=$databases" --set "apache.database.password=another one"
	contains "$(front)" "our blog"

	# The machine of the uploads is replaced: the next one is the first from then on, and gets what was on that.
	id=$(coopr-backup --list -o json w | jq -r --arg node "$first" 'select(.service == "wordpress" and (.node | endswith("-" + $node))).id' | head -n 1)
	coopr-replace -y --discard-data w "$first"
	next=$(nodes_with w wordpress | head -n 1)
	[ "$next" != "$first" ]
	run -22 curl -sS -f -m 20 "http://$site/wp-content/uploads/one.txt"
	coopr-restore -y --discard-data --from "$id" -s wordpress "w/$next"
	for _ in 1 2 3 4; do same picture "$(curl -sS -f -m 20 "http://$site/wp-content/uploads/one.txt")"; done
	contains "$(front)" "our blog"
}
