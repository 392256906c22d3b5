#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# share/coopr/catalogue, and coopr-debian(7): that they are in order, and that their templates give the clusters they say.

load case

setup() {
	fresh
	catalogue=$COOPR_ROOT/share/coopr/catalogue
}

# The services on each node of a cluster, one node a line.
nodes() { # TEMPLATE MACHINES
	coopr-request -t "$1" -n "$2" --name c | coopr-solve | jq -r 'select(.kind == "node") | .services | join(" ")' | sort
}

@test "they have no mistakes" {
	for catalogue in "$catalogue" "$COOPR_ROOT"/share/coopr/catalogues/*; do
		run -0 coopr-validate "$catalogue"
		[ -z "$output" ]
	done
}

@test "debian: every script and file that a service names is there, and none that no service names" {
	for debian in "$COOPR_ROOT"/share/coopr/catalogues/*; do
		jq -r '.provisioner.actions[].fields | .script, (.files // empty | split(" ")[])' "$debian"/services/*.json | sort -u >named
		find "$debian/scripts" "$debian/files" -type f | sed 's|.*/||' | sort >there
		echo packages.sh | sort -m - there | sort -u >expected
		same "$(cat expected)" "$(cat named)"
	done
}

@test "debian: every template is laid out at its smallest size and beyond, its plan keeps all rules, and the page has its picture" {
	mandoc -T ascii "$COOPR_ROOT/man/man7/coopr-debian.7" | sed 's/.\x08//g' >page
	for debian in "$COOPR_ROOT"/share/coopr/catalogues/*; do
		export COOPR_CATALOGUE=$debian
		for file in "$debian"/clustertemplates/*.json; do
			name=$(jq -r .name "$file")
			least=$(jq '.constraints.size.min // 1' "$file")
			for machines in "$least" $((least + 2)); do
				coopr-request -t "$name" -n "$machines" --name c --set keepalived.address=10.0.0.9/24 | coopr-solve >layout
				coopr-plan layout >plan
				coopr-plan --check plan
				same "$machines" "$(jq -r 'select(.kind == "node").id' layout | wc -l)"
			done
			[ "$name" = base ] || sed -n "/^   $name\$/,/^   [a-z]/p" page | grep -q -- '-->'
		done
	done
}

@test "every script and file that a service names is there" {
	jq -r '.provisioner.actions[] | select(.type == "shell").fields | .script, (.files // empty | split(" ")[])' \
		"$catalogue"/services/*.json | sort -u >names
	[ -s names ]
	while read -r name; do
		[ -f "$COOPR_ROOT/share/coopr/services/$name" ] || echo "$name is missing"
	done <names >missing
	[ ! -s missing ]
}

@test "its templates use every form of macro" {
	for form in '%host\.service\.[a-z-]+%' '%host\.service\.[a-z-]+\[[0-9]+\]%' '%host\.self%' '%ip\.service\.[a-z-]+%' \
		'%ip\.[a-z_0-9]+\.service\.[a-z-]+%' '%ip\.self%' '%ip\.[a-z_0-9]+\.self%' '%num\.service\.[a-z-]+%' \
		'%instance\.self\.service\.[a-z-]+%' '%cluster\.owner%' '%join\(map\(' '%map\('; do
		grep -qE "$form" "$catalogue"/clustertemplates/*.json || echo "none has $form"
	done >missing
	[ ! -s missing ]
}

@test "every template can be laid out at its smallest size and well beyond, and its plan keeps all rules" {
	for file in "$catalogue"/clustertemplates/*.json; do
		name=$(jq -r .name "$file")
		least=$(jq .constraints.size.min "$file")
		for machines in "$least" $((least + 1)) $((3 * least)); do
			coopr-request -t "$name" -n "$machines" --name c >request
			coopr-solve request >layout
			coopr-plan layout >plan
			coopr-plan --check plan
			same "$machines" "$(jq -r 'select(.kind == "node").id' layout | wc -l)"
		done
	done
}

@test "web: one load balancer, one database, two application nodes and more with every further machine" {
	same $'mariadb\nnginx\nphp-fpm\nphp-fpm' "$(nodes web 4)"
	same $'mariadb\nnginx\nphp-fpm\nphp-fpm\nphp-fpm\nphp-fpm\nphp-fpm' "$(nodes web 7)"
	run --separate-stderr -1 bash -c 'coopr-request -t web -n 3 --name c | coopr-solve'
	contains "$output" "/template/constraints/size/min"
}

@test "asked for no number of machines, every template takes as few as it can" {
	for file in "$catalogue"/clustertemplates/*.json; do
		coopr-request -t "$(jq -r .name "$file")" --name c | coopr-solve >layout
		same "$(jq .constraints.size.min "$file")" "$(jq -r 'select(.kind == "node").id' layout | wc -l)"
	done
}

@test "web: the database starts before the application, and that before the load balancer" {
	coopr-request -t web -n 4 --name c | coopr-solve | coopr-plan >plan
	# What each start waits for, through milestones and whatever else stands between.
	jq -rs '
		(map(select(.kind == "task" or .kind == "milestone")) | map({(.id): .}) | add) as $steps
		| def before: . as $id | $steps[$id].after[] | ., before;
		$steps[] | select(.action == "start") | .service as $service
		| [.id | before | $steps[.] | select(.action == "start") | .service] | unique | "\($service): \(join(" "))"
	' plan | sort -u >waits
	same $'mariadb: \nnginx: mariadb php-fpm\nphp-fpm: mariadb' "$(cat waits)"
}

@test "the rehearsals run to their end, and take themselves down" {
	for name in hadoop-distributed lamp mongodb; do
		coopr-create -o json "c-$name" -t "$name" -j 50 >layout 2>log
		[ "$(jq -r 'select(.kind == "node").ipaddresses.access_v4' layout | grep -c .)" -ge 3 ]
		coopr-delete -y --discard-data "c-$name" 2>log
	done
	same complete "$(coopr-queue ls -o json | jq -r .status | sort -u)"
}
