# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# A browser that is driven by page.cjs: load it after case and serve, and end it in teardown.
#
#	need_browser              skip where there is none, or nothing to drive it
#	browse SCENARIO VALUE...  does a scenario of page.cjs at $ADDRESS or $SOCKET, while a worker does what it begins
#	browse_end                ends the worker

need_browser() {
	need_program chromium node
	NODE_PATH=${NODE_PATH-$(npm root -g 2>/dev/null)}
	export NODE_PATH
	node -e 'require.resolve("playwright-core"); require.resolve("axe-core")' 2>/dev/null ||
		skip "needs playwright-core and axe-core of npm, where NODE_PATH says"
}

browse() {
	coopr-work >work.log 2>&1 3>&- &
	worker=$!
	node "$COOPR_ROOT/tests/page.cjs" "${ADDRESS:-$SOCKET}" "$@"
}

browse_end() {
	[ -z "${worker-}" ] || kill "$worker"
}
