# SPDX-License-Identifier: Apache-2.0
#
# make            build everything, here: bin/ and libexec/ of this tree are runnable at once (V=1 shows the calls)
# make check      run the tests (SAN=1: under ASan, UBSan and LSan; TESTS="FILE ...": only these)
# make torture    the spool under kill, loss of power, failing disks and load: every point, where check takes some; random lives of clusters
#                 at each cloud, fakes, podman, OpenStack and LXD, for CLOUD_SECONDS in all, other ones with another SEED
# make test-clouds  whole clouds on this machine, and the clients that others wrote: tests/cloud/*.bats
# make test       install what the tests need, then check
# make lint       warnings as errors, cppcheck, clang-tidy, shellcheck, mandoc
# make bench      figures, with the peers' in the same run (BENCH="solve plan ...": only these; make bench-solve, too)
# make fuzz       fuzz the readers for FUZZ_SECONDS each
# make demo       a real web cluster on sandbox nodes; make undemo takes it down
# make deb        build/coopr.deb, the package for Debian
# make install    DESTDIR= PREFIX=/usr/local; make uninstall
# make clean      remove what was built

PREFIX = /usr/local
DESTDIR =
VERSION = 0.2

CC = cc
CFLAGS = -O2 -g
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wmissing-prototypes -Wstrict-prototypes \
	-Wwrite-strings -Wvla -Wconversion
HARDENING = -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fstack-clash-protection -fPIE
# Control-flow enforcement, where the processor has it. A linker marks a program for it only if all objects are marked, and the C library's
# startup objects often are not. A shadow stack asks nothing of those, so programs are marked for that in any case; for indirect
# branches (IBT), where the library's objects are.
X86_64 := $(filter x86_64-%,$(shell $(CC) -dumpmachine))
HARDENING += $(if $(X86_64),-fcf-protection)
MARKS = $(if $(X86_64),-Wl$(comma)-z$(comma)shstk)
comma = ,
CPPFLAGS = -D_GNU_SOURCE -DCOOPR_VERSION='"$(VERSION)"' -Ilib -isystem /usr/include/libxml2
LDFLAGS = -pie -Wl,-z,relro,-z,now -Wl,--as-needed
LDLIBS = -lvirt -ljq -lmicrohttpd -lgnutls -lyaml -lsodium -lsqlite3 -lcurl -larchive -lxml2 -lm

# A variant of the build has a tree of its own, so that switching rebuilds nothing.
OUT = .
BUILD = build/plain
ifdef SAN
OUT = build/san
BUILD = build/san/obj
CFLAGS = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
HARDENING = -fPIE
MARKS =
endif

LIB_SOURCES = $(shell find lib -name '*.c' | sort)
# What one command alone consists of, beside its own file: its subcommands.
COMMAND_SOURCES = $(wildcard bin/*/*.c)
PROGRAM_SOURCES = $(wildcard bin/*.c libexec/coopr/*.c libexec/coopr/*/*.c)
TEST_SOURCES = $(wildcard tests/*.c tests/unit/*.c)
FUZZ_SOURCES = $(wildcard tests/fuzz/*.c)
BENCH_SOURCES = $(wildcard tests/bench/*.c)
PAGES = $(wildcard man/man*/*.[1-8])
# Further names of commands: a command does what the name says that it is called by.
LINKS = bin/coopr-abort bin/coopr-inventory bin/coopr-logout bin/coopr-remove bin/coopr-restart bin/coopr-resume bin/coopr-stop libexec/coopr/provider/aws \
	libexec/coopr/automator/chef-solo
BUILT = $(PROGRAM_SOURCES:%.c=%) $(LINKS)
# Programs in another language; a variant's tree has links to them.
SCRIPTS = $(filter-out %.c %.h %.md $(BUILT),$(shell find bin libexec -type f 2>/dev/null))

SOURCES = $(LIB_SOURCES) $(COMMAND_SOURCES) $(PROGRAM_SOURCES) $(TEST_SOURCES) $(FUZZ_SOURCES) $(BENCH_SOURCES)

LIB = $(BUILD)/libcoopr.a
LIB_OBJECTS = $(LIB_SOURCES:%.c=$(BUILD)/%.o)
SUBCOMMANDS = $(BUILD)/subcommands.a
PROGRAMS = $(PROGRAM_SOURCES:%.c=$(OUT)/%)
TESTS_BUILT = $(TEST_SOURCES:%.c=$(BUILD)/%)
BENCH_BUILT = $(BENCH_SOURCES:%.c=$(BUILD)/%)
# What was built of sources that have since been renamed or removed: archives would keep it, and tests/run would run it.
STALE = $(filter-out $(SOURCES:%.c=$(BUILD)/%.o),$(shell find $(BUILD) -name '*.o' 2>/dev/null))

