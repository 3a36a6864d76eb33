# Plugins.
#
# Every folder of plugins/ with a plugin.c becomes build/plugins/<folder>.so. It is linked from all .c files of the folder
# and, if there is nvcc, from all its .cu files. Plugins include the headers of other folders as <folder/header.h>. A file
# whose name ends in _kernel.c is compiled once for each word of ISAS, with -DKERNEL_ISA=<word>. A plugin that needs more
# has a file build.mk, which sets these variables:
#
#   <plugin>_uses = other/file             links this .c of another plugin, too; other/file.bytes: of hashlife/leaf.h
#   <plugin>_uses_cuda = other/file        links this .cu of another plugin, too
#   <plugin>_lib = folder/file             links what the engine compiles from this .c of lib/, too
#   flags_plugins/<plugin>/<file> = -O3    compiles this file of the folder with these flags, too

PLUGIN_FILES := $(PLUGINS:%=$(BUILD)/plugins/%.so)

# HashLife for cells that are bits and bytes.
HASHLIFE       := $(addprefix hashlife/,store collect result step tree population instance)
HASHLIFE_BYTES := $(HASHLIFE:%=%.bytes) hashlife/bytes
include $(wildcard plugins/*/build.mk)

# Instruction sets beyond the machine's base. The plugin chooses among them at run time: plugins/common/isa.h checks whether
# the processor has everything that these flags allow.
ISAS         := $(if $(filter x86_64,$(MACHINE)),avx512 avx2) plain
avx512_flags := -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mbmi -mbmi2 -mpopcnt
avx2_flags   := -mavx2 -mfma -mbmi -mbmi2 -mpopcnt
plain_flags  :=

# $1: plugin. Its sources, and the objects that the .so is made of.
plugin_sources = $(wildcard plugins/$1/*.c) $(patsubst %,plugins/%.c,$($1_uses))
plugin_cuda    = $(if $(CUDA),$(filter-out %.ptx.cu,$(wildcard plugins/$1/*.cu)) $(patsubst %,plugins/%.cu,$($1_uses_cuda)))
plugin_objects = $(patsubst %.c,$(OBJ)/%.o,$(filter-out %_kernel.c,$(plugin_sources))) \
                 $(foreach isa,$(ISAS),$(patsubst %.c,$(OBJ)/%.$(isa).o,$(filter %_kernel.c,$(plugin_sources)))) \
                 $(patsubst %.cu,$(OBJ)/%.cu.o,$(plugin_cuda)) $($1_lib:%=$(OBJ)/lib/%.o)

# $*: <plugin>/<source>. ENGINE_WITH_CUDA is defined where the plugin's .cu files are compiled.
PLUGIN_CPPFLAGS  = $(ALL_CPPFLAGS) -Iplugins $(if $(call plugin_cuda,$(*D)),-DENGINE_WITH_CUDA)
PLUGIN_CFLAGS   := $(ALL_CFLAGS) -fPIC -fvisibility=hidden
# A plugin does not export the symbols of static libraries. An undefined symbol is an error, except with clang's
# sanitizers, whose symbols the program defines.
PLUGIN_LDFLAGS  := $(ALL_LDFLAGS) -shared -Wl,--exclude-libs,ALL $(if $(and $(SANITIZE),$(CC_IS_CLANG)),,-Wl,-z,defs)

define compile_for_isa
$$(OBJ)/plugins/%.$1.o: plugins/%.c $$(OBJ)/flags
	$$(call say,CC,"$$< ($1)")
	$$(Q)$$(CC) $$(PLUGIN_CPPFLAGS) -DKERNEL_ISA=$1 $$(PLUGIN_CFLAGS) $$(flags_$$<) $$($1_flags) $$(DEPENDS) -c $$< -o $$@
endef
$(foreach isa,$(ISAS),$(eval $(call compile_for_isa,$(isa))))

$(OBJ)/plugins/%.o: plugins/%.c $(OBJ)/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(PLUGIN_CPPFLAGS) $(PLUGIN_CFLAGS) $(flags_$<) $(DEPENDS) -c $< -o $@

$(OBJ)/plugins/%.bytes.o: plugins/%.c $(OBJ)/flags
	$(call say,CC,"$< (bytes)")
	$(Q)$(CC) $(PLUGIN_CPPFLAGS) -DHASHLIFE_BYTES $(PLUGIN_CFLAGS) $(DEPENDS) -c $< -o $@

$(OBJ)/plugins/%.cu.o: plugins/%.cu $(OBJ)/flags
	$(call say,NVCC,$<)
	$(Q)$(NVCC_HERE) -Iplugins -DENGINE_WITH_CUDA $(NVCCFLAGS) $(flags_$<) $(CUDA_CODE) \
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
