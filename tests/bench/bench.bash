# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the benchmarks share: which peers there are, and how a figure stands against what is to be reached.

# Whether the program of a peer is here; where it is not, a line says how to get it: has PROGRAM PACKAGE
has() {
	command -v "$1" >/dev/null && return
	echo "skipped: $1 is not here: apt-get install $2"
	return 1
}

# The version that Debian's package manager knows of each package: versions PACKAGE...
versions() {
	dpkg-query -W -f '${Package} ${Version}\n' "$@" 2>/dev/null | paste -sd ';' | sed 's/;/, /g'
}

# A figure beside what is to be reached, which it must not exceed: against FIGURE LIMIT UNIT
against() {
	awk -v x="$1" -v limit="$2" -v unit="$3" 'BEGIN {
		printf (x < 1000 ? "%.4g" : "%.0f") " %s (to reach: %g%s)", x, unit, limit, (x > limit ? ", MISSED" : "")}'
}

# The same for milliseconds of which the processor was used for CPU: where others use it too, a clock measures them as
# well: against_cpu MS CPU LIMIT
against_cpu() {
	awk -v ms="$1" -v cpu="$2" -v limit="$3" 'BEGIN {
		printf (ms < 1000 ? "%.4g" : "%.0f") " ms, " (cpu < 1000 ? "%.4g" : "%.0f") " of CPU (to reach: %g%s)", ms, cpu, limit,
			(cpu > limit ? ", MISSED" : ms > limit ? ", MISSED by the clock only" : "")}'
}

# The same for a figure that must not be less: at_least FIGURE LIMIT UNIT
at_least() {
	awk -v x="$1" -v limit="$2" -v unit="$3" 'BEGIN {
		printf (x < 1000 ? "%.4g" : "%.0f") " %s (to reach: %g%s)", x, unit, limit, (x < limit ? ", MISSED" : "")}'
}

# A store with the catalogue of the release and COUNT clusters beside shop: store_clusters COUNT
store_clusters() {
	coopr-store init
	coopr-import -yq "$COOPR_ROOT/share/coopr/catalogue"
	coopr-create -q --detach -t web -n 4 -P dummy shop 2>/dev/null || coopr-create -q --detach -t web -n 4 shop
	sqlite3 "$COOPR_STATE/store.sqlite3" <<-END
		CREATE TEMP TABLE one AS SELECT * FROM cluster WHERE name = 'shop';
		WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 99 + $1)
		INSERT INTO cluster SELECT $(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT group_concat(CASE name WHEN 'id' THEN 'i' WHEN 'name' THEN '''c'' || i' ELSE name END) FROM pragma_table_info('cluster')") FROM one, n;
	END
}

# The median of the numbers on standard input, one a line.
median() {
	sort -g | awk '{x[NR] = $1} END {print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2}'
}

# A plan of COUNT dummy tasks that wait for nothing, each on a node of its own, with its members in their order as
# coopr-plan prints them: plan COUNT
plan() {
	awk -v count="$1" 'BEGIN {
		printf "{\"action\":\"cluster_configure\",\"cluster\":\"00000042\",\"critical_path_s\":1,\"id\":null,\"kind\":\"job\","
		printf "\"tasks\":%d,\"tenant\":\"default\"}\n", count
		printf "{\"config\":{},\"definitions\":[{\"name\":\"web\"}],\"id\":\"00000042\",\"kind\":\"cluster\",\"name\":\"bench\","
		print "\"provider\":{\"name\":\"none\",\"providertype\":\"dummy\"},\"services\":[\"web\"],\"tenant\":\"default\"}"
		for (i = 1000; i < 1000 + count; i++) {
			printf "{\"hostname\":\"n%d.example.net\",\"id\":\"00000042-%d\",\"kind\":\"node\",\"nodenum\":%d,", i, i, i
			print "\"services\":[\"web\"],\"was\":[\"web\"]}"
		}
		for (i = 1000; i < 1000 + count; i++) {
			printf "{\"action\":\"configure\",\"after\":[],\"expect_s\":1,\"fields\":{},\"id\":\"t%d\",\"kind\":\"task\",", i
			printf "\"node\":\"00000042-%d\",\"rank\":1,\"retries\":0,\"service\":\"web\",\"timeout_s\":60,\"type\":\"dummy\"}\n", i
		}
	}'
}
