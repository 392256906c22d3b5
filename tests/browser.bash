# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# A browser that is driven by page.cjs: load it after case and serve, and end it in teardown.
#
#	browser_start             in setup_file, starts one for all tests of the file; without it each scenario has its own
#	browser_end               in teardown_file, ends it
#	need_browser              skip where there is none, or nothing to drive it
#	browse SCENARIO VALUE...  does a scenario of page.cjs at $ADDRESS or $SOCKET, while a worker does what it begins
#	browse_end                ends the worker

browser_is_here() {
	NODE_PATH=${NODE_PATH-$(npm root -g 2>/dev/null)}
	export NODE_PATH
	node -e 'require.resolve("playwright-core"); require.resolve("axe-core")' 2>/dev/null
}

need_browser() {
	need_program chromium node
	[ -n "${BROWSER-}" ] || browser_is_here || skip "needs playwright-core and axe-core of npm, where NODE_PATH says"
}

browser_start() {
	{ command -v chromium node && browser_is_here; } >/dev/null || return 0
	node "$COOPR_ROOT/tests/browser.cjs" >"$BATS_FILE_TMPDIR/browser" 3>&- 4>&- &
	browser=$!
	until grep -q ^ws: "$BATS_FILE_TMPDIR/browser"; do kill -0 "$browser"; sleep 0.05; done
	BROWSER=$(cat "$BATS_FILE_TMPDIR/browser")
	export BROWSER
}

browser_end() {
	[ -z "${browser-}" ] || kill "$browser"
	[ -z "${browser-}" ] || wait "$browser" || true
}

browse() {
	coopr-work >work.log 2>&1 3>&- &
	worker=$!
	node "$COOPR_ROOT/tests/page.cjs" "${ADDRESS:-$SOCKET}" "$@"
}

browse_end() {
	[ -z "${worker-}" ] || kill "$worker"
}
