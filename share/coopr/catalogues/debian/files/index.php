<?php
# SPDX-License-Identifier: Apache-2.0
#
# What the template lamp serves until there is an application: it counts, in the database, how often it was asked, and says which node answers.

mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
$config = require '/srv/app-config.php';
$database = new mysqli(...array_map(fn($key) => $config['database'][$key], ['host', 'user', 'password', 'name']));
$database->query('CREATE TABLE IF NOT EXISTS visits (id INT PRIMARY KEY, number INT NOT NULL)');
$database->query('INSERT INTO visits VALUES (1, 1) ON DUPLICATE KEY UPDATE number = number + 1');
$number = $database->query('SELECT number FROM visits')->fetch_row()[0];
header('Content-Type: text/plain');
echo "visit $number, answered by $config[node]\n";
