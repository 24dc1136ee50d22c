# SPDX-License-Identifier: BSD-3-Clause
# Variables on make's command line are in the environment of the called scripts.
figures: all ## regenerate the papers' figures in $(BUILD)/figures (SET=full: fewer points on stealing, much larger, an hour or two)
	$(Q)BUILD='$(BUILD)' tools/plot/figures

lab: all ## real kernels on virtual machines of 2 to 32 processors (SCENARIO= MACHINE= KERNEL= POLICY= choose; first tools/lab/setup)
	$(Q)BUILD='$(BUILD)' tools/lab/lab

clean: ## remove what was built
	$(Q)[ ! -e $(BUILD) ] || [ -e $(BUILD)/flags ] || { echo '$(BUILD) is kept, as nothing was built there' >&2; exit 1; }
	$(Q)rm -rf $(BUILD)

config: ## what was found on this machine, and what a missing library costs
	$(call report,PKGCONF,pkgconf,none of the libraries below is found$(comma) but OMPT and SLURM)
	$(call report,JANSSON,libjansson-dev,the libraries alone$(comma) and no joining)
	$(call report,HWLOC,libhwloc-dev,the topology is read from /sys alone)
	$(call report,NL,libnl-genl-3-dev,no taskstats: progress comes from schedstat or perf)
	$(call report,NCURSES,libncurses-dev,no live view)
	$(call report,SYSTEMD,libsystemd-dev,no juggled)
	$(call report,OPENMPI,libopenmpi-dev,no stealing runtime for Open MPI)
	$(call report,MPICH,libmpich-dev,no stealing runtime for MPICH)
	$(call report,BLAS,libopenblas-serial-dev,no scf and no tce)
	$(call report,OMPT,libomp-dev,threads of libomp do not tell that they wait)
	$(call report,SLURM,libslurm-dev,no plugin for Slurm)
	$(call report,CHECK,check,no tests)
report = @printf '  %-8s %s\n' $(1) '$(if $(HAVE_$(1)),found,missing ($(2)): $(3))'

help: ## this list
	@echo 'make [target] [BUILD=dir] [DEBUG=1] [SAN=address,undefined|thread] [PREFIX=dir] [DESTDIR=dir] [V=1]'
	@sed -n 's/^\([a-z-]*\):.* ## \(.*\)/\1 \2/p' Makefile tools/make/*.mk | \
	    while read -r name what; do printf '  %-14s %s\n' "$$name" "$$what"; done

.PHONY: all everything install uninstall bench check check-apart check-core check-fast check-house check-install check-live check-measure check-mpi check-quick check-service check-threads check-unit fuzz $(addprefix fuzz-,$(FUZZERS)) lint lab figures clean config help FORCE
.SECONDARY:
.DELETE_ON_ERROR:
