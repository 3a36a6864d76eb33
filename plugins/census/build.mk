census_lib = objects/apgcode objects/islands objects/md5 objects/objects objects/patch
# -Wno-psabi: only inlined functions get vectors that are wider than the registers.
flags_plugins/census/plane_kernel.c = -Wno-psabi
$(foreach file,ash growth hard haul names past plugin sieve worker,$(eval flags_plugins/census/$(file).c = -iquote lib))
# GCC vectorises loops over bytes at -O3 alone.
flags_lib/objects/patch.c = -O3
