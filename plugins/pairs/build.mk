# -Wno-psabi: only inlined functions get vectors that are wider than the registers.
flags_plugins/pairs/cpu_kernel.c = -O3 -Wno-psabi -fno-math-errno
# Without fused multiply-adds, a GPU computes the same bits as a CPU.
flags_plugins/pairs/cuda.cu = --fmad=false
