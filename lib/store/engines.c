/* SPDX-License-Identifier: Apache-2.0 */
#include "store/engines.h"

#include <stddef.h>
#include <string.h>

#include "store/sqlite/sqlite.h"

static const struct {
	const char *scheme; /* how its stores are named: SCHEME://...; NULL: any other name, as that of a file */
	const struct sql_engine *engine;
} engines[] = {
	{NULL, &sqlite_engine}, /* the last one */
};

const struct sql_engine *
store_engine_of(const char *name)
{
	const char *end = strstr(name, "://");
	size_t length = end ? (size_t)(end - name) : 0, i = 0;

	while (engines[i].scheme && !(strlen(engines[i].scheme) == length && strncmp(name, engines[i].scheme, length) == 0))
		i++;
	return engines[i].engine;
}
