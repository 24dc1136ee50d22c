# SPDX-License-Identifier: BSD-3-Clause
obj        = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
flavor_obj = $(patsubst %.c,$(BUILD)/obj/$(1)/%.o,$(2))
flavored   = $(foreach flavor,$(FLAVORS),$(addsuffix .$(flavor),$(1)))
# A library's three names: the file, the name that programs load, and the name that the linker looks for.
so_names   = $(1).so.$(SOVERSION) $(1).so.$(SOMAJOR) $(1).so

# A preloaded object that makes calls of a program fail. Not built with sanitizers, which intercept the same calls.
FAIL     := $(if $(SAN),,$(BUILD)/tests/lib/fail.so)
CORE     := $(BUILD)/lib/libjuggle-core.a
# Archives of rooms are rebuilt when a room has other files, or when these rules change.
ROOMS    := $(MAKEFILE_LIST) $(BUILD)/sources
$(BUILD)/sources: CONTENT := $(CORE_SRC) $(STEAL_MPI_SRC) $(TEST_LIB_SRC)
ifeq ($(MAKECMDGOALS),check-threads)
# Only the sources that its tests need: code without threads is not built for them.
CORE     := $(BUILD)/lib/libjuggle-threads.a
CORE_SRC := $(sort $(LIBJUGGLE_SRC) $(LIBSTEAL_SRC) $(CLI_SRC) $(WAIT_STYLE_SRC) $(call room,juggle juggle/prepare) $(STEAL_SIM_SRC) $(UBENCH_SRC) \
            $(if $(SERVICE),$(call room,juggled juggled/care juggled/rules) juggled/talk/credentials.c))
TEST_LIB_SRC := $(filter-out tests/sim/%,$(TEST_LIB_SRC))
endif
TEST_LIB := $(BUILD)/lib/libjuggle-test.a
BIN      := $(addprefix $(BUILD)/bin/,$(PROGRAMS) $(LOCAL_PROGRAMS) $(call flavored,$(MPI_PROGRAMS) $(LOCAL_MPI_PROGRAMS)) \
            $(if $(FLAVORS),$(MPI_PROGRAMS)))

# With a sanitizer these objects could not be loaded into programs that were built without.
PRELOADED := $(if $(SAN),,$(foreach flavor,$(FLAVORS),$(BUILD)/lib/$(flavor)/libjuggle-waiting.so) \
             $(BUILD)/lib/libjuggle-spinning.so $(call pick,OMPT,$(BUILD)/lib/libjuggle-ompt.so))

LIB      := $(addprefix $(BUILD)/lib/,$(call so_names,libjuggle) libjuggle.a) \
            $(foreach flavor,$(FLAVORS),$(addprefix $(BUILD)/lib/$(flavor)/, \
            $(call so_names,libjuggle-steal) libjuggle-steal.a)) $(PRELOADED)

test_bin  = $(patsubst tests/%.c,$(BUILD)/tests/%,$(1))
UNIT_TEST_BIN  := $(call test_bin,$(UNIT_TESTS))
CORE_TEST_BIN  := $(UNIT_TEST_BIN) $(call test_bin,$(SIM_TESTS))
LIVE_TEST_BIN  := $(call test_bin,$(LIVE_TESTS))
HELPER_BIN     := $(call test_bin,$(TEST_PROGRAMS)) $(call flavored,$(call test_bin,$(MPI_TEST_PROGRAMS)))

ALL_SRC  := $(sort $(CORE_SRC) $(foreach flavor,$(FLAVORS),$(PRELOAD_$(flavor)_SRC)) $(PRELOAD_SPIN_SRC) $(if $(HAVE_OMPT),$(PRELOAD_OMPT_SRC)) $(if $(HAVE_SLURM),$(SLURM_SRC)) \
            $(foreach name,$(PROGRAMS) $(LOCAL_PROGRAMS),$($(name)_SRC)) \
            $(UNIT_TESTS) $(SIM_TESTS) $(LIVE_TESTS) $(TEST_LIB_SRC) $(TEST_PROGRAMS) tests/lib/fail.c tests/lib/blocks.c)
MPI_SRC  := $(sort $(STEAL_MPI_SRC) $(PRELOAD_MPI_SRC) $(foreach name,$(MPI_PROGRAMS) $(LOCAL_MPI_PROGRAMS),$($(name)_SRC)) $(MPI_TEST_PROGRAMS))
OBJ      := $(call obj,$(ALL_SRC)) $(foreach flavor,$(FLAVORS),$(call flavor_obj,$(flavor),$(MPI_SRC)))

all: $(BIN) $(LIB) $(call pick,JANSSON,$(CORE)) ## build programs and libraries (the default)
	$(if $(HAVE_JANSSON),,@echo 'only the libraries were built, as $(call pick,PKGCONF,libjansson-dev,pkgconf) is missing: make config tells more' >&2)
