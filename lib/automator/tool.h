/* SPDX-License-Identifier: Apache-2.0
 *
 * Tools that configure a machine from files of their own kind, such as puppet: what is sent for a run of theirs. The node's half is
 * share/coopr/shell/tool.sh and the program of each, which sources it.
 */
#ifndef AUTOMATOR_TOOL_H
#define AUTOMATOR_TOOL_H

#include "automator/automator.h"
#include "json/json.h"

struct tool {
	const char *name;          /* "puppet" */
	const char *program;       /* "puppet.sh" */
	const char *main;          /* the field with the words that say what is done, which is required; NULL: there is none */
	const char *const *files;  /* the fields whose words are files or folders, up to NULL; also main, where it is one */
	bool sends_all;            /* one that is absent stands for all resources of the type that is called as the field */
};

/* Members of every schema: which members of the configuration are read, and where it lies on the node. */
#define TOOL_PROPERTIES \
	"\"nodes\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"The services whose nodes are looked up\"}," \
	"\"config\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"All members of the configuration that are read\"}," \
	"\"secrets\":{\"type\":\"string\",\"enum\":[\"memory\",\"disk\"],\"description\":\"Where a configuration with secrets in it lies on the node: memory, a tmpfs, by default\"}"

/* Fills the work: files, configuration (data, an object, becomes config.json; invalid: none) and the programs; for bootstrap, which only
 * looks whether the tool is there, the programs alone. Returns -1 with EX_CONFIG where a field is wrong or a file is not there. */
int tool_prepare(const struct tool *tool, const struct task *task, jv data, struct arena *arena, struct automator_work *work,
    struct error *err);

/* Tells whether the configuration has secrets, and the field secrets does not allow them on a disk. */
bool tool_stays_in_memory(const struct task *task);

/* Adds a text that has parts of the configuration in it as a file of that name; one that stays in memory, only there. */
int tool_put(const struct task *task, const char *name, const struct buffer *text, struct bundle *bundle, struct error *err);

/* Returns a text without the blanks in it, which the caller frees. */
char *tool_without_blanks(const char *text);

/* Makes the fact "changed", "true" or another text among those that were left behind, true or false. */
void tool_take_facts(jv facts, struct outcome *outcome);

/* The same with those of an answer. */
void tool_take_answer(const struct task *task, const struct remote_answer *answer, struct outcome *outcome);

#endif
