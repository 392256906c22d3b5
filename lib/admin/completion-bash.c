/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "admin/completion.h"

static const char head[] =
    "# SPDX-License-Identifier: Apache-2.0\n"
    "# shellcheck shell=bash\n"
    "#\n"
    "# Completion for bash, printed by coopr completion bash.\n"
    "\n";

/* The answer of each of the tables is in $_coopr_said. */
static const char tail[] =
    "# Completes $word by what an argument of kind $1 can be.\n"
    "_coopr_values() {\n"
    "	local kind=$1 before=\n"
    "\n"
    "	case $kind in\n"
    "	FILE) mapfile -t COMPREPLY < <(compgen -f -- \"$word\") && compopt -o filenames 2>/dev/null ;;\n"
    "	DIR) mapfile -t COMPREPLY < <(compgen -d -- \"$word\") && compopt -o filenames 2>/dev/null ;;\n"
    "	NONE | '') ;;\n"
    "	[a-z]*'|'*) mapfile -t COMPREPLY < <(compgen -W \"${kind//|/ }\" -- \"$word\") ;;\n"
    "	*)\n"
    "		case $kind,$word in *,,*,*) before=${word%,*}, ;; esac\n"
    "		mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$(coopr-completion --words \"${kind%,}\" 2>/dev/null)\" \\\n"
    "			-- \"${word#\"$before\"}\")\n"
    "		;;\n"
    "	esac\n"
    "}\n"
    "\n"
    "_coopr() {\n"
    "	local path=${COMP_WORDS[0]##*/} word=${COMP_WORDS[COMP_CWORD]} each expected='' operands=0 plain='' i _coopr_said\n"
    "	local IFS=$' \\t\\n'\n"
    "\n"
    "	case $path in coopr) path='' ;; *) path=${path#coopr-} ;; esac\n"
    "	COMPREPLY=()\n"
    "	for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "		each=${COMP_WORDS[i]}\n"
    "		if [ -n \"$plain\" ]; then\n"
    "			operands=$((operands + 1))\n"
    "		elif [ \"$each\" = = ]; then\n"
    "			continue\n"
    "		elif [ -n \"$expected\" ] && { [ \"${expected#=}\" = \"$expected\" ] || [ \"${COMP_WORDS[i - 1]}\" = = ]; }; then\n"
    "			expected=\n"
    "		else\n"
    "			expected=\n"
    "			case $each in\n"
    "			--) plain=1 ;;\n"
    "			-?*) _coopr_argument \"$path\" \"$each\" && expected=$_coopr_said ;;\n"
    "			*)\n"
    "				if _coopr_commands \"$path\"; then path=${path:+$path }$each; else operands=$((operands + 1)); fi\n"
    "				;;\n"
    "			esac\n"
    "		fi\n"
    "	done\n"
    "	if [ \"$word\" = = ]; then\n"
    "		word=\n"
    "	elif [ \"${COMP_WORDS[COMP_CWORD - 1]}\" != = ] && [ \"${expected#=}\" != \"$expected\" ]; then\n"
    "		expected=\n"
    "	fi\n"
    "	if [ -n \"$expected\" ]; then\n"
    "		_coopr_values \"${expected#=}\"\n"
    "	elif [ -z \"$plain\" ] && [ \"${word#-}\" != \"$word\" ]; then\n"
    "		_coopr_options \"$path\" && mapfile -t COMPREPLY < <(compgen -W \"$_coopr_said\" -- \"$word\")\n"
    "	elif _coopr_commands \"$path\"; then\n"
    "		mapfile -t COMPREPLY < <(compgen -W \"$_coopr_said\" -- \"$word\")\n"
    "	elif _coopr_operand \"$path\" \"$operands\"; then\n"
    "		_coopr_values \"$_coopr_said\"\n"
    "	fi\n"
    "}\n"
    "\n";

static void
completion_print_commands(const struct completion *all)
{
	puts("_coopr_commands() {\n\tcase $1 in");
	for (size_t i = 0; i < all->count; i++) {
		const struct completion_command *command = &all->list[i];

		if (command->subcommand_count == 0)
			continue;
		printf("\t'%s') _coopr_said='", command->path);
		for (size_t j = 0; j < command->subcommand_count; j++)
			printf("%s%s", j ? " " : "", command->subcommands[j]);
		puts("' ;;");
	}
	puts("\t*) return 1 ;;\n\tesac\n}\n");
}

static void
completion_print_options(const struct completion *all)
{
	puts("_coopr_options() {\n\tcase $1 in");
	for (size_t i = 0; i < all->count; i++) {
		const struct completion_command *command = &all->list[i];

		printf("\t'%s') _coopr_said='", command->path);
		for (size_t j = 0; j < command->option_count; j++) {
			printf("%s--%s", j ? " " : "", command->options[j].name);
			if (*command->options[j].letter)
				printf(" -%s", command->options[j].letter);
		}
		puts("' ;;");
	}
	puts("\t*) return 1 ;;\n\tesac\n}\n");
}

/* "=" before the kind of an argument that can only stand behind "=". */
static void
completion_print_arguments(const struct completion *all)
{
	puts("_coopr_argument() {\n\tcase $1/$2 in");
	for (size_t i = 0; i < all->count; i++) {
		const struct completion_command *command = &all->list[i];

		for (size_t j = 0; j < command->option_count; j++) {
			const struct completion_option *option = &command->options[j];

			if (!option->kind)
				continue;
			printf("\t'%s/--%s'", command->path, option->name);
			if (*option->letter && !option->optional)
				printf(" | '%s/-%s'", command->path, option->letter);
			printf(") _coopr_said='%s%s' ;;\n", option->optional ? "=" : "", option->kind);
		}
	}
	puts("\t*) return 1 ;;\n\tesac\n}\n");
}

static void
completion_print_operands(const struct completion *all)
{
	puts("_coopr_operand() {\n\tcase $1/$2 in");
	for (size_t i = 0; i < all->count; i++) {
		const struct completion_command *command = &all->list[i];

		for (size_t j = 0; j < command->operand_count; j++) {
			printf("\t'%s/%s", command->path, command->operands[j].repeats ? "'*" : "");
			if (!command->operands[j].repeats)
				printf("%zu'", j);
			printf(") _coopr_said='%s' ;;\n", command->operands[j].kind);
			if (command->operands[j].repeats)
				break;
		}
	}
	puts("\t*) return 1 ;;\n\tesac\n}\n");
}

void
completion_print_bash(const struct completion *completion)
{
	fputs(head, stdout);
	completion_print_commands(completion);
	completion_print_options(completion);
	completion_print_arguments(completion);
	completion_print_operands(completion);
	fputs(tail, stdout);
	fputs("complete -F _coopr coopr", stdout);
	for (size_t i = 0; i < completion->list[0].subcommand_count; i++)
		if (strcmp(completion->list[0].subcommands[i], "help") != 0)
			printf(" coopr-%s", completion->list[0].subcommands[i]);
	putchar('\n');
}
