/* SPDX-License-Identifier: Apache-2.0 */
#include "json/yaml-input.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"

static const char byte_order_mark[] = "\xef\xbb\xbf";

void
yaml_skip_mark(const char **text, size_t *length)
{
	size_t mark = sizeof byte_order_mark - 1;

	if (*length >= mark && memcmp(*text, byte_order_mark, mark) == 0) {
		*text += mark;
		*length -= mark;
	}
}

/* Sets the code of the character at text. Returns its bytes, 0 where it is no UTF-8 (RFC 3629). */
static size_t
yaml_character(const char *text, size_t length, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *at = (const unsigned char *)text;
	size_t bytes = at[0] < 0x80 ? 1 : (at[0] & 0xe0) == 0xc0 ? 2 : (at[0] & 0xf0) == 0xe0 ? 3 : (at[0] & 0xf8) == 0xf0 ? 4 : 0;

	if (bytes == 0 || bytes > length)
		return 0;
	*code = bytes == 1 ? at[0] : at[0] & (0x7fu >> bytes);
	for (size_t i = 1; i < bytes; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (at[i] & 0x3fu);
	}
	return *code < least[bytes] || *code > 0x10ffff || (*code >= 0xd800 && *code <= 0xdfff) ? 0 : bytes;
}

/* Returns what is wrong with a character, behind which next stands; NULL: nothing. */
static const char *
yaml_character_fault(uint32_t code, char next)
{
	if (code == 0)
		return "a NUL byte";
	if (code == 0x85 || code == 0x2028 || code == 0x2029)
		return "this character ends a line to some readers of YAML; write \\u0085, \\u2028 or \\u2029 in double quotes";
	if (code == '\r')
		return next == '\n' ? NULL : "a carriage return without a newline";
	if (code == 0xfeff || code == 0xfffe || code == 0xffff || (code < 0x20 && code != '\t' && code != '\n') ||
	    (code >= 0x7f && code < 0xa0))
		return "a control character; write it as \\uXXXX in double quotes";
	return NULL;
}

int
yaml_check_characters(const char *text, size_t length, struct error *err)
{
	size_t line = 1, column = 1;

	for (size_t i = 0, bytes; i < length; i += bytes) {
		uint32_t code = 0;
		const char *fault;

		bytes = yaml_character(text + i, length - i, &code);
		fault = bytes ? yaml_character_fault(code, i + bytes < length ? text[i + bytes] : '\0') : "invalid UTF-8";
		if (fault)
			return error_set(err, EX_DATAERR, "line %zu, column %zu: %s", line, column, fault);
		line += code == '\n';
		column = code == '\n' ? 1 : column + 1;
	}
	return 0;
}

int
yaml_input_init(struct yaml_input *input, const char *text, size_t length, struct error *err)
{
	*input = (struct yaml_input){.text = text, .end = text + length, .line_start = text};
	if (!yaml_parser_initialize(&input->parser))
		return error_set(err, EX_OSERR, "out of memory");
	yaml_parser_set_encoding(&input->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&input->parser, (const unsigned char *)text, length);
	return 0;
}

const char *
yaml_input_line(struct yaml_input *input, size_t line, size_t *length)
{
	const char *newline;

	for (;; input->line++, input->line_start = newline + 1) {
		newline = memchr(input->line_start, '\n', (size_t)(input->end - input->line_start));
		if (input->line >= line || !newline)
			break;
	}
	*length = (size_t)((newline ? newline : input->end) - input->line_start);
	return input->line_start;
}

/* The messages of libyaml, in the words of somebody who has never read its grammar; and the thing it is inside of, whose beginning helps to
 * find the fault. */
