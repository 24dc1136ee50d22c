# SPDX-License-Identifier: BSD-3-Clause
# The archive of the sources, and packages for Debian, which are built from it. Builds are reproducible: all files have the time of
# the last commit, or in an unpacked archive the time of their unpacked files.

# The maintainer named in the packages: the person who builds them, if the variables of Debian's tools give a name. No domain below
# .invalid exists: tools/release/checklist refuses it. Without a homepage, packages name none.
MAINTAINER := The Juggle authors <juggle@juggle.invalid>
HOMEPAGE   :=
PACKAGER    = $(if $(DEBEMAIL),$(or $(DEBFULLNAME),$(DEBEMAIL)) <$(DEBEMAIL)>,$(MAINTAINER))
# Quotes a text for sed between single quotes.
literally   = $(subst ','\'',$(subst |,\|,$(subst &,\&,$(subst \,\\,$(1)))))
name_asked  = sed -e 's|@MAINTAINER@|$(call literally,$(PACKAGER))|' -e '$(if $(HOMEPAGE),s|@HOMEPAGE@|$(HOMEPAGE)|,/@HOMEPAGE@/d)'

# An unpacked archive may lie inside of another repository, which does not track its files.
is_checkout  = [ -e .git ]
EPOCH        = $(or $(SOURCE_DATE_EPOCH),$(shell $(is_checkout) && git log -1 --format=%ct 2>/dev/null || stat -c %Y libjuggle/ground/version.h))
ARCHIVE     := juggle-$(VERSION)
list_sources = if $(is_checkout) && git ls-files >/dev/null 2>&1; then git ls-files --cached --others --exclude-standard; \
               else find . \( -path './build*' -o -path ./.git \) -prune -o ! -type d -printf '%P\n'; fi | \
               grep -v "^$$(realpath -m --relative-to=. $(BUILD))/" | while read -r file; do [ ! -e "$$file" ] || echo "$$file"; done

dist: $(BUILD)/flags ## the archive of the sources: BUILD/juggle-VERSION.tar.xz
	$(Q)mkdir -p $(BUILD) && $(list_sources) | LC_ALL=C sort | tar --create --format=gnu --no-recursion --files-from=- --transform='s|^|$(ARCHIVE)/|' \
	    --mtime=@$(EPOCH) --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX | xz -T1 >$(BUILD)/$(ARCHIVE).tar.xz

# Builds for packages must not depend on this command line: a make that is called from here gets no variable of it but CC.
unpack       = rm -rf $(1) && mkdir -p $(1) && tar --extract --file=$(BUILD)/$(ARCHIVE).tar.xz --directory=$(1)
afresh       = env -u MAKEFLAGS -u MFLAGS -u MAKEOVERRIDES -u MAKELEVEL $(if $(filter command% environment%,$(origin CC)),CC='$(CC)')
# The number of jobs that this make may run, otherwise the number of processors.
jobs         = $(or $(patsubst -j%,%,$(filter -j%,$(MAKEFLAGS))),$(shell nproc))

distcheck: dist ## build, test and install from the archive alone, and make the same archive there
	$(Q)$(call unpack,$(BUILD)/distcheck)
	$(Q)cd $(BUILD)/distcheck/$(ARCHIVE) && $(afresh) $(MAKE) -j$(jobs) everything && $(afresh) $(MAKE) check-quick check-install dist
	$(Q)cmp $(BUILD)/$(ARCHIVE).tar.xz $(BUILD)/distcheck/$(ARCHIVE)/build/$(ARCHIVE).tar.xz
	$(Q)rm -rf $(BUILD)/distcheck

# DEB_VERSION=VERSION+site1 is for packages of a site; an empty DEB_BUILD_OPTIONS= runs the tests, too.
DEB_VERSION       ?= $(VERSION)
DEB_BUILD_OPTIONS ?= nocheck
define deb_changelog
juggle ($(DEB_VERSION)) unstable; urgency=medium

  * What has changed is told by CHANGELOG.md, in juggle-doc.

 -- $(PACKAGER)  $(shell LC_ALL=C date -u -R -d @$(EPOCH))
endef

deb: export DEB_CHANGELOG = $(deb_changelog)
deb: dist ## Debian packages in BUILD/deb (dpkg-dev, debhelper, dh-python)
	$(Q)$(call unpack,$(BUILD)/deb)
	$(Q)cd $(BUILD)/deb/$(ARCHIVE) && cp -a packaging/debian . && $(name_asked) -i debian/control && \
	    echo "$$DEB_CHANGELOG" >debian/changelog && \
	    $(afresh) DEB_BUILD_OPTIONS='$(DEB_BUILD_OPTIONS) parallel=$(jobs)' \
	    dpkg-buildpackage --build=binary --unsigned-changes --unsigned-buildinfo >../build.log 2>&1 || { tail -n 40 ../build.log; exit 1; }
	$(Q)rm -rf $(BUILD)/deb/$(ARCHIVE)

# RPM packages are built from the same archive, by the tools of Fedora. RPM_OPTIONS='--nodeps --define "_libdir /usr/lib64"' is for
# systems where required packages have other names.
RPM_OPTIONS ?= $(if $(wildcard /etc/debian_version),--nodeps)
rpm: dist ## RPM packages in BUILD/rpm (rpmbuild)
	$(Q)rm -rf $(BUILD)/rpm && mkdir -p $(BUILD)/rpm/SOURCES && cp $(BUILD)/$(ARCHIVE).tar.xz $(BUILD)/rpm/SOURCES/
	$(Q)$(name_asked) -e 's|@VERSION@|$(VERSION)|g' \
	    -e "s|@DATE@|$$(LC_ALL=C date -u '+%a %b %d %Y' -d @$(EPOCH))|" packaging/rpm/juggle.spec.in >$(BUILD)/rpm/juggle.spec
	$(Q)$(afresh) SOURCE_DATE_EPOCH=$(EPOCH) rpmbuild -bb --define '_topdir $(abspath $(BUILD)/rpm)' --define '_buildhost juggle' \
	    --define 'use_source_date_epoch_as_buildtime 1' --define 'clamp_mtime_to_source_date_epoch 1' $(RPM_OPTIONS) \
	    $(BUILD)/rpm/juggle.spec >$(BUILD)/rpm/build.log 2>&1 || { tail -n 40 $(BUILD)/rpm/build.log; exit 1; }
	$(Q)mv $(BUILD)/rpm/RPMS/*/*.rpm $(BUILD)/rpm/ && rm -rf $(addprefix $(BUILD)/rpm/,BUILD BUILDROOT RPMS SOURCES SPECS SRPMS)

# Takes minutes, so neither check nor tests/all runs it.
check-deb: ## build the packages twice and look into them; CHROOT=dir (debootstrap): install, upgrade, remove, purge them there
	$(Q)CHROOT='$(CHROOT)' TEST_TIMEOUT=3600 CC='$(CC)' BUILD='$(BUILD)' tests/run tests/house/check-deb

check-rpm: ## build the RPM packages with their tests and look into them
	$(Q)TEST_TIMEOUT=3600 CC='$(CC)' BUILD='$(BUILD)' tests/run tests/house/check-rpm

check-container: ## build the image of packaging/container with its tests, and use it (ENGINE=podman, BASE=debian:12)
	$(Q)ENGINE='$(ENGINE)' BASE='$(BASE)' TEST_TIMEOUT=3600 BUILD='$(BUILD)' tests/run tests/house/check-container

.PHONY: dist distcheck deb rpm check-deb check-rpm check-container
