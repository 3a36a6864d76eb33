/* How much memory and disk space is available, and whether threads are. */
#ifndef LIB_PARTS_AVAILABLE_H
#define LIB_PARTS_AVAILABLE_H

#include "memory/device.h"

/* Returns the bytes of host memory that this process can still allocate: the system's available memory, limited by the
 * control groups of the process (of a container or a batch job). UINT64_MAX: not known. */
uint64_t available_memory(void);

/* The same of the memory of a device, which is not always known. */
uint64_t available_on(struct device *device);

/* Returns the bytes that can still be written to a folder, which need not exist yet. UINT64_MAX: not known. */
uint64_t available_disk(const char *folder);

/* Starts threads that exist at the same time, `count` with the caller's own, and ends them. Returns 0, or errno. */
int available_threads(uint32_t count);

#endif
