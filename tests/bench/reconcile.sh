#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# coopr reconcile with nothing to do: a store of 10,000 clusters of 200,000 nodes, whose machines the provider dummy has.

set -eu
# shellcheck disable=SC1091 # checked by itself
. "$COOPR_ROOT/tests/bench/bench.bash"

unset COOPR_STORE
export COOPR_STATE=$PWD/state COOPR_SPOOL=$PWD/spool COOPR_CATALOGUE=$PWD/catalogue
cp -R "$COOPR_ROOT/share/coopr/catalogue" catalogue
echo '{"name":"dummy","providertype":"dummy","provisioner":{}}' >catalogue/providers/dummy.json
sed -i 's/"delay_ms": *"[0-9]*"/"delay_ms": "0"/' catalogue/services/*.json

# One cluster that was really made; the others are like it, and have its documents.
multiply() {
	coopr create first -t lamp -n 20 >/dev/null 2>&1
	sqlite3 state/store.sqlite3 <<-'END'
		BEGIN;
		UPDATE allotment SET last = 10000;
		CREATE TEMP TABLE n (i INTEGER PRIMARY KEY);
		WITH RECURSIVE c(i) AS (VALUES (2) UNION ALL SELECT i + 1 FROM c WHERE i < 10000) INSERT INTO n SELECT i FROM c;
		CREATE TEMP TABLE one AS SELECT * FROM cluster WHERE id = 1;
		UPDATE one SET operation = 1;
		INSERT INTO cluster (id, tenant, name, owner, template, provider, status, created_ms, changed_ms, nodes, cost, resources,
			peak_nodes, peak_cost, peak_resources, operation)
			SELECT i, tenant, printf('cluster-%05d', i), owner, template, provider, status, created_ms, changed_ms, nodes, cost,
			resources, peak_nodes, peak_cost, peak_resources, operation FROM one, n;
		INSERT INTO cluster_document SELECT i, wish, layout FROM n, cluster_document WHERE cluster = 1;
		INSERT INTO operation (cluster, number, action, user, begun_ms, ended_ms, status, was)
			SELECT i, 1, 'create', 'somebody', 1, 2, 'complete', 'absent' FROM n;
		INSERT INTO node_use (cluster, node, hardwaretype, cost, capacity, from_ms)
			SELECT i, printf('%08d', i) || substr(node, 9), hardwaretype, cost, capacity, from_ms FROM n, node_use WHERE cluster = 1;
		COMMIT;
	END
	for machine in state/dummy/dummy/*; do
		seq -f "state/dummy/dummy/%08g-${machine##*-}" 2 10000 | xargs touch
	done
	mkdir -p state/clusters
	(cd state/clusters && seq -f %08g 2 10000 | xargs mkdir)
}

if has sqlite3 sqlite3; then
	multiply
	echo "10,000 clusters of $(sqlite3 state/store.sqlite3 'SELECT count(*) FROM node_use') nodes: $(($(stat -c %s state/store.sqlite3) / 1048576)) MB"
	read -r ms cpu memory _ < <(repeat -b -n 5 coopr-reconcile)
	echo "nothing to do: $(against_cpu "$ms" "$cpu" 2000), $memory KB"
	rm "state/dummy/dummy/00005000-$(sqlite3 state/store.sqlite3 "SELECT substr(node, 10) FROM node_use WHERE cluster = 5000 LIMIT 1")"
	read -r ms cpu memory _ < <(repeat -b -n 5 sh -c "coopr-reconcile -o json >found || [ \$? -eq 1 ]")
	echo "one machine of them gone: $(against_cpu "$ms" "$cpu" 2000), $memory KB, $(wc -l <found) found"
fi

# A cluster of a thousand machines, all of which are asked, and their services.
probe() {
	export COOPR_STATE=$PWD/asked COOPR_SPOOL=$PWD/asked-spool
	jq '.constraints.size.max = 1000 | .constraints.services |= map_values(del(.quantities.max))' \
		catalogue/clustertemplates/lamp.json >lamp.json
	mv lamp.json catalogue/clustertemplates/lamp.json
	coopr create big -t lamp -n 1000 >/dev/null 2>&1
	read -r ms cpu memory _ < <(repeat -b -n 5 coopr-reconcile --probe -j 50)
	echo "1,000 machines asked, and their services: $(against_cpu "$ms" "$cpu" 2000), $memory KB"
}

if has jq jq; then
	probe
fi
