# engine: libengine, the program, and the plugins. `make help` lists the targets. `make info` shows what make found on
# this machine.
#
# Read this file from top to bottom. The rules for plugins, tests, installation and the rest follow in mk/.

# ---- 1. Settings, which the command line can change, as in `make CC=clang` -------------------------------------------

BUILD    ?= build
PREFIX   ?= /usr/local
# The folder of libraries, for example /usr/lib/x86_64-linux-gnu. The program looks for its plugins there.
LIBDIR   ?= $(PREFIX)/lib
DESTDIR  ?=
CFLAGS   ?= -O2 -g
CPPFLAGS ?=
LDFLAGS  ?=
# DEPS=/path names a folder that tools/deps-prefix filled, for machines where you may not install packages.
DEPS     ?=
# SANITIZE=1 builds everything with AddressSanitizer and UndefinedBehaviorSanitizer; `make sanitize` sets it.
SANITIZE ?=
# WERROR=1 makes warnings errors; .ci/run and `make lint` set it. A newer compiler may warn about more.
WERROR   ?=
# V=1 prints the complete commands.
V        ?=
# A compiler for another kind of machine, as in `make CC=aarch64-linux-gnu-gcc`, sets CROSS. The next four settings are
# then empty by default: mpicc, libhdf5 and nvcc are those of this machine, and this machine cannot run the new program,
# from whose help the manual pages are made.
MACHINE  := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))
CROSS    := $(filter-out $(or $(firstword $(subst -, ,$(shell cc -dumpmachine 2>/dev/null))),$(MACHINE)),$(MACHINE))
# scdoc makes the manual pages. Without it there are none.
SCDOC    ?= $(if $(CROSS),,$(shell command -v scdoc 2>/dev/null))
# MPICC= (empty) builds without MPI even if mpicc exists.
MPICC    ?= $(if $(CROSS),,$(shell command -v mpicc 2>/dev/null))
# HDF5 is the name of libhdf5 for pkg-config. HDF5= (empty) builds without the formats of HDF5 files even if it exists.
HDF5     ?= $(if $(CROSS),,$(firstword $(foreach name,hdf5-serial hdf5,$(shell pkg-config --exists $(name) 2>/dev/null && echo $(name)))))
# MICROHTTPD is the name of libmicrohttpd for pkg-config. MICROHTTPD= (empty) builds without `engine view`.
MICROHTTPD ?= $(if $(CROSS),,$(shell pkg-config --exists libmicrohttpd 2>/dev/null && echo libmicrohttpd))
# NVCC= (empty) builds without CUDA even if nvcc exists.
NVCC     ?= $(if $(CROSS),,$(firstword $(shell command -v nvcc 2>/dev/null) $(wildcard /usr/local/cuda/bin/nvcc)))
# The GPUs to compile for. Code for x.0 runs on every x.y, and newer GPUs use the PTX of the last one. CUDA_ARCHS=90
# compiles faster while you work on a kernel.
CUDA_ARCHS ?= 80 90 100

# ---- 2. Tools and sources ----------------------------------------------------------------------------------------------

# The build folder has one spelling, relative if it is below this folder: make identifies files by their names.
override BUILD := $(patsubst $(CURDIR)/%,%,$(abspath $(BUILD)))

NVCC        := $(NVCC)
MPICC       := $(MPICC)
HDF5        := $(HDF5)
MICROHTTPD  := $(MICROHTTPD)
SCDOC       := $(SCDOC)
MULTIARCH   := $(MACHINE)-linux-gnu
CC_IS_CLANG := $(findstring clang,$(shell $(CC) --version 2>/dev/null | head -n 1))

