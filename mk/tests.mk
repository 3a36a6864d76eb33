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
# fail instead of a sample, and each parser gets random input for a minute instead of 6 seconds.

.PHONY: tests test-tools check check-gpu sanitize fuzz fuzzer

TESTS ?=
# The time for each fuzz target, the compiler of the fuzzer, and the number of targets that run at once; see tests/fuzz.
# FUZZ_CC= (empty) builds no fuzzer, and skips its test.
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

# Tests of parts of a plugin take the objects that they need from all of the plugin's.
$(OBJ)/plugins/%.a: $$(call plugin_objects,$$*) $(OBJ)/plugins/%.list
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

$(BUILD)/tests/plugins/test_rules $(BUILD)/tests/plugins/test_settled: $(OBJ)/plugins/life2d-bit.a
$(BUILD)/tests/plugins/test_census: $(OBJ)/plugins/census.a
$(BUILD)/tests/fuzz/test_corpora: $(OBJ)/plugins/ruletable.a

$(BENCHES): $(BUILD)/tests/%: $(OBJ)/tests/%.o $(FORMAT_OBJECTS) $(BUILD)/libengine.a
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) $(filter %.o %.a,$^) $(CORE_LIBS) -o $@

$(BAD_PLUGINS): $(BUILD)/tests/%.so: $(OBJ)/tests/%.o
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) -shared $< -lm -o $@

# The folders stencil and neighbours have rules. Each of their plugins is made of one rule by the headers of
# include/engine that they test. For the plugin x-2 of stencil, the macro NUMBER is 2. STENCIL_CPU_BYTES gives the rows of
# a task few bytes, so small grids have many tiles.
STENCILS := line-2 line-3 mixed box-1 box-2 box-3 cube-1 star-1 star-2 bits-1 bits-2 bits-3 bits-4 bits-5 bits-8 \
            bitline-1 bitline-3 bitcube-1 heavy-2 heavy-3 echo-2 echo-3 fire-1 flow-1 near-1 near-2 near-3 near-4 near-5 \
            totals-3 totals-20 yee-2 halves-2 branches-1
EMULATED := line-2 mixed box-1 box-3 cube-1 star-1 star-2 bits-2 bits-8 bitline-1 bitcube-1 heavy-2 heavy-3 echo-2 echo-3 \
            near-2 near-3 near-4 near-5 totals-3 totals-20
stencil_rule   = $(firstword $(subst -, ,$*))
stencil_macros = -DRULE='"$(stencil_rule).h"' -DNAME='"$*"' -DSTENCIL_CPU_BYTES=20000 \
                 -DNUMBER=$(lastword 1 $(filter-out $(stencil_rule),$(subst -, ,$*)))
stencil_flags := $(if $(SANITIZE),,-O3) -Wno-conversion -Wno-float-conversion
stencil_emulated_flags := -O1

NEIGHBOURS := plane space
neighbours_macros = -DRULE='"$*.h"' -DNAME='"$*"'

