/* XXH3 with the widest vectors that the processor has: where the library chooses among several, it does so under a
 * header of its own, and is twice as fast. The hashes are the same. */
#ifndef CORE_BASE_XXH_H
#define CORE_BASE_XXH_H

#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

#endif