everything: testable all $(CORE_TEST_BIN) $(LIVE_TEST_BIN) $(HELPER_BIN) $(FAIL) ## build the tests too

# Tests need jansson, too.
testable:
	$(if $(and $(HAVE_JANSSON),$(HAVE_CHECK)),,@echo 'there are no tests, as $(call pick,PKGCONF,$(call pick,JANSSON,check,libjansson-dev),pkgconf) is missing: make config tells more' >&2; exit 1)
.PHONY: testable

# Objects depend on the flags, templates on the paths, archives on the list of sources. These files change only when their content
# does.
$(BUILD)/flags: CONTENT = $(CC) $(filter-out $(WERROR),$(ALL_CFLAGS)) $(ALL_LDFLAGS)
$(BUILD)/paths: CONTENT = $(foreach name,$(TEMPLATE_NAMES),$(name)=$($(name)))
$(BUILD)/flags $(BUILD)/paths $(BUILD)/sources: FORCE
	@mkdir -p $(@D); echo '$(CONTENT)' | cmp -s - $@ || echo '$(CONTENT)' >$@

$(BUILD)/%: %.in $(BUILD)/paths
	$(call say,MAKE,$@)
	$(Q)mkdir -p $(@D) && sed $(call fill,$(TEMPLATE_NAMES)) $< >$@
fill = $(foreach name,$(1),-e 's|@$(name)@|$($(name))|g')

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $($*_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/tests/lib/fail.so: $(addprefix $(BUILD)/obj/,tests/lib/fail.o tests/lib/blocks.o)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) -shared $(ALL_LDFLAGS) -o $@ $^ -ldl

$(BUILD)/lib/%.a: $(ROOMS)
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

$(BUILD)/lib/%.so.$(SOVERSION): $(ROOMS)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) -shared $(ALL_LDFLAGS) $(if $(SAN),,-Wl$(comma)-z$(comma)defs) \
	    -Wl,-soname,$(notdir $*).so.$(SOMAJOR) -Wl,--version-script=$(filter %.map,$^) \
	    -o $@ $(filter %.o,$^) $(SO_LIBS) $(PACKAGE_LIBS) -lm

%.so.$(SOMAJOR) %.so: %.so.$(SOVERSION)
	$(Q)ln -sf $(<F) $*.so.$(SOMAJOR) && ln -sf $(<F) $*.so

LIBJUGGLE_OBJ := $(call obj,$(LIBJUGGLE_SRC))
LIBSTEAL_OBJ  := $(call obj,$(LIBSTEAL_SRC))
$(CORE): $(call obj,$(CORE_SRC))
$(TEST_LIB): $(call obj,$(TEST_LIB_SRC))

# The archive for other programs: one object that exports only the names of the interface. It contains machine code, because names
# can only be hidden there: with -flto, GNU's compiler would leave that to the link of the program.
OBJCOPY ?= objcopy
NOW      = $(if $(findstring -flto,$(ALL_CFLAGS)),$(if $(findstring clang,$(CC)),-flto,-flinker-output=nolto-rel))
define public_archive
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(CC) $(NOW) -r -nostdlib -o $@.o $(filter %.o,$^) && \
	    $(OBJCOPY) --wildcard --keep-global-symbol='$(1)_*' $@.o && $(AR) rcs $@ $@.o && rm $@.o
endef
$(BUILD)/lib/libjuggle.a: $(LIBJUGGLE_OBJ) $(ROOMS)
	$(call public_archive,juggle)
$(BUILD)/lib/libjuggle.so.$(SOVERSION): $(LIBJUGGLE_OBJ) libjuggle/libjuggle.map

# No program links with these objects: they have no version, and do not depend on the libraries whose functions they replace.
# -Bsymbolic-functions: calls between their functions stay inside, even if a program has functions of the same names, which call
# these in turn. -z noseparate-code: each process that a program starts loads them, and two segments instead of four take 15 us
# less.
$(PRELOADED): libjuggle/preload/libjuggle-waiting.map $(MAKEFILE_LIST)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) -shared $(ALL_LDFLAGS) $(if $(SAN),,-Wl$(comma)-z$(comma)defs) -Wl,-z,noseparate-code \
	    -Wl,-soname,$(@F) -Wl,-Bsymbolic-functions -Wl,--version-script=$(filter %.map,$^) -o $@ $(filter %.o,$^) -ldl
$(BUILD)/lib/libjuggle-ompt.so: $(call obj,$(PRELOAD_OMPT_SRC))
$(BUILD)/lib/libjuggle-spinning.so: $(call obj,$(PRELOAD_SPIN_SRC))

# The assembler copies the interface description into the program. -fno-lto: it must do so when this file is compiled, not when it
# is linked, because with link-time optimization the linker does not find a symbol in an archive that assembler code defines.
juggled/talk/description_CFLAGS := -fno-lto
$(BUILD)/obj/juggled/talk/description.o: juggled/talk/io.juggle.varlink

