# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The examples in the manual pages, and in what --help says.
#
#	commands_of PAGE        the command lines of its EXAMPLES (".Dl $ ..."), one a line
#	opening_of PAGE         the command line with which its DESCRIPTION opens, below a sentence
#	help_of COMMAND         those of its --help, without what is said beside them
#	documents_of PAGE       writes the documents behind `.\" example: KIND` to NUMBER.KIND; KIND may be records

plain() {
	sed -e 's/\\(dq/"/g' -e "s/\\\\(aq/'/g" -e 's/\\e/\\/g' -e 's/\\&//g' -e 's/\\-/-/g'
}

commands_of() {
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh S/s/^\.Dl \$ //p' "$1" | plain
}

opening_of() {
	grep -A 5 '^\.Sh DESCRIPTION' "$1" | sed -n 's/^\.Dl [$#] //p; s/^[$#] //p' | head -n 1 | plain
}

help_of() {
	"$1" --help | sed -n '/^Examples:/,$s/^  //p' | sed 's/   .*//'
}

documents_of() {
	plain <"$1" | awk '
		/^\.\\" example: / { kind = $3; next }
		/^\.Bd / && kind { name = ++number "." kind; inside = 1; next }
		/^\.Ed/ { inside = 0; kind = ""; next }
		inside { print > name }'
}
