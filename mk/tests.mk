# Tests: make check, check-gpu, sanitize, fuzz.
#
#   tests/<folder>/test_x.c   program build/tests/<folder>/test_x, with cmocka, the core and the folder's other .c files
#   tests/bad/x.c             broken plugin build/tests/bad/x.so
#   tests/cheats/x.c          dishonest plugin build/tests/cheats/x.so
#   tests/faults/shim/*.c     build/tests/faults/shim.so, which makes calls fail in the program that preloads it
#   tests/stencil/x.h         plugin build/tests/stencil/x.so, or x-1.so, x-2.so, … with NUMBER=1, 2, …; for check-gpu
#                             with CUDA in build/tests/gpu/stencil
#   tests/neighbours/x.h      plugin build/tests/neighbours/x.so; for check-gpu with CUDA in build/tests/gpu/neighbours
#   tests/stand-in/nccl.c     library build/tests/stand-in/libnccl.so.2, which stands for NCCL in a test
#   tests/bench/x.c           program build/tests/bench/x, which tools/bench-x runs, or you
#   tests/<folder>/x.sh       a test script; plugins/<plugin>/test.sh is one too
#   tests/fuzz/*.c            program build/fuzz/fuzzer, which gives random input to the parsers
#
# `make check TESTS=config` runs the tests whose name contains "config". With LONG=1, the tests of faults/ make every call
# fail instead of a sample, and each parser gets random input for a minute instead of 15 seconds.

.PHONY: tests test-tools check check-gpu sanitize fuzz fuzzer

TESTS ?=
# The time for each fuzz target, the compiler of the fuzzer, and the number of targets that run at once; see tests/fuzz.
FUZZ_SECONDS ?=
FUZZ_CC      ?= clang
FUZZ_JOBS    ?=