all: $(BUILT:%=$(OUT)/%)

# A line a file: $(call run,CC,$<) stands before what is run, and make V=1 shows that itself.
ifdef V
run =
else ifneq ($(findstring s,$(firstword -$(MAKEFLAGS))),)
run = @
else
run = @printf '%-4s %s\n' $(1) $(2) &&
endif

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call run,CC,$<) $(CC) $(CPPFLAGS) $(CFLAGS) $(HARDENING) -std=c11 $(WARNINGS) -MMD -MP -c -o $@ $<

ifneq ($(STALE),)
$(LIB) $(SUBCOMMANDS): prune
endif
prune:
	@rm -f $(STALE) $(STALE:.o=.d) $(patsubst %.o,%,$(filter $(BUILD)/tests/%,$(STALE)))

$(LIB): $(LIB_OBJECTS)
	@rm -f $@
	$(call run,AR,$@) ar rcs $@ $(LIB_OBJECTS)

$(SUBCOMMANDS): $(COMMAND_SOURCES:%.c=$(BUILD)/%.o)
	@rm -f $@
	$(call run,AR,$@) ar rcs $@ $(filter %.o,$^)

$(PROGRAMS): $(OUT)/%: $(BUILD)/%.o $(SUBCOMMANDS) $(LIB)
	@mkdir -p $(@D)
	$(call run,LD,$@) $(CC) $(CFLAGS) $(LDFLAGS) $(MARKS) -o $@ $< $(SUBCOMMANDS) $(LIB) $(LDLIBS)

$(OUT)/bin/coopr-abort $(OUT)/bin/coopr-resume: $(OUT)/bin/coopr-pause
$(OUT)/bin/coopr-inventory: $(OUT)/bin/coopr-ssh-config
$(OUT)/bin/coopr-logout: $(OUT)/bin/coopr-login
$(OUT)/bin/coopr-remove: $(OUT)/bin/coopr-add
$(OUT)/bin/coopr-restart $(OUT)/bin/coopr-stop: $(OUT)/bin/coopr-start
$(OUT)/libexec/coopr/provider/aws: $(OUT)/libexec/coopr/provider/ec2
$(OUT)/libexec/coopr/automator/chef-solo: $(OUT)/libexec/coopr/automator/chef
$(LINKS:%=$(OUT)/%):
	$(call run,LN,$@) ln -f $< $@

$(TESTS_BUILT) $(BENCH_BUILT): %: %.o $(LIB)
	$(call run,LD,$@) $(CC) $(CFLAGS) $(LDFLAGS) $(MARKS) -o $@ $< $(LIB) $(LDLIBS)

ifdef SAN
all: $(OUT)/share $(OUT)/man $(SCRIPTS:%=$(OUT)/%)

$(OUT)/share $(OUT)/man $(SCRIPTS:%=$(OUT)/%): $(OUT)/%:
	@mkdir -p $(@D)
	ln -sfn $(CURDIR)/$* $@
endif

# --- tests ---

# Debian's names. make and a compiler build it; libjq reads and prints all JSON, libyaml reads YAML, libcurl calls hooks, libxml2 reads what clouds answer, libvirt asks hosts for machines.
BUILD_PACKAGES = gcc libarchive-dev libc6-dev libcurl4-openssl-dev libgnutls28-dev libjq-dev libmicrohttpd-dev libsodium-dev libsqlite3-dev libvirt-dev libxml2-dev libyaml-dev make
# The sandbox's nodes are namespaces with a bridge, an overlay of this machine and an sshd.
RUN_PACKAGES = e2fsprogs iproute2 openssh-client openssh-server util-linux
DEB_PACKAGES = debhelper dpkg-dev lintian
TEST_PACKAGES = $(DEB_PACKAGES) bats busybox curl fish git gojq graphviz jq mandoc nftables openssl procps python3 python3-jsonschema python3-yaml sqlite3 strace uidmap wrk zsh
LINT_PACKAGES = clang clang-tidy cppcheck fish mandoc shellcheck zsh
FUZZ_PACKAGES = clang libclang-rt-dev

# Where package.bats is run, which wants to be root and to have these tools, the package is made before: beside other tests that takes too long.
PACKAGE_TESTED = $(shell [ "$$(id -u)" -eq 0 ] && command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null && command -v lintian)

