/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings of coopr-config(5) as they hold here and now, with where each comes from.
 */
#ifndef ADMIN_SETTINGS_H
#define ADMIN_SETTINGS_H

#include "base/preference.h"
#include "model/show/list.h"

struct settings { /* release it */
	struct setting_shown {
		const char *name;
		char *value;
		const char *source; /* "environment", "user", "system" or "default" */
		const char *where;  /* the variable's name, or "PATH:LINE"; "" for a default */
	} list[PREFERENCE_COUNT];
};

/* Rows are struct setting_shown. */
extern const struct list settings_list;

void settings_read(struct settings *settings);
void settings_release(struct settings *settings);

#endif