define flavor_rules
$(BUILD)/obj/$(1)/%.o: %.c $(BUILD)/flags
	$$(call say,CC,$$<' ($(1))')
	$(Q)mkdir -p $$(@D) && $(CC) $(ALL_CFLAGS) $$($$*_CFLAGS) $($(1)_CFLAGS) -MMD -MP -c -o $$@ $$<

$(BUILD)/lib/$(1)/libjuggle-steal-core.a: $(call flavor_obj,$(1),$(STEAL_MPI_SRC)) $(LIBSTEAL_OBJ)
$(BUILD)/lib/$(1)/libjuggle-steal.a: $(call flavor_obj,$(1),$(STEAL_MPI_SRC)) $(LIBSTEAL_OBJ) $(ROOMS)
	$$(call public_archive,steal)
$(BUILD)/lib/$(1)/libjuggle-steal.so.$(SOVERSION): SO_LIBS = $($(1)_LIBS)
$(BUILD)/lib/$(1)/libjuggle-steal.so.$(SOVERSION): $(call flavor_obj,$(1),$(STEAL_MPI_SRC)) \
    $(LIBSTEAL_OBJ) libjuggle/libjuggle-steal.map

$(BUILD)/lib/$(1)/libjuggle-waiting.so: $(call flavor_obj,$(1),$(PRELOAD_MPI_SRC)) $(call obj,$(PRELOAD_$(1)_SRC))

$(BUILD)/libjuggle/libjuggle-steal-$(1).pc: libjuggle/libjuggle-steal.pc.in $(BUILD)/paths
	$$(call say,MAKE,$$@)
	$(Q)mkdir -p $$(@D) && sed $(call fill,$(TEMPLATE_NAMES)) -e 's|@FLAVOR@|$(1)|g; s|@FLAVOR_LIBS@|$($(1)_LIBS)|g' $$< >$$@

$(BUILD)/tests/%.$(1): $(BUILD)/obj/$(1)/tests/%.o $(BUILD)/lib/$(1)/libjuggle-steal-core.a $(CORE)
	$$(call say,LINK,$$@)
	$(Q)mkdir -p $$(@D) && $(CC) $(ALL_LDFLAGS) -o $$@ $$^ $($(1)_LIBS) $(PACKAGE_LIBS) -lm
endef
$(foreach flavor,$(FLAVORS),$(eval $(call flavor_rules,$(flavor))))

define program_rule
$(BUILD)/bin/$(1): $(call obj,$($(1)_SRC)) $(CORE)
	$$(call say,LINK,$$@)
	$(Q)mkdir -p $$(@D) && $(CC) $(ALL_LDFLAGS) -o $$@ $$^ $($(1)_LIBS) $(PACKAGE_LIBS) -lm
endef
$(foreach name,$(PROGRAMS) $(LOCAL_PROGRAMS),$(eval $(call program_rule,$(name))))

define mpi_program_rule
$(BUILD)/bin/$(1).$(2): $(call flavor_obj,$(2),$($(1)_SRC)) $(BUILD)/lib/$(2)/libjuggle-steal-core.a $(CORE)
	$$(call say,LINK,$$@)
	$(Q)mkdir -p $$(@D) && $(CC) $(ALL_LDFLAGS) -o $$@ $$^ $($(1)_LIBS) $($(2)_LIBS) $(PACKAGE_LIBS) -lm
endef
$(foreach name,$(MPI_PROGRAMS) $(LOCAL_MPI_PROGRAMS),$(foreach flavor,$(FLAVORS),$(eval $(call mpi_program_rule,$(name),$(flavor)))))

$(addprefix $(BUILD)/bin/,$(MPI_PROGRAMS)): %: %.$(DEFAULT_FLAVOR)
	$(Q)ln -sf $(<F) $@

# Objects that are otherwise only in preloaded objects.
$(BUILD)/tests/unit/test_waiter: $(call obj,libjuggle/preload/next.c libjuggle/preload/waiter.c)
$(BUILD)/tests/unit/test_calls: $(call obj,libjuggle/preload/calls.c)
$(BUILD)/tests/unit/test_patience: $(call obj,libjuggle/waiting/patience.c)
$(BUILD)/tests/unit/test_traps: $(call obj,$(addprefix libjuggle/preload/,loops.c next.c traps.c waiter.c))
$(BUILD)/tests/unit/test_samplers: $(call obj,$(addprefix libjuggle/preload/,samplers.c waiter.c))
unit/test_waiter_LIBS   = $(CORE) -ldl
unit/test_traps_LIBS    = $(CORE) -ldl
unit/test_samplers_LIBS = $(CORE)
$(CORE_TEST_BIN) $(LIVE_TEST_BIN): TEST_LIBS = $(shell pkg-config --libs check)
$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(TEST_LIB) $(CORE)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_LDFLAGS) -o $@ $^ $($*_LIBS) $(TEST_LIBS) $(PACKAGE_LIBS) -lm
