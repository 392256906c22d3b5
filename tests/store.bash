# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Stores as earlier versions of coopr made them.
#
#	older_store FILE VERSION   makes of a store one of that version, with the rows and columns of it that there were then

# The statements by which the store of that version came to be.
older_tables() {
	awk -v last="$1" '
		/^static const char \*const migrations/ { on = 1 }
		on && sub(/^\t"/, "") {
			sub(/[ \t]*\/\*.*\*\/$/, "")
			ends = sub(/",$/, "")
			sub(/"$/, "")
			gsub(/\\"/, "\"")
			printf "%s%s", $0, ends ? "\n" : ""
			if (ends && ++count == last)
				exit
		}' "$COOPR_ROOT/lib/store/sqlite/schema.c"
}

older_store() {
	local older=$1.older

	# The copies of rows are statements that a query prints: tables and columns are those of both.
	sqlite3 "$older" <<-END >"$older.copies"
		$(older_tables "$2")
		PRAGMA application_id = $(sqlite3 "$1" 'PRAGMA application_id');
		PRAGMA user_version = $2;
		ATTACH '$1' AS newer;
		SELECT printf('DELETE FROM "%w"; INSERT INTO "%w" (%s) SELECT %s FROM newer."%w";', name, name, columns, columns, name)
			FROM (SELECT t.name, group_concat(printf('"%w"', c.name)) AS columns
				FROM main.sqlite_schema AS t JOIN newer.sqlite_schema AS n USING (name, type), pragma_table_info(t.name, 'main') AS c
				WHERE t.type = 'table' AND c.name IN (SELECT name FROM pragma_table_info(t.name, 'newer')) GROUP BY t.name);
	END
	sqlite3 "$older" "ATTACH '$1' AS newer" ".read $older.copies"
	sqlite3 "$older" 'PRAGMA journal_mode = WAL' >/dev/null
	chmod --reference="$1" "$older"
	rm -f "$1-wal" "$1-shm" "$older.copies"
	mv "$older" "$1"
}
