/* Where processes that share memory wait for each other, for the functions of devices and for the kernel. */
#ifndef CORE_MEMORY_GATE_H
#define CORE_MEMORY_GATE_H

#include <stdint.h>

enum { GATE_MOST = 32 };

/* Each process counts its rounds, and tells its number to the others by a store to their memory. A process passes when
 * all others have told it at least its own number. */
struct gate {
    uint64_t *round;                /* the own number, in memory of the device */
    uint32_t count;                 /* of the other processes */
    uint64_t *theirs[GATE_MOST];    /* in their memory: where they read the own number */
    const uint64_t *own[GATE_MOST]; /* in the own memory: their numbers */
    uint32_t *stop;                 /* in memory of allocate_host: not 0 opens the gate after an error. A gate that was
                                     shut for `limit` nanoseconds stores 1 + the index of the process */
    uint64_t limit;
};

#endif
