/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-apply: makes clusters be what a folder of files says: those that are missing are made, those that differ are
 * changed, and with --prune those that it made and that no file speaks of any more are deleted. All files are read
 * before anything is begun; a cluster that fails does not keep the others. Interrupted in any way, the same command
 * resumes it. Exits with 0 once all are so; 1 where one cannot be, or a task failed, and with --dry-run where one would
 * change; 64 on misuse; 65 and 66 where a file is malformed or cannot be read; 75 where a cluster was passed over; 128 +
 * signal when interrupted.
 */
#include <stdio.h>
#include <stdlib.h>

#include "apply/apply.h"
#include "base/error.h"
#include "base/message.h"
#include "base/terminal.h"
#include "operation/front.h"
#include "preview/consent.h"
#include "preview/question.h"

static struct front front = {.jobs = FRONT_JOBS};
static struct apply_options parameters;

static const struct option_spec options[] = {
	OPTION_STRING('f', "file", &parameters.path, "FILE", "the specifications: a file or a folder (-: standard input)"),
	OPTION_FLAG(0, "prune", &parameters.prune, "delete clusters of the folder that it no longer has"),
	OPTION_STRING(0, "origin", &parameters.origin, "NAME", "the name of the folder in its clusters (default: its path)"),
	OPTION_FLAG(0, "adopt", &parameters.adopt, "take over clusters that follow another folder"),
	OPTION_STRING('C', "catalogue", &parameters.catalogue, "DIR", "take entities from here (default: $COOPR_CATALOGUE)"),
	OPTION_FLAG(0, "force", &parameters.force, "also with fewer machines than the template needs"),
	OPTION_FLAG(0, "allow-moves", &parameters.allow_moves, "services may move to other machines; as few as possible do"),
	OPTION_STRING(0, "max-unavailable", &parameters.max_unavailable, "N|N%", "how many nodes of a service may be down at a time"),
	FRONT_WORK(&front),
	FRONT_PLACES(&front),
	FRONT_ANSWER(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-apply", "[OPTION]... -f FILE|DIR", "Make clusters agree with files.", options,
	"  coopr-apply -f clusters --dry-run\n"
	"  coopr-apply -f clusters\n"
	"  coopr-apply -f clusters --prune --yes\n"};

/* Exits where clusters would be deleted, and nobody can be asked. */
static void
apply_insist(const struct apply *apply)
{
	size_t count = apply_leftovers(apply);

	if (parameters.prune && count > 0)
		exit(option_misuse(&command,
		    "--prune: %s%s would be deleted: not a terminal; use -y to confirm",
		    apply_leftover(apply, 0), count > 1 ? " and others" : ""));
}

/* Shows what the turns would do. Returns how many clusters they would change. What fails is told when it is done. */
static size_t
apply_preview(struct apply *apply)
{
	struct application application;
	size_t planned = 0;
	struct error err;

	apply->options.dry = true;
	while (apply_next(apply, &application)) {
		if (application.outcome == APPLICATION_PLANNED) {
			planned++;
			if (application_print(&application, stderr, terminal_colour(front.colour, stderr), &err) < 0)
				message_error(&err);
		}
		application_release(&application);
	}
	apply->options.dry = false;
	return planned;
}

/* Gets the consent to all that is to be done. Returns 0, or -1 with a reason. */
static int
apply_consent(struct apply *apply, struct error *err)
{
	const struct consent consent = {.name = parameters.path, .question = "Do this?"};
	const char *changed;

	if (front.yes || front.dry)
		return 0;
	if (!question_possible()) {
		apply_insist(apply);
		apply->options.ask_consent = true;
		return 0;
	}
	do {
		if (apply_preview(apply) > 0 && consent_ask(&consent, err) < 0)
			return -1;
		if (apply_look(apply, &changed, err) < 0)
			return -1;
		if (changed)
			message("%s: it has changed since this was shown; all is looked at again", changed);
	} while (changed);
	apply->has_consent = true;
	return 0;
}

/* That somebody else is at work outweighs no trouble. */
static int
apply_worse(int code, int other)
{
	return code == 0 || (code == EX_TEMPFAIL && other != 0) || other > 128 ? other : code;
}

static int
apply_answer(const struct application *application, struct output *output)
{
	struct error err;

	if (output_is_records(output))
		application_write(application, output);
	else if (application_print(application, stdout, output->colour, &err) < 0)
		return message_error(&err);
	/* Whoever reads waits for each line. Where it is lost the next clusters are applied all the same; the exit code says it. */
	message_flush();
	return application->outcome == APPLICATION_FAILED ? message_error(&application->trouble) : 0;
}

static int
apply_take_turns(struct apply *apply)
{
	struct output output = output_open(front.format, front.colour);
	size_t counts[APPLICATION_CHANGE_COUNT] = {0}, planned = 0, failed = 0;
	struct application application;
	int code = 0;

	while (apply_next(apply, &application)) {
		code = apply_worse(code, apply_answer(&application, &output));
		counts[application.change] += application.outcome < APPLICATION_FAILED;
		planned += application.outcome == APPLICATION_PLANNED;
		failed += application.outcome == APPLICATION_FAILED;
		application_release(&application);
	}
	if (!output_is_records(&output))
		application_print_counts(counts, failed, stdout);
	return code == 0 && planned ? EX_NO : code;
}

int
main(int argc, char **argv)
{
	char **operands = argv + option_parse(&command, argc, argv);
	struct operation_options how = front_options(&command, &front);
	struct apply apply;
	struct error err;
	int code, opened;

	how.has_person = true;
	if (operands[0])
		return option_misuse(&command, "unexpected argument '%s'; name files with -f", operands[0]);
	if (!parameters.path)
		return option_misuse(&command, "option -f FILE|DIR is required");
	if (parameters.origin && !*parameters.origin)
		return option_misuse(&command, "--origin: the name is empty");
	opened = apply_open(&apply, &parameters, &how, &err);
	if (opened == 0 && parameters.prune && !apply.specs.folder)
		code = option_misuse(&command, "--prune: -f is a single file; name a folder");
	else if (opened < 0 || apply_consent(&apply, &err) < 0)
		code = message_error(&err);
	else
		code = apply_take_turns(&apply);
	if (apply_close(&apply, &err) < 0)
		code = apply_worse(code, message_error(&err));
	return message_end(code);
}
