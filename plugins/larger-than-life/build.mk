# GCC vectorises loops over bytes at -O3 alone. -Wno-psabi: only inlined functions get vectors that are wider than the
# registers.
flags_plugins/larger-than-life/cpu_kernel.c = -O3 -Wno-psabi
