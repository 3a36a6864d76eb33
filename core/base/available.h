/* How much memory and disk space is available. */
#ifndef CORE_BASE_AVAILABLE_H
#define CORE_BASE_AVAILABLE_H

#include <stdint.h>

/* Returns the bytes of host memory that this process can still allocate: the system's available memory, limited by the
 * control groups of the process (of a container or a batch job). UINT64_MAX: not known. */
uint64_t available_memory(void);

/* Returns the bytes that can still be written to a folder, which need not exist yet. UINT64_MAX: not known. */
uint64_t available_disk(const char *folder);

#endif
