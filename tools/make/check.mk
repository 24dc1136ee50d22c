# SPDX-License-Identifier: BSD-3-Clause
# Running what tests.mk names, benchmarks, fuzzers and linters.

RUN = $(Q)BUILD='$(BUILD)' CC='$(CC)' SAN='$(SAN)' FLAVORS='$(FLAVORS)' PROGRAMS='$(PROGRAMS) $(MPI_PROGRAMS)' \
      PURE_OBJECTS='$(call obj,$(GROUND_SRC) $(THEORY_SRC) $(POLICY_SRC) $(PROTOCOL_SRC) $(PLACEMENT_SRC))' \
      ROOM_OBJECTS='$(call obj,$(CORE_SRC))' LIBRARY_OBJECTS='$(call obj,$(sort $(LIBJUGGLE_SRC) $(LIBSTEAL_SRC)))' tests/run

check: everything ## build and run every test
	$(RUN) $(HOUSE_TESTS) $(SCRIPT_TESTS) $(CORE_TEST_BIN) $(LIVE_TEST_BIN)

check-core: $(CORE_TEST_BIN) ## only the tests that need nothing of this machine (for SAN= builds)
	$(RUN) $(CORE_TEST_BIN)

check-unit: $(UNIT_TEST_BIN) ## only the unit tests: all that have threads (for SAN=thread)
	$(RUN) $(UNIT_TEST_BIN)

# Not those that look at what the service spends: sanitized, it spends several times as much.
SERVICE_CHECKS := $(if $(SERVICE),tests/live/test_service tests/live/test_service_attacks)
check-service: $(addprefix $(BUILD)/bin/,juggle juggled jugglectl ubench cpuhog) ## only the live tests of the service (for SAN= builds)
	$(RUN) $(SERVICE_CHECKS)

check-quick: everything ## only the house, unit and simulated tests
	$(RUN) $(HOUSE_TESTS) $(CORE_TEST_BIN)

check-house: everything ## only the tests that look at the sources and at what was built
	$(RUN) $(HOUSE_TESTS)

check-install: all ## install into a scratch directory, use it from there, uninstall, look for leftovers
	$(RUN) tests/house/check-install

check-man: all ## lint the man pages
	$(RUN) tests/house/check-man

BENCHES := $(filter bench-%,$(LOCAL_PROGRAMS))
bench: all ## what the parts cost: every micro benchmark
	$(Q)set -e; for name in $(BENCHES); do $(BUILD)/bin/$$name; done

PROFILE ?= quick
bench-balance: all ## compare Juggle with the kernel and static pinning (PROFILE=quick: 3 minutes, or full)
	$(Q)tools/bench/balance --profile $(PROFILE) --bin $(BUILD)/bin $(BENCH_OPTIONS)

# Hostile bytes against every parser of the service and that of recordings, from a small corpus on, all side by side.
# Nothing in a run asks the kernel. FUZZ_SECONDS bounds each of them: as long as one likes.
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

FUZZED := $(addprefix juggled/,talk/description.c rules/config.c rules/rule.c rules/trusted.c) libjuggle/join/name.c $(VARLINK_SRC) $(CLI_SRC) \
          $(addprefix libjuggle/wish/,field.c value.c wish.c wish_json.c) $(GROUND_SRC) $(POLICY_SRC) libjuggle/linux/cpu_mask.c
$(BUILD)/fuzz/varlink: $(addprefix juggled/,talk/calls.c care/parameter.c care/standing.c talk/view.c) tests/fuzz/fake_jobs.c
$(BUILD)/fuzz/record: $(addprefix juggled/care/,parameter.c process.c processes.c record.c standing.c) libjuggle/linux/procfs.c
$(BUILD)/fuzz/recording: libjuggle/engine/recording.c
$(BUILD)/fuzz/%: tests/fuzz/fuzz_%.c $(FUZZED)
	$(call say,FUZZ,$@)
	$(Q)mkdir -p $(@D) && clang $(ALL_CFLAGS) $(FUZZ_SAN) -o $@ $(filter %.c,$^) $(PACKAGE_LIBS) -lm

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
