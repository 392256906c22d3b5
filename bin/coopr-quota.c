/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-quota: what a tenant uses of what it may use. Exits with 0, 1 where there is no such tenant, 64 misuse.
 */
#include "base/message.h"
#include "store/account-verb.h"

int
main(int argc, char **argv)
{
	message_program("coopr-quota");
	return quota_verb(argc, argv);
}
