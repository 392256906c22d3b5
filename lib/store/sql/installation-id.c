/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sql/installation-id.h"

#include <sodium.h>

#include "base/error.h"
#include "store/sql/sql.h"

enum { ID_BYTES = (INSTALLATION_ID_SIZE - 1) / 2 };

int
installation_id_make(char id[INSTALLATION_ID_SIZE], struct error *err)
{
	unsigned char bytes[ID_BYTES];

	if (sodium_init() < 0)
		return error_set(err, EX_OSERR, "the id of the installation: there are no random numbers");
	randombytes_buf(bytes, sizeof bytes);
	sodium_bin2hex(id, INSTALLATION_ID_SIZE, bytes, sizeof bytes);
	return 0;
}

int
installation_id_bring(struct sql *db, const char *path, struct error *err)
{
	char id[INSTALLATION_ID_SIZE];

	(void)path;
	if (installation_id_make(id, err) < 0)
		return -1;
	return sql_change(db, err, "INSERT INTO installation (one, id, is_copy) VALUES (1, ?, 0)", "t", id);
}
