/* SPDX-License-Identifier: Apache-2.0 */
#include "confine/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/home.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/preference.h"
#include "base/toolbox.h"
#include "confine/domain.h"
#include "confine/own.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* System calls that neither a filter nor a plugin has a use for. */
static const int of_the_kernel[] = {
	SYS_mount, SYS_umount2, SYS_pivot_root, SYS_setns, SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_move_mount,
	SYS_open_tree, SYS_kexec_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_reboot, SYS_acct, SYS_bpf,
	SYS_perf_event_open, SYS_userfaultfd, SYS_fanotify_init, SYS_swapon, SYS_swapoff, SYS_quotactl, SYS_settimeofday,
	SYS_clock_settime, SYS_open_by_handle_at, SYS_process_vm_readv, SYS_process_vm_writev,
#ifdef SYS_process_madvise
	SYS_process_madvise,
#endif
};

static const int unknown[] = {SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register};

/* System calls that a program which starts no other has no use for. */
static const int of_programs[] = {
	SYS_execve, SYS_execveat, SYS_ptrace, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_unshare, SYS_mknodat,
#ifdef SYS_mknod
	SYS_mknod,
#endif
};

static const int of_signals[] = {SYS_kill, SYS_tkill, SYS_tgkill, SYS_pidfd_send_signal};

/* System calls that a program which starts no other and changes no files has no use for. */
static const int of_others[] = {
	SYS_execve, SYS_execveat, SYS_ptrace, SYS_kill, SYS_pidfd_send_signal, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_unshare,
	SYS_truncate, SYS_mkdirat, SYS_mknodat, SYS_linkat, SYS_symlinkat, SYS_renameat2, SYS_fchmodat, SYS_fchownat,
#ifdef SYS_fork
	SYS_fork, SYS_vfork, SYS_mkdir, SYS_mknod, SYS_link, SYS_symlink, SYS_rename, SYS_renameat, SYS_chmod, SYS_chown, SYS_lchown,
#endif
};

/* Returns whether this process does more than its program: a sanitizer, or valgrind, which loads a library of its own. */
static bool
confine_is_observed(void)
{
#if defined(__SANITIZE_ADDRESS__)
	return true;
#else
	const char *preloaded = getenv("LD_PRELOAD");

	return preloaded && strstr(preloaded, "valgrind");
#endif
}

/* Puts both in force for this process. Fails open. */
static void
confine_enter(struct domain *domain, struct calls *calls)
{
	struct sock_fprog program;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
		if (domain->fd >= 0)
			syscall(SYS_landlock_restrict_self, domain->fd, 0);
		if (calls_end(calls, &program) == 0)
			prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	}
	domain_close(domain);
}

static void
confine_begin_calls(struct calls *calls)
{
	calls_begin(calls);
	calls_refuse(calls, of_the_kernel, LENGTH(of_the_kernel), EPERM);
	calls_refuse(calls, unknown, LENGTH(unknown), ENOSYS);
	calls_refuse_others(calls);
}

static void
confine_allow_files(struct domain *domain, const char *const *files, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (files[i] && strcmp(files[i], "-") != 0)
			domain_allow(domain, files[i], DOMAIN_READ_FILE);
}

void
confine_filter(const char *const *files, size_t count)
{
	struct domain domain;
	struct calls calls;

	if (confine_is_observed())
		return;
	domain_open(&domain, false);
	confine_allow_files(&domain, files, count);
	confine_begin_calls(&calls);
	calls_refuse(&calls, of_others, LENGTH(of_others), EPERM);
	calls_refuse_families(&calls, SYS_socket, NULL, 0);
	calls_refuse_families(&calls, SYS_socketpair, NULL, 0);
	if (getenv(TOOLBOX_ASKER_FROM))
		confine_bounds(CONFINE_ASKED_MEMORY, CONFINE_ASKED_SECONDS);
	confine_enter(&domain, &calls);
}

/* Allows what is open at a descriptor. */
static void
confine_allow_open(struct domain *domain, int fd, unsigned rights)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	domain_allow(domain, path, rights);
}

void
confine_unpacker(int reads, int changes)
{
	struct domain domain;
	struct calls calls;

	if (confine_is_observed())
		return;
	domain_open(&domain, false);
	confine_allow_open(&domain, reads, DOMAIN_READ_FILE | DOMAIN_LIST);
	confine_allow_open(&domain, changes, DOMAIN_READ_FILE | DOMAIN_LIST | DOMAIN_CHANGE);
	confine_begin_calls(&calls);
	calls_refuse(&calls, of_programs, LENGTH(of_programs), EPERM);
	calls_refuse(&calls, of_signals, LENGTH(of_signals), EPERM);
	calls_refuse_families(&calls, SYS_socket, NULL, 0);
	calls_refuse_families(&calls, SYS_socketpair, NULL, 0);
	confine_enter(&domain, &calls);
}

