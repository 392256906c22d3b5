/* SPDX-License-Identifier: Apache-2.0 */
#include "store/engines.h"

#include <stddef.h>

#include "base/error.h"
#include "base/location.h"
#include "store/sqlite/sqlite.h"

static const struct {
	const char *scheme; /* how its stores are named: SCHEME://...; NULL: as a file */
	const struct sql_engine *engine;
} engines[] = {
	{NULL, &sqlite_engine},
};

const struct sql_engine *
store_engine_of(const char *name, struct error *err)
{
	for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
		if (location_has_scheme(name, engines[i].scheme))
			return engines[i].engine;
	error_set(err, EX_UNAVAILABLE, "%s: no engine serves such a store; name a file", name);
	return NULL;
}
