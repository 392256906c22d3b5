/* SPDX-License-Identifier: Apache-2.0
 *
 * An archive, sealed: encrypted in a stream (libsodium's secretstream, XChaCha20-Poly1305) of any length, with a mark at its end.
 *
 *	coopr-archive 1 MARK\n	MARK tells which key of the secrets it was made with
 *	24 bytes		the header of the stream
 *	chunks			65536 bytes each, but for the last, which is shorter and may be empty, each with 17 bytes of proof
 *
 * The key is derived from that of the secrets, and each chunk is bound to the archive's name: a changed bit, a chunk that is missing,
 * repeated or in another place, an end that was cut off, and another archive under that name are all found.
 */
#ifndef ARCHIVE_SEAL_H
#define ARCHIVE_SEAL_H

#include <stdint.h>

struct error;
struct store_key;

enum { SEAL_SUM_SIZE = 65 }; /* with its NUL */

struct seal { /* what was sealed */
	int64_t bytes;           /* sealed */
	char sum[SEAL_SUM_SIZE]; /* SHA-256 of them, hexadecimal */
};

/* Reads in to its end and writes it, sealed, to out. may_end (or NULL) is asked at the end of in: -1 with err set leaves the mark of
 * the end out. EX_IOERR. */
int seal_close(const struct store_key *key, const char *name, int in, int out, int (*may_end)(struct error *err), struct seal *seal,
    struct error *err);

/* Reads in to its end and writes to out (-1: nowhere) what was sealed, no byte of which is unproven. EX_DATAERR where it is damaged or
 * was cut, which may be found after much was written. */
int seal_open(const struct store_key *key, const char *name, int in, int out, struct error *err);

#endif
