/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams of records: one JSON value a line. The reader also takes values that a person
 * has pretty-printed, and the documents of YAML; the writer always gives one line each, members sorted.
 */
#ifndef JSON_RECORD_H
#define JSON_RECORD_H

#include <stdbool.h>
#include <stdio.h>

#include "base/buffer.h"
#include "json/json.h"
#include "json/yaml-read.h"

struct error;

struct record_reader { /* initialise with record_reader_init */
	int fd;
	bool opened; /* by record_reader_open, and closed by the release */
	const char *name; /* for messages: "standard input" */
	size_t number;    /* of the record last read, from 1 */
	size_t limit;     /* bytes of all records; 0: none */
	size_t got;       /* bytes of all so far */
	struct buffer pending;
	size_t start; /* of what is not yet used of pending */
	bool end;
	bool is_yaml, is_unknown;  /* not yet read: known to be YAML; to be known by how it begins */
	struct yaml_source source; /* where the record last read was YAML; it lives as long as the reader */
	const char *text; /* the record last read as it came, valid until the next read */
	size_t length;    /* of text */
};

void record_reader_init(struct record_reader *reader, int fd, const char *name);

/* Initialises a reader of a file (NULL or "-": standard input), which is YAML if the name ends with .yaml or .yml. Returns 0, or
 * -1 with EX_NOINPUT. */
int record_reader_open(struct record_reader *reader, const char *path, struct error *err);

/* Lets a reader take what people write, before it has read: unless the name says that it is JSON, it is YAML if it begins as such
 * (yaml_is_text). */
void record_reader_recognise(struct record_reader *reader);

/* Reads the next record, an object with a string member "kind". Returns 1 and an owned value, 0 at the end, -1 with
 * EX_DATAERR ("NAME: record 17: ...") or EX_IOERR. A record cut off by the end is an error. */
int record_read(struct record_reader *reader, jv *out, struct error *err);

/* The same, of any value: for streams that also hold what other programs write. */
int record_read_value(struct record_reader *reader, jv *out, struct error *err);

void record_reader_release(struct record_reader *reader);

/* Returns the "kind" of a record, borrowed from it. */
const char *record_kind(jv record);

/* Prints a record on stream as its line. */
void record_write(jv record, FILE *stream);

#endif
