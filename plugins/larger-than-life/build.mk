# GCC vectorises loops over bytes at -O3 alone. -Wno-psabi: vectors that are wider than the registers are passed to inlined
# functions alone.
flags_plugins/larger-than-life/cpu_kernel.c = -O3 -Wno-psabi
