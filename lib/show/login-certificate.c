/* SPDX-License-Identifier: Apache-2.0 */
#include "show/login-certificate.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "json/json.h"
#include "show/login.h"
#include "ssh/payload.h"
#include "ssh/remote.h"
#include "status/status.h"
#include "store/audit.h"
#include "store/login-key.h"
#include "worker/login-files.h"

enum { CERTIFICATE_LASTS_MS = 5 * 60 * 1000, CERTIFICATE_BYTES = 64 << 10 };

struct certificate_making {
	const struct cluster_status *status;
	const struct node *node;
	struct arena arena;
	struct login_files logins;
	struct machine machine;
	struct account account; /* that may change the store */
	char *authority;        /* the public half of the cluster's key */
};

/* Finds the key of the cluster, which is made where there is none, and adds to the audit log what it is used for. */
static int
certificate_find_authority(struct certificate_making *making, struct error *err)
{
	const struct cluster_status *status = making->status;
	const struct account_ask ask = {.store = status->options->store, .tenant = status->cluster->tenant, .user = status->options->user};
	const struct audit_event event = {.action = "certify", .kind = "node", .name = making->node->id, .cluster = status->cluster->id};

	if (account_open(&making->account, &ask, STORE_WRITE, err) < 0 ||
	    login_key_need(making->account.store, status->cluster->id, &making->authority, err) < 0)
		return -1;
	return audit_add_alone(making->account.store, &event, err);
}

/* Returns whether the provider says that nothing is to be written into authorized_keys. */
static bool
certificate_is_unwanted(const struct cluster_status *status)
{
	jv provider = json_get(status->layout.cluster.source, "provider"), fields = json_get(provider, "provisioner"),
	    admits = json_get(fields, "authorized_keys");
	bool unwanted = jv_get_kind(admits) == JV_KIND_FALSE;

	jv_free(admits);
	jv_free(fields);
	jv_free(provider);
	return unwanted;
}

/* Has the node admit what the key has signed, if it does not yet. */
static int
certificate_admit(struct certificate_making *making, struct error *err)
{
	const struct task task = {.cluster_id = making->status->id};
	struct payload payload = {0};
	struct remote_answer answer;
	int result;

	if (certificate_is_unwanted(making->status))
		return error_set(err, EX_CONFIG, "node %s: its provider writes nothing into authorized_keys, so it admits no certificate (authorized_keys)",
		    making->node->id);
	result = payload_admit(&task, making->authority, &payload, err);
	if (result == 0) {
		result = remote_run(&making->machine, &payload, false, NULL, &answer, err);
		if (result == 0 && answer.status != 0)
			result = error_set(err, EX_CONFIG, "node %s: its user %s cannot be given the key that certificates are signed with",
			    making->node->id, making->machine.user);
		remote_answer_release(&answer);
	}
	payload_release(&payload);
	return result;
}

/* Returns the path of the file in memory with the private half of the cluster's key, which the caller frees; NULL with a reason. */
static char *
certificate_private(struct certificate_making *making, struct error *err)
{
	jv record = JV_OBJECT(jv_string("cluster"), jv_copy(making->status->layout.cluster.source), jv_string("machine"),
	    JV_OBJECT(jv_string("facts"), JV_OBJECT(jv_string("ssh-auth"), JV_OBJECT(jv_string("key"), jv_string(making->authority)))));
	struct login_file *used;
	char *path = NULL;

	if (login_files_fill(&making->logins, &record, &used, err) == 0) {
		jv machine = json_get(record, "machine"), facts = json_get(machine, "facts"), auth = json_get(facts, "ssh-auth");

		path = json_get_string(auth, "identityfile");
		jv_free(auth);
		jv_free(facts);
		jv_free(machine);
	}
	jv_free(record);
	return path;
}

/* Returns whether the text is one line, as a file .pub is, and no private key that somebody has taken for one. */
static bool
certificate_is_public(const struct buffer *text)
{
	size_t line = strcspn(buffer_string(text), "\r\n");

	return line > 0 && *text->data != '-' && line + strspn(text->data + line, "\r\n") == text->length;
}

/* Signs the public key with the private half at path; appends the certificate. It permits a terminal, and nothing beside. */
static int
certificate_sign(struct certificate_making *making, const char *path, const struct buffer *public, struct buffer *out, struct error *err)
{
	const struct memory_folder *folder = &making->logins.folder;
	char *file = memory_printf("%s/certified.pub", folder->held.path), *made = memory_printf("%s/certified-cert.pub", folder->held.path);
	struct arguments argv = {0};
	struct buffer said = {0}, ignored = {0};
	int result = memory_folder_write(folder, "certified.pub", public->data, public->length, err);

	arguments_push_all(&argv, "ssh-keygen", "-q", "-s", path, "-n", making->machine.user, "-V", "-1m:+5m", "-O", "clear", "-O",
	    "permit-pty", "-I", NULL);
	arguments_printf(&argv, "%s %s", making->account.user, making->status->id);
	arguments_push(&argv, "-z");
	arguments_printf(&argv, "%lld", (long long)clock_wall_ms());
	arguments_push(&argv, file);
	if (result == 0)
		result = process_run(argv.list, NULL, 0, &ignored, &said, CERTIFICATE_BYTES, err);
	if (result > 0)
		result = error_set(err, EX_DATAERR, "expected a public key of ssh, as in a file .pub");
	if (result == 0)
		result = file_read(AT_FDCWD, made, CERTIFICATE_BYTES, out, err);
	arguments_release(&argv);
	buffer_release(&said);
	buffer_release(&ignored);
	free(file);
	free(made);
	return result;
}

/* Returns the record of a certificate. */
static jv
certificate_record(const struct certificate_making *making, const struct buffer *certificate)
{
	char expires[CLOCK_RFC3339_SIZE];
	jv record = jv_object();

	json_set_string(&record, "kind", "ssh-certificate");
	json_set_string(&record, "cluster", making->status->cluster->name);
	json_set_string(&record, "node", making->node->id);
	json_set_string(&record, "user", making->machine.user);
	json_set_string(&record, "expires", clock_rfc3339(clock_wall_ms() + CERTIFICATE_LASTS_MS, expires));
	json_set(&record, "certificate", jv_string_sized(certificate->data, (int)strcspn(certificate->data, "\n")));
	return record;
}

int
login_certificate(const struct cluster_status *status, const struct node *node, const struct buffer *public, jv *record,
    struct error *err)
{
	struct certificate_making making = {.status = status, .node = node};
	struct buffer certificate = {0};
	char *path = NULL;
	int result = -1;

	if (!certificate_is_public(public))
		error_set(err, EX_DATAERR, "expected a public key of ssh, as in a file .pub");
	else if (login_machine_to_enter(status, node, &making.logins, &making.arena, &making.machine, err) == 0 &&
	    certificate_find_authority(&making, err) == 0 && certificate_admit(&making, err) == 0)
		path = certificate_private(&making, err);
	if (path && strchr(making.machine.user, ','))
		error_set(err, EX_CONFIG, "node %s: a certificate cannot name the user %s", node->id, making.machine.user);
	else if (path)
		result = certificate_sign(&making, path, public, &certificate, err);
	if (result == 0)
		*record = certificate_record(&making, &certificate);
	buffer_release(&certificate);
	free(path);
	free(making.authority);
	account_release(&making.account);
	login_files_close(&making.logins);
	arena_release(&making.arena);
	return result;
}
