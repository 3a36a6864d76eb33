# File formats.
#
# Every folder of formats/ with a format.c becomes build/plugins/<folder>.format.so, linked from all .c files of the folder. Several
# formats share the headers of formats/common.

FORMAT_FILES := $(FORMATS:%=$(BUILD)/plugins/%.format.so)

format_objects = $(patsubst %.c,$(OBJ)/%.o,$(wildcard formats/$1/*.c))

$(OBJ)/formats/%.o: formats/%.c $(OBJ)/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CPPFLAGS) -iquote formats $(ALL_CFLAGS) -fPIC -fvisibility=hidden $(DEPENDS) -c $< -o $@

$(OBJ)/formats/%.list: FORCE
	$(call record,$(call format_objects,$*))

# The same objects for programs that are linked with all formats: the descriptor of xtc is then called xtc_file_format.
FORMAT_OBJECTS := $(patsubst formats/%.c,$(OBJ)/linked/%.o,$(foreach format,$(FORMATS),$(wildcard formats/$(format)/*.c)))

$(OBJ)/linked/%.o: formats/%.c $(OBJ)/flags
	$(call say,CC,"$< (for tests)")
	$(Q)$(CC) $(ALL_CPPFLAGS) -Dengine_file_format=$(patsubst %/,%,$(dir $*))_file_format -iquote formats $(ALL_CFLAGS) $(DEPENDS) -c $< -o $@

$(FORMAT_FILES): $(BUILD)/plugins/%.format.so: $$(call format_objects,$$*) $(OBJ)/formats/%.list
	$(call say,LD)
	$(Q)$(CC) $(PLUGIN_LDFLAGS) $(filter %.o,$^) -lm -o $@
