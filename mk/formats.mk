# File formats.
#
# Every folder of formats/ with a format.c becomes build/plugins/<folder>.format.so, linked from all .c files of the folder. Several
# formats share the headers of formats/common.

FORMAT_FILES := $(FORMATS:%=$(BUILD)/plugins/%.format.so)

# libhdf5 is for its formats alone, and for no other file.
ifneq ($(HDF5),)
HDF5_CPPFLAGS := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(HDF5)))
HDF5_LIBS     := $(shell pkg-config --libs $(HDF5))
$(patsubst %.c,$(OBJ)/%.o,$(wildcard $(FORMATS_OF_HDF5:%=formats/%/*.c))): ALL_CPPFLAGS += $(HDF5_CPPFLAGS)
$(FORMATS_OF_HDF5:%=$(BUILD)/plugins/%.format.so): FORMAT_LIBS := $(HDF5_LIBS)
endif

$(BUILD)/plugins/mp4.format.so: FORMAT_LIBS := -lz # for the CRCs of PNG files
$(BUILD)/plugins/gif.format.so: FORMAT_LIBS := -lpng -lz

format_objects = $(patsubst %.c,$(OBJ)/%.o,$(wildcard formats/$1/*.c))

$(OBJ)/formats/%.o: formats/%.c $(OBJ)/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CPPFLAGS) -iquote formats $(ALL_CFLAGS) -fPIC -fvisibility=hidden $(DEPENDS) -c $< -o $@

$(OBJ)/formats/%.list: FORCE
	$(call record,$(call format_objects,$*))

# The same objects for programs that are linked with all formats except those of HDF5: the descriptor of xtc is then called
# xtc_file_format.
FORMAT_OBJECTS := $(patsubst formats/%.c,$(OBJ)/linked/%.o,$(foreach format,$(filter-out $(FORMATS_OF_HDF5),$(FORMATS)),$(wildcard formats/$(format)/*.c)))

$(OBJ)/linked/%.o: formats/%.c $(OBJ)/flags
	$(call say,CC,"$< (for tests)")
	$(Q)$(CC) $(ALL_CPPFLAGS) -Dengine_file_format=$(patsubst %/,%,$(dir $*))_file_format -iquote formats $(ALL_CFLAGS) $(DEPENDS) -c $< -o $@

$(FORMAT_FILES): $(BUILD)/plugins/%.format.so: $$(call format_objects,$$*) $(OBJ)/formats/%.list
	$(call say,LD)
	$(Q)$(CC) $(PLUGIN_LDFLAGS) $(filter %.o,$^) $(FORMAT_LIBS) -lm -o $@
