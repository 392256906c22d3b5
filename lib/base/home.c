/* SPDX-License-Identifier: Apache-2.0 */
#include "base/home.h"

#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"

const char *
home_variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

const char *
home_folder_variable(const char *name)
{
	const char *value = home_variable(name);

	return value && *value == '/' ? value : NULL;
}

char *
home_path(void)
{
	const char *value = home_folder_variable("HOME");
	const struct passwd *user = value ? NULL : getpwuid(geteuid());

	return memory_string(value ? value : user ? user->pw_dir : "/");
}

char *
home_system_config(const char *name)
{
	return memory_printf("/etc/coopr/%s", name);
}

char *
home_user_config(const char *name)
{
	const char *config = home_folder_variable("XDG_CONFIG_HOME");
	char *home, *path;

	if (config)
		return memory_printf("%s/coopr/%s", config, name);
	home = home_path();
	path = memory_printf("%s/.config/coopr/%s", home, name);
	free(home);
	return path;
}