# The package of the tests has no symbols for a debugger beside it, and is compiled and packed in a hurry. It comes first: much of it,
# lintian above all, is done by one process, beside which the rest is compiled.
check: export DEB_BUILD_OPTIONS = noautodbgsym
check: export DEB_CFLAGS_APPEND = -O1 -g0
check: export DPKG_DEB_COMPRESSOR_LEVEL = 1
check: $(if $(TESTS),,$(if $(PACKAGE_TESTED),deb)) all $(TESTS_BUILT)
	tests/run $(OUT) $(BUILD) $(TESTS)

# A second make: the first could not know of a compiler that was not there yet.
test:
	tests/install-packages $(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES)
	@$(MAKE) --no-print-directory check

TORTURE = $(addprefix $(BUILD)/tests/unit/,queue-crash queue-rot queue-judge queue-week store-affected store-crash) \
	$(wildcard tests/crash.bats tests/backup.bats tests/coopr-apply.bats tests/coopr-create.bats tests/operations.bats tests/operations-crash.bats tests/coopr-run.bats tests/load.bats tests/power.bats tests/queue-faults.bats tests/queue-load.bats \
	tests/queue-stopped.bats tests/truth-random.bats tests/work-stopped.bats tests/pipe-full.bats tests/cloud/catalogue-kills.bats tests/cloud/chaos.bats)

torture: CLOUD_SECONDS = 3600
torture: all $(TESTS_BUILT)
	CRASH_ALL=1 CRASH_STEP=1 POWER_STEP=1 FAULT_STEP=1 STOP_STEP=1 LOAD=200 LOAD_JOBS=1000 ROT_SEEDS=10000 JUDGE_CASES=2000 AFFECTED_CASES=20000 WEEK_STEPS=50000 LOAD_ROUNDS=5 TRUTH_SEEDS=40 TRUTH_STEPS=25 CLOUD_ALL=1 CLOUD_SECONDS=$(CLOUD_SECONDS) ROUNDS=20 \
	    TEST_TIME=7200 tests/run $(OUT) $(BUILD) $(TORTURE)

# Whole clouds, and the clients that others have written for them; each file installs what it needs, or skips with the reason.
test-clouds: all $(TESTS_BUILT)
	TEST_TIME=3600 TEST_JOBS=1 tests/run $(OUT) $(BUILD) $(wildcard tests/cloud/*.bats)

bench: all $(BENCH_BUILT)
	tests/bench/run $(OUT) $(BUILD) $(BENCH)

bench-solve: BENCH = solve
bench-solve: bench

demo:
	tests/install-packages $(BUILD_PACKAGES) $(RUN_PACKAGES) curl
	@$(MAKE) --no-print-directory all
	tests/demo up

undemo:
	tests/demo down

# --- lint: every tool over every file it understands; a stamp in build/lint/ says that a file is clean ---

SHELL_SCRIPTS = $(shell grep -rlE '^\#!/(bin/|usr/bin/env )(ba)?sh' bin libexec share tests .ci)

# In bats a test is a function that runs apart, "run" sets variables, and files share them with what they load;
# quotes inside quotes are what JSON in a shell looks like; done is also a subcommand of coopr-queue.
LINT_BATS = -e SC1003,SC1010,SC2013,SC2016,SC2028,SC2030,SC2031,SC2034,SC2089,SC2090,SC2094,SC2119,SC2120,SC2129,SC2153,SC2154,SC2238

lint: $(SOURCES:%.c=build/lint/%.o) $(SOURCES:%.c=build/lint/%.tidy)
	cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --inline-suppr \
	    --suppress=missingIncludeSystem --suppress=varFuncNullUB -j 2 --std=c11 -D_GNU_SOURCE -Ilib $(SOURCES)
	shellcheck $(SHELL_SCRIPTS) share/coopr/completions/coopr.bash
	zsh -n share/coopr/completions/_coopr
	fish -n share/coopr/completions/coopr.fish
	shellcheck -s bats $(LINT_BATS) $(wildcard tests/*.bats tests/*/*.bats tests/*.bash)
	mandoc -Tlint -W warning $(PAGES)

build/lint/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call run,LINT,$<) $(CC) $(CPPFLAGS) -O2 $(HARDENING) -std=c11 $(WARNINGS) -Werror -MMD -MP -c -o $@ $<

build/lint/%.tidy: %.c .clang-tidy build/lint/%.o
	$(call run,TIDY,$<) clang-tidy --quiet --warnings-as-errors='*' $< -- $(CPPFLAGS) -std=c11
	@touch $@

# --- fuzz: one program per file in tests/fuzz, its seeds in tests/fuzz/seeds/NAME/ ---

FUZZ_SECONDS = 60
FUZZ_FLAGS = -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
FUZZERS = $(FUZZ_SOURCES:tests/fuzz/%.c=build/fuzz/%)

fuzz: all $(FUZZERS)
	tests/fuzz/run $(FUZZ_SECONDS) $(FUZZERS)

$(FUZZERS): build/fuzz/%: build/fuzz/tests/fuzz/%.o $(LIB_SOURCES:%.c=build/fuzz/%.o)
	$(call run,LD,$@) clang $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

build/fuzz/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call run,CC,$<) clang $(CPPFLAGS) $(FUZZ_FLAGS) -std=c11 -MMD -MP -c -o $@ $<

# --- package: built in a copy, so that nothing of this tree's build is taken into it ---

# With the folders: a file that is gone changes its folder. What is built is in bin and libexec, too. The package is as old as the copy
# that it was made of: a file that is changed meanwhile makes it anew.
PACKAGED = Makefile LICENSE README.md $(shell find debian lib man share) $(wildcard bin/*.c bin/*/*.[ch]) \
	$(wildcard libexec/coopr/*.c libexec/coopr/*/*.c) $(SCRIPTS)

