# SPDX-License-Identifier: BSD-3-Clause
# The plugin of Slurm, if its headers are installed; HAVE_SLURM= leaves it out. Slurm loads it by its own rules: it has no version
# of ours and links with no library.
SLURM_SRC  := packaging/slurm/spank_juggle.c

SLURMDOCDIR = $(PREFIX)/share/doc/juggle/slurm

ifneq ($(HAVE_SLURM),)
$(BUILD)/obj/packaging/slurm/spank_juggle.o: $(BUILD)/paths
packaging/slurm/spank_juggle_CFLAGS := -DJUGGLE_PATH='"$(BINDIR)/juggle"' -DJUGGLE_TASK_PATH='"$(VENDORDIR)/juggle/juggle-task"'
SLURM_BUILT := $(BUILD)/lib/slurm/juggle.so $(BUILD)/packaging/slurm/juggle-task $(BUILD)/packaging/slurm/plugstack.conf
INSTALLED_SLURM := $(if $(SAN),,$(BUILD)/lib/slurm/juggle.so:$(SLURMDIR)/juggle.so:644 \
    $(BUILD)/packaging/slurm/juggle-task:$(VENDORDIR)/juggle/juggle-task:755 \
    $(BUILD)/packaging/slurm/plugstack.conf:$(SLURMDOCDIR)/plugstack.conf:644)

all: $(if $(SAN),,$(SLURM_BUILT))
$(BUILD)/lib/slurm/juggle.so: $(BUILD)/obj/packaging/slurm/spank_juggle.o
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) -shared $(ALL_LDFLAGS) -o $@ $^
endif
