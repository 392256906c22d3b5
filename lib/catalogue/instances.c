/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/instances.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "json/json.h"

enum { DIGITS = 15 }; /* more of them are no number of instances */

bool
instances_read_range(const char *text, int64_t *min, int64_t *max)
{
	size_t first = strspn(text, "0123456789"), colon = text[first] == ':';
	const char *rest = text + first + colon;
	size_t second = colon ? strspn(rest, "0123456789") : 0;

	if (rest[second] || first + second == 0 || first > DIGITS || second > DIGITS)
		return false;
	*min = first ? strtoll(text, NULL, 10) : 0;
	*max = !colon ? *min : second ? strtoll(rest, NULL, 10) : INT64_MAX;
	return *min <= *max;
}

void
instances_print_range(int64_t min, int64_t max, struct buffer *out)
{
	if (min > 0 || min == max)
		buffer_printf(out, "%" PRId64, min);
	if (min < max)
		buffer_byte(out, ':');
	if (min < max && max < INT64_MAX)
		buffer_printf(out, "%" PRId64, max);
}

const struct instance_bounds *
instances_find(const struct instances *instances, const char *service)
{
	for (size_t i = 0; i < instances->count; i++)
		if (strcmp(instances->list[i].service, service) == 0)
			return &instances->list[i];
	return NULL;
}

jv
instances_value(int64_t min, int64_t max)
{
	jv range;

	if (min == max)
		return jv_number((double)min);
	range = jv_object();
	if (min > 0)
		json_set_number(&range, "min", (double)min);
	if (max < INT64_MAX)
		json_set_number(&range, "max", (double)max);
	return range;
}