deb: build/coopr.deb

build/coopr.deb: $(PACKAGED)
	tests/install-packages $(BUILD_PACKAGES) $(DEB_PACKAGES)
	@rm -rf build/deb && mkdir -p build/deb/coopr && touch build/deb/began
	tar -c --exclude=./build --exclude=./.git . | tar -x -C build/deb/coopr
	cd build/deb/coopr && env -u MAKEFLAGS -u MAKELEVEL -u SAN -u TESTS dpkg-buildpackage --build=binary --no-sign
	mkdir build/deb/tmp
	TMPDIR=$(CURDIR)/build/deb/tmp lintian --allow-root --pedantic --fail-on error,warning,info,pedantic build/deb/coopr_*.changes >build/deb/lintian || \
	    { cat build/deb/lintian; exit 1; }
	cp build/deb/coopr_*.deb $@
	@touch -r build/deb/began $@

# --- install: the source tree is the installed tree, but for the man pages, which go to share/man ---

ROOT = $(DESTDIR)$(PREFIX)
INSTALLED = $(BUILT) $(SCRIPTS)
DATA = $(sort $(shell find share/coopr -type f))
# Where shells look for the completion of a command, each by its name.
COMMANDS = $(notdir $(filter bin/%,$(BUILT)))
BASH_COMPLETIONS = $(COMMANDS:%=share/bash-completion/completions/%)
ZSH_COMPLETION = share/zsh/site-functions/_coopr
FISH_COMPLETIONS = $(COMMANDS:%=share/fish/vendor_completions.d/%.fish)

install: all
	for f in $(INSTALLED); do install -D -m 755 $(OUT)/$$f $(ROOT)/$$f || exit 1; done
	for f in $(PAGES); do install -D -m 644 $$f $(ROOT)/share/$$f || exit 1; done
	for f in $(DATA); do \
	    if [ -x $$f ]; then mode=755; else mode=644; fi; \
	    install -D -m $$mode $$f $(ROOT)/$$f || exit 1; done
	for f in $(BASH_COMPLETIONS); do install -D -m 644 share/coopr/completions/coopr.bash $(ROOT)/$$f || exit 1; done
	install -D -m 644 share/coopr/completions/_coopr $(ROOT)/$(ZSH_COMPLETION)
	for f in $(FISH_COMPLETIONS); do install -D -m 644 share/coopr/completions/coopr.fish $(ROOT)/$$f || exit 1; done

uninstall:
	rm -f $(INSTALLED:%=$(ROOT)/%) $(PAGES:%=$(ROOT)/share/%)
	rm -f $(BASH_COMPLETIONS:%=$(ROOT)/%) $(ROOT)/$(ZSH_COMPLETION) $(FISH_COMPLETIONS:%=$(ROOT)/%)
	rm -rf $(ROOT)/libexec/coopr $(ROOT)/share/coopr

clean:
	rm -rf build $(BUILT)

-include $(shell find build -path build/deb -prune -o -name '*.d' -type f -print 2>/dev/null)

.PHONY: all prune check test-clouds torture test bench bench-solve demo undemo lint fuzz deb install uninstall clean
.DELETE_ON_ERROR:
.SECONDARY:
