# Small targets: make demo, new-plugin, info, help.

.PHONY: demo new-plugin info help

demo: all
	$(BUILD)/engine run configs/gosper-gun.ini --force --set run.output=out/demo --json >$(BUILD)/demo.json
	@picture=$$(grep -o '"[^"]*\.png"' $(BUILD)/demo.json | tail -n 1 | tr -d '"'); \
	    test -f "$$picture" || { echo 'make demo: the run wrote no picture' >&2; exit 1; }; \
	    echo "The last picture is $$picture"

new-plugin: $(BUILD)/engine
	@test -n '$(NAME)' || { echo 'make new-plugin: the name is missing; give it as in NAME=my-rule' >&2; exit 2; }
	$(BUILD)/engine new-plugin '$(NAME)' 'plugins/$(NAME)' $(if $(KIND),--kind '$(KIND)')

info:
	@CC='$(CC)' CXX='$(CXX)' CXX_PROGRAM='$(call program_of,$(CXX))' FUZZ_CC='$(FUZZ_CC)' NVCC='$(NVCC)' \
	    DEPS='$(DEPS)' MPICC='$(MPICC)' CUDA='$(CUDA)' CUDA_USED='$(CUDA_USED)' \
	    CUDA_ARCHS='$(CUDA_ARCHS)' CUDA_LIBS='$(CUDA_LIBS)' ISAS='$(ISAS)' PLUGINS='$(PLUGINS)' MACHINE='$(MACHINE)' HDF5='$(HDF5_CPPFLAGS) $(HDF5_LIBS)' MICROHTTPD='$(MICROHTTPD)' \
	    CPPFLAGS='$(ALL_CPPFLAGS)' CFLAGS='$(CFLAGS)' LDFLAGS='$(DEPS_LDFLAGS) $(LDFLAGS)' tools/info

help:
	@echo 'make              builds $(BUILD)/engine, $(BUILD)/libengine.so and .a, and $(BUILD)/plugins/*.so'
	@echo 'make check        builds everything and runs all tests; TESTS=word: only the tests whose names contain word'
	@echo 'make check-gpu    runs the tests that need a GPU: conform, verify and compute-sanitizer on the CUDA implementations'
	@echo 'make demo         runs configs/gosper-gun.ini and prints the name of the last picture'
	@echo 'make docs         makes a site of the documentation, with search, in $(BUILD)/site/html; needs mkdocs'
	@echo 'make gallery      makes the pictures of docs/gallery.md, on a CPU in some minutes'
	@echo 'make info         shows what make found on this machine and what it will build'
	@echo 'make new-plugin   NAME=my-rule: writes a small working plugin to plugins/my-rule; KIND=floats: of this kind'
	@echo 'make sanitize     runs the tests with AddressSanitizer and UndefinedBehaviorSanitizer'
	@echo 'make fuzz         gives random input to the parsers, each for FUZZ_SECONDS=60; TARGETS="rle npy": only to these'
	@echo 'make format       formats all sources with clang-format'
	@echo 'make lint         checks warnings, the layers and the format, and runs clang-tidy and cppcheck; changes no source'
	@echo 'make install      installs to PREFIX ($(PREFIX)), below DESTDIR; make uninstall removes it'
	@echo 'make deb          builds Debian packages, without CUDA and with it, in $(BUILD)/deb'
	@echo 'make wheel        builds a wheel of the Python package, with the library and the plugins, in $(WHEELS)'
	@echo 'make clean        removes $(BUILD)'
	@echo
	@echo 'Settings: CC=clang  CFLAGS="-O3 -g"  CPPFLAGS=  LDFLAGS=  BUILD=folder  V=1'
	@echo '          WERROR=1 (warnings are errors)  CC=aarch64-linux-gnu-gcc (for 64-bit Arm; see tools/check-arm)'
	@echo '          NVCC= (no CUDA)  CUDA_ARCHS="80 90"  DEPS=folder (see tools/deps-prefix)  LIBDIR=folder'
