# Small targets: make demo, new-plugin, info, help.

.PHONY: demo new-plugin info help

demo: all
	$(BUILD)/engine run configs/gosper-gun.ini --force --json >$(BUILD)/demo.json
	@picture=$$(grep -o '"[^"]*\.png"' $(BUILD)/demo.json | tail -n 1 | tr -d '"'); \
	    test -f "$$picture" || { echo 'make demo: the run left no picture' >&2; exit 1; }; \
	    echo "The last picture is $$picture"

new-plugin: $(BUILD)/engine
	@test -n '$(NAME)' || { echo 'make new-plugin: which name? Say NAME=my-rule' >&2; exit 2; }
	$(BUILD)/engine new-plugin '$(NAME)' 'plugins/$(NAME)'

info:
	@CC='$(CC)' CXX='$(CXX)' NVCC='$(NVCC)' DEPS='$(DEPS)' CUDA='$(CUDA)' CUDA_USED='$(CUDA_USED)' \
	    CUDA_ARCHS='$(CUDA_ARCHS)' CUDA_LIBS='$(CUDA_LIBS)' ISAS='$(ISAS)' PLUGINS='$(PLUGINS)' MACHINE='$(MACHINE)' \
	    CPPFLAGS='$(ALL_CPPFLAGS)' CFLAGS='$(CFLAGS)' LDFLAGS='$(DEPS_LDFLAGS) $(LDFLAGS)' tools/info

help:
	@echo 'make              $(BUILD)/engine, $(BUILD)/libengine.so and .a, and $(BUILD)/plugins/*.so'
	@echo 'make check        builds all and runs the tests; TESTS=word: those whose name contains it'
	@echo 'make check-gpu    what needs a GPU: conformance, verify and compute-sanitizer over CUDA implementations'
	@echo 'make demo         runs configs/gosper-gun.ini and says where the picture is'
	@echo 'make info         what was found on this machine, and what will be built of it'
	@echo 'make new-plugin   NAME=my-rule: a skeleton to start from'
	@echo 'make sanitize     the tests with AddressSanitizer and UndefinedBehaviorSanitizer'
	@echo 'make fuzz         parsers with random input, FUZZ_SECONDS=60 each; TARGETS="rle npy": those alone'
	@echo 'make format       lays out all sources with clang-format'
	@echo 'make lint         clang-format, clang-tidy and cppcheck; nothing is changed'
	@echo 'make install      to PREFIX ($(PREFIX)), below DESTDIR; make uninstall removes it'
	@echo 'make deb          Debian packages, without CUDA and with it, in $(BUILD)/deb'
	@echo 'make clean        removes $(BUILD)'
	@echo
	@echo 'Settings: CC=clang  CFLAGS="-O3 -g"  CPPFLAGS=  LDFLAGS=  BUILD=folder  V=1'
	@echo '          NVCC= (no CUDA)  CUDA_ARCHS="80 90"  DEPS=folder (see tools/deps-prefix)  LIBDIR=folder'
