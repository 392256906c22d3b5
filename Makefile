# SPDX-License-Identifier: Apache-2.0
#
# make            build everything, here: bin/ and libexec/ of this tree are runnable at once
# make check      run the tests (SAN=1: under ASan, UBSan and LSan)
# make test       install what the tests need, then check
# make lint       warnings as errors, cppcheck, clang-tidy, shellcheck, mandoc
# make bench      figures, with the peers' in the same run
# make fuzz       fuzz the readers for FUZZ_SECONDS each
# make demo       a real web cluster on sandbox nodes; make undemo takes it down
# make install    DESTDIR= PREFIX=/usr/local

PREFIX = /usr/local
DESTDIR =
VERSION = 0.1

CC = cc
CFLAGS = -O2 -g
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wmissing-prototypes -Wstrict-prototypes \
	-Wwrite-strings -Wvla -Wconversion
HARDENING = -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE
CPPFLAGS = -D_GNU_SOURCE -DCOOPR_VERSION='"$(VERSION)"' -Ilib
LDFLAGS = -pie -Wl,-z,relro,-z,now -Wl,--as-needed
LDLIBS = -ljq -lm

# A variant of the build has a tree of its own, so that switching rebuilds nothing.
OUT = .
BUILD = build/plain
ifdef SAN
OUT = build/san
BUILD = build/san/obj
CFLAGS = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
HARDENING = -fPIE
endif

LIB_SOURCES = $(wildcard lib/*/*.c)
LIB_OBJECTS = $(LIB_SOURCES:%.c=$(BUILD)/%.o)
LIB = $(BUILD)/libcoopr.a
PROGRAM_SOURCES = $(wildcard bin/*.c libexec/coopr/*.c libexec/coopr/*/*.c)
PROGRAMS = $(PROGRAM_SOURCES:%.c=$(OUT)/%)
SCRIPTS = $(filter-out %.c %/README,$(shell git ls-files libexec bin 2>/dev/null))
UNIT_SOURCES = $(wildcard tests/unit/*.c)
UNIT_TESTS = $(UNIT_SOURCES:%.c=$(BUILD)/%)

all: $(PROGRAMS)

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(HARDENING) -std=c11 $(WARNINGS) -MMD -MP -c -o $@ $<

$(LIB): $(LIB_OBJECTS)
	@rm -f $@
	ar rcs $@ $(LIB_OBJECTS)

$(PROGRAMS): $(OUT)/%: $(BUILD)/%.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(LDLIBS)

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(LDLIBS)

build/san/share:
	@mkdir -p $(@D)
	ln -sfn ../../share $@

ifdef SAN
all: build/san/share
endif

check: all $(UNIT_TESTS)
	tests/run $(OUT) $(BUILD)

clean:
	rm -rf build $(PROGRAM_SOURCES:%.c=%)

-include $(LIB_OBJECTS:.o=.d) $(PROGRAM_SOURCES:%.c=$(BUILD)/%.d) $(UNIT_SOURCES:%.c=$(BUILD)/%.d)

.PHONY: all check clean
.DELETE_ON_ERROR:
.SECONDARY:
