# engine: one program and its plugins. `make help` lists the targets, `make info` says what was found on this machine.
#
# Read it from top to bottom: 1 settings, 2 what is here, 3 flags, 4 the engine, 5 plugins, 6 tests, 7 running things,
# 8 keeping the source tidy, 9 installing.

# ---- 1. Settings: give them on the command line, as in `make CC=clang` -----------------------------------------------

BUILD    ?= build
PREFIX   ?= /usr/local
# Where libraries go, as /usr/lib/x86_64-linux-gnu; the program looks for its plugins there.
LIBDIR   ?= $(PREFIX)/lib
DESTDIR  ?=
CFLAGS   ?= -O2 -g
CPPFLAGS ?=
LDFLAGS  ?=
# DEPS=/path: a folder that tools/deps-prefix filled, for machines where nobody may install packages.
DEPS     ?=
# SANITIZE=1: AddressSanitizer and UndefinedBehaviorSanitizer in everything; `make sanitize` sets it.
SANITIZE ?=
# V=1: shows whole commands.
V        ?=
# How long each parser is tried with random input, by which compiler's fuzzer, and how many at a time; see tests/fuzz.
FUZZ_SECONDS ?= 60
FUZZ_CC      ?= clang
FUZZ_JOBS    ?=
# Makes the manual pages; they are left out where it is not there.
SCDOC    ?= $(shell command -v scdoc 2>/dev/null)
# NVCC= (empty): build without CUDA although it is there.
NVCC     ?= $(firstword $(shell command -v nvcc 2>/dev/null) $(wildcard /usr/local/cuda/bin/nvcc))
# GPUs to compile for: code for x.0 runs on every x.y; PTX of the last one serves newer ones. CUDA_ARCHS=90 is quicker while working
# on a kernel.
CUDA_ARCHS ?= 80 90 100

# ---- 2. What is here ---------------------------------------------------------------------------------------------------

# One name for one folder, relative where it is in this one: what an object depends on is known by the object's name.
override BUILD := $(patsubst $(CURDIR)/%,%,$(abspath $(BUILD)))

NVCC       := $(NVCC)
SCDOC      := $(SCDOC)
MACHINE    := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))
MULTIARCH  := $(MACHINE)-linux-gnu
CC_IS_CLANG := $(findstring clang,$(shell $(CC) --version 2>/dev/null | head -n 1))

OBJ     := $(BUILD)/obj
CORE    := $(wildcard core/*.c core/io/*.c core/device/*.c core/conform/*.c)
PLUGINS := $(patsubst plugins/%/plugin.c,%,$(wildcard plugins/*/plugin.c))

# nvcc needs a C++ compiler beside it. CUDA is the path of nvcc where both are there, else empty.
HAVE_CXX := $(shell command -v $(firstword $(CXX)) 2>/dev/null)
CUDA     := $(if $(HAVE_CXX),$(NVCC))
ifneq ($(CUDA),)
CUDA_KNOWN := $(patsubst compute_%,%,$(shell $(NVCC) --list-gpu-arch 2>/dev/null))
CUDA_USED  := $(filter $(CUDA_KNOWN),$(CUDA_ARCHS))
CUDA_HOME  ?= $(patsubst %/bin/nvcc,%,$(realpath $(NVCC)))
CUDA_LIBS  ?= $(firstword $(wildcard $(CUDA_HOME)/lib64 $(CUDA_HOME)/targets/*/lib $(CUDA_HOME)/lib/$(MULTIARCH)))
endif

# ---- 3. Flags ------------------------------------------------------------------------------------------------------------

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
# No contraction into fused multiply-adds behind the author's back: gcc, clang and all machines then round alike.
LANGUAGE := -std=c11 -D_GNU_SOURCE -ffp-contract=off -fopenmp

ifneq ($(DEPS),)
DEPS_CPPFLAGS := -isystem $(abspath $(DEPS))/usr/include -isystem $(abspath $(DEPS))/usr/include/$(MULTIARCH)
DEPS_FOLDERS  := $(abspath $(DEPS))/usr/lib/$(MULTIARCH) $(abspath $(DEPS))/lib/$(MULTIARCH)
# The old kind of rpath: it also serves the libraries that libraries need.
DEPS_LDFLAGS  := $(DEPS_FOLDERS:%=-L%) -Wl,--disable-new-dtags $(DEPS_FOLDERS:%=-Wl,-rpath,%)
endif

ifneq ($(SANITIZE),)
# Optimised code with checks in it draws warnings that are about the checks: they do not stop this build.
SANITIZE_FLAGS := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -Wno-error
endif

# iniparser.h lies in a folder of its own on Debian since 12; a one-line header stands in where it does not.
INCLUDES        := $(if $(DEPS),$(abspath $(DEPS))/usr/include) /usr/include /usr/local/include
ifeq ($(wildcard $(INCLUDES:%=%/iniparser/iniparser.h)),)
ifneq ($(wildcard $(INCLUDES:%=%/iniparser.h)),)
INIPARSER_HEADER := $(BUILD)/include/iniparser/iniparser.h
endif
endif

ALL_CPPFLAGS := -Iinclude $(if $(INIPARSER_HEADER),-I$(BUILD)/include) $(DEPS_CPPFLAGS) $(CPPFLAGS)
ALL_CFLAGS   := $(LANGUAGE) $(WARNINGS) $(CFLAGS) $(SANITIZE_FLAGS)
ALL_LDFLAGS  := -fopenmp $(SANITIZE_FLAGS) $(DEPS_LDFLAGS) $(LDFLAGS)
DEPENDS       = -MMD -MP -MF $(@:.o=.d)

# Machine code for each GPU of CUDA_ARCHS that this nvcc knows, and PTX of the last one for those to come.
NVCCFLAGS ?= -O3 -lineinfo
CUDA_CODE := $(foreach arch,$(CUDA_USED),-gencode arch=compute_$(arch),code=sm_$(arch)) \
             $(foreach arch,$(lastword $(CUDA_USED)),-gencode arch=compute_$(arch),code=compute_$(arch))

Q := $(if $(V),,@)
# Recipe line: a folder for the target, and a word about it.
say = @mkdir -p $(@D)$(if $(V),, && printf '  %-5s %s\n' $1 $(or $2,$@))

.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
.SECONDEXPANSION:
.PHONY: all tests check check-gpu sanitize fuzz fuzzer demo new-plugin info help format lint lint-format lint-tidy lint-cppcheck clean install \
        uninstall deb FORCE

PLUGIN_FILES := $(PLUGINS:%=$(BUILD)/plugins/%.so)

# What was made of sources that are gone goes too: the engine would still find it.
all: $(BUILD)/engine $(PLUGIN_FILES) $$(MAN_FILES)
	@rm -f $(filter-out $(PLUGIN_FILES),$(wildcard $(BUILD)/plugins/*.so))

# A file that changes when what it records does: everything that depends on it is then made again.
record = @mkdir -p $(@D) && printf '%s\n' '$(strip $1)' | cmp -s - $@ || printf '%s\n' '$(strip $1)' >$@

$(OBJ)/flags: FORCE
	$(call record,$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(CUDA) $(CUDA_USED))

$(BUILD)/include/iniparser/iniparser.h:
	$(call say,GEN)
	$(Q)echo '#include <iniparser.h>' >$@

-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)

# ---- 4. The engine -------------------------------------------------------------------------------------------------------

# Everything but main is an archive, which the tests link too.
CORE_OBJECTS := $(patsubst %.c,$(OBJ)/%.o,$(filter-out core/main.c,$(CORE)))
CORE_LIBS    := -liniparser -lpng -lz -lisal -lxxhash -ljson-c -lm -ldl

# The engine and its tests use all members of engine/plugin.h; a plugin asks for a minor version by itself.
NEWEST_INTERFACE := -DENGINE_MINOR=ENGINE_ABI_MINOR

$(OBJ)/core/%.o: core/%.c $(OBJ)/flags | $(INIPARSER_HEADER)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(NEWEST_INTERFACE) $(ALL_CFLAGS) $(DEPENDS) -c $< -o $@

# `engine new-plugin` carries the files that it writes.
$(OBJ)/core/verb_new_plugin.o: $(wildcard core/template/*)

# The core's own kernels are a file of machine code for all GPUs, which becomes bytes of the program; the driver is loaded
# when it runs. Without nvcc the engine says so when it is asked for a device.
ifneq ($(CUDA),)
$(OBJ)/core/device/kernels.fatbin: core/device/kernels.cu $(OBJ)/flags
	$(call say,NVCC,$<)
	$(Q)$(NVCC) -std=c++17 -ccbin $(firstword $(CXX)) -Iinclude $(CUDA_CODE) --Werror all-warnings -MMD -MP -MT $@ -MF $(@:.fatbin=.d) \
	    -fatbin $< -o $@

$(OBJ)/core/device/cuda.o: $(OBJ)/core/device/kernels.fatbin
$(OBJ)/core/device/cuda.o: ALL_CPPFLAGS += -DENGINE_CUDA_KERNELS='"$(OBJ)/core/device/kernels.fatbin"'
endif

# The program says which commit it was made from.
COMMIT := $(if $(wildcard .git),$(shell git describe --always --dirty 2>/dev/null))
$(OBJ)/commit: FORCE
	$(call record,$(COMMIT))
$(OBJ)/core/main.o: private ALL_CPPFLAGS += -DENGINE_COMMIT='"$(COMMIT)"'
$(OBJ)/core/main.o: $(OBJ)/commit

# It looks for installed plugins where they are from its own place.
LIBDIR_FROM_BIN := $(shell realpath -m --relative-to='$(PREFIX)/bin' '$(LIBDIR)')
$(OBJ)/libdir: FORCE
	$(call record,$(LIBDIR_FROM_BIN))
$(OBJ)/core/registry.o: private ALL_CPPFLAGS += -DENGINE_LIBDIR='"$(LIBDIR_FROM_BIN)"'
$(OBJ)/core/registry.o: $(OBJ)/libdir

# The measured limits count a multiplication and an addition as one operation where the machine has one for it.
$(OBJ)/core/device/limits.o: private ALL_CFLAGS += -ffp-contract=fast

# Rows of bits become columns in loops of eight over eight words, which are to be unrolled whole: 1.8 times as fast.
$(OBJ)/core/layout_columns.o: private ALL_CFLAGS += -O3

$(OBJ)/core.list: FORCE
	$(call record,$(CORE))

$(BUILD)/libcore.a: $(CORE_OBJECTS) $(OBJ)/core.list
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $(CORE_OBJECTS)

$(BUILD)/engine: $(OBJ)/core/main.o $(BUILD)/libcore.a
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) $(filter %.o %.a,$^) $(CORE_LIBS) -o $@

# ---- 5. Plugins ----------------------------------------------------------------------------------------------------------
#
# Every folder of plugins/ with a plugin.c becomes build/plugins/<folder>.so, made of all its .c files and, where there
# is nvcc, of all its .cu files. Headers of a family are included as <family/header.h>. What differs is said here:
#
#   <plugin>_family = life          links plugins/life/*.c in as well
#   <plugin>_isa    = cpu_kernel    this .c is compiled once for each word of ISAS, with -D<plugin>_isa_macro=<word>

life2d-bit_isa       = cpu_kernel
life2d-bit_isa_macro = LIFE_ISA

life3d-packed_isa       = cpu_kernel
life3d-packed_isa_macro = LIFE_ISA

life3d-naive_isa       = cpu_kernel
life3d-naive_isa_macro = LIFE_ISA

life3d-shared_isa       = cpu_kernel
life3d-shared_isa_macro = LIFE_ISA

nbody_isa       = cpu_kernel
nbody_isa_macro = NBODY_ISA

rdf_isa       = cpu_kernel
rdf_isa_macro = RDF_ISA

# Instruction sets beyond the machine's base; the plugin chooses among them when it runs. plugins/common/isa.h asks the processor
# for what these flags allow.
ISAS         := $(if $(filter x86_64,$(MACHINE)),avx512 avx2) plain
avx512_flags := -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mbmi -mbmi2 -mpopcnt
avx2_flags   := -mavx2 -mfma -mbmi -mbmi2 -mpopcnt
plain_flags  :=

# $1: plugin. Its sources, those compiled once for each instruction set, and the objects that the .so is made of.
plugin_sources     = $(wildcard plugins/$1/*.c $(patsubst %,plugins/%/*.c,$($1_family)))
plugin_isa_sources = $(wildcard $(patsubst %,plugins/$1/%.c,$($1_isa)))
plugin_cuda        = $(if $(CUDA),$(filter-out %.ptx.cu,$(wildcard plugins/$1/*.cu)))
plugin_objects     = $(patsubst %.c,$(OBJ)/%.o,$(filter-out $(plugin_isa_sources),$(plugin_sources))) \
                     $(foreach isa,$(ISAS),$(patsubst %.c,$(OBJ)/%.$(isa).o,$(plugin_isa_sources))) \
                     $(patsubst %.cu,$(OBJ)/%.cu.o,$(plugin_cuda))

# $*: <plugin>/<source>. ENGINE_WITH_CUDA is defined where the plugin's .cu files are compiled.
PLUGIN_CPPFLAGS  = $(ALL_CPPFLAGS) -Iplugins $(if $(call plugin_cuda,$(*D)),-DENGINE_WITH_CUDA)
PLUGIN_CFLAGS   := $(ALL_CFLAGS) -fPIC -fvisibility=hidden
# What a static library brings along is not exported. A symbol that nobody defines is an error, but for those of clang's
# sanitizers, which wait in the program.
PLUGIN_LDFLAGS  := $(ALL_LDFLAGS) -shared -Wl,--exclude-libs,ALL $(if $(and $(SANITIZE),$(CC_IS_CLANG)),,-Wl,-z,defs)

define compile_for_isa
$$(OBJ)/plugins/%.$1.o: plugins/%.c $$(OBJ)/flags
	$$(call say,CC,"$$< ($1)")
	$$(Q)$$(CC) $$(PLUGIN_CPPFLAGS) -D$$($$(*D)_isa_macro)=$1 $$(PLUGIN_CFLAGS) $$($1_flags) $$(DEPENDS) -c $$< -o $$@
endef
$(foreach isa,$(ISAS),$(eval $(call compile_for_isa,$(isa))))

$(OBJ)/plugins/%.o: plugins/%.c $(OBJ)/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(PLUGIN_CPPFLAGS) $(PLUGIN_CFLAGS) $(DEPENDS) -c $< -o $@

$(OBJ)/plugins/%.cu.o: plugins/%.cu $(OBJ)/flags
	$(call say,NVCC,$<)
	$(Q)$(NVCC) -std=c++17 -ccbin $(firstword $(CXX)) -Iinclude -Iplugins -DENGINE_WITH_CUDA $(NVCCFLAGS) $(CUDA_CODE) \
	    --Werror all-warnings -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra $(DEPENDS) -c $< -o $@

# Kernels that are finished when the run starts travel as PTX: x.ptx.cu is taken in by x.c.
PTX := $(patsubst %.ptx.cu,$(OBJ)/%,$(if $(CUDA),$(wildcard plugins/*/*.ptx.cu)))
$(OBJ)/plugins/%.ptx: plugins/%.ptx.cu $(OBJ)/flags
	$(call say,NVCC,$<)
	$(Q)$(NVCC) -std=c++17 -ccbin $(firstword $(CXX)) -Iinclude -Iplugins -O3 -arch=compute_80 --Werror all-warnings \
	    -MMD -MP -MT $@ -MF $@.d -ptx $< -o $@

