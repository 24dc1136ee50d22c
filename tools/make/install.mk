# SPDX-License-Identifier: BSD-3-Clause
# Headers, pages and other files to install: FILE:DIRECTORY, where $(BUILD)/FILE is made from FILE.in.

HEADERS := libjuggle/juggle.h libjuggle/steal.h libjuggle/steal_checkpoint.h libjuggle/steal_choices.h libjuggle/steal_instruments.h \
           libjuggle/steal_order.h libjuggle/steal_results.h

# The stealing runtime in other languages. Files that mirror its headers are made from them. A CMake package finds the headers
# relative to its own place.
CPP_HEADERS      := libjuggle/bindings/cpp/steal.hpp libjuggle/bindings/cpp/steal_runtime.hpp
FORTRAN_SOURCES  := $(BUILD)/libjuggle/bindings/fortran/juggle_steal.f90
PYTHON_SOURCES   := $(addprefix libjuggle/bindings/python/juggle/,__init__.py _executor.py _kept.py _library.py _parcel.py) \
                    $(addprefix $(BUILD)/libjuggle/bindings/python/juggle/,_paths.py _steal.py)
CMAKE_SOURCES    := $(addprefix $(BUILD)/libjuggle/bindings/cmake/,JuggleConfig.cmake JuggleConfigVersion.cmake)
INCLUDE_FROM_LIB  = $(shell realpath -m --relative-to='$(LIBDIR)' '$(INCLUDEDIR)')
DEFAULT_FLAVOR_LIBS := $($(DEFAULT_FLAVOR)_LIBS)

MIRRORED := $(filter libjuggle/steal_%,$(HEADERS)) libjuggle/steal.h
mirror    = $(Q)mkdir -p $(@D) && awk -v language=$(1) -f libjuggle/bindings/mirror.awk $(MIRRORED) >$@.part && mv $@.part $@
$(BUILD)/libjuggle/bindings/fortran/juggle_steal.f90: libjuggle/bindings/mirror.awk $(MIRRORED)
	$(call say,MAKE,$@)
	$(call mirror,fortran)
$(BUILD)/libjuggle/bindings/python/juggle/_steal.py: libjuggle/bindings/mirror.awk $(MIRRORED)
	$(call say,MAKE,$@)
	$(call mirror,python)

