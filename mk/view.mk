# engine-view, the program that shows a simulation in a browser. It is built if there is libmicrohttpd, an HTTP server in a
# library of 200 kB that depends on GnuTLS alone; libwebsockets is larger, and a page that asks and gets answers needs no
# WebSocket.

VIEW_OBJECTS := $(patsubst %.c,$(OBJ)/%.o,$(wildcard view/*.c))

$(VIEW_OBJECTS): $(OBJ)/view/%.o: view/%.c $(OBJ)/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CPPFLAGS) -iquote view -iquote cli $(ALL_CFLAGS) $(DEPENDS) -c $< -o $@

# The program contains the files of the page.
$(OBJ)/view/page.o: $(wildcard view/page/*)

ifneq ($(MICROHTTPD),)
VIEW := $(BUILD)/engine-view
$(VIEW): $(VIEW_OBJECTS) $(BUILD)/libcli.a $(BUILD)/libengine.a
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) $^ $(CORE_LIBS) $(shell pkg-config --libs $(MICROHTTPD)) -o $@
endif
