/* SPDX-License-Identifier: Apache-2.0 */
#include "base/progress.h"
#include "base/table.h"
#include "base/terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/error.h"
#include "tap.h"

/* A terminal of so many columns: its far end, where what is written can be read; a stream on it in *near. */
static int
open_terminal(unsigned short columns, FILE **near)
{
	struct winsize size = {.ws_row = 24, .ws_col = columns};
	int far = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), fd;
	struct termios raw;

	if (far < 0 || grantpt(far) < 0 || unlockpt(far) < 0 || ioctl(far, TIOCSWINSZ, &size) < 0)
		exit(EX_OSERR);
	fd = open(ptsname(far), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || tcgetattr(fd, &raw) < 0)
		exit(EX_OSERR);
	cfmakeraw(&raw);
	tcsetattr(fd, TCSANOW, &raw);
	*near = fdopen(fd, "w");
	return far;
}

static void
test_colour(void)
{
	FILE *near, *file = tmpfile();
	int far = open_terminal(80, &near);

	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", 1);
	tap_ok(terminal_colour(NULL, near), "a terminal is coloured");
	tap_ok(!terminal_colour(NULL, file), "a file is not");
	tap_ok(terminal_colour("always", file), "unless it shall always be");
	tap_ok(!terminal_colour("never", near), "and a terminal is not where it never shall be");
	setenv("NO_COLOR", "1", 1);
	tap_ok(!terminal_colour(NULL, near), "nor with NO_COLOR");
	tap_ok(!terminal_colour("auto", near), "--color=auto is the same as none");
	tap_ok(terminal_colour("always", near), "--color=always is stronger than NO_COLOR");
	setenv("NO_COLOR", "", 1);
	tap_ok(terminal_colour(NULL, near), "an empty NO_COLOR does not count");
	setenv("TERM", "dumb", 1);
	tap_ok(!terminal_colour(NULL, near), "a dumb terminal is not coloured");
	fclose(file);
	fclose(near);
	close(far);
}

static void
test_width(void)
{
	FILE *near, *file = tmpfile();
	int far = open_terminal(133, &near);

	tap_is_number(terminal_width(near), 133, "the width is that of the terminal");
	tap_is_number(terminal_width(file), 80, "80 where there is none");
	fclose(file);
	fclose(near);
	close(far);
}

/* A table of two columns and these cells, as it prints; the caller frees it. */
static char *
print(const char *const *cells, size_t count, bool colour, bool heading)
{
	static const char *const columns[] = {"NAME", "STATE", NULL};
	struct table table = {0};
	char *text;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	table_columns(&table, columns);
	for (size_t i = 0; i < count; i++)
		table_cell(&table, i % 2 ? STYLE_GOOD : STYLE_PLAIN, "%s", cells[i]);
	table_print(&table, stream, colour, heading);
	table_release(&table);
	fclose(stream);
	return text;
}

static void
test_table(void)
{
	static const struct {
		const char *title, *cells[4], *text;
		size_t count;
		bool colour, heading;
	} cases[] = {
		{"columns line up, and no line ends in blanks", {"long-name", "up", "x", ""},
			"NAME       STATE\nlong-name  up\nx\n", 4, false, true},
		{"without a heading it takes no room", {"a", "up", "b", "down"}, "a  up\nb  down\n", 4, false, false},
		{"nothing but a heading", {NULL}, "NAME  STATE\n", 0, false, true},
		{"colour changes no width", {"a", "up"},
			"\033[1mNAME\033[0m  \033[1mSTATE\033[0m\na     \033[32mup\033[0m\n", 2, true, true},
		{"an accent takes one column, in one character or in two", {"\xc3\xa9t\xc3\xa9", "1", "e\xcc\x81te\xcc\x81", "2"},
			"NAME  STATE\n\xc3\xa9t\xc3\xa9   1\ne\xcc\x81te\xcc\x81   2\n", 4, false, true},
		{"a wide character takes two", {"\xe6\xbc\xa2\xe5\xad\x97", "1"}, "NAME  STATE\n\xe6\xbc\xa2\xe5\xad\x97  1\n", 2, false,
			true},
		{"what drives a terminal is shown as ?, a tab as a blank", {"a\033[2J\n\t\x7f", "\xc2\x9b" "2J\xe2\x80\xae"},
			"NAME      STATE\na?[2J  ?  ?2J?\n", 2, false, true},
		{"so is what is no UTF-8", {"\xff\xc3", "a\xe2\x80"}, "NAME  STATE\n??    a??\n", 2, false, true},
		{"the last row may be short", {"a", "up", "b"}, "NAME  STATE\na     up\nb\n", 3, false, true},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *text = print(cases[i].cells, cases[i].count, cases[i].colour, cases[i].heading);

		tap_is_text(text, cases[i].text, "%s", cases[i].title);
		free(text);
	}
}

/* What progress_draw writes on a terminal of so many columns. */
static void
check_progress(unsigned short columns, size_t done, size_t total, const char *tail, const char *expected)
{
	char text[512];
	FILE *near;
	int far = open_terminal(columns, &near), saved = dup(STDERR_FILENO);
	ssize_t n;

	dup2(fileno(near), STDERR_FILENO);
	progress_draw("shop", done, total, tail, NULL);
	n = read(far, text, sizeof text - 1);
	progress_clear();
	dup2(saved, STDERR_FILENO);
	text[n < 0 ? 0 : n] = '\0';
	tap_is_text(text, expected, "progress %zu/%zu on %d columns", done, total, columns);
	close(saved);
	fclose(near);
	close(far);
}

static void
test_progress(void)
{
	setenv("TERM", "xterm", 1);
	check_progress(40, 12, 41, "3 running", "\rshop [====>          ] 12/41  3 running\033[K");
	check_progress(40, 0, 41, "", "\rshop [>                          ] 0/41\033[K");
	check_progress(40, 41, 41, "", "\rshop [==========================] 41/41\033[K");
	check_progress(40, 50, 41, "", "\rshop [==========================] 41/41\033[K");
	check_progress(40, 0, 0, "", "\rshop [>                           ] 0/0\033[K");
	check_progress(20, 12, 41, "3 running", "\rshop 12/41  3 runni\033[K");
	check_progress(200, 1, 2, "", "\rshop [====================>                   ] 1/2\033[K");
}

/* What is written next on the terminal whose far end that is. */
static void
check_written(int far, const char *expected, const char *title)
{
	char text[512];
	ssize_t n = read(far, text, sizeof text - 1);

	text[n < 0 ? 0 : n] = '\0';
	tap_is_text(text, expected, "%s", title);
}

static void
test_tasks(void)
{
	static const char *const two[] = {"  install nginx", "  start a service with a long name", NULL}, *const one[] = {"  stop", NULL};
	struct winsize narrow = {.ws_row = 24, .ws_col = 10};
	FILE *near;
	int far = open_terminal(24, &near), saved = dup(STDERR_FILENO);

	dup2(fileno(near), STDERR_FILENO);
	progress_draw("shop", 0, 2, "", two);
	check_written(far, "\rshop [>           ] 0/2\033[K\r\n  install nginx\033[K\r\n  start a service with \033[K",
	    "lines below it are cut");
	progress_draw("shop", 1, 2, "", one);
	check_written(far, "\r\033[2Ashop [======>     ] 1/2\033[K\r\n  stop\033[K\033[J", "drawn anew in place, a line less");
	ioctl(far, TIOCSWINSZ, &narrow);
	progress_clear();
	check_written(far, "\r\033[3A\033[J", "on a terminal made narrower all its rows go");
	dup2(saved, STDERR_FILENO);
	close(saved);
	fclose(near);
	close(far);
}

int
main(void)
{
	test_colour();
	test_width();
	test_table();
	test_progress();
	test_tasks();
	return tap_end();
}
