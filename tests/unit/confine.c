/* SPDX-License-Identifier: Apache-2.0 */
#include "confine/confine.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "confine/apart.h"
#include "confine/domain.h"
#include "tap.h"

static char *folder;       /* a fresh directory: file, other, sub/ */
static pid_t bystander;    /* a process outside */
static uint16_t port;      /* somebody listens there */

static char *
at(const char *name)
{
	return memory_printf("%s/%s", folder, name);
}

static bool
opens(const char *name, int flags)
{
	int fd = open(at(name), flags, 0600);

	return fd >= 0;
}

/* What may be tried. Each returns whether it succeeded. */
static bool tries_reading(void) { return opens("file", O_RDONLY); }
static bool tries_reading_another(void) { return opens("other", O_RDONLY); }
static bool tries_reading_passwords(void) { return open("/etc/passwd", O_RDONLY) >= 0; }
static bool tries_listing(void) { return opens("", O_RDONLY | O_DIRECTORY); }
static bool tries_writing(void) { return opens("file", O_WRONLY); }
static bool tries_appending(void) { return opens("file", O_WRONLY | O_APPEND); }
static bool tries_truncating(void) { return truncate(at("file"), 0) == 0; }
static bool tries_making(void) { return opens("new", O_WRONLY | O_CREAT); }
static bool tries_making_elsewhere(void) { return open("/tmp", O_TMPFILE | O_RDWR, 0600) >= 0; }
static bool tries_removing(void) { return unlink(at("other")) == 0; }
static bool tries_renaming(void) { return rename(at("other"), at("sub/other")) == 0; }
static bool tries_linking(void) { return link(at("file"), at("sub/link")) == 0; }
static bool tries_a_symlink(void) { return symlink("/", at("root")) == 0; }
static bool tries_a_folder(void) { return mkdir(at("folder"), 0700) == 0; }
static bool tries_a_fifo(void) { return mkfifo(at("fifo"), 0600) == 0; }
static bool tries_killing(void) { return kill(bystander, SIGCONT) == 0; }
static bool tries_tracing(void) { return ptrace(PTRACE_SEIZE, bystander, 0, 0) == 0; }
static bool tries_a_pair(void) { int ends[2]; return socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0; }

static bool
tries_its_memory(void)
{
	return open(memory_printf("/proc/%d/mem", (int)bystander), O_RDWR) >= 0;
}

static bool
tries_executing(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	return waitpid(pid, &status, 0) == pid && status == 0;
}

static bool
tries_connecting(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
}

/* A socket that has a name, but no file. */
static int
use_abstract(int (*use)(int, const struct sockaddr *, socklen_t))
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "coopr-test-%d", (int)bystander);

	if (fd < 0 || use(fd, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) < 0)
		return -1;
	return fd;
}

static bool tries_an_abstract_socket(void) { return use_abstract(connect) >= 0; }

static const struct attempt {
	const char *what;
	bool (*try)(void);
	int since; /* the version of Landlock that refuses it; 0: the filter of calls does */
	bool harmless; /* to a plugin of the installation: it may */
} attempts[] = {
	{"reads a file that it was given", tries_reading, -1, true},
	{"reads another file", tries_reading_another, 1, false},
	{"reads /etc/passwd", tries_reading_passwords, 1, false},
	{"lists a folder", tries_listing, 1, false},
	{"writes to a file", tries_writing, 1, false},
	{"appends to a file", tries_appending, 1, false},
	{"truncates a file", tries_truncating, 0, false},
	{"makes a file", tries_making, 1, false},
	{"makes a file without a name", tries_making_elsewhere, 1, false},
	{"removes a file", tries_removing, 1, false},
	{"renames a file", tries_renaming, 1, false},
	{"links a file", tries_linking, 1, false},
	{"makes a symbolic link", tries_a_symlink, 1, false},
	{"makes a folder", tries_a_folder, 1, false},
	{"makes a FIFO", tries_a_fifo, 1, false},
	{"signals a process", tries_killing, 0, false},
	{"traces a process", tries_tracing, 0, false},
	{"opens the memory of a process", tries_its_memory, 1, false},
	{"starts a program", tries_executing, 0, false},
	{"connects to a server", tries_connecting, 0, false},
	{"makes a pair of sockets", tries_a_pair, 0, false},
	{"connects to an abstract socket", tries_an_abstract_socket, 0, false},
};

/* Has a child do it, after enter where that is not NULL. */
static bool
succeeds(const struct attempt *attempt, void (*enter)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (enter)
			enter();
		_exit(attempt->try() ? 0 : 1);
	}
	return waitpid(pid, &status, 0) == pid && status == 0;
}

static void
make_files(void)
{
	static const char *const names[] = {"file", "other"};

	mkdir(at("sub"), 0700);
	for (size_t i = 0; i < 2; i++)
		close(open(at(names[i]), O_WRONLY | O_CREAT, 0600));
	unlink(at("sub/other"));
	unlink(at("sub/link"));
	unlink(at("root"));
	unlink(at("new"));
	unlink(at("fifo"));
	rmdir(at("folder"));
}

static void
enter_filter(void)
{
	confine_filter((const char *const[]){NULL, "-", at("file")}, 3);
}