/* Allows a path to be changed, or the nearest above it that exists. */
static void
confine_allow_nearest(struct domain *domain, const char *path)
{
	char *there = memory_string(path), *slash;

	while (access(there, F_OK) < 0 && (slash = strrchr(there, '/')) && slash != there)
		*slash = '\0';
	domain_allow(domain, access(there, F_OK) == 0 ? there : "/", DOMAIN_READ_FILE | DOMAIN_LIST | DOMAIN_CHANGE);
	free(there);
}

void
confine_restorer(const char *const *reads, size_t read_count, const char *const *changes, size_t change_count)
{
	static const char *const system[] = {"/etc", "/usr", "/lib", "/lib64", "/proc"};
	struct domain domain;
	struct calls calls;

	if (confine_is_observed())
		return;
	domain_open(&domain, false);
	confine_allow_files(&domain, reads, read_count);
	for (size_t i = 0; i < LENGTH(system); i++)
		domain_allow(&domain, system[i], DOMAIN_READ_FILE | DOMAIN_LIST);
	for (size_t i = 0; i < change_count; i++)
		confine_allow_nearest(&domain, changes[i]);
	confine_begin_calls(&calls);
	calls_refuse(&calls, of_programs, LENGTH(of_programs), EPERM);
	calls_refuse_families(&calls, SYS_socket, (const int[]){AF_UNIX}, 1);
	confine_enter(&domain, &calls);
}

static void
confine_bound(pid_t pid, int resource, rlim_t most)
{
	struct rlimit is;

	if (prlimit(pid, resource, NULL, &is) == 0 && is.rlim_max > most)
		prlimit(pid, resource, &(const struct rlimit){most, most}, NULL);
}

void
confine_bound_process(pid_t pid, size_t bytes, unsigned seconds)
{
	if (confine_is_observed())
		return;
	confine_bound(pid, RLIMIT_AS, bytes);
	confine_bound(pid, RLIMIT_CPU, seconds);
}

void
confine_bounds(size_t bytes, unsigned seconds)
{
	confine_bound_process(0, bytes, seconds);
}

/* Folders for temporary files; not what coopr keeps, where that is in one of them. */
static void
confine_allow_temporary(struct domain *domain, const struct arguments *own)
{
	const char *folders[] = {"/tmp", "/var/tmp", home_folder_variable("TMPDIR")};

	for (size_t i = 0; i < LENGTH(folders); i++)
		if (folders[i])
			domain_allow_around(domain, folders[i], (const char *const *)own->list, own->count, DOMAIN_READ | DOMAIN_CHANGE);
}

void
confine_client(const char *temporary)
{
	static const char *const system[] = {"/etc", "/usr", "/lib", "/lib64", "/run", "/opt"};
	const char *given[] = {home_variable("SSL_CERT_FILE"), home_variable("SSL_CERT_DIR")};
	struct arguments own = {0};
	struct domain domain;
	struct calls calls;

	if (confine_is_observed())
		return;
	own_places(&own);
	domain_open(&domain, true);
	for (size_t i = 0; i < LENGTH(system); i++)
		domain_allow_around(&domain, system[i], (const char *const *)own.list, own.count, DOMAIN_READ_FILE | DOMAIN_LIST);
	for (size_t i = 0; i < LENGTH(given); i++)
		if (given[i])
			domain_allow(&domain, given[i], DOMAIN_READ_FILE | DOMAIN_LIST);
	if (temporary)
		domain_allow(&domain, temporary, DOMAIN_READ_FILE | DOMAIN_CHANGE);
	arguments_release(&own);
	confine_begin_calls(&calls);
	calls_refuse(&calls, (const int[]){SYS_execve, SYS_execveat, SYS_ptrace, SYS_kill}, 4, EPERM);
	confine_enter(&domain, &calls);
}

/* Allows a folder in the state folder to be changed, and makes it: in the domain it could not be made. What coopr has there under that
 * name is not the plugin's. */
static void
confine_allow_state(struct domain *domain, const char *state, const char *name)
{
	static const char *const others[] = {"archives", "clusters", "resources", "sandbox-host", "scripts", "spool", "ssh"};
	char *path = memory_printf("%s/%s", state, name);
	struct error ignored;
	bool own = true;

	for (size_t i = 0; i < LENGTH(others); i++)
		own &= strcmp(name, others[i]) != 0;
	if (own && file_make_dirs(AT_FDCWD, path, 0700, &ignored) == 0)
		domain_allow(domain, path, DOMAIN_READ | DOMAIN_CHANGE);
	free(path);
}

