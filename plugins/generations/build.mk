# GCC vectorises what engine/stencil_cpu.h makes at -O3 alone.
flags_plugins/generations/plugin.c = -O3
generations_uses = $(HASHLIFE_BYTES)
