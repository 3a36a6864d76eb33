# GCC vectorises loops over bytes at -O3 alone.
flags_plugins/life2d-bit/cpu_words_kernel.c = -O3
# -Wno-psabi: only inlined functions get vectors that are wider than the registers.
flags_plugins/life2d-bit/square_search.c = -Wno-psabi
life2d-bit_uses = $(HASHLIFE)
