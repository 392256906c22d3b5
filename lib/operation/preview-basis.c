/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/preview.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "json/json.h"
#include "operation/begin.h"
#include "operation/operate.h"

/* The configuration in a layout; invalid where there is none. */
static int
preview_take_config(const char *layout, jv *config, struct error *err)
{
	jv cluster;

	if (!layout || !*layout)
		return 0;
	if (json_parse("the layout", layout, strcspn(layout, "\n"), &cluster, err) < 0)
		return -1;
	*config = json_get(cluster, "config");
	jv_free(cluster);
	return 0;
}

int
preview_basis_take(const struct site *site, struct preview_basis *basis, struct error *err)
{
	char *prices = begin_prices(site, err);
	int result = prices ? json_parse("prices", prices, strlen(prices), &basis->prices, err) : -1;

	free(prices);
	basis->jobs = site->manner->drive.workers;
	basis->cost = site->cluster ? site->cluster->cost : 0;
	return result < 0 ? -1 : preview_take_config(site->documents.layout, &basis->config, err);
}

void
preview_basis_release(struct preview_basis *basis)
{
	jv_free(basis->prices);
	jv_free(basis->config);
	*basis = (struct preview_basis)PREVIEW_BASIS_NONE;
}
