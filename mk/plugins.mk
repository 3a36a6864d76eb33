# Plugins.
#
# Every folder of plugins/ with a plugin.c becomes build/plugins/<folder>.so. It is linked from all .c files of the folder
# and, if there is nvcc, from all its .cu files. Plugins include the headers of other folders as <folder/header.h>. A
# plugin that needs more sets these variables:
#
#   <plugin>_isa = cpu_kernel    compiles this .c once for each word of ISAS, with -D<plugin>_isa_macro=<word>
#   <plugin>_uses = other/file   links this .c of another plugin, too; <plugin>_uses_isa one of those for each word of ISAS

PLUGIN_FILES := $(PLUGINS:%=$(BUILD)/plugins/%.so)

life2d-bit_isa       = cpu_kernel cpu_words_kernel hashlife_kernel
life2d-bit_isa_macro = LIFE_ISA

larger-than-life_isa       = cpu_kernel
larger-than-life_isa_macro = LTL_ISA

life3d-packed_isa       = cpu_kernel
life3d-packed_isa_macro = LIFE_ISA

life3d-naive_isa       = cpu_kernel
life3d-naive_isa_macro = LIFE_ISA

life3d-shared_isa       = cpu_kernel
life3d-shared_isa_macro = LIFE_ISA

nbody_isa       = cpu_kernel
nbody_isa_macro = NBODY_ISA

nbody-tree_isa       = cpu_kernel
nbody-tree_isa_macro = NBODY_ISA
nbody-tree_uses      = nbody/bodies nbody/cpu_hermite nbody/cpu_serial nbody/cpu_solver nbody/generate
nbody-tree_uses_isa  = nbody/cpu_kernel

pairs_isa       = cpu_kernel
pairs_isa_macro = PAIRS_ISA

rdf_isa       = cpu_kernel
rdf_isa_macro = RDF_ISA

# Instruction sets beyond the machine's base. The plugin chooses among them at run time: plugins/common/isa.h checks whether
# the processor has everything that these flags allow.
ISAS         := $(if $(filter x86_64,$(MACHINE)),avx512 avx2) plain
avx512_flags := -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mbmi -mbmi2 -mpopcnt
avx2_flags   := -mavx2 -mfma -mbmi -mbmi2 -mpopcnt
plain_flags  :=

# $1: plugin. Its sources, those compiled once for each instruction set, and the objects that the .so is made of.
plugin_sources     = $(wildcard plugins/$1/*.c)
plugin_isa_sources = $(wildcard $(patsubst %,plugins/$1/%.c,$($1_isa)))
plugin_cuda        = $(if $(CUDA),$(filter-out %.ptx.cu,$(wildcard plugins/$1/*.cu)))
plugin_objects     = $(patsubst %.c,$(OBJ)/%.o,$(filter-out $(plugin_isa_sources),$(plugin_sources))) \
                     $(foreach isa,$(ISAS),$(patsubst %.c,$(OBJ)/%.$(isa).o,$(plugin_isa_sources))) \
                     $(patsubst %,$(OBJ)/plugins/%.o,$($1_uses)) \
                     $(foreach isa,$(ISAS),$(patsubst %,$(OBJ)/plugins/%.$(isa).o,$($1_uses_isa))) \
                     $(patsubst %.cu,$(OBJ)/%.cu.o,$(plugin_cuda))

# $*: <plugin>/<source>. ENGINE_WITH_CUDA is defined where the plugin's .cu files are compiled.
PLUGIN_CPPFLAGS  = $(ALL_CPPFLAGS) -Iplugins $(if $(call plugin_cuda,$(*D)),-DENGINE_WITH_CUDA)
PLUGIN_CFLAGS   := $(ALL_CFLAGS) -fPIC -fvisibility=hidden
# A plugin does not export the symbols of static libraries. An undefined symbol is an error, except with clang's
# sanitizers, whose symbols the program defines.
PLUGIN_LDFLAGS  := $(ALL_LDFLAGS) -shared -Wl,--exclude-libs,ALL $(if $(and $(SANITIZE),$(CC_IS_CLANG)),,-Wl,-z,defs)

# GCC vectorises what engine/stencil_cpu.h makes, and loops over bytes, at -O3 alone.
$(OBJ)/plugins/generations/plugin.o: private PLUGIN_CFLAGS += -O3
$(ISAS:%=$(OBJ)/plugins/life2d-bit/cpu_words_kernel.%.o): private PLUGIN_CFLAGS += -O3
# -Wno-psabi: vectors that are wider than the registers are passed to inlined functions alone.
$(ISAS:%=$(OBJ)/plugins/larger-than-life/cpu_kernel.%.o): private PLUGIN_CFLAGS += -O3 -Wno-psabi
$(OBJ)/plugins/life2d-bit/square_search.o: private PLUGIN_CFLAGS += -Wno-psabi
$(ISAS:%=$(OBJ)/plugins/pairs/cpu_kernel.%.o): private PLUGIN_CFLAGS += -O3 -Wno-psabi -fno-math-errno

# pairs has the same bits on a GPU as on a CPU.
$(OBJ)/plugins/pairs/cuda.cu.o: private NVCCFLAGS += --fmad=false

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
	$(Q)$(NVCC_HERE) -Iplugins -DENGINE_WITH_CUDA $(NVCCFLAGS) $(CUDA_CODE) \
	    -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra $(DEPENDS) -c $< -o $@

# The driver finishes some kernels when the run starts. They are embedded as PTX: x.c includes the PTX of x.ptx.cu.
PTX := $(patsubst %.ptx.cu,$(OBJ)/%,$(if $(CUDA),$(wildcard plugins/*/*.ptx.cu)))
$(OBJ)/plugins/%.ptx: plugins/%.ptx.cu $(OBJ)/flags
	$(call say,NVCC,$<)
	$(Q)$(NVCC_HERE) -Iplugins -O3 -arch=compute_80 \
	    -MMD -MP -MT $@ -MF $@.d -ptx $< -o $@

$(PTX:%=%.o): %.o: %.ptx
$(PTX:%=%.o): private ALL_CPPFLAGS += -DLIFE_PTX_FILE='"$(@:.o=.ptx)"'

$(OBJ)/plugins/%.list: FORCE
	$(call record,$(call plugin_objects,$*))

$(PLUGIN_FILES): $(BUILD)/plugins/%.so: $$(call plugin_objects,$$*) $(OBJ)/plugins/%.list
	$(call say,LD)
	$(Q)$(if $(filter %.cu.o,$^),$(CXX),$(CC)) $(PLUGIN_LDFLAGS) $(filter %.o,$^) \
	    $(if $(filter %.cu.o,$^),-static-libstdc++ -L$(CUDA_LIBS) -lcudart_static -lpthread -lrt) -lm -ldl -o $@