$(PTX:%=%.o): %.o: %.ptx
$(PTX:%=%.o): private ALL_CPPFLAGS += -DLIFE_PTX_FILE='"$(@:.o=.ptx)"'

$(OBJ)/plugins/%.list: FORCE
	$(call record,$(call plugin_objects,$*))

$(PLUGIN_FILES): $(BUILD)/plugins/%.so: $$(call plugin_objects,$$*) $(OBJ)/plugins/%.list
	$(call say,LD)
	$(Q)$(if $(filter %.cu.o,$^),$(CXX),$(CC)) $(PLUGIN_LDFLAGS) $(filter %.o,$^) \
	    $(if $(filter %.cu.o,$^),-static-libstdc++ -L$(CUDA_LIBS) -lcudart_static -lpthread -lrt) -lm -ldl -o $@

# ---- 6. Tests ------------------------------------------------------------------------------------------------------------
#
#   tests/<folder>/test_x.c   program build/tests/<folder>/test_x, with cmocka, the core and the folder's other .c files
#   tests/bad/x.c             broken plugin build/tests/bad/x.so
#   tests/faults/shim/*.c     build/tests/faults/shim.so, which makes calls fail in a program that it is preloaded into
#   tests/bench/x.c           program build/tests/bench/x: tools/bench-x measures by it
#   tests/<folder>/x.sh       run as they are, and so is plugins/<plugin>/test.sh
#   tests/fuzz/*.c            program build/fuzz/fuzzer, which tries parsers with random input
#
# `make check TESTS=config` runs those whose name contains "config".