# The CUDA implementations of some of these plugins are also compiled for the host, by the C++ compiler. For this, the
# shell's perl changes the launches in the headers, kernel<<<…>>>(…), to calls. make leaves these plugins out with
# sanitizers, which do not know the stacks of coroutines.
EMULATED_CUH := $(patsubst %,$(BUILD)/tests/emulated/%,$(wildcard include/engine/*.cuh))
EMULATE       = perl -0pe 's/(\w+(?:<[^<>]*>)?)<<<(.*?)>>>\((.*?)\);/launch_here([=] { $$1($$3); }, $$2);/gs'
EMULATED_CXX  = $(CXX) -std=c++17 -U_FORTIFY_SOURCE -ffp-contract=off -Wall -Wextra $(ERRORS) -Wno-unknown-pragmas -fPIC -shared \
                -I$(BUILD)/tests/emulated/include -Iinclude
$(EMULATED_CUH): $(BUILD)/tests/emulated/%: %
	$(call say,PERL,$<)
	$(Q)$(EMULATE) $< >$@
	$(Q)>$(BUILD)/tests/emulated/include/cuda_runtime.h

# $1: the folder; $2: the names of its plugins; $3: those whose CUDA implementation is also compiled for the host, in the
# folder emulated. For check-gpu, nvcc compiles all of them in tests/gpu.
define header_plugins
$1_compile = $$(CC) $$(ALL_CPPFLAGS) -Itests/$1 $$($1_macros) $$(ALL_CFLAGS) $$($1_flags) -fPIC -fvisibility=hidden
$1_files  := $(wildcard tests/$1/* include/engine/*) tests/stencil/simt.h tests/stencil/runtime.h $(OBJ)/flags
HEADER_PLUGINS     += $(2:%=$(BUILD)/tests/$1/%.so) $(if $(SANITIZE),,$(if $(HAVE_CXX),$(3:%=$(BUILD)/tests/$1/emulated/%.so)))
GPU_HEADER_PLUGINS += $(2:%=$(BUILD)/tests/gpu/$1/%.so)

$(2:%=$(BUILD)/tests/$1/%.so): $(BUILD)/tests/$1/%.so: $$($1_files)
	$$(call say,CC,"tests/$1/plugin.c ($$*)")
	$$(Q)$$($1_compile) $$(ALL_LDFLAGS) -shared tests/$1/plugin.c -lm -o $$@

$(3:%=$(BUILD)/tests/$1/emulated/%.so): $(BUILD)/tests/$1/emulated/%.so: $$($1_files) $(EMULATED_CUH)
	$$(call say,CXX,"tests/$1/emulated.cpp ($$*)")
	$$(Q)$$($1_compile) $$($1_emulated_flags) -DENGINE_WITH_CUDA -DEMULATED -c tests/$1/plugin.c -o $$(@:.so=.o)
	$$(Q)$$(EMULATED_CXX) -O2 -Itests/$1 $$($1_macros) tests/$1/emulated.cpp $$(@:.so=.o) -lm -o $$@

$(2:%=$(BUILD)/tests/gpu/$1/%.so): $(BUILD)/tests/gpu/$1/%.so: $$($1_files)
	$$(call say,NVCC,"tests/$1/cuda.cu ($$*)")
	$$(Q)$$($1_compile) -DENGINE_WITH_CUDA -c tests/$1/plugin.c -o $$(@:.so=.o)
	$$(Q)$$(NVCC_HERE) -Itests/$1 $$($1_macros) -O3 --fmad=false $$(CUDA_CODE) -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra \
	    -shared -cudart static tests/$1/cuda.cu $$(@:.so=.o) -lm -o $$@
endef
$(eval $(call header_plugins,stencil,$(STENCILS),$(EMULATED)))
$(eval $(call header_plugins,neighbours,$(NEIGHBOURS),$(NEIGHBOURS)))

# So is that of pairs: its implementation `cuda` runs on the host.
PAIRS_EMULATED := $(BUILD)/tests/plugins/emulated/pairs.so
HEADER_PLUGINS += $(if $(SANITIZE),,$(if $(HAVE_CXX),$(PAIRS_EMULATED)))
$(PAIRS_EMULATED): tests/plugins/pairs_emulated.cpp $(wildcard plugins/pairs/* tests/stencil/*.h) $(EMULATED_CUH) $(OBJ)/plugins/pairs.a
	$(call say,CXX,$<)
	$(Q)$(EMULATE) plugins/pairs/cuda.cu >$(@D)/pairs_cuda.cpp
	$(Q)sed 's/ENGINE_CUDA_IMPL/ENGINE_HOST_IMPL/' plugins/pairs/plugin.c >$(@D)/plugin.c
	$(Q)$(CC) $(ALL_CPPFLAGS) -Iplugins -Iplugins/pairs $(ALL_CFLAGS) -fPIC -fvisibility=hidden -DENGINE_WITH_CUDA -c $(@D)/plugin.c -o $(@D)/plugin.o
	$(Q)$(EMULATED_CXX) -O0 -Iplugins -Iplugins/pairs -I$(@D) $< $(@D)/plugin.o $(OBJ)/plugins/pairs.a -lm -o $@

# Without sanitizers, because the shim is loaded before their libraries.
$(FAULT_SHIM): $(wildcard tests/faults/shim/*.[ch]) $(OBJ)/flags
	$(call say,LD)
	$(Q)$(CC) $(LANGUAGE) $(WARNINGS) -O2 -g -fPIC -shared $(filter %.c,$^) -ldl -o $@

# With the same settings, a test that runs make finds everything up to date.
SAME_SETTINGS = BUILD='$(BUILD)' CC='$(CC)' CXX='$(CXX)' NVCC='$(NVCC)' MPICC='$(MPICC)' CUDA_ARCHS='$(CUDA_ARCHS)' DEPS='$(DEPS)' \
                SANITIZE='$(SANITIZE)' WERROR='$(WERROR)' CFLAGS='$(CFLAGS)' CPPFLAGS='$(CPPFLAGS)' LDFLAGS='$(LDFLAGS)' \
                FUZZ_SECONDS='$(FUZZ_SECONDS)' FUZZ_CC='$(FUZZ_CC)' FUZZ_JOBS='$(FUZZ_JOBS)'

# tests/fuzz: clang's libFuzzer for every parser, in its own build folder with coverage and sanitizers. A plain test also
# uses the files that the fuzzer starts from. If there is no such compiler, tests/fuzz/fuzz.sh fails and says why.
FUZZER       := $(BUILD)/fuzz/fuzzer
HAVE_FUZZ_CC := $(shell command -v $(call program_of,$(FUZZ_CC)) 2>/dev/null)

# make check TESTS=word builds the fuzzer only for a word that tests/run finds in the name of its test.
FUZZ_WANTED := $(if $(TESTS),$(shell bash -c '[[ fuzz/fuzz == *$$0* ]] && echo fuzzer' '$(TESTS)'),fuzzer)

# The parsers need nothing of these folders but the keys of configurations. A quarter of the sources is not compiled.
FUZZED := $(sort $(CORE_OBJECTS) $(filter-out $(addprefix $(OBJ)/lib/,judge/% ensemble/% report/%),$(LIB_OBJECTS)) \
          $(patsubst %.c,$(OBJ)/%.o,$(wildcard lib/judge/section_*.c lib/ensemble/section_*.c)))
$(BUILD)/libfuzzed.a: $(FUZZED)
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $(FUZZED)

$(BUILD)/fuzzer: $(call test_helpers,fuzz) $(OBJ)/plugins/ruletable.a $(FORMAT_OBJECTS) $(BUILD)/libfuzzed.a
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer $^ $(CORE_LIBS) -o $@

fuzzer:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/fuzz CC='$(FUZZ_CC)' NVCC= SANITIZE=1 CFLAGS='-g -fsanitize=fuzzer-no-link' $(FUZZER)

fuzz: fuzzer
	@$(SAME_SETTINGS) LONG=1 bash tests/fuzz/fuzz.sh $(TARGETS)

tests: all $(TEST_PROGRAMS) $(BENCHES) $(BAD_PLUGINS) $(HEADER_PLUGINS) $(FAULT_SHIM) $(if $(HAVE_FUZZ_CC),$(FUZZ_WANTED))
	@rm -f $(filter-out $(TEST_PROGRAMS) $(BAD_PLUGINS),$(wildcard $(BUILD)/tests/*/test_* $(BUILD)/tests/bad/*.so $(BUILD)/tests/cheats/*.so))

check: tests
	@$(SAME_SETTINGS) tests/run '$(TESTS)'

# Tests that need a GPU: the conformance suite, verify and compute-sanitizer on every CUDA implementation.
$(BUILD)/tests/gpu/%.so: tests/gpu/%.cu $(OBJ)/flags
	$(call say,NVCC,$<)
	$(Q)mkdir -p $(OBJ)/tests
	$(Q)$(NVCC_HERE) -Icore -Ilib $(CUDA_CODE) -MMD -MP -MT $@ \
	    -MF $(OBJ)/tests/gpu-$*.d -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra -shared -cudart static $< -o $@

# The example plugins, built in build/examples in the same way as a reader builds them.
EXAMPLES := $(patsubst examples/%/Makefile,$(BUILD)/examples/%.so,$(filter-out examples/embed/% examples/soups/%,$(wildcard examples/*/Makefile)))
$(EXAMPLES): $(BUILD)/examples/%.so: $$(wildcard examples/$$*/*) $(wildcard include/engine/*) $(OBJ)/flags
	$(call say,MAKE,examples/$*)
	$(Q)rm -rf $(BUILD)/examples/$* && cp -r examples/$* $(BUILD)/examples/$*
	$(Q)$(MAKE) -s --no-print-directory -C $(BUILD)/examples/$* CC='$(CC)' NVCC='$(CUDA)' NVCCFLAGS='-O3 $(CUDA_CODE)' \
	    ENGINE_INCLUDE='$(abspath include)'
	$(Q)cp $(BUILD)/examples/$*/*.so $(BUILD)/examples

check-gpu: $(EXAMPLES) tests $(GPU_HEADER_PLUGINS) $(patsubst tests/gpu/%.cu,$(BUILD)/tests/gpu/%.so,$(wildcard tests/gpu/*.cu))
	@$(SAME_SETTINGS) tools/check-gpu

# The whole test suite with sanitizers, in its own build folder. Leaks are errors. The fuzzer always uses sanitizers.
sanitize:
	@ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 TEST_SECONDS=3600 \
	    $(MAKE) --no-print-directory BUILD=$(BUILD)/sanitize SANITIZE=1 FUZZ_SECONDS=1 check
