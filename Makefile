# SPDX-License-Identifier: BSD-3-Clause
# Juggle. `make help` lists the targets; `make V=1` shows the commands.
#
# Every source file is named below. A new file goes into the list of its room; a new program or test is one line.

BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
V       ?= 0

VERSION := $(shell sed -n 's/.*JUGGLE_VERSION "\(.*\)"/\1/p' tools/cli/version.h)

# ---- compiler ------------------------------------------------------------------------------------------------

CC      ?= cc
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla
WERROR  ?=
OPT     := $(if $(DEBUG),-Og -g3,-O2 -g)
SANFLAG := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
CFLAGS  ?=
ALL_CFLAGS  = -std=gnu17 $(OPT) $(WARN) $(WERROR) $(SANFLAG) -fPIC -fvisibility=hidden -pthread -D_GNU_SOURCE -I. $(CFLAGS)
ALL_LDFLAGS = $(SANFLAG) -pthread $(LDFLAGS)

Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' $(1) $(2))

# ---- libraries of the field ----------------------------------------------------------------------------------
# Required: jansson. The others switch a feature on; `make config` says what is missing and what that costs.

have    = $(shell pkg-config --exists $(1) 2>/dev/null && echo 1)
HAVE_HWLOC    := $(call have,hwloc)
HAVE_NL       := $(call have,libnl-genl-3.0)
HAVE_NUMA     := $(call have,numa)
HAVE_NCURSES  := $(call have,ncursesw)
HAVE_SYSTEMD  := $(call have,libsystemd)
HAVE_CHECK    := $(call have,check)

# ---- rooms ---------------------------------------------------------------------------------------------------

POLICY_SRC := libjuggle/policy/machine.c libjuggle/policy/prng.c

CLI_SRC := tools/cli/options.c

# ---- programs: NAME_SRC and NAME_LIBS --------------------------------------------------------------------------

PROGRAMS :=

# ---- tests: one C file each, linked with everything; scripts are run as they are -------------------------------

UNIT_TESTS   := tests/unit/test_prng.c tests/unit/test_options.c
SCRIPT_TESTS :=

# ---- rules -----------------------------------------------------------------------------------------------------

obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

BIN := $(addprefix $(BUILD)/bin/,$(PROGRAMS))
CORE := $(BUILD)/lib/libjuggle-core.a
TEST_BIN := $(patsubst tests/%.c,$(BUILD)/tests/%,$(UNIT_TESTS))

all: $(BIN) $(CORE)

$(CORE): $(call obj,$(POLICY_SRC) $(CLI_SRC))

$(BUILD)/lib/%.a:
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/obj/%.o: %.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $($*_CFLAGS) -MMD -MP -c -o $@ $<

define program_rule
$(BUILD)/bin/$(1): $(call obj,$($(1)_SRC)) $(CORE)
	$(call say,LINK,$$@)
	$(Q)mkdir -p $$(@D) && $(CC) $(ALL_LDFLAGS) -o $$@ $$^ $($(1)_LIBS) -lm
endef
$(foreach name,$(PROGRAMS),$(eval $(call program_rule,$(name))))

$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(CORE)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_LDFLAGS) -o $@ $^ $(TEST_LIBS) $(shell pkg-config --libs check) -lm

check: all $(TEST_BIN)
	$(Q)BUILD=$(BUILD) tests/run $(TEST_BIN) $(SCRIPT_TESTS)

clean:
	$(Q)rm -rf $(BUILD)

.PHONY: all check clean
.SECONDARY:
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
