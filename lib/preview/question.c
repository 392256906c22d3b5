/* SPDX-License-Identifier: Apache-2.0 */
#include "preview/question.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/printable.h"

static const int question_signals[] = {SIGINT, SIGTERM, SIGHUP};

enum { SIGNALS = sizeof question_signals / sizeof *question_signals };

static volatile sig_atomic_t question_signal;

static void
question_on_signal(int number)
{
	question_signal = number;
}

bool
question_possible(void)
{
	const char *ci = getenv("CI");

	return isatty(STDIN_FILENO) && isatty(STDERR_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp() &&
	    (!ci || !*ci || strcmp(ci, "false") == 0);
}

/* Catches the signals only while it waits in ppoll, so that none is lost between looking and waiting. Those that whoever
 * started us has ignored stay ignored. */
static void
question_catch(struct sigaction before[SIGNALS], sigset_t *mask)
{
	struct sigaction action = {.sa_handler = question_on_signal};
	sigset_t block;

	question_signal = 0;
	sigemptyset(&block);
	for (size_t i = 0; i < SIGNALS; i++)
		if (sigaction(question_signals[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN) {
			sigaddset(&block, question_signals[i]);
			sigaction(question_signals[i], &action, NULL);
		}
	sigprocmask(SIG_BLOCK, &block, mask);
}

static void
question_uncatch(const struct sigaction before[SIGNALS], const sigset_t *mask)
{
	for (size_t i = 0; i < SIGNALS; i++)
		if (before[i].sa_handler != SIG_IGN)
			sigaction(question_signals[i], &before[i], NULL);
	sigprocmask(SIG_SETMASK, mask, NULL);
}

/* Reads a line, of which the beginning is kept: 1, 0 at the end of the input, -1 where a signal came. */
static int
question_read(char *line, size_t size, const sigset_t *mask)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	size_t length = 0;
	char byte;

	for (;;) {
		ssize_t got;

		if (ppoll(&input, 1, NULL, mask) < 0) {
			if (question_signal)
				return -1;
			continue;
		}
		got = read(STDIN_FILENO, &byte, 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return 0;
		if (byte == '\n')
			break;
		if (length + 1 < size)
			line[length++] = byte;
	}
	line[length] = '\0';
	return 1;
}

/* Asks, and reads the answer: 1 with the line, 0 at the end of the input, -1 where a signal came. */
static int
question_put(const char *question, const char *choices, char *line, size_t size, struct error *err)
{
	char *text = memory_string(question);
	struct sigaction before[SIGNALS];
	sigset_t mask;
	int got;

	*line = '\0';
	printable(text);
	question_catch(before, &mask);
	fprintf(stderr, "%s %s", text, choices);
	fflush(stderr);
	free(text);
	got = question_read(line, size, &mask);
	question_uncatch(before, &mask);
	if (got <= 0)
		putc('\n', stderr);
	if (got < 0)
		return error_set(err, 128 + question_signal, "interrupted; nothing was changed");
	return got;
}

int
question_ask(const char *question, struct error *err)
{
	char line[8];
	int got = question_put(question, "[y/N] ", line, sizeof line, err);

	return got < 0 ? -1 : got > 0 && (strcasecmp(line, "y") == 0 || strcasecmp(line, "yes") == 0);
}

int
question_ask_word(const char *question, const char *word, struct error *err)
{
	char line[256];
	int got = question_put(question, "", line, sizeof line, err);

	return got < 0 ? -1 : got > 0 && strcmp(line, word) == 0;
}