TEST_PROGRAMS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/*/test_*.c))
BENCHES       := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/bench/*.c))
BAD_PLUGINS   := $(patsubst tests/%.c,$(BUILD)/tests/%.so,$(wildcard tests/bad/*.c tests/cheats/*.c))
FAULT_SHIM    := $(BUILD)/tests/faults/shim.so

TEST_CPPFLAGS := $(ALL_CPPFLAGS) $(NEWEST_INTERFACE) -iquote core -iquote lib -iquote . -Iplugins
TEST_CFLAGS   := $(ALL_CFLAGS) -Wno-conversion -Wno-unused-parameter

# The other .c files of a test's folder, without those of the folder's other test programs.
test_helpers = $(patsubst %.c,$(OBJ)/%.o,$(filter-out $(wildcard tests/$1/test_*.c),$(wildcard tests/$1/*.c)))

$(BAD_PLUGINS:$(BUILD)/%.so=$(OBJ)/%.o): $(OBJ)/%.o: %.c $(OBJ)/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CPPFLAGS) -Iplugins $(PLUGIN_CFLAGS) -Wno-unused-parameter $(DEPENDS) -c $< -o $@

$(OBJ)/tests/%.o: tests/%.c $(OBJ)/flags | $(INIPARSER_HEADER)
	$(call say,CC,$<)
	$(Q)$(CC) $(TEST_CPPFLAGS) $(TEST_CFLAGS) $(DEPENDS) -c $< -o $@

# What the tests need besides the engine, which tools/setup alone does not install.
test-tools:
	@missing=; \
	printf '#include <%s>\n' stdarg.h stddef.h stdint.h setjmp.h cmocka.h | $(CC) $(ALL_CPPFLAGS) -E - >/dev/null 2>&1 || \
	    missing="$$missing, cmocka"; \
	perl -MJSON::PP -e 1 2>/dev/null || missing="$$missing, perl with JSON::PP"; \
	command -v pkg-config >/dev/null || missing="$$missing, pkg-config"; \
	[ -z "$$missing" ] || { echo "make check: missing: $${missing#, }; tools/setup --tests installs what the tests need" >&2; exit 1; }

$(TEST_PROGRAMS:$(BUILD)/%=$(OBJ)/%.o): | test-tools

$(filter-out $(BUILD)/tests/core/%,$(TEST_PROGRAMS)): $(BUILD)/tests/%: $(OBJ)/tests/%.o $$(call test_helpers,$$(*D)) $$(if $$(filter fuzz,$$(*D)),$$(FORMAT_OBJECTS)) $(BUILD)/libcli.a $(BUILD)/libengine.a
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) $(filter %.o %.a,$^) -lcmocka $(CORE_LIBS) -o $@

# The core alone, and the libraries that it needs.
$(filter $(BUILD)/tests/core/%,$(TEST_PROGRAMS)): $(BUILD)/tests/%: $(OBJ)/tests/%.o $(BUILD)/libengine-core.a
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) $(filter %.o %.a,$^) -lcmocka -liniparser -lxxhash -lm -ldl -o $@

# The library that a test loads in the place of NCCL.
$(BUILD)/tests/stand-in/libnccl.so.2: tests/stand-in/nccl.c $(OBJ)/flags
	$(call say,LD)
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC $(ALL_LDFLAGS) -shared -Wl,-soname,$(@F) $< -o $@

$(BUILD)/tests/unit/test_nccl_start: $(BUILD)/tests/stand-in/libnccl.so.2

$(BUILD)/tests/plugins/test_rules: $(OBJ)/plugins/life2d-bit/square_search.o $(OBJ)/plugins/life2d-bit/square_code.o

$(BENCHES): $(BUILD)/tests/%: $(OBJ)/tests/%.o $(FORMAT_OBJECTS) $(BUILD)/libengine.a
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) $(filter %.o %.a,$^) $(CORE_LIBS) -o $@

$(BAD_PLUGINS): $(BUILD)/tests/%.so: $(OBJ)/tests/%.o
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) -shared $< -lm -o $@

# Rules for the stencil headers. In x-2, NUMBER is 2. With few bytes for the rows of a task, small grids have many tiles.
STENCILS := line-2 line-3 mixed box-1 box-2 box-3 cube-1 star-1 star-2 bits-1 bits-2 bits-3 bits-4 bits-5 bits-8 \
            bitline-1 bitline-3 bitcube-1
stencil_rule    = $(firstword $(subst -, ,$*))
STENCIL_MACROS  = -Itests/stencil -DRULE='"$(stencil_rule).h"' -DNAME='"$*"' -DSTENCIL_CPU_BYTES=20000 \
                  -DNUMBER=$(lastword 1 $(filter-out $(stencil_rule),$(subst -, ,$*)))
STENCIL_FILES  := $(wildcard tests/stencil/* include/engine/*)
compile_stencil = $(CC) $(ALL_CPPFLAGS) $(STENCIL_MACROS) $(ALL_CFLAGS) $(if $(SANITIZE),,-O3) -Wno-conversion \
                  -Wno-float-conversion -fPIC -fvisibility=hidden

$(STENCILS:%=$(BUILD)/tests/stencil/%.so): $(BUILD)/tests/stencil/%.so: $(STENCIL_FILES) $(OBJ)/flags
	$(call say,CC,"tests/stencil/plugin.c ($*)")
	$(Q)$(compile_stencil) $(ALL_LDFLAGS) -shared tests/stencil/plugin.c -lm -o $@

# The same rules with their CUDA implementation, which the C++ compiler compiles for the host. The shell's perl changes
# the launches, kernel<<<…>>>(…), to calls. Not with sanitizers, which do not know the stacks of coroutines.
EMULATED      := $(if $(HAVE_CXX),$(if $(SANITIZE),,line-2 mixed box-1 box-3 cube-1 star-1 star-2 bits-2 bits-8 bitline-1 bitcube-1))
EMULATED_HERE := $(BUILD)/tests/stencil/emulated
$(EMULATED_HERE)/include/engine/stencil.cuh: include/engine/stencil.cuh
	$(call say,PERL,$<)
	$(Q)perl -0pe 's/(march<LEVELS, ALL>|add_rows)<<<(.*?)>>>\((.*?)\);/launch_here([=] { $$1($$3); }, $$2);/gs' $< >$@
	$(Q)>$(EMULATED_HERE)/include/cuda_runtime.h
$(EMULATED:%=$(EMULATED_HERE)/%.so): $(EMULATED_HERE)/%.so: $(STENCIL_FILES) $(EMULATED_HERE)/include/engine/stencil.cuh $(OBJ)/flags
	$(call say,CXX,"tests/stencil/emulated.cpp ($*)")
	$(Q)$(compile_stencil) -O1 -DENGINE_WITH_CUDA -DEMULATED -c tests/stencil/plugin.c -o $(@:.so=.o)
	$(Q)$(CXX) -std=c++17 -O2 -U_FORTIFY_SOURCE -ffp-contract=off -Wall -Wextra -Werror -Wno-unknown-pragmas -fPIC -shared \
	    -I$(EMULATED_HERE)/include -Iinclude $(STENCIL_MACROS) tests/stencil/emulated.cpp $(@:.so=.o) -lm -o $@

# Rules for the headers of neighbours, in the same three ways.
NEIGHBOURS         := plane space
NEIGHBOURS_MACROS   = -Itests/neighbours -DRULE='"$*.h"' -DNAME='"$*"'
NEIGHBOURS_FILES   := $(wildcard tests/neighbours/* include/engine/*) tests/stencil/simt.h
compile_neighbours  = $(CC) $(ALL_CPPFLAGS) $(NEIGHBOURS_MACROS) $(ALL_CFLAGS) -fPIC -fvisibility=hidden
NEIGHBOURS_EMULATED := $(BUILD)/tests/neighbours/emulated
$(NEIGHBOURS:%=$(BUILD)/tests/neighbours/%.so): $(BUILD)/tests/neighbours/%.so: $(NEIGHBOURS_FILES) $(OBJ)/flags
	$(call say,CC,"tests/neighbours/plugin.c ($*)")
	$(Q)$(compile_neighbours) $(ALL_LDFLAGS) -shared tests/neighbours/plugin.c -lm -o $@

NEIGHBOURS_CUH     := $(patsubst %,$(NEIGHBOURS_EMULATED)/include/engine/%.cuh,neighbours neighbours_lists neighbours_world)
$(NEIGHBOURS_CUH): $(NEIGHBOURS_EMULATED)/%: %
	$(call say,PERL,$<)
	$(Q)perl -0pe 's/(\w+(?:<[^<>]*>)?)<<<(.*?)>>>\((.*?)\);/launch_here([=] { $$1($$3); }, $$2);/gs' $< >$@
	$(Q)>$(NEIGHBOURS_EMULATED)/include/cuda_runtime.h
EMULATED_NEIGHBOURS := $(if $(HAVE_CXX),$(if $(SANITIZE),,$(NEIGHBOURS:%=$(NEIGHBOURS_EMULATED)/%.so)))
$(EMULATED_NEIGHBOURS): $(NEIGHBOURS_EMULATED)/%.so: $(NEIGHBOURS_FILES) $(NEIGHBOURS_CUH) $(OBJ)/flags
	$(call say,CXX,"tests/neighbours/emulated.cpp ($*)")
	$(Q)$(compile_neighbours) -DENGINE_WITH_CUDA -DEMULATED -c tests/neighbours/plugin.c -o $(@:.so=.o)
	$(Q)$(CXX) -std=c++17 -O2 -U_FORTIFY_SOURCE -ffp-contract=off -Wall -Wextra -Werror -Wno-unknown-pragmas -fPIC -shared \
	    -I$(NEIGHBOURS_EMULATED)/include -Iinclude $(NEIGHBOURS_MACROS) tests/neighbours/emulated.cpp $(@:.so=.o) -lm -o $@

$(NEIGHBOURS:%=$(BUILD)/tests/gpu/neighbours/%.so): $(BUILD)/tests/gpu/neighbours/%.so: $(NEIGHBOURS_FILES) $(OBJ)/flags
	$(call say,NVCC,"tests/neighbours/cuda.cu ($*)")
	$(Q)$(compile_neighbours) -DENGINE_WITH_CUDA -c tests/neighbours/plugin.c -o $(@:.so=.o)
	$(Q)$(NVCC_HERE) $(NEIGHBOURS_MACROS) -O3 --fmad=false $(CUDA_CODE) -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra \
	    -shared -cudart static tests/neighbours/cuda.cu $(@:.so=.o) -lm -o $@

# Without sanitizers, because the shim is loaded before their libraries.
$(FAULT_SHIM): $(wildcard tests/faults/shim/*.[ch]) $(OBJ)/flags
	$(call say,LD)
	$(Q)$(CC) $(LANGUAGE) $(WARNINGS) -O2 -g -fPIC -shared $(filter %.c,$^) -ldl -o $@

# With the same settings, a test that runs make finds everything up to date.
SAME_SETTINGS = BUILD='$(BUILD)' CC='$(CC)' CXX='$(CXX)' NVCC='$(NVCC)' MPICC='$(MPICC)' CUDA_ARCHS='$(CUDA_ARCHS)' DEPS='$(DEPS)' \
                SANITIZE='$(SANITIZE)' CFLAGS='$(CFLAGS)' CPPFLAGS='$(CPPFLAGS)' LDFLAGS='$(LDFLAGS)' \
                FUZZ_SECONDS='$(FUZZ_SECONDS)' FUZZ_JOBS='$(FUZZ_JOBS)'

# tests/fuzz: clang's libFuzzer for every parser, in its own build folder with coverage and sanitizers. A plain test also
# uses the files that the fuzzer starts from. Without clang, tests/fuzz/fuzz.sh fails and says why.
FUZZER       := $(BUILD)/fuzz/fuzzer
HAVE_FUZZ_CC := $(shell command -v $(call program_of,$(FUZZ_CC)) 2>/dev/null)

# make check TESTS=word builds the fuzzer only for a word that tests/run finds in the name of its test.
FUZZ_WANTED := $(if $(TESTS),$(shell bash -c '[[ fuzz/fuzz == *$$0* ]] && echo fuzzer' '$(TESTS)'),fuzzer)

# The reader of rules is a part of the plugin ruletable.
RULETABLE_OBJECTS := $(patsubst %,$(OBJ)/plugins/ruletable/%.o,rule_parse rule_table rule_tree keys diagram tables)
$(BUILD)/tests/fuzz/test_corpora: $(RULETABLE_OBJECTS)

# The kernels of life2d-bit, without the plugin.
$(BUILD)/tests/plugins/test_settled: $(ISAS:%=$(OBJ)/plugins/life2d-bit/cpu_kernel.%.o) \
    $(OBJ)/plugins/life2d-bit/square_search.o

$(BUILD)/fuzzer: $(call test_helpers,fuzz) $(RULETABLE_OBJECTS) $(FORMAT_OBJECTS) $(BUILD)/libengine.a
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer $^ $(CORE_LIBS) -o $@

fuzzer:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/fuzz CC='$(FUZZ_CC)' NVCC= SANITIZE=1 CFLAGS='-g -fsanitize=fuzzer-no-link' $(FUZZER)

fuzz: fuzzer
	@$(SAME_SETTINGS) LONG=1 bash tests/fuzz/fuzz.sh $(TARGETS)

tests: all $(TEST_PROGRAMS) $(BENCHES) $(BAD_PLUGINS) $(STENCILS:%=$(BUILD)/tests/stencil/%.so) \
    $(EMULATED:%=$(EMULATED_HERE)/%.so) $(NEIGHBOURS:%=$(BUILD)/tests/neighbours/%.so) $(EMULATED_NEIGHBOURS) $(FAULT_SHIM) $(if $(HAVE_FUZZ_CC),$(FUZZ_WANTED))
	@rm -f $(filter-out $(TEST_PROGRAMS) $(BAD_PLUGINS),$(wildcard $(BUILD)/tests/*/test_* $(BUILD)/tests/bad/*.so $(BUILD)/tests/cheats/*.so))

check: tests
	@$(SAME_SETTINGS) tests/run $(TESTS)

# Tests that need a GPU: the conformance suite, verify and compute-sanitizer on every CUDA implementation.
$(BUILD)/tests/gpu/%.so: tests/gpu/%.cu $(OBJ)/flags
	$(call say,NVCC,$<)
	$(Q)mkdir -p $(OBJ)/tests
	$(Q)$(NVCC_HERE) -Icore -Ilib $(CUDA_CODE) -MMD -MP -MT $@ \
	    -MF $(OBJ)/tests/gpu-$*.d -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra -shared -cudart static $< -o $@

$(STENCILS:%=$(BUILD)/tests/gpu/stencil/%.so): $(BUILD)/tests/gpu/stencil/%.so: $(STENCIL_FILES) $(OBJ)/flags
	$(call say,NVCC,"tests/stencil/cuda.cu ($*)")
	$(Q)$(compile_stencil) -DENGINE_WITH_CUDA -c tests/stencil/plugin.c -o $(@:.so=.o)
	$(Q)$(NVCC_HERE) $(STENCIL_MACROS) -O3 --fmad=false $(CUDA_CODE) -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra \
	    -shared -cudart static tests/stencil/cuda.cu $(@:.so=.o) -lm -o $@

# The example plugins, built in build/examples in the same way as a reader builds them.
EXAMPLES := $(patsubst examples/%/Makefile,$(BUILD)/examples/%.so,$(filter-out examples/embed/% examples/soups/%,$(wildcard examples/*/Makefile)))
$(EXAMPLES): $(BUILD)/examples/%.so: $$(wildcard examples/$$*/*) $(wildcard include/engine/*) $(OBJ)/flags
	$(call say,MAKE,examples/$*)
	$(Q)rm -rf $(BUILD)/examples/$* && cp -r examples/$* $(BUILD)/examples/$*
	$(Q)$(MAKE) -s --no-print-directory -C $(BUILD)/examples/$* CC='$(CC)' NVCC='$(CUDA)' NVCCFLAGS='-O3 $(CUDA_CODE)' \
	    ENGINE_INCLUDE='$(abspath include)' $*.so
	$(Q)cp $(BUILD)/examples/$*/$*.so $@

check-gpu: $(EXAMPLES) tests $(STENCILS:%=$(BUILD)/tests/gpu/stencil/%.so) $(NEIGHBOURS:%=$(BUILD)/tests/gpu/neighbours/%.so) $(patsubst tests/gpu/%.cu,$(BUILD)/tests/gpu/%.so,$(wildcard tests/gpu/*.cu))
	@$(SAME_SETTINGS) tools/check-gpu

# The whole test suite with sanitizers, in its own build folder. Leaks are errors. The fuzzer always uses sanitizers.
sanitize:
	@ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 TEST_SECONDS=3600 \
	    $(MAKE) --no-print-directory BUILD=$(BUILD)/sanitize SANITIZE=1 FUZZ_SECONDS=1 check