TESTS ?=

TEST_PROGRAMS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/*/test_*.c))
BENCHES       := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/bench/*.c))
BAD_PLUGINS   := $(patsubst tests/%.c,$(BUILD)/tests/%.so,$(wildcard tests/bad/*.c))
FAULT_SHIM    := $(BUILD)/tests/faults/shim.so

TEST_CPPFLAGS := $(ALL_CPPFLAGS) $(NEWEST_INTERFACE) -iquote core -iquote . -Iplugins
TEST_CFLAGS   := $(ALL_CFLAGS) -Wno-conversion -Wno-unused-parameter

# Not linked in: what the folder's other programs are made of.
test_helpers = $(patsubst %.c,$(OBJ)/%.o,$(filter-out $(wildcard tests/$1/test_*.c),$(wildcard tests/$1/*.c)))

$(OBJ)/tests/bad/%.o: tests/bad/%.c $(OBJ)/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CPPFLAGS) -Iplugins $(PLUGIN_CFLAGS) -Wno-unused-parameter $(DEPENDS) -c $< -o $@

$(OBJ)/tests/%.o: tests/%.c $(OBJ)/flags | $(INIPARSER_HEADER)
	$(call say,CC,$<)
	$(Q)$(CC) $(TEST_CPPFLAGS) $(TEST_CFLAGS) $(DEPENDS) -c $< -o $@

$(TEST_PROGRAMS): $(BUILD)/tests/%: $(OBJ)/tests/%.o $$(call test_helpers,$$(*D)) $(BUILD)/libcore.a
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) $(filter %.o %.a,$^) -lcmocka $(CORE_LIBS) -o $@

$(BENCHES): $(BUILD)/tests/%: $(OBJ)/tests/%.o $(BUILD)/libcore.a
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) $(filter %.o %.a,$^) $(CORE_LIBS) -o $@

$(BAD_PLUGINS): $(BUILD)/tests/%.so: $(OBJ)/tests/%.o
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) -shared $< -lm -o $@

# Without the sanitizers: it is there before they are.
$(FAULT_SHIM): $(wildcard tests/faults/shim/*.[ch]) $(OBJ)/flags
	$(call say,LD)
	$(Q)$(CC) $(LANGUAGE) $(WARNINGS) -O2 -g -fPIC -shared $(filter %.c,$^) -ldl -o $@

# So that a test that runs make finds everything up to date.
SAME_SETTINGS = BUILD='$(BUILD)' CC='$(CC)' CXX='$(CXX)' NVCC='$(NVCC)' CUDA_ARCHS='$(CUDA_ARCHS)' DEPS='$(DEPS)' \
                SANITIZE='$(SANITIZE)' CFLAGS='$(CFLAGS)' CPPFLAGS='$(CPPFLAGS)' LDFLAGS='$(LDFLAGS)' \
                FUZZ_SECONDS='$(FUZZ_SECONDS)' FUZZ_JOBS='$(FUZZ_JOBS)'

# tests/fuzz: clang's libFuzzer over every parser, in a build of its own with coverage and sanitizers; the files that it
# starts from also run in a plain test. Where there is no clang, tests/fuzz/fuzz.sh says so and fails.
FUZZER       := $(BUILD)/fuzz/fuzzer
HAVE_FUZZ_CC := $(shell command -v $(firstword $(FUZZ_CC)) 2>/dev/null)

$(BUILD)/fuzzer: $(call test_helpers,fuzz) $(BUILD)/libcore.a
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer $^ $(CORE_LIBS) -o $@

fuzzer:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/fuzz CC='$(FUZZ_CC)' NVCC= SANITIZE=1 CFLAGS='-g -fsanitize=fuzzer-no-link' $(FUZZER)

fuzz: fuzzer
	@$(SAME_SETTINGS) bash tests/fuzz/fuzz.sh $(TARGETS)

tests: all $(TEST_PROGRAMS) $(BENCHES) $(BAD_PLUGINS) $(FAULT_SHIM) $(if $(HAVE_FUZZ_CC),fuzzer)
	@rm -f $(filter-out $(TEST_PROGRAMS) $(BAD_PLUGINS),$(wildcard $(BUILD)/tests/*/test_* $(BUILD)/tests/bad/*.so))

check: tests
	@$(SAME_SETTINGS) tests/run $(TESTS)

# What needs a GPU: the conformance suite, verify and compute-sanitizer over every CUDA implementation.
$(BUILD)/tests/gpu/%.so: tests/gpu/%.cu $(OBJ)/flags
	$(call say,NVCC,$<)
	$(Q)$(NVCC) -std=c++17 -ccbin $(firstword $(CXX)) -Iinclude -I. $(CUDA_CODE) --Werror all-warnings -MMD -MP -MT $@ \
	    -MF $(OBJ)/tests/gpu-$*.d -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra -shared -cudart static $< -o $@

# The examples, as their readers build them, in build/examples.
EXAMPLES := $(patsubst examples/%/Makefile,$(BUILD)/examples/%.so,$(wildcard examples/*/Makefile))
$(EXAMPLES): $(BUILD)/examples/%.so: $$(wildcard examples/$$*/*) $(wildcard include/engine/*.h) $(OBJ)/flags
	$(call say,MAKE,examples/$*)
	$(Q)rm -rf $(BUILD)/examples/$* && cp -r examples/$* $(BUILD)/examples/$*
	$(Q)$(MAKE) -s --no-print-directory -C $(BUILD)/examples/$* CC='$(CC)' NVCC='$(CUDA)' NVCCFLAGS='-O3 $(CUDA_CODE)' \
	    ENGINE_INCLUDE='$(abspath include)' $*.so
	$(Q)cp $(BUILD)/examples/$*/$*.so $@

check-gpu: $(EXAMPLES) tests $(patsubst tests/gpu/%.cu,$(BUILD)/tests/gpu/%.so,$(wildcard tests/gpu/*.cu))
	@$(SAME_SETTINGS) tools/check-gpu

# The same suite, all of it with sanitizers, in a build folder of its own. Leaks count. The fuzzer always has them.
sanitize:
	@ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 TEST_SECONDS=3600 \
	    $(MAKE) --no-print-directory BUILD=$(BUILD)/sanitize SANITIZE=1 FUZZ_SECONDS=1 check

# ---- 7. Running things ---------------------------------------------------------------------------------------------------

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
	@echo 'make              $(BUILD)/engine and $(BUILD)/plugins/*.so'
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

# ---- 8. Keeping the source tidy ------------------------------------------------------------------------------------------

FORMATTED = $(shell find core include plugins tests examples -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' | sort)

format:
	clang-format -i $(FORMATTED)

# clang-tidy's checks stand in .clang-tidy; one file a process, because release 14 mixes up files otherwise.
LINTED      = $(CORE) $(wildcard plugins/*/*.c)
LINT_FLAGS := -std=c11 -D_GNU_SOURCE $(NEWEST_INTERFACE) -fopenmp -Iplugins -DLIFE_ISA=plain -DNBODY_ISA=plain -DRDF_ISA=plain $(ALL_CPPFLAGS)

lint: lint-format lint-tidy lint-cppcheck

lint-format:
	clang-format --dry-run -Werror $(FORMATTED)

lint-tidy:
	@echo 'clang-tidy' $(words $(LINTED)) 'files'
	@printf '%s\n' $(LINTED) | xargs -P $$(nproc) -n 1 sh -c 'clang-tidy --quiet "$$@" -- $(LINT_FLAGS) 2>/dev/null' tidy

lint-cppcheck:
	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --enable=warning,performance,portability -j $$(nproc) \
	    --suppress=missingIncludeSystem --suppress=legacyUninitvar -Iinclude -Iplugins -DLIFE_ISA=plain -DNBODY_ISA=plain -DRDF_ISA=plain $(LINTED)

clean:
	rm -rf $(BUILD)

# ---- 9. Installing -------------------------------------------------------------------------------------------------------

# Manual pages are made of what the program says of itself: tools/man.
VERBS     := $(sort $(shell sed -n 's/^    \.name = "\([a-z-]*\)",$$/\1/p' core/verb_*.c))
MAN_PAGES := $(notdir $(basename $(wildcard docs/man/*.scd))) $(VERBS:%=engine-%.1)
MAN_FILES := $(if $(SCDOC),$(MAN_PAGES:%=$(BUILD)/man/%))

$(MAN_FILES): $(BUILD)/man/%: tools/man docs/configuration.md $(wildcard docs/man/*.scd) $(BUILD)/engine
	$(call say,MAN)
	$(Q)tools/man $(BUILD)/engine $* >$(BUILD)/man/$*.scd
	$(Q)$(SCDOC) <$(BUILD)/man/$*.scd >$@

# What a plugin elsewhere is compiled with.
header_number = $(shell sed -n 's/^\#define $1 *\([0-9][0-9]*\).*/\1/p' include/engine/plugin.h)
PC_LINES = prefix=$(PREFIX) \
    'includedir=$${prefix}/include' \
    plugindir=$(LIBDIR)/engine/plugins \
    'configdir=$${prefix}/share/engine/configs' \
    'engine=$${prefix}/bin/engine' \
    abi_major=$(call header_number,ENGINE_ABI_MAJOR) \
    abi_minor=$(call header_number,ENGINE_ABI_MINOR) \
    '' \
    'Name: engine' \
    'Description: runs simulations whose algorithms are plugins; the interface for these' \
    'Version: $(shell sed -n 's/^\#define ENGINE_VERSION "\(.*\)"$$/\1/p' core/version.h)' \
    'Cflags: -I$${includedir}'

$(BUILD)/engine.pc: FORCE
	@mkdir -p $(@D) && printf '%s\n' $(PC_LINES) | cmp -s - $@ || printf '%s\n' $(PC_LINES) >$@

# Pages, examples and what each plugin says of itself lie in the installed folder as they do here, so that their links hold.
DOCDIR      = $(PREFIX)/share/doc/engine
DOC_SCRIPTS = $(wildcard examples/*/*.sh)
DOC_FILES   = $(wildcard docs/*.md plugins/*/README.md) \
    $(filter-out $(DOC_SCRIPTS) %.o %.so %/oracle %/out,$(wildcard examples/*/*))
DOC_FOLDERS = $(sort $(dir $(DOC_FILES))) plugins examples

# mode:file:place of each, for install and uninstall. $1: mode; $2: files; $3: folder.
place = $(foreach file,$2,$1:$(file):$3/$(notdir $(file)))
INSTALLED = $(call place,755,$(BUILD)/engine,$(PREFIX)/bin) \
    $(call place,644,$(wildcard include/engine/*.h),$(PREFIX)/include/engine) \
    $(call place,644,$(PLUGIN_FILES),$(LIBDIR)/engine/plugins) \
    $(call place,644,$(BUILD)/engine.pc,$(LIBDIR)/pkgconfig) \
    $(foreach kind,. bench patterns,$(call place,644,$(wildcard configs/$(kind)/*.*),$(PREFIX)/share/engine/configs/$(kind))) \
    $(foreach number,1 5 7,$(call place,644,$(filter %.$(number),$(MAN_FILES)),$(PREFIX)/share/man/man$(number))) \
    $(foreach file,$(DOC_FILES),644:$(file):$(DOCDIR)/$(file)) \
    $(foreach file,$(DOC_SCRIPTS),755:$(file):$(DOCDIR)/$(file)) \
    644:completions/engine.bash:$(PREFIX)/share/bash-completion/completions/engine \
    644:completions/_engine:$(PREFIX)/share/zsh/site-functions/_engine \
    644:completions/engine.fish:$(PREFIX)/share/fish/vendor_completions.d/engine.fish
# Folders that are the engine's alone, from the deepest.
OWN_FOLDERS = $(PREFIX)/share/engine/configs/bench $(PREFIX)/share/engine/configs/patterns $(PREFIX)/share/engine/configs \
    $(PREFIX)/share/engine $(DOC_FOLDERS:%=$(DOCDIR)/%) $(DOCDIR) $(PREFIX)/include/engine $(LIBDIR)/engine/plugins \
    $(LIBDIR)/engine

install: all $(BUILD)/engine.pc
	@printf '%s\n' $(INSTALLED) | while IFS=: read -r mode file place; do \
	    install -D -m "$$mode" "$$file" '$(DESTDIR)'"$$place" || exit 1; \
	done
	@echo 'engine is in $(DESTDIR)$(PREFIX), its plugins are in $(DESTDIR)$(LIBDIR)/engine/plugins'
	$(if $(MAN_FILES),,@echo 'without manual pages: scdoc is not there (tools/setup brings it)')

uninstall:
	@printf '%s\n' $(INSTALLED) | while IFS=: read -r mode file place; do rm -f '$(DESTDIR)'"$$place"; done
	@for folder in $(OWN_FOLDERS); do rmdir '$(DESTDIR)'"$$folder" 2>/dev/null || true; done

# Debian packages, in build folders of their own.
deb:
	@BUILD='$(BUILD)' NVCC='$(CUDA)' MAKE='$(MAKE)' MULTIARCH='$(MULTIARCH)' CC='$(CC)' CXX='$(CXX)' CUDA_ARCHS='$(CUDA_ARCHS)' tools/make-deb
