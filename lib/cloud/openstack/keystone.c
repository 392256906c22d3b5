/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/openstack/keystone.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What a service is called in the catalogue, and the version of it that is asked for where its URL has none; Rackspace has another service of
 * the type compute, which is older. */
static const struct {
	const char *type, *also, *path, *rackspace;
} keystone_services[OPENSTACK_SERVICES] = {
	[OPENSTACK_COMPUTE] = {"compute", "compute", "/v2.1", "cloudServersOpenStack"},
	[OPENSTACK_NETWORK] = {"network", "network", "/v2.0", ""},
	[OPENSTACK_IMAGE] = {"image", "image", "/v2", "cloudImages"},
	[OPENSTACK_VOLUME] = {"block-storage", "volumev3", "/v3", ""},
};

/* --- what is asked --- */

static jv
keystone_domain(const char *name)
{
	jv domain = jv_object();

	json_set_string(&domain, strcmp(name, "default") == 0 ? "id" : "name", name);
	return domain;
}

/* {"identity": {"methods": [METHOD], METHOD: value}}; takes the value. */
static jv
keystone_identity(const char *method, jv value)
{
	jv identity = jv_object();

	json_set(&identity, "methods", jv_array_append(jv_array(), jv_string(method)));
	json_set(&identity, method, value);
	return identity;
}

static jv
keystone_password(const struct openstack_account *account)
{
	jv user = jv_object(), password = jv_object(), project = jv_object(), scope = jv_object(), auth = jv_object();

	json_set_string(&user, "name", account->user);
	json_set_string(&user, "password", account->password);
	json_set(&user, "domain", keystone_domain(account->user_domain));
	json_set(&password, "user", user);
	json_set_string(&project, "name", account->project);
	json_set(&project, "domain", keystone_domain(account->project_domain));
	json_set(&scope, "project", project);
	json_set(&auth, "identity", keystone_identity("password", password));
	json_set(&auth, "scope", scope);
	return auth;
}

static jv
keystone_application(const struct openstack_account *account)
{
	jv credential = jv_object(), auth = jv_object();

	json_set_string(&credential, "id", account->credential);
	json_set_string(&credential, "secret", account->secret);
	json_set(&auth, "identity", keystone_identity("application_credential", credential));
	return auth;
}

/* Version 2.0, which Keystone had until 2018, and Rackspace has. */
static jv
keystone_two(const struct openstack_account *account)
{
	jv credentials = jv_object(), auth = jv_object();

	json_set_string(&credentials, "username", account->user);
	json_set_string(&credentials, account->api_key ? "apiKey" : "password", account->api_key ? account->api_key : account->password);
	json_set(&auth, account->api_key ? "RAX-KSKEY:apiKeyCredentials" : "passwordCredentials", credentials);
	if (!account->api_key)
		json_set_string(&auth, "tenantName", account->project);
	return auth;
}

/* Asks for a token by that version. */
static int
keystone_ask(const struct cloud *cloud, bool two, const struct stop *stop, struct client_answer *answer, jv *out, struct error *err)
{
	const struct openstack_account *account = cloud->state;
	char *url = memory_printf("%s%s", account->url, two ? "/v2.0/tokens" : "/v3/auth/tokens");
	struct client_request request = {.method = "POST", .url = url, .wants = "x-subject-token", .repeatable = true,
	    .member = two ? "access" : "token"};
	struct buffer text = {0};
	jv body = jv_object();
	int result;

	json_set(&body, "auth", two ? keystone_two(account) : account->credential ? keystone_application(account) : keystone_password(account));
	json_dump(body, &text);
	request.body = text.data;
	request.length = text.length;
	arguments_push(&request.headers, "Accept: application/json");
	result = client_ask(cloud->client, &request, stop, answer, out, err);
	arguments_release(&request.headers);
	jv_free(body);
	buffer_release(&text);
	free(url);
	return result;
}

/* --- what is answered --- */

/* Returns the URL with the version that is asked for, in the arena: catalogues have it, or leave it to the client. */
static const char *
keystone_with_version(struct arena *arena, const char *url, enum openstack_service service)
{
	const char *host = strstr(url, "://"), *at = strstr(host ? host + 3 : url, "/v");
	size_t length = strlen(url);

	while (at && !isdigit((unsigned char)at[2]))
		at = strstr(at + 2, "/v");
	if (at && service == OPENSTACK_IMAGE)
		length = (size_t)(at - url);
	while (length > 0 && url[length - 1] == '/')
		length--;
	return arena_printf(arena, "%.*s%s", (int)length, url, at && service != OPENSTACK_IMAGE ? "" : keystone_services[service].path);
}

static bool
keystone_is_service(const struct openstack_account *account, jv entry, enum openstack_service service)
{
	char *type = json_get_string(entry, "type"), *name = json_get_string(entry, "name");
	bool is = type && (strcmp(type, keystone_services[service].type) == 0 || strcmp(type, keystone_services[service].also) == 0);

	if (account->api_key)
		is = name && strcmp(name, keystone_services[service].rackspace) == 0;
	free(type);
	free(name);
	return is;
}

static bool
keystone_is_region(const struct openstack_account *account, jv endpoint)
{
	char *id = json_get_string(endpoint, "region_id"), *name = json_get_string(endpoint, "region");
	bool is = !account->region || (id && strcasecmp(id, account->region) == 0) || (name && strcasecmp(name, account->region) == 0);

	free(id);
	free(name);
	return is;
}

