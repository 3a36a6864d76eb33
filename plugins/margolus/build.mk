margolus_uses = $(HASHLIFE_BYTES)
