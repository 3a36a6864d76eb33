/* XXH3 with the widest vectors of the processor. On x86 the library chooses them at run time through a header of its
 * own, which doubles the rate. The hashes are the same. */
#ifndef CORE_BASE_XXH_H
#define CORE_BASE_XXH_H

#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

#endif