/* Returns the URL of an endpoint, which the caller frees; NULL where it is not the one of the fields' interface. */
static char *
keystone_endpoint_url(const struct openstack_account *account, jv endpoint)
{
	char *interface = json_get_string(endpoint, "interface"), *url = NULL;
	char *member = memory_printf("%sURL", account->interface);

	if (interface && strcmp(interface, account->interface) == 0)
		url = json_get_string(endpoint, "url");
	else if (!interface)
		url = json_get_string(endpoint, member); /* version 2.0: {"publicURL": ...} */
	free(member);
	free(interface);
	return url;
}

/* Finds where a service is; NULL if the catalogue has none in the region. */
static const char *
keystone_find_url(const struct openstack_account *account, jv catalogue, enum openstack_service service, struct arena *arena)
{
	const char *found = NULL;

	for (size_t i = 0; !found && i < json_length(catalogue); i++) {
		jv entry = json_element(catalogue, i), endpoints = json_get(entry, "endpoints");

		for (size_t k = 0; !found && keystone_is_service(account, entry, service) && k < json_length(endpoints); k++) {
			jv endpoint = json_element(endpoints, k);
			char *url = keystone_is_region(account, endpoint) ? keystone_endpoint_url(account, endpoint) : NULL;

			found = url && *url ? keystone_with_version(arena, url, service) : NULL;
			free(url);
			jv_free(endpoint);
		}
		jv_free(endpoints);
		jv_free(entry);
	}
	return found;
}

/* Returns the session that an answer begins: version 3 has the token in a header, and version 2.0 in the document. */
static struct openstack_session *
keystone_read(struct cloud *cloud, const struct client_answer *answer, jv out, struct error *err)
{
	const struct openstack_account *account = cloud->state;
	jv root = json_get(out, answer->wanted ? "token" : "access"), catalogue = json_get(root, answer->wanted ? "catalog" : "serviceCatalog");
	jv token = json_get(root, "token"), user = json_get(root, "user"), project = json_get(root, "project");
	char *id = answer->wanted ? memory_string(answer->wanted) : json_get_string(token, "id");
	struct openstack_session *session = NULL;

	if (!id) {
		error_set(err, EX_TEMPFAIL, "%s: the answer has no token", account->url);
	} else {
		const char *name, *of;

		session = memory_zeroed(1, sizeof *session);
		stop_lock();
		session->header = arena_printf(&cloud->arena, "X-Auth-Token: %s", id);
		for (unsigned i = 0; i < OPENSTACK_SERVICES; i++)
			session->urls[i] = keystone_find_url(account, catalogue, (enum openstack_service)i, &cloud->arena);
		name = json_arena_string(user, "name", &cloud->arena);
		of = json_arena_string(project, "name", &cloud->arena);
		session->who = arena_printf(&cloud->arena, "%s%s%s", name ? name : account->user, of || *account->project ? " of project " : "",
		    of ? of : account->project);
		stop_unlock();
		if (!session->urls[OPENSTACK_COMPUTE]) {
			error_set(err, EX_CONFIG, "%s: the catalogue has no service of type compute%s%s", account->url, account->region ? " in region " : "",
			    account->region ? account->region : "");
			free(session);
			session = NULL;
		}
	}
	free(id);
	jv_free(project);
	jv_free(user);
	jv_free(token);
	jv_free(catalogue);
	jv_free(root);
	return session;
}

/* Logs in. Where a document names version 2.0 and the cloud has it no more, version 3 is asked, with the domain that all such users are in. */
static struct openstack_session *
keystone_log_in(struct cloud *cloud, const struct stop *stop, struct error *err)
{
	const struct openstack_account *account = cloud->state;
	struct client_answer answer = {.wait_ms = -1};
	struct openstack_session *session = NULL;
	jv out;
	int result = keystone_ask(cloud, account->two, stop, &answer, &out, err);

	if (result < 0 && account->two && !account->api_key && (answer.status == 404 || answer.status == 410)) {
		jv_free(out);
		result = keystone_ask(cloud, false, stop, &answer, &out, err);
	}
	if (result == 0)
		session = keystone_read(cloud, &answer, out, err);
	else if (err->code == EX_NOINPUT)
		err->code = EX_CONFIG; /* this is not Keystone */
	jv_free(out);
	client_answer_release(&answer);
	return session;
}

const struct openstack_session *
keystone_session(struct cloud *cloud, const struct openstack_session *stale, const struct stop *stop, struct error *err)
{
	struct openstack_account *account = cloud->state;
	struct openstack_session *session = NULL;
	bool waited = false;
	int result = 0;

	stop_lock();
	while (result == 0 && account->busy) {
		waited = true;
		result = stop_wait(stop, INT64_MAX, err);
	}
	if (result == 0 && account->session != stale) {
		session = account->session;
	} else if (result == 0 && waited && account->refused.code == EX_NOPERM) {
		*err = account->refused; /* a wrong password that is tried by every thread locks the user out */
	} else if (result == 0) {
		account->busy = true;
		stop_unlock();
		session = keystone_log_in(cloud, stop, err);
		stop_lock();
		account->busy = false;
		account->refused = *err;
		if (session) {
			account->refused.code = 0;
			account->session = session;
		}
		stop_wake_all();
	}
	stop_unlock();
	return session;
}
