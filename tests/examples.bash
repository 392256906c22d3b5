# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The examples in the manual pages.
#
#	commands_of PAGE        the command lines of its EXAMPLES (".Dl $ ..."), one a line
#	documents_of PAGE       writes the documents behind `.\" example: KIND` to NUMBER.KIND; KIND may be records

plain() {
	sed -e 's/\\(dq/"/g' -e 's/\\e/\\/g' -e 's/\\&//g' -e 's/\\-/-/g'
}

commands_of() {
	sed -n 's/^\.Dl \$ //p' "$1" | plain
}

documents_of() {
	plain <"$1" | awk '
		/^\.\\" example: / { kind = $3; next }
		/^\.Bd / && kind { name = ++number "." kind; inside = 1; next }
		/^\.Ed/ { inside = 0; kind = ""; next }
		inside { print > name }'
}
