# Installation and packages: make install, uninstall, deb, wheel.

.PHONY: install uninstall deb wheel

# tools/man makes the manual pages from the help texts of the program.
VERBS     := $(sort $(shell sed -n 's/^    \.name = "\([a-z-]*\)",$$/\1/p' cli/verb_*.c))
MAN_PAGES := $(notdir $(basename $(wildcard docs/man/*.scd))) $(VERBS:%=engine-%.1)
MAN_FILES := $(if $(SCDOC),$(MAN_PAGES:%=$(BUILD)/man/%))

$(MAN_FILES): $(BUILD)/man/%: tools/man docs/reference/configuration.md $(wildcard docs/man/*.scd) $(BUILD)/engine
	$(call say,MAN)
	$(Q)tools/man $(BUILD)/engine $* >$(BUILD)/man/$*.scd
	$(Q)$(SCDOC) <$(BUILD)/man/$*.scd >$@

# engine.pc gives the flags and folders to plugins and to programs that embed the engine.
header_number = $(shell sed -n 's/^\#define $1 *\([0-9][0-9]*\).*/\1/p' include/engine/plugin.h)
PC_LINES = prefix=$(PREFIX) \
    'includedir=$${prefix}/include' \
    libdir=$(LIBDIR) \
    plugindir=$(LIBDIR)/engine/plugins \
    'configdir=$${prefix}/share/engine/configs' \
    'engine=$${prefix}/bin/engine' \
    abi_major=$(call header_number,ENGINE_ABI_MAJOR) \
    abi_minor=$(call header_number,ENGINE_ABI_MINOR) \
    '' \
    'Name: engine' \
    'Description: simulations whose algorithms are plugins: the library, and the interface for plugins' \
    'Version: $(shell sed -n 's/^\#define ENGINE_VERSION *"\([^"]*\)".*/\1/p' include/engine/engine.h)' \
    'Cflags: -I$${includedir}' \
    'Libs: -L$${libdir} -lengine' \
    'Libs.private: $(CORE_LIBS) -fopenmp'

# Documentation, examples and the plugins' READMEs keep their relative places when they are installed, so their links work.
# docs/lab is not installed: it tells how figures were had.
DOCDIR      = $(PREFIX)/share/doc/engine
DOC_SCRIPTS = $(wildcard examples/*/*.sh)
DOC_FOLDERS = $(filter-out docs/lab/ docs/man/,$(wildcard docs/*/))
DOC_FILES   = SECURITY.md $(wildcard docs/*.md $(DOC_FOLDERS:%=%*.md) $(DOC_FOLDERS:%=%*.svg) plugins/*/README.md) \
    python/README.md python/tutorial.ipynb \
    $(filter-out $(DOC_SCRIPTS) %.o %.so %/oracle %/out %/embed/embed %/soups/soups %/soups.csv %/soups.svg,$(wildcard examples/*/*))

# A word mode:file:place for each installed file. install and uninstall use the same list. $1: mode; $2: files; $3: folder.
place = $(foreach file,$2,$1:$(file):$3/$(notdir $(file)))
INSTALLED = $(call place,755,$(BUILD)/engine $(VIEW),$(PREFIX)/bin) \
    $(call place,644,$(BUILD)/libengine.a $(BUILD)/$(SONAME),$(LIBDIR)) \
    $(call place,644,$(wildcard include/engine/*.h include/engine/*.cuh),$(PREFIX)/include/engine) \
    $(call place,644,$(PLUGIN_FILES) $(FORMAT_FILES),$(LIBDIR)/engine/plugins) \
    $(call place,644,$(TEAM_MPI),$(LIBDIR)/engine) \
    $(call place,755,$(BUILD)/engine-judge,$(LIBDIR)/engine) \
    $(foreach kind,. bench ladder patterns,$(call place,644,$(wildcard configs/$(kind)/*.*),$(PREFIX)/share/engine/configs/$(kind))) \
    $(foreach number,1 5 7,$(call place,644,$(filter %.$(number),$(MAN_FILES)),$(PREFIX)/share/man/man$(number))) \
    $(foreach file,$(DOC_FILES),644:$(file):$(DOCDIR)/$(file)) \
    $(foreach file,$(DOC_SCRIPTS),755:$(file):$(DOCDIR)/$(file)) \
    644:cli/completions/engine.bash:$(PREFIX)/share/bash-completion/completions/engine \
    644:cli/completions/_engine:$(PREFIX)/share/zsh/site-functions/_engine \
    644:cli/completions/engine.fish:$(PREFIX)/share/fish/vendor_completions.d/engine.fish
# install makes these two itself.
LIBRARY_LINK = $(LIBDIR)/libengine.so
ENGINE_PC    = $(LIBDIR)/pkgconfig/engine.pc
# The folders that install made, in the order in which it made them. uninstall removes those of them that are empty, and
# leaves the folders that were there before.
MADE_FOLDERS = $(DESTDIR)$(LIBDIR)/engine/folders

install: all
	@mkdir -p '$(or $(DESTDIR),/)' # a folder of the caller, which uninstall leaves
	@export LC_ALL=C; \
	made=$$(printf '%s\n' $(INSTALLED) | while IFS=: read -r mode file place; do \
	    install -v -D -m "$$mode" "$$file" '$(DESTDIR)'"$$place" || exit 1; \
	done && printf '%s\n' $(PC_LINES) | install -v -D -m 644 /dev/stdin '$(DESTDIR)$(ENGINE_PC)') || exit 1; \
	printf '%s\n' "$$made" | sed -n "s/^install: creating directory '\(.*\)'$$/\1/p" | \
	    while read -r folder; do printf '%s\n' "$${folder#'$(DESTDIR)'}"; done >>'$(MADE_FOLDERS)'
	@ln -sf $(SONAME) '$(DESTDIR)$(LIBRARY_LINK)'
	@echo 'engine is installed in $(DESTDIR)$(PREFIX), its plugins in $(DESTDIR)$(LIBDIR)/engine/plugins'
	$(if $(DESTDIR),,$(if $(filter /usr /usr/local,$(PREFIX)),@echo 'run ldconfig once as root so that programs find $(SONAME)'))
	$(if $(MAN_FILES),,@echo 'no manual pages were installed, because $(if $(CROSS),this machine cannot run the program,scdoc is missing; tools/setup installs scdoc)')

uninstall:
	@printf '%s\n' $(INSTALLED) | while IFS=: read -r mode file place; do rm -f '$(DESTDIR)'"$$place"; done
	@rm -f '$(DESTDIR)$(LIBRARY_LINK)' '$(DESTDIR)$(ENGINE_PC)'
	@folders=$$(tac '$(MADE_FOLDERS)' 2>/dev/null); rm -f '$(MADE_FOLDERS)'; \
	    printf '%s\n' "$$folders" | while read -r folder; do rmdir '$(DESTDIR)'"$$folder" 2>/dev/null || true; done

# Debian packages are built in their own build folders.
deb:
	@BUILD='$(BUILD)' NVCC='$(CUDA)' MAKE='$(MAKE)' MULTIARCH='$(MULTIARCH)' CC='$(CC)' CXX='$(CXX)' CUDA_ARCHS='$(CUDA_ARCHS)' tools/make-deb

# The wheel of the Python package is written to this folder. Its library looks for the libraries that it needs beside
# itself; the old kind of rpath also counts for the libraries that these need.
WHEELS ?= dist
PYTHON ?= python3
wheel: all
	@mkdir -p '$(BUILD)/wheel'
	$(Q)$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--disable-new-dtags,-rpath,'$$ORIGIN' $(CORE_OBJECTS) $(LIB_OBJECTS) \
	    $(CORE_LIBS) -o '$(BUILD)/wheel/$(SONAME)'
	@SOURCE_DATE_EPOCH="$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null)}" \
	    $(PYTHON) tools/make-wheel '$(BUILD)' '$(BUILD)/wheel/$(SONAME)' '$(WHEELS)'
