#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0

load case

# make TARGET with the variant under test, into ./root/opt/coopr.
make_here() {
	local san=()

	[[ ${COOPR_BUILD:-} != */build/san/obj ]] || san=(SAN=1)
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$COOPR_ROOT" "${san[@]}" "$1" DESTDIR="$PWD/root" PREFIX=/opt/coopr
}

setup_file() {
	umask 027 # what is installed is for all, whatever the umask
}

@test "make install puts everything below DESTDIR and PREFIX, and it runs from there" {
	make_here install
	same root/opt "$(find root -mindepth 1 -maxdepth 1)"
	PATH=$PWD/root/opt/coopr/bin:/usr/bin:/bin
	cd root/opt/coopr
	run -0 coopr
	contains "$output" "  plan "
	contains "$output" "plan the work"
	run -0 coopr plan --version
	[ -f share/man/man1/coopr.1 ]
	[ -f share/man/man7/coopr-commands.7 ]
	[ -x libexec/coopr/provider/sandbox ]
	for file in bash-completion/completions/coopr bash-completion/completions/coopr-queue zsh/site-functions/_coopr \
		fish/vendor_completions.d/coopr.fish; do
		grep -q 'printed by coopr completion' "share/$file"
	done
	same "" "$(find . -type f \( -name '*.c' -o -name '*.o' -o -name '*.d' \))"
	same "" "$(find . ! -perm -a=r -o -type d ! -perm -a=x)"
	same "$(cd "$COOPR_ROOT/share/coopr" && find . -type f -perm -u=x | sort)" \
		"$(cd share/coopr && find . -type f -perm -a=x | sort)"
}

@test "an installed program finds the catalogue and the plugins that were installed with it" {
	make_here install
	PATH=$PWD/root/opt/coopr/bin:/usr/bin:/bin
	run -0 --separate-stderr coopr-request -t web -n 4 --name shop
	contains "$output" "\"catalogue\":\"$PWD/root/opt/coopr/share/coopr/catalogue\""
}

@test "an installation may be moved" {
	make_here install
	mv root/opt/coopr elsewhere
	PATH=$PWD/elsewhere/bin:/usr/bin:/bin
	run -0 --separate-stderr coopr-request -t web -n 4 --name shop
	contains "$output" "\"catalogue\":\"$PWD/elsewhere/share/coopr/catalogue\""
}

@test "make uninstall takes away every file that make install brought" {
	make_here install
	mkdir -p root/opt/coopr/bin
	echo mine >root/opt/coopr/bin/other
	make_here uninstall
	same root/opt/coopr/bin/other "$(find root ! -type d)"
}

@test "a link to a program works as the program does" {
	ln -s "$COOPR_BIN/coopr" front
	run -0 ./front
	contains "$output" "  plan "
}
