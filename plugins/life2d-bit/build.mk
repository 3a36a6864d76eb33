# GCC vectorises loops over bytes at -O3 alone.
flags_plugins/life2d-bit/cpu_words_kernel.c = -O3
# -Wno-psabi: vectors that are wider than the registers are passed to inlined functions alone.
flags_plugins/life2d-bit/square_search.c = -Wno-psabi
