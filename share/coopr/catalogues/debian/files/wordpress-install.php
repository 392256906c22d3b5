<?php
# SPDX-License-Identifier: Apache-2.0
#
# Makes the tables of WordPress and its first user, once for all nodes: of several that try, the lock of the database lets one at a time do it.
# Lines of stdin: the title, the user, the address of mail, the password.

define('WP_INSTALLING', true);
[$title, $user, $email, $password] = array_map('trim', file('php://stdin'));
$_SERVER['HTTP_HOST'] = 'localhost';
require '/usr/share/wordpress/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
if ($wpdb->get_var("SELECT GET_LOCK('coopr', 60)") !== '1') {
	exit(75);
}
wp_cache_flush();
if (is_blog_installed()) {
	echo "nothing has changed\n";
	exit(0);
}
add_filter('pre_wp_mail', '__return_true');
wp_install($title, $user, $email, true, '', wp_slash($password));
echo "WordPress is installed\n";
