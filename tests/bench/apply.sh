#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# coopr apply with nothing to do: a folder of 1,000 files, and 1,000 clusters that are as these say.

set -eu
# shellcheck disable=SC1091 # checked by itself
. "$COOPR_ROOT/tests/bench/bench.bash"

unset COOPR_STORE
export COOPR_STATE=$PWD/state COOPR_SPOOL=$PWD/spool COOPR_CATALOGUE=$PWD/catalogue
cp -R "$COOPR_ROOT/share/coopr/catalogue" catalogue
echo '{"name":"dummy","providertype":"dummy","provisioner":{}}' >catalogue/providers/dummy.json
sed -i 's/"delay_ms": *"[0-9]*"/"delay_ms": "0"/' catalogue/services/*.json
mkdir clusters
for number in $(seq -w 1 1000); do
	echo '{"kind":"clusterspec","name":"cluster-'"$number"'","template":"lamp","numMachines":5,"set":{"php.memory_limit":"64M"}}' \
		>"clusters/$number.json"
done

# One cluster that was really made; the others are like it, and have its documents.
multiply() {
	coopr apply -f clusters/0001.json >/dev/null 2>&1
	sqlite3 state/store.sqlite3 <<-'END'
		BEGIN;
		UPDATE allotment SET last = 1000;
		CREATE TEMP TABLE n (i INTEGER PRIMARY KEY);
		WITH RECURSIVE c(i) AS (VALUES (2) UNION ALL SELECT i + 1 FROM c WHERE i < 1000) INSERT INTO n SELECT i FROM c;
		INSERT INTO cluster (id, tenant, name, owner, template, provider, status, created_ms, changed_ms, nodes, revision, operation)
			SELECT i, tenant, printf('cluster-%04d', i), owner, template, provider, status, created_ms, changed_ms, nodes, revision,
			operation FROM cluster, n WHERE id = 1;
		INSERT INTO cluster_document SELECT i, wish, layout FROM n, cluster_document WHERE cluster = 1;
		COMMIT;
	END
}

if has sqlite3 sqlite3; then
	multiply
	read -r ms cpu memory _ < <(repeat -b -n 1 coopr-apply -f clusters)
	echo "1,000 files, all compared: $(against_cpu "$ms" "$cpu" 2000), $memory KB"
	read -r ms cpu memory _ < <(repeat -b -n 10 coopr-apply -f clusters)
	echo "1,000 files, none changed since: $(against_cpu "$ms" "$cpu" 1000), $memory KB"
fi
