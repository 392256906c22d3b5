<?php
// SPDX-License-Identifier: Apache-2.0
//
// The page of the web template: a row from the database, and which node answered.

$config = require __DIR__ . '/config.php';
$database = $config['database'];

try {
	$connection = new mysqli($database['host'], $database['user'], $database['password'], $database['name']);
	$row = $connection->query('SELECT text FROM greeting ORDER BY id LIMIT 1')->fetch_row();
	$text = $row ? $row[0] : 'The database has no greeting.';
} catch (mysqli_sql_exception $e) {
	error_log($e->getMessage());
	http_response_code(503);
	$text = 'The database does not answer.';
}

$show = fn(string $text): string => htmlspecialchars($text, ENT_QUOTES | ENT_HTML5, 'UTF-8');
?>
<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title><?= $show($config['title']) ?></title></head>
<body>
<h1><?= $show($config['title']) ?></h1>
<p><?= $show($text) ?></p>
<p>Answered by <?= $show($config['node']) ?>, application node <?= $show($config['instance']) ?>.</p>
</body>
</html>
