ruletable_uses = $(HASHLIFE_BYTES)