# The pages of what is built.
MAN_PAGES := $(filter $(foreach name,$(PROGRAMS) $(MPI_PROGRAMS) $(if $(filter juggle,$(PROGRAMS)),juggle-nproc),man/$(name).1 man/$(name).8) \
             man/libjuggle.3 $(if $(FLAVORS),man/libjuggle-steal.3) $(if $(SERVICE),man/juggle.conf.5 man/io.juggle.7),$(wildcard man/*.[1-8]))

DATA := juggled/talk/io.juggle.varlink:$(PREFIX)/share/varlink \
	$(if $(SERVICE),systemd/juggled.socket:$(UNITDIR) $(BUILD)/systemd/juggled.service:$(UNITDIR) \
	systemd/sysusers.d/juggle.conf:$(SYSUSERSDIR) systemd/tmpfiles.d/juggle.conf:$(TMPFILESDIR))

# The paths in a manual page are those of this installation.
$(BUILD)/man/%: man/% $(BUILD)/paths
	$(call say,MAKE,$@)
	$(Q)mkdir -p $(@D) && sed -e 's|/usr/local/lib/juggle|$(VENDORDIR)/juggle|g; s|/usr/local|$(PREFIX)|g; s|/etc/juggle|$(SYSCONFDIR)/juggle|g' $< >$@

# The tests use these files.
everything: $(FORTRAN_SOURCES) $(filter $(BUILD)/%,$(PYTHON_SOURCES))

EXAMPLES := $(wildcard docs/examples/*.* docs/examples/ci/*)

# One list says what goes where, for install and uninstall: SOURCE:PATH:MODE, or TARGET:PATH:link.

EXAMPLESDIR = $(PREFIX)/share/doc/juggle/examples
page_dir = $(MANDIR)/man$(patsubst .%,%,$(suffix $(1)))
so_entries = $(1)/$(2).so.$(SOVERSION):$(3)/$(2).so.$(SOVERSION):755 $(1)/$(2).a:$(3)/$(2).a:644 \
             $(2).so.$(SOVERSION):$(3)/$(2).so.$(SOMAJOR):link $(2).so.$(SOMAJOR):$(3)/$(2).so:link
program_dir = $(if $(filter juggled,$(1)),$(SBINDIR),$(BINDIR))

INSTALLED_PROGRAMS := $(PROGRAMS) $(call flavored,$(MPI_PROGRAMS))
INSTALLED = $(foreach name,$(INSTALLED_PROGRAMS),$(BUILD)/bin/$(name):$(call program_dir,$(name))/$(name):755) \
    $(if $(FLAVORS),$(foreach name,$(MPI_PROGRAMS),$(name).$(DEFAULT_FLAVOR):$(BINDIR)/$(name):link)) \
    $(foreach page,$(MAN_PAGES),$(BUILD)/$(page):$(call page_dir,$(page))/$(notdir $(page)):644) \
    $(foreach name,$(PROGRAMS) $(MPI_PROGRAMS),cli/completion.bash:$(COMPLETIONSDIR)/$(name):644 \
    cli/completion.zsh:$(ZSHDIR)/_$(name):644 cli/completion.fish:$(FISHDIR)/$(name).fish:644) \
    $(foreach header,$(HEADERS),$(header):$(INCLUDEDIR)/juggle/$(notdir $(header)):644) \
    $(if $(FLAVORS),$(INSTALLED_BINDINGS)) \
    $(foreach example,$(EXAMPLES),$(example):$(EXAMPLESDIR)/$(example:docs/examples/%=%):$(if $(filter %/step,$(example)),755,644)) \
    $(foreach pair,$(DATA),$(pair)/$(notdir $(firstword $(subst :, ,$(pair)))):644) \
    $(INSTALLED_LIBJUGGLE) $(INSTALLED_STEAL) $(INSTALLED_SLURM)
INSTALLED_BINDINGS = $(foreach file,$(CPP_HEADERS) $(FORTRAN_SOURCES),$(file):$(INCLUDEDIR)/juggle/$(notdir $(file)):644) \
    $(foreach file,$(PYTHON_SOURCES),$(file):$(PYTHONDIR)/juggle/$(notdir $(file)):644)
INSTALLED_LIBJUGGLE = $(foreach file,$(CMAKE_SOURCES),$(file):$(LIBDIR)/cmake/Juggle/$(notdir $(file)):644) \
    $(call so_entries,$(BUILD)/lib,libjuggle,$(LIBDIR)) \
    $(BUILD)/libjuggle/libjuggle.pc:$(PKGCONFIGDIR)/libjuggle.pc:644 \
    $(if $(SAN),,$(BUILD)/lib/libjuggle-spinning.so:$(LIBDIR)/juggle/libjuggle-spinning.so:755 \
    $(call pick,OMPT,$(BUILD)/lib/libjuggle-ompt.so:$(LIBDIR)/juggle/libjuggle-ompt.so:755))
INSTALLED_STEAL = $(foreach flavor,$(FLAVORS), \
    $(call so_entries,$(BUILD)/lib/$(flavor),libjuggle-steal,$(LIBDIR)/juggle/$(flavor)) \
    $(if $(SAN),,$(BUILD)/lib/$(flavor)/libjuggle-waiting.so:$(LIBDIR)/juggle/$(flavor)/libjuggle-waiting.so:755) \
    $(BUILD)/libjuggle/libjuggle-steal-$(flavor).pc:$(PKGCONFIGDIR)/libjuggle-steal-$(flavor).pc:644) \
    $(if $(FLAVORS),libjuggle-steal-$(DEFAULT_FLAVOR).pc:$(PKGCONFIGDIR)/libjuggle-steal.pc:link)
OWN_DIRS = $(EXAMPLESDIR)/ci $(EXAMPLESDIR) $(SLURMDOCDIR) $(dir $(EXAMPLESDIR)) $(INCLUDEDIR)/juggle $(addprefix $(LIBDIR)/juggle/,$(FLAVORS)) $(LIBDIR)/juggle \
    $(VENDORDIR)/juggle $(SLURMDIR) $(LIBDIR)/cmake/Juggle $(PYTHONDIR)/juggle/__pycache__ $(PYTHONDIR)/juggle

INSTALLED_SOURCES = $(filter $(BUILD)/%,$(foreach entry,$(INSTALLED),$(firstword $(subst :, ,$(entry)))))
STAGE = '$(subst ','\'',$(DESTDIR))'
split = source=$${entry%%:*} mode=$${entry\#\#*:} path=$${entry\#*:} path=$(STAGE)$${path%:*}

# Paths must not contain blanks or colons, which separate the items of the lists: a part of such a path would be installed to, or
# removed. They must be absolute, because installed files contain them. The shell reads them, and the lists, without quotes.
PLACES  := BINDIR SBINDIR LIBDIR PKGCONFIGDIR INCLUDEDIR MANDIR COMPLETIONSDIR ZSHDIR FISHDIR SYSCONFDIR VENDORDIR UNITDIR SYSUSERSDIR \
           TMPFILESDIR SLURMDIR PYTHONDIR
is_path  = $(if $(word 2,$(subst :, ,$(1)))$(findstring ',$(1)),,$(filter /%,$(1)))
placed:
	$(if $(filter command%,$(origin prefix)),$(error prefix is not known here: PREFIX=$(prefix)))
	$(foreach name,$(PLACES),$(if $(call is_path,$($(name))),,$(error $(name) is no absolute path without blanks, colons and apostrophes: $($(name)))))
.PHONY: placed

install: placed all $(INSTALLED_SOURCES) ## install below DESTDIR/PREFIX
	$(Q)set -e; umask 022; for entry in $(INSTALLED); do \
	    $(split); mkdir -p "$${path%/*}"; \
	    if [ $$mode = link ]; then ln -sf $$source "$$path"; else install -m $$mode $$source "$$path"; fi; \
	done

uninstall: placed ## remove what install put there
	$(Q)for entry in $(INSTALLED); do $(split); rm -f "$$path"; done; \
	rm -f $(STAGE)$(PYTHONDIR)/juggle/__pycache__/*.pyc; \
	for dir in $(addprefix $(STAGE),$(OWN_DIRS)); do \
	    [ ! -d "$$dir" ] || rmdir --ignore-fail-on-non-empty "$$dir"; \
	done

# For tests/house/packaging: prints the path of each installed file.
print-installed:
	$(Q)for entry in $(INSTALLED); do $(split); echo "$$path"; done
.PHONY: print-installed
