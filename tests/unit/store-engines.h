/* SPDX-License-Identifier: Apache-2.0
 *
 * The engines of the store that the suites drive: each test runs on each of them. A further engine is a row.
 */
#ifndef TESTS_UNIT_STORE_ENGINES_H
#define TESTS_UNIT_STORE_ENGINES_H

static const struct suite_engine {
	const char *name;
	const char *store; /* what a store in the current folder is called */
} suite_engines[] = {
	{"sqlite", "sub/store"},
};

enum { SUITE_ENGINES = sizeof suite_engines / sizeof *suite_engines };

#endif