/* Those of all programs; a disk is none of them. */
static void
confine_allow_devices(struct domain *domain)
{
	static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty",
	    "/dev/ptmx", "/dev/pts"};

	for (size_t i = 0; i < LENGTH(devices); i++)
		domain_allow(domain, devices[i], DOMAIN_READ | DOMAIN_CHANGE);
}

/* Frees path. */
static void
confine_allow_given(struct domain *domain, char *path, unsigned rights)
{
	if (path)
		domain_allow(domain, path, rights);
	free(path);
}

/* Allows what is in the state folder: what the plugin has there, and contents, for those that know their names. */
static void
confine_allow_kept(struct domain *domain, const struct confine_plugin *plugin)
{
	bool fetches = preference_value(PREFERENCE_RESOURCES, NULL), enters = plugin->wants & CONFINE_LOGIN;
	char *state = location_state(), *spool = location_spool(NULL);

	for (size_t i = 0; plugin->state && plugin->state[i]; i++)
		confine_allow_state(domain, state, plugin->state[i]);
	confine_allow_given(domain, memory_printf("%s/resources", state), DOMAIN_READ_FILE | (fetches ? DOMAIN_CHANGE : 0));
	confine_allow_given(domain, memory_printf("%s/scripts", state), DOMAIN_READ_FILE);
	confine_allow_given(domain, enters ? memory_printf("%s/ssh", state) : NULL, DOMAIN_READ);
	confine_allow_given(domain, enters ? memory_printf("%s/.ssh", state) : NULL, DOMAIN_READ);
	confine_allow_given(domain, enters || (plugin->wants & CONFINE_KEYS) ? location_memory() : NULL, DOMAIN_READ_FILE);
	confine_allow_given(domain, fetches ? home_system_config("") : NULL, DOMAIN_READ);
	if (plugin->wants & CONFINE_STREAM) {
		confine_allow_given(domain, memory_printf("%s/jobs", spool), DOMAIN_READ_FILE | DOMAIN_APPEND);
		/* Those who ask whether services run name the nodes of their clusters there. */
		confine_allow_given(domain, enters ? memory_printf("%s/clusters", state) : NULL, DOMAIN_READ_FILE);
	}
	free(spool);
	free(state);
}

/* Opens the domain of a plugin. */
static void
confine_open_plugin(struct domain *domain, const struct confine_plugin *plugin)
{
	struct arguments own = {0};

	domain_open(domain, true);
	own_places(&own);
	arguments_push(&own, "/dev");
	if (plugin->wants & CONFINE_HOST)
		domain_allow_around(domain, "/", (const char *const *)own.list, own.count, DOMAIN_READ);
	if (plugin->wants & CONFINE_TEMPORARY)
		confine_allow_temporary(domain, &own);
	confine_allow_devices(domain);
	confine_allow_kept(domain, plugin);
	if (plugin->changes)
		domain_allow(domain, plugin->changes, DOMAIN_READ | DOMAIN_CHANGE);
	for (size_t i = 0; i < LENGTH(plugin->reads); i++)
		if (plugin->reads[i])
			domain_allow(domain, plugin->reads[i], DOMAIN_READ);
	arguments_release(&own);
}

static void
confine_plugin_calls(struct calls *calls)
{
	confine_begin_calls(calls);
	calls_refuse_terminals(calls);
}

void
confine_as_plugin(const struct confine_plugin *plugin)
{
	struct domain domain;
	struct calls calls;

	if ((plugin->wants & CONFINE_WHOLE) || confine_is_observed())
		return;
	confine_open_plugin(&domain, plugin);
	confine_plugin_calls(&calls);
	confine_enter(&domain, &calls);
}

/* Returns whether the plugin is one of the installation's own, which confine themselves. */
static bool
confine_is_installed(const char *path)
{
	char *folder = location_installed("libexec/coopr/");
	bool is = strncmp(path, folder, strlen(folder)) == 0;

	free(folder);
	return is;
}

/* Returns what the section [plugin NAME] says: the value of the entry, or NULL. */
static const char *
confine_setting(const char *name, const char *entry)
{
	size_t count;
	const struct preference_section *sections = preference_sections(&count);

	for (size_t i = 0; i < count; i++)
		for (size_t e = 0; strcmp(sections[i].kind, "plugin") == 0 && strcmp(sections[i].name, name) == 0 &&
		     e < sections[i].count; e++)
			if (strcmp(sections[i].entries[e].name, entry) == 0)
				return sections[i].entries[e].value;
	return NULL;
}

