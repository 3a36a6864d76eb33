# -Wno-psabi: vectors that are wider than the registers are passed to inlined functions alone.
flags_plugins/pairs/cpu_kernel.c = -O3 -Wno-psabi -fno-math-errno
# A GPU computes the same bits as a CPU.
flags_plugins/pairs/cuda.cu = --fmad=false
