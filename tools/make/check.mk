# SPDX-License-Identifier: BSD-3-Clause
# Runs the tests that tests.mk names, benchmarks, fuzzers and linters.

RUN = $(Q)BUILD='$(BUILD)' CC='$(CC)' SAN='$(SAN)' FLAVORS='$(FLAVORS)' PROGRAMS='$(PROGRAMS) $(MPI_PROGRAMS)' \
      PURE_OBJECTS='$(call obj,$(GROUND_SRC) $(THEORY_SRC) $(POLICY_SRC) $(PROTOCOL_SRC) $(PLACEMENT_SRC))' \
      UNTHREADED_TESTS='$(filter-out $(call test_bin,$(THREAD_TESTS)),$(UNIT_TEST_BIN))' \
      ROOM_OBJECTS='$(call obj,$(CORE_SRC))' LIBRARY_OBJECTS='$(call obj,$(sort $(LIBJUGGLE_SRC) $(LIBSTEAL_SRC)))' tests/run

# How many tests that only compute run at a time.
TEST_JOBS   ?= $(shell nproc)
QUICK_TESTS  = $(HOUSE_TESTS) $(filter-out $(LIVE_SCRIPTS),$(SCRIPT_TESTS)) $(CORE_TEST_BIN)

check: everything ## build and run every test
	$(RUN) -j $(TEST_JOBS) $(QUICK_TESTS) --alone $(LIVE_SCRIPTS) $(LIVE_TEST_BIN)

check-quick: everything ## only the house, unit and simulated tests
	$(RUN) -j $(TEST_JOBS) $(QUICK_TESTS)

check-measure: everything ## only the live tests that measure: for a machine that does nothing else
	$(RUN) $(MEASURING_TESTS)

# test_service_strangers is left out: check-service runs it, with sanitizers.
APART_TESTS = $(filter %/test_disturbances %/test_lab,$(LIVE_SCRIPTS)) $(LIVE_TEST_BIN)
check-live: everything ## only the live tests of juggle and juggled that measure nothing, without those of check-apart
	$(RUN) $(filter-out $(MEASURING_TESTS) $(APART_TESTS) tests/live/test_service_strangers tests/mpi/%,$(LIVE_SCRIPTS))

check-apart: everything ## only the live tests of disturbances, in virtual machines and in C: two minutes that may be beside check-live
	$(RUN) $(APART_TESTS)

check-mpi: everything ## only the live tests of the runtime that measure nothing
	$(RUN) $(filter tests/mpi/%,$(LIVE_SCRIPTS))

check-core: testable $(CORE_TEST_BIN) ## only the tests that need nothing of this machine (for SAN= builds)
	$(RUN) -j $(TEST_JOBS) $(CORE_TEST_BIN)

check-unit: testable $(UNIT_TEST_BIN) ## only the unit tests
	$(RUN) -j $(TEST_JOBS) $(UNIT_TEST_BIN)

check-threads: testable $(call test_bin,$(THREAD_TESTS)) ## only the unit tests that create threads (for SAN=thread)
	$(RUN) -j $(TEST_JOBS) $(call test_bin,$(THREAD_TESTS))

# Checks a change of one room in less than a minute: builds its objects in every flavor and its programs, and runs the house tests
# of sources and objects, and the unit and simulated tests that include a file of it. ROOM= is a folder, or several; without it, the
# folders of the files that differ from the last commit.
ifneq ($(filter check-fast,$(MAKECMDGOALS)),)
ROOM         ?= $(sort $(patsubst %/,%,$(dir $(shell git diff --name-only HEAD; git ls-files --others --exclude-standard))))
FAST_ROOMS   := $(ROOM:%/=%)
FAST_MISSING := $(filter-out $(wildcard $(FAST_ROOMS)),$(FAST_ROOMS))
$(if $(strip $(FAST_ROOMS)),,$(error nothing differs from the last commit: name a room, as in make check-fast ROOM=libjuggle/policy))
$(if $(FAST_MISSING),$(error there is no folder $(FAST_MISSING): ROOM= takes one of the tree, as libjuggle/policy))
FAST_TESTS   := $(shell $(CC) $(ALL_CFLAGS) -MM $(UNIT_TESTS) $(SIM_TESTS) | awk -v rooms='$(FAST_ROOMS)' ' \
                BEGIN { split(rooms, room) } /^[^ ]*:/ { test = $$2 } \
                { for (i = 1; i <= NF; i++) for (j in room) if (test && index($$i, room[j] "/") == 1) { print test; test = "" } }')
FAST_OBJECTS := $(foreach room,$(FAST_ROOMS),$(filter $(BUILD)/obj/$(room)/% $(FLAVORS:%=$(BUILD)/obj/%/$(room)/%),$(OBJ)))
FAST_BIN     := $(foreach name,$(PROGRAMS) $(LOCAL_PROGRAMS),$(if $(filter $(FAST_ROOMS:%=%/%),$($(name)_SRC)),$(BUILD)/bin/$(name)))
FAST_HOUSE   := $(addprefix tests/house/,circles foreign include-law mechanisms promises purity sources)
endif
check-fast: testable $(FAST_OBJECTS) $(FAST_BIN) $(CORE) $(call test_bin,$(FAST_TESTS)) ## check a change of ROOM=folder (or of what differs from HEAD) in a minute
	$(RUN) -j $(TEST_JOBS) $(FAST_HOUSE) $(call test_bin,$(FAST_TESTS))

