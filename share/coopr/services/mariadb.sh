#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# MariaDB: the actions configure, initialize, start, stop, reload, status, backup and restore.
#
# Configuration: mariadb/listen (an address), mariadb/clients (addresses from which the user may come, commas
# between), shop/greeting, shop/database/{name,user,password}.

set -eu
# shellcheck source=/dev/null # comes with the task
. ./lib.sh

configure() {
	listen=$(coopr_config mariadb/listen)
	cat >/etc/mysql/mariadb.conf.d/60-coopr.cnf <<-EOT
		[mariadbd]
		bind-address = $listen
		skip-name-resolve
	EOT
}

# The value of a member as a string of SQL, and as a name.
sql_string() {
	value=$(coopr_config "$1")
	printf "'%s'" "$(printf '%s' "$value" | sed "s/[\\\\']/\\\\&/g")"
}

sql_name() {
	value=$(coopr_config "$1")
	# shellcheck disable=SC2016 # backquotes of SQL
	printf '`%s`' "$(printf '%s' "$value" | sed 's/`/``/g')"
}

# Each statement may run again. FLUSH is for the server that only reads them (below): it knows no users before.
statements() {
	cat <<-EOT
		FLUSH PRIVILEGES;
		CREATE DATABASE IF NOT EXISTS $database CHARACTER SET utf8mb4;
		CREATE TABLE IF NOT EXISTS $database.greeting (id INT PRIMARY KEY, text VARCHAR(500) NOT NULL);
		INSERT INTO $database.greeting VALUES (1, $greeting) ON DUPLICATE KEY UPDATE text = VALUES(text);
	EOT
	for client in $clients; do
		cat <<-EOT
			CREATE USER IF NOT EXISTS $user@'$client' IDENTIFIED BY $password;
			ALTER USER $user@'$client' IDENTIFIED BY $password;
			GRANT SELECT, INSERT, UPDATE, DELETE ON $database.* TO $user@'$client';
		EOT
	done
}

# Nothing of this is in an argument, which every process of the node could read.
read_statements() {
	database=$(sql_name shop/database/name)
	user=$(sql_string shop/database/user)
	password=$(sql_string shop/database/password)
	greeting=$(sql_string shop/greeting)
	clients=$(coopr_config mariadb/clients | tr ',' ' ')
}

# Before the first start no server runs: one that reads statements from stdin and ends is enough.
initialize() {
	read_statements
	if mariadb-admin --silent ping >/dev/null 2>&1; then
		statements | mariadb
	else
		install -d -o mysql -g mysql /run/mysqld
		statements | mariadbd --bootstrap --user=mysql --log-warnings=0
	fi
}

# All but the address is changed in the server that runs. It has to be started anew to listen elsewhere.
reload() {
	if ! mariadb-admin --silent ping >/dev/null 2>&1; then
		service mariadb start
	elif [ "$(echo 'SELECT @@bind_address' | mariadb --skip-column-names)" != "$(coopr_config mariadb/listen)" ]; then
		echo "mariadb/listen has changed: the server is stopped and started" >&2
		service mariadb stop
		service mariadb start
	fi
	read_statements
	statements | mariadb
}

status() {
	mariadb-admin --silent --connect-timeout=5 ping >/dev/null 2>&1 && return
	echo "mariadb does not answer" >&2
	exit 1
}

# As the database is at one moment, while it is in use.
backup() {
	mariadb-dump --single-transaction --quick --routines --triggers --events --add-drop-database \
		--databases "$(coopr_config shop/database/name)"
}

# In place of what is there, which is not touched before all of the archive is here and is a whole dump: a connection that breaks half
# way costs nothing. Only the server can still fail while it loads; then the same restore is done again. The users are not in the
# archive: initialize and reload make them.
restore() {
	folder=/var/lib/mysql-restore
	rm -rf "$folder"
	(umask 077 && mkdir "$folder")
	trap 'rm -rf "$folder"' EXIT
	cat >"$folder/dump.sql"
	tail -n 1 "$folder/dump.sql" | grep -q '^-- Dump completed' ||
		coopr_fail "what came is no whole dump of mariadb-dump; the database is as it was"
	mariadb <"$folder/dump.sql" && return
	echo "the dump was not loaded to its end: the database is incomplete; restore it again" >&2
	exit 1
}

case $COOPR_ACTION in
configure) configure ;;
initialize) initialize ;;
start) service mariadb start ;;
stop) service mariadb stop ;;
reload) reload ;;
status) status ;;
backup) backup ;;
restore) restore ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