OBJ     := $(BUILD)/obj
CORE    := $(wildcard core/*/*.c)
# What stands on the core in libengine: components, and the file formats that are not libraries of their own.
LIB     := $(filter-out lib/parts/mpi/%,$(wildcard lib/*.c lib/*/*.c lib/*/*/*.c)) \
           $(wildcard $(addprefix formats/,arrays/*.c particles/*.c patterns/*.c pictures/*.c))
CLI     := $(wildcard cli/*.c)
PLUGINS := $(patsubst plugins/%/plugin.c,%,$(wildcard plugins/*/plugin.c))
FORMATS_OF_HDF5 := h5md vtkhdf
FORMATS := $(filter-out $(if $(HDF5),,$(FORMATS_OF_HDF5)),$(patsubst formats/%/format.c,%,$(wildcard formats/*/format.c)))

# The compiler in words such as `ccache g++ -m64`.
program_of = $(firstword $(filter-out %ccache distcc,$1))

# nvcc needs a C++ compiler. CUDA is the path of nvcc if both exist, and empty otherwise.
HAVE_CXX := $(shell command -v $(call program_of,$(CXX)) 2>/dev/null)
CUDA     := $(if $(HAVE_CXX),$(NVCC))
ifneq ($(CUDA),)
CUDA_KNOWN := $(patsubst compute_%,%,$(shell $(NVCC) --list-gpu-arch 2>/dev/null))
CUDA_USED  := $(filter $(CUDA_KNOWN),$(CUDA_ARCHS))
CUDA_HOME  ?= $(patsubst %/bin/nvcc,%,$(realpath $(NVCC)))
CUDA_LIBS  ?= $(firstword $(wildcard $(CUDA_HOME)/lib64 $(CUDA_HOME)/targets/*/lib $(CUDA_HOME)/lib/$(MULTIARCH)))
endif

# ---- 3. Flags ------------------------------------------------------------------------------------------------------------

# Optimised code with sanitizers causes warnings about their checks, so they are no errors in that build.
ERRORS   := $(if $(SANITIZE),,$(if $(WERROR),-Werror))
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion $(ERRORS)
ifneq ($(findstring clang,$(CC)),)
# clang 19 warns of sums and products of a real number and a constant of an enum, which C defines, and in builds with
# sanitizers of loops that it does not vectorise there.
WARNINGS += -Wno-enum-float-conversion $(if $(SANITIZE),-Wno-pass-failed)
endif
# -ffp-contract=off: the compiler may not fuse a product and a sum, so gcc, clang and all machines round in the same way.
LANGUAGE := -std=c11 -D_GNU_SOURCE -ffp-contract=off -fopenmp

ifneq ($(DEPS),)
DEPS_CPPFLAGS := -isystem $(abspath $(DEPS))/usr/include -isystem $(abspath $(DEPS))/usr/include/$(MULTIARCH)
DEPS_FOLDERS  := $(abspath $(DEPS))/usr/lib/$(MULTIARCH) $(abspath $(DEPS))/lib/$(MULTIARCH)
# The loader also uses the old kind of rpath for the libraries that these libraries need.
DEPS_LDFLAGS  := $(DEPS_FOLDERS:%=-L%) -Wl,--disable-new-dtags $(DEPS_FOLDERS:%=-Wl,-rpath,%)
endif

ifneq ($(SANITIZE),)
SANITIZE_FLAGS := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
endif

# Since Debian 12, iniparser.h is in its own folder. On older systems, a header of one line replaces it.
SYSTEM_INCLUDES := $(if $(DEPS),$(abspath $(DEPS))/usr/include) /usr/include /usr/local/include
ifeq ($(wildcard $(SYSTEM_INCLUDES:%=%/iniparser/iniparser.h)),)
ifneq ($(wildcard $(SYSTEM_INCLUDES:%=%/iniparser.h)),)
INIPARSER_HEADER := $(BUILD)/include/iniparser/iniparser.h
endif
endif

ALL_CPPFLAGS := -Iinclude $(if $(INIPARSER_HEADER),-I$(BUILD)/include) $(DEPS_CPPFLAGS) $(CPPFLAGS)
ALL_CFLAGS   := $(LANGUAGE) $(WARNINGS) $(CFLAGS) $(SANITIZE_FLAGS)
ALL_LDFLAGS  := -fopenmp $(SANITIZE_FLAGS) $(DEPS_LDFLAGS) $(LDFLAGS)
DEPENDS       = -MMD -MP -MF $(@:.o=.d)

# Machine code for each GPU of CUDA_ARCHS that this nvcc knows, and PTX of the last one for newer GPUs.
NVCCFLAGS ?= -O3 -lineinfo
CUDA_CODE := $(foreach arch,$(CUDA_USED),-gencode arch=compute_$(arch),code=sm_$(arch)) \
             $(foreach arch,$(lastword $(CUDA_USED)),-gencode arch=compute_$(arch),code=compute_$(arch))
NVCC_HERE  = $(NVCC) -std=c++17 -ccbin $(call program_of,$(CXX)) -Iinclude $(if $(ERRORS),--Werror all-warnings)

Q := $(if $(V),,@)
# A recipe line that makes the folder of the target and prints what is made.
say = @mkdir -p $(@D)$(if $(V),, && printf '  %-5s %s\n' $1 $(or $2,$@))
# A recipe line that writes a file only if its content changes. make then rebuilds everything that depends on it.
record = @mkdir -p $(@D) && printf '%s\n' '$(strip $1)' | cmp -s - $@ || printf '%s\n' '$(strip $1)' >$@

.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
.SECONDEXPANSION:
.PHONY: all FORCE

# Plugins and formats whose sources no longer exist are removed, because the engine would still find them.
all: $(BUILD)/engine $(BUILD)/engine-judge $(BUILD)/libengine.so $(BUILD)/libengine.a $(BUILD)/libengine-core.a $$(PLUGIN_FILES) $$(FORMAT_FILES) $$(MAN_FILES) $$(TEAM_MPI) $$(VIEW)
	@rm -f $(filter-out $(PLUGIN_FILES) $(FORMAT_FILES),$(wildcard $(BUILD)/plugins/*.so))

$(OBJ)/flags: FORCE
	$(call record,$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(CUDA) $(CUDA_USED) $(MPICC) $(HDF5) $(MICROHTTPD))

$(BUILD)/include/iniparser/iniparser.h:
	$(call say,GEN)
	$(Q)echo '#include <iniparser.h>' >$@

-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)

# ---- 4. libengine: core/, lib/ and formats/ ------------------------------------------------------------------------------

CORE_OBJECTS := $(CORE:%.c=$(OBJ)/%.o)
LIB_OBJECTS  := $(LIB:%.c=$(OBJ)/%.o)
CORE_LIBS    := -liniparser -lpng -lz -lisal -lxxhash -ljson-c -lm -ldl
# The engine and its tests use all members of engine/plugin.h. A plugin asks for the minor version that it needs.
NEWEST_INTERFACE := -DENGINE_MINOR=ENGINE_ABI_MINOR -DENGINE_FORMAT_NEEDS=ENGINE_FORMAT_MINOR
# The version of the interface in engine.h, which the library's file name carries.
SONAME       := libengine.so.$(shell sed -n 's/^\#define ENGINE_LIBRARY_MAJOR *\([0-9]*\).*/\1/p' include/engine/engine.h)

# The core finds its own headers alone, so it can include no others. flags_<file> has more flags for one file.
COMPILE_ENGINE = $(CC) $(ALL_CPPFLAGS) $(NEWEST_INTERFACE) -iquote core $1 $(ALL_CFLAGS) $(flags_$<) -fPIC -fvisibility=hidden $(DEPENDS) -c $< -o $@

$(OBJ)/core/%.o: core/%.c $(OBJ)/flags | $(INIPARSER_HEADER)
	$(call say,CC,$<)
	$(Q)$(call COMPILE_ENGINE)

$(LIB_OBJECTS): $(OBJ)/%.o: %.c $(OBJ)/flags | $(INIPARSER_HEADER)
	$(call say,CC,$<)
	$(Q)$(call COMPILE_ENGINE,-iquote lib -iquote .)

# nvcc compiles the engine's own kernels to one file of machine code for all GPUs. The library embeds this file and loads the
# CUDA driver at run time. In a build without nvcc, a run that asks for a device gets an error that says so.
ifneq ($(CUDA),)
$(OBJ)/lib/cuda/cuda_kernels.fatbin: lib/cuda/cuda_kernels.cu $(OBJ)/flags
	$(call say,NVCC,$<)
	$(Q)$(NVCC_HERE) $(NEWEST_INTERFACE) -Icore -Ilib $(CUDA_CODE) -MMD -MP -MT $@ -MF $(@:.fatbin=.d) -fatbin $< -o $@

$(OBJ)/lib/cuda/device_cuda.o: $(OBJ)/lib/cuda/cuda_kernels.fatbin
flags_lib/cuda/device_cuda.c := -DENGINE_CUDA_KERNELS='"$(OBJ)/lib/cuda/cuda_kernels.fatbin"'
endif

# The library reports the commit that it was made from.
COMMIT := $(if $(wildcard .git),$(shell git describe --always --dirty 2>/dev/null))
$(OBJ)/commit: FORCE
	$(call record,$(COMMIT))
flags_core/base/machine.c := $(if $(COMMIT),-DENGINE_COMMIT='"$(COMMIT)"')
$(OBJ)/core/base/machine.o: $(OBJ)/commit

# The program looks for installed plugins in this folder, relative to its own.
LIBDIR_FROM_BIN := $(shell realpath -m --relative-to='$(PREFIX)/bin' '$(LIBDIR)')
$(OBJ)/libdir: FORCE
	$(call record,$(LIBDIR_FROM_BIN))
flags_core/plugin/registry.c := -DENGINE_LIBDIR='"$(LIBDIR_FROM_BIN)"'
$(OBJ)/core/plugin/registry.o: $(OBJ)/libdir

# The measured limits count a multiplication and an addition as one operation if the machine has such an instruction.
flags_lib/parts/host_limits.c := -ffp-contract=fast

# Loops of eight over eight words convert rows of bits to columns. -O3 unrolls them completely: 1.8 times as fast.
flags_core/memory/layout_columns.c := -O3

$(OBJ)/core.list: FORCE
	$(call record,$(CORE) $(LIB))

# The core alone: it runs plugins, and reads no files but configurations. A test links it.
$(BUILD)/libengine-core.a: $(CORE_OBJECTS) $(OBJ)/core.list
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $(CORE_OBJECTS)

$(BUILD)/libengine.a: $(CORE_OBJECTS) $(LIB_OBJECTS) $(OBJ)/core.list
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $(CORE_OBJECTS) $(LIB_OBJECTS)

$(BUILD)/libengine.so: $(CORE_OBJECTS) $(LIB_OBJECTS) $(OBJ)/core.list
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,$(SONAME) $(CORE_OBJECTS) $(LIB_OBJECTS) $(CORE_LIBS) -o $(BUILD)/$(SONAME)
	$(Q)ln -sf $(SONAME) $@

# ---- 5. The program ------------------------------------------------------------------------------------------------------

CLI_OBJECTS := $(CLI:%.c=$(OBJ)/%.o)

$(OBJ)/cli/%.o: cli/%.c $(OBJ)/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CPPFLAGS) -iquote cli $(ALL_CFLAGS) $(flags_$<) $(DEPENDS) -c $< -o $@

# The program looks for the installed module of MPI and for its other programs in this folder, relative to its own.
flags_cli/installed.c := -DENGINE_LIBDIR='"$(LIBDIR_FROM_BIN)"'
$(OBJ)/cli/installed.o: $(OBJ)/libdir

# The program embeds the files that `engine new-plugin` writes.
$(OBJ)/cli/verb_new_plugin.o: $(wildcard cli/template/* cli/template/*/*)

$(OBJ)/cli.list: FORCE
	$(call record,$(CLI))

# Everything except main is an archive, because the tests link it too.
$(BUILD)/libcli.a: $(filter-out %/main.o,$(CLI_OBJECTS)) $(OBJ)/cli.list
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

$(BUILD)/engine: $(OBJ)/cli/main.o $(BUILD)/libcli.a $(BUILD)/libengine.a
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) $^ $(CORE_LIBS) -o $@

# The program in which `engine bench --isolated` runs an implementation.
JUDGE_OBJECTS := $(patsubst %.c,$(OBJ)/%.o,$(wildcard cli/judge/*.c))
$(BUILD)/engine-judge: $(JUDGE_OBJECTS) $(BUILD)/libcli.a $(BUILD)/libengine.a
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) $^ $(CORE_LIBS) -o $@

# The module for runs of several processes. The program loads it if mpirun has started it, and links no MPI itself. Without
# mpicc there is no such module. mpicc tells the flags of MPI; the compiler is that of everything else.
ifneq ($(MPICC),)
TEAM_MPI := $(BUILD)/team-mpi.so
$(TEAM_MPI): lib/parts/mpi/mpi.c include/engine/transport.h $(OBJ)/flags
	$(call say,MPICC,$<)
	$(Q)OMPI_CC='$(CC)' MPICH_CC='$(CC)' $(MPICC) $(ALL_CPPFLAGS) $(LANGUAGE) $(filter-out -Wpedantic,$(WARNINGS)) $(CFLAGS) \
	    $(SANITIZE_FLAGS) -fPIC -fvisibility=hidden -shared $< $(ALL_LDFLAGS) -o $@
endif

# ---- 6. The rest: plugins, tests, small targets, source upkeep, installation --------------------------------------------

include mk/view.mk mk/plugins.mk mk/formats.mk mk/tests.mk mk/run.mk mk/upkeep.mk mk/install.mk mk/docs.mk
