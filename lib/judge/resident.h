/* The memory of processes. */
#ifndef LIB_JUDGE_RESIDENT_H
#define LIB_JUDGE_RESIDENT_H

#include <stdint.h>

/* Returns the resident bytes of a process; 0: not known. */
uint64_t resident_bytes(int64_t process);

/* Nine tenths of the memory of this machine: the limit for a process, unless the caller sets another one. */
uint64_t resident_limit(void);

#endif