/* Allows the paths of a setting, with a separator between. */
static void
confine_allow_listed(struct domain *domain, const char *setting, const char *separators, unsigned rights)
{
	char *copy = memory_string(setting ? setting : ""), *rest = copy, *word;

	while ((word = strsep(&rest, separators))) {
		char *home = strncmp(word, "~/", 2) == 0 ? home_path() : NULL;
		char *path = home ? memory_printf("%s%s", home, word + 1) : memory_string(word);

		if (*path == '/')
			domain_allow(domain, path, rights);
		free(path);
		free(home);
	}
	free(copy);
}

/* Returns whether the section of the plugin does without confinement. */
static bool
confine_is_renounced(const char *name)
{
	const char *said = confine_setting(name, "confine");

	return said && strcmp(said, "no") == 0;
}

bool
confine_is_for(const char *path)
{
	return !confine_is_observed() && !confine_is_installed(path) && !confine_is_renounced(file_base_name(path));
}

/* Allows what the section of the plugin does. */
static void
confine_allow_section(struct domain *domain, const char *name)
{
	confine_allow_listed(domain, confine_setting(name, "write"), " \t", DOMAIN_READ | DOMAIN_CHANGE);
	confine_allow_listed(domain, confine_setting(name, "read"), " \t", DOMAIN_READ);
}

/* Ends the filter of system calls, and returns what a start takes. */
static const struct confinement *
confine_end(struct confined *confined, const struct domain *domain)
{
	calls_end(&confined->calls, &confined->program);
	confined->confinement = (struct confinement){.domain = domain->fd, .calls = &confined->program};
	return &confined->confinement;
}

const struct confinement *
confine_start(struct confined *confined, const char *path, const struct confine_plugin *plugin)
{
	const char *name = file_base_name(path), *const state[] = {name, NULL};
	struct confine_plugin wanted = plugin ? *plugin : (struct confine_plugin){.wants = 0};
	struct domain domain;

	confined->confinement = (struct confinement){.domain = -1};
	if ((wanted.wants & CONFINE_WHOLE) || !confine_is_for(path))
		return NULL;
	wanted.wants |= CONFINE_HOST | CONFINE_TEMPORARY | (plugin ? CONFINE_LOGIN : 0);
	wanted.state = plugin ? state : NULL;
	confine_open_plugin(&domain, &wanted);
	if (domain.fd >= 0) {
		confine_allow_listed(&domain, preference_value(PREFERENCE_PLUGIN_WRITE, NULL), ":", DOMAIN_READ | DOMAIN_CHANGE);
		confine_allow_section(&domain, name);
	}
	confine_plugin_calls(&confined->calls);
	return confine_end(confined, &domain);
}

const struct confinement *
confine_program(struct confined *confined, const char *name, const char *changes, const char *const *reads, size_t count)
{
	struct arguments own = {0};
	struct domain domain;

	confined->confinement = (struct confinement){.domain = -1};
	if (confine_is_observed() || confine_is_renounced(name))
		return NULL;
	domain_open(&domain, true);
	own_places(&own);
	arguments_push(&own, "/dev");
	domain_allow_around(&domain, "/", (const char *const *)own.list, own.count, DOMAIN_READ);
	arguments_release(&own);
	confine_allow_devices(&domain);
	/* Who does not know a name there gets at nothing: it is not listed. */
	domain_allow(&domain, "/dev/shm", DOMAIN_READ_FILE | DOMAIN_APPEND | DOMAIN_REMOVE);
	domain_allow(&domain, changes, DOMAIN_READ | DOMAIN_CHANGE);
	confine_allow_files(&domain, reads, count);
	confine_allow_section(&domain, name);
	confine_plugin_calls(&confined->calls);
	calls_refuse_families(&confined->calls, SYS_socket, (const int[]){AF_INET, AF_INET6, AF_NETLINK}, 3);
	return confine_end(confined, &domain);
}

void
confine_release(struct confined *confined)
{
	if (confined->confinement.domain >= 0)
		close(confined->confinement.domain);
	confined->confinement.domain = -1;
}

int
confine_run(char *const *argv, struct buffer *out, struct buffer *log, size_t limit, struct error *err)
{
	struct confined confined;
	const struct confinement *confinement = confine_start(&confined, argv[0], NULL);
	int code = process_run_confined(confinement, argv, NULL, 0, out, log, limit, err);

	if (confinement)
		confine_release(&confined);
	return code;
}

void
confine_available(int *landlock, bool *filters)
{
	*landlock = domain_version();
	*filters = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
}