# The tests of what the service spends are left out: with sanitizers it spends several times as much.
SERVICE_CHECKS := $(if $(SERVICE),tests/live/test_service tests/live/test_service_attacks tests/live/test_service_strangers)
check-service: $(addprefix $(BUILD)/bin/,juggle juggled jugglectl ubench cpuhog) $(BUILD)/tests/live/programs/lineage ## only the live tests of the service (for SAN= builds)
	$(RUN) $(SERVICE_CHECKS)

check-house: everything ## only the tests that look at the sources and at what was built
	$(RUN) $(HOUSE_TESTS)

check-install: all ## install into a scratch directory, use it from there, uninstall, look for leftovers
	$(RUN) tests/house/check-install

PROFILE ?= quick
bench: all ## compare Juggle with the kernel and static pinning (PROFILE=quick: 3 minutes, full or spin)
	$(Q)tools/bench/balance --profile $(PROFILE) --bin $(BUILD)/bin $(BENCH_OPTIONS)

# Feeds hostile bytes to every parser of the service and to that of recordings, starting from a small corpus, all in parallel. The
# code under test makes no system calls. FUZZ_SECONDS bounds each run, and may be any number.
FUZZERS      := recording $(if $(SERVICE),config record reply varlink)
FUZZ_SECONDS ?= 60
FUZZ_SAN     := -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
FUZZ_OPTIONS := malloc_context_size=2:quarantine_size_mb=8
fuzz: $(addprefix fuzz-,$(FUZZERS)) ## feed hostile bytes to all parsers (-j, FUZZ_SECONDS=60 each, clang), or to one: fuzz-NAME
$(addprefix fuzz-,$(FUZZERS)): fuzz-%: $(BUILD)/fuzz/%
	$(Q)mkdir -p $(BUILD)/fuzz/corpus/$*
	$(Q)ASAN_OPTIONS=$(FUZZ_OPTIONS) $(BUILD)/fuzz/$* -max_total_time=$(FUZZ_SECONDS) -verbosity=0 -print_final_stats=1 \
	    -max_len=512 -timeout=10 -rss_limit_mb=2048 -dict=tests/fuzz/$*.dict -artifact_prefix=$(BUILD)/fuzz/$*- \
	    $(BUILD)/fuzz/corpus/$* tests/data/fuzz/$*

# Sources that several fuzzers need are compiled once.
FUZZED := $(addprefix juggled/,talk/description.c care/parameter.c rules/config.c rules/rule.c rules/trusted.c) libjuggle/join/name.c libjuggle/join/launcher.c $(VARLINK_SRC) $(CLI_SRC) \
          $(addprefix libjuggle/wish/,field.c value.c wish.c wish_json.c) $(GROUND_SRC) $(POLICY_SRC) libjuggle/linux/cpu_mask.c libjuggle/engine/run_history.c
FUZZED_varlink   := $(addprefix juggled/,talk/calls.c talk/refusal.c care/job_state.c talk/view.c) tests/fuzz/fake_jobs.c \
                    $(addprefix libjuggle/linux/,cgroup.c problem.c procfs.c quota.c sysfs.c usage.c)
FUZZED_record    := $(addprefix juggled/care/,process.c processes.c record.c job_state.c) libjuggle/linux/procfs.c
FUZZED_recording := libjuggle/engine/recording_reader.c libjuggle/engine/recording_writer.c

fuzz_obj = $(patsubst %.c,$(BUILD)/fuzz/obj/%.o,tests/fuzz/fuzz_$(1).c $(FUZZED) $(FUZZED_$(1)))
define fuzzer_rule
$(BUILD)/fuzz/$(1): $(call fuzz_obj,$(1))
	$$(call say,LINK,$$@)
	$$(Q)clang $$(FUZZ_SAN) -o $$@ $$^ $$(PACKAGE_LIBS) -lm
endef
$(foreach name,$(FUZZERS),$(eval $(call fuzzer_rule,$(name))))
$(BUILD)/fuzz/obj/%.o: %.c $(BUILD)/flags
	$(call say,FUZZ,$<)
	$(Q)mkdir -p $(@D) && clang $(ALL_CFLAGS) $(FUZZ_SAN) -MMD -MP -c -o $@ $<
-include $(patsubst %.o,%.d,$(sort $(foreach name,$(FUZZERS),$(call fuzz_obj,$(name)))))

# Each file is linted once, and again when it, a header of it or the rules change.
LINT_OK := $(patsubst %.c,$(BUILD)/lint/%.ok,$(ALL_SRC) $(if $(FLAVORS),$(MPI_SRC)))
lint: $(LINT_OK) ## clang-format, clang-tidy, cppcheck, shellcheck
	$(Q)BUILD='$(BUILD)' tests/run tests/house/lint

$(BUILD)/lint/%.ok: %.c $(BUILD)/obj/%.o .clang-tidy tests/.clang-tidy
	$(call say,LINT,$<)
	$(Q)mkdir -p $(@D) && clang-tidy --quiet $< -- $(ALL_CFLAGS) $($*_CFLAGS) 2>/dev/null && touch $@
$(patsubst %.c,$(BUILD)/lint/%.ok,$(MPI_SRC)): $(BUILD)/lint/%.ok: %.c $(BUILD)/obj/$(DEFAULT_FLAVOR)/%.o .clang-tidy tests/.clang-tidy
	$(call say,LINT,$<)
	$(Q)mkdir -p $(@D) && \
	    clang-tidy --quiet $< -- $(ALL_CFLAGS) $($*_CFLAGS) $($(DEFAULT_FLAVOR)_CFLAGS) 2>/dev/null && touch $@
