/* How much there is left here: of memory for this process, of a disk. */
#ifndef CORE_BASE_AVAILABLE_H
#define CORE_BASE_AVAILABLE_H

#include <stdint.h>

/* Bytes of host memory that this process can still have: what the system calls available, and no more than its control
 * groups (a container's, a batch job's) leave it. UINT64_MAX: not known. */
uint64_t available_memory(void);

/* Bytes that can still be written into a folder, or where it would be made. UINT64_MAX: not known. */
uint64_t available_disk(const char *folder);

#endif