static const struct yaml_words {
	const char *theirs, *ours, *inside;
} yaml_words[] = {
	{"did not find expected key", "a name with ':' is missing here; lines of one mapping begin in the same column", "the mapping"},
	{"did not find expected '-' indicator", "'- ' is missing here; lines of one list begin in the same column", "the list"},
	{"could not find expected ':'", "the line before has no ':' with a blank behind it", NULL},
	{"mapping values are not allowed in this context",
	    "a mapping cannot begin here; indent the lines of one mapping alike, write a blank behind each colon, and put text "
	    "with ': ' in quotes", NULL},
	{"mapping keys are not allowed in this context", "'? ' cannot stand here", NULL},
	{"block sequence entries are not allowed in this context", "a list cannot begin here; begin it in a new line", NULL},
	{"found character that cannot start any token", "text cannot begin with this character; put it in quotes", NULL},
	{"found a tab character that violates indentation", "a tab cannot indent; use blanks", NULL},
	{"found a tab character where an indentation space is expected", "a tab cannot indent; use blanks", NULL},
	{"did not find expected ',' or ']'", "',' or ']' is missing here", "the list"},
	{"did not find expected ',' or '}'", "',' or '}' is missing here", "the mapping"},
	{"did not find expected <document start>", "\"---\" is missing before another document", NULL},
	{"did not find expected node content", "a value is missing here", NULL},
	{"did not find expected comment or line break", "only a comment may follow '|' and '>' in their line", NULL},
	{"did not find expected alphabetic or numeric character", "text cannot begin with '*', '&' or '!'; put it in quotes", NULL},
	{"found unexpected end of stream", "the text ends inside quotes", "the quoted text"},
	{"found unexpected document indicator", "the text ends inside quotes", "the quoted text"},
	{"found unknown escape character", "no such escape in double quotes; write \\\\ for a backslash", NULL},
	{"found invalid Unicode character escape code", "no such character; write one beyond U+FFFF as it is, or as \\UXXXXXXXX", NULL},
	{"found incompatible YAML document", "this is neither YAML 1.1 nor 1.2", NULL},
	{"found unexpected ':'", "a ':' in text between brackets; put the text in quotes", NULL},
};

static struct yaml_words
yaml_input_words(const char *problem)
{
	for (size_t i = 0; i < sizeof yaml_words / sizeof *yaml_words; i++)
		if (strcmp(problem, yaml_words[i].theirs) == 0)
			return yaml_words[i];
	return (struct yaml_words){problem, problem, NULL};
}

/* A tab is the commonest of what cannot begin a value, and nobody sees it. */
static bool
yaml_input_is_tab(struct yaml_input *input, yaml_mark_t mark)
{
	size_t length;
	const char *line = yaml_input_line(input, mark.line, &length);
	const char *tab = memchr(line, '\t', length);

	return tab && strspn(line, " ") == mark.column && (size_t)(tab - line) == mark.column;
}

static int
yaml_input_fault(struct yaml_input *input, struct error *err)
{
	const yaml_parser_t *parser = &input->parser;
	struct yaml_words words = yaml_input_words(parser->problem ? parser->problem : "it is not YAML");
	yaml_mark_t mark = parser->problem_mark;

	if (parser->error == YAML_MEMORY_ERROR)
		return error_set(err, EX_OSERR, "out of memory");
	if (parser->error == YAML_SCANNER_ERROR && yaml_input_is_tab(input, mark))
		words = (struct yaml_words){NULL, "a tab cannot indent; use blanks", NULL};
	if (words.inside && parser->context_mark.line < mark.line)
		return error_set(err, EX_DATAERR, "line %zu, column %zu: %s (%s begins in line %zu)", mark.line + 1, mark.column + 1,
		    words.ours, words.inside, parser->context_mark.line + 1);
	return error_set(err, EX_DATAERR, "line %zu, column %zu: %s", mark.line + 1, mark.column + 1, words.ours);
}

int
yaml_input_next(struct yaml_input *input, yaml_event_t *event, struct error *err)
{
	if (yaml_parser_parse(&input->parser, event))
		return 0;
	memset(event, 0, sizeof *event);
	return yaml_input_fault(input, err);
}

bool
yaml_event_is_empty(const yaml_event_t *event)
{
	return event->type == YAML_SCALAR_EVENT && event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	    event->data.scalar.length == 0 && !event->data.scalar.anchor && !event->data.scalar.tag;
}

void
yaml_input_release(struct yaml_input *input)
{
	yaml_parser_delete(&input->parser);
}