static void
test_filter(void)
{
	int version = domain_version();

	for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
		const struct attempt *attempt = &attempts[i];

		make_files();
		if (!succeeds(attempt, NULL) || (attempt->since > version)) {
			tap_skip("the kernel, or this machine, has it not", attempt->what);
			continue;
		}
		make_files();
		tap_ok(succeeds(attempt, enter_filter) == attempt->harmless, "a filter %s: %s", attempt->what,
		    attempt->harmless ? "yes" : "no");
	}
}

static bool makes_in_sub(void) { return opens("sub/new", O_WRONLY | O_CREAT) && unlink(at("sub/new")) == 0; }
static bool links_in_sub(void) { return symlink("/", at("sub/l")) == 0 && unlink(at("sub/l")) == 0 && mkdir(at("sub/d"), 0700) == 0 && rmdir(at("sub/d")) == 0; }

static int
do_attempt(void *context, struct error *err)
{
	const struct attempt *attempt = context;

	return attempt->try() ? 0 : error_set(err, EX_CONFIG, "%s: it does not", attempt->what);
}

static int
die(void *context, struct error *err)
{
	(void)context;
	(void)err;
	raise(SIGKILL);
	abort();
}

/* Succeeds where the process may take 2 GiB of memory, or a processor for as long as it wants. */
static int
take_more(void *context, struct error *err)
{
	struct rlimit seconds;

	(void)context;
	getrlimit(RLIMIT_CPU, &seconds);
	if (seconds.rlim_cur != RLIM_INFINITY && mmap(NULL, (size_t)2 << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		return error_set(err, EX_OSERR, "no");
	return 0;
}

/* Returns whether the attempt succeeds in a process apart, which reads "file" and changes "sub". */
static bool
succeeds_apart(const struct attempt *attempt)
{
	int reads = open(at("file"), O_RDONLY | O_CLOEXEC), changes = open(at("sub"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct attempt copy = *attempt;
	struct error err = {.code = 0};
	int result = apart_do(reads, changes, do_attempt, &copy, &err);

	tap_ok(result == 0 || (err.code == EX_CONFIG && strstr(err.text, "it does not")), "the reason comes from there: %s", attempt->what);
	close(reads);
	close(changes);
	return result == 0;
}

static void
test_apart(void)
{
	const struct attempt inside[] = {{"makes a file in its folder", makes_in_sub, 0, true}, {"makes links and folders there", links_in_sub, 0, true}};
	int version = domain_version(), fd = open(at("sub"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct error err;

	for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
		make_files();
		if (attempts[i].since > version || !succeeds(&attempts[i], NULL)) {
			tap_skip("the kernel, or this machine, has it not", attempts[i].what);
			continue;
		}
		make_files();
		if (attempts[i].try == tries_truncating && version < 3)
			continue;
		tap_ok(succeeds_apart(&attempts[i]) == attempts[i].harmless, "what unpacks %s: %s", attempts[i].what, attempts[i].harmless ? "yes" : "no");
	}
	for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
		tap_ok(succeeds_apart(&inside[i]), "what unpacks %s: yes", inside[i].what);
	tap_ok(apart_do(fd, fd, die, NULL, &err) < 0 && err.code == EX_DATAERR, "one that is killed is an error");
	tap_ok(apart_do(fd, fd, take_more, NULL, &err) < 0 && err.code == EX_OSERR, "what unpacks is bounded in memory and time");
	close(fd);
}

static void
enter_restorer(void)
{
	confine_restorer((const char *const[]){at("file"), NULL}, 2, (const char *const[]){at("sub/not/yet")}, 1);
}

static void
test_restorer(void)
{
	static const struct attempt some[] = {
		{"reads the file that it restores", tries_reading, 1, true},
		{"changes what is above a place that is not there yet", makes_in_sub, 1, true},
		{"reads another", tries_reading_another, 1, false},
		{"makes a file elsewhere", tries_making, 1, false},
		{"starts another program", tries_executing, 0, false},
		{"connects to another server", tries_connecting, 0, false},
	};

	for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
		make_files();
		if (some[i].since > domain_version() || !succeeds(&some[i], NULL)) {
			tap_skip("the kernel, or this machine, has it not", some[i].what);
			continue;
		}
		make_files();
		tap_ok(succeeds(&some[i], enter_restorer) == some[i].harmless, "what restores %s: %s", some[i].what, some[i].harmless ? "yes" : "no");
	}
}

/* Listens on a port and on an abstract socket, and has a process outside. */
static void
begin(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t size = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	folder = memory_string("/tmp/coopr-confine.XXXXXX");
	if (!mkdtemp(folder))
		exit(1);
	if (bind(fd, (struct sockaddr *)&address, size) < 0 || listen(fd, 100) < 0)
		exit(1);
	getsockname(fd, (struct sockaddr *)&address, &size);
	port = ntohs(address.sin_port);
	bystander = fork();
	if (bystander == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	listen(use_abstract(bind), 100);
}

static void
end(void)
{
	make_files();
	unlink(at("file"));
	unlink(at("other"));
	rmdir(at("sub"));
	rmdir(folder);
	kill(bystander, SIGKILL);
	waitpid(bystander, NULL, 0);
}

int
main(void)
{
#if defined(__SANITIZE_ADDRESS__)
	tap_skip("a sanitizer does more than the program", "a filter is confined");
	return tap_end();
#endif
	begin();
	test_filter();
	test_apart();
	test_restorer();
	end();
	return tap_end();
}
