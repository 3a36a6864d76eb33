/* What the processes of a run do together where its parts share their work (ENGINE_TEAMWORK): each gives an array, and
 * gets those of all, or their sums. All processes that have parts call these functions in the same order, with the same
 * sizes. A carrier that can add up arrays (parts/carrier.h) takes them from device to device, and only enqueues the work.
 * Otherwise the messages are in host memory, so each array goes through a copy there, which a device copies fast.
 *
 * A process that gets an error, ENGINE_STATUS_DEVICE, calls collect_break, because the others wait for its messages. */
#ifndef LIB_PARTS_COLLECT_H
#define LIB_PARTS_COLLECT_H

#include "memory/device.h"
#include "parts/ranks.h"

struct collect;

/* Opens it for the arrays of a device. Both outlive it. ENGINE_STATUS_DEVICE: there is no memory. */
int collect_open(struct ranks *ranks, struct device *device, struct collect **collect, struct engine_error *error);
void collect_close(struct collect *collect); /* NULL is allowed */

/* Breaks the link to the other processes. */
void collect_break(struct collect *collect);

/* The number of this process, and of all. */
uint32_t collect_rank(const struct collect *collect);
uint32_t collect_ranks(const struct collect *collect);

/* `all` has an array of `bytes` bytes for each process, one after the other, in host memory. Fills in those of the
 * others. */
int collect_notices(struct collect *collect, void *all, uint64_t bytes, struct engine_error *error);

/* Sets each of `copies` arrays of this process, which are equal, to the sums of the arrays of all processes, modulo
 * 2^64. */
int collect_sums(struct collect *collect, uint64_t *const *arrays, uint32_t copies, uint64_t count,
                 struct engine_error *error);

/* Each process has bytes [begins[rank], begins[rank + 1]) of its `copies` arrays. Fills in the bytes of the others. */
int collect_ranges(struct collect *collect, uint64_t *const *arrays, uint32_t copies, const uint64_t *begins,
                   struct engine_error *error);

/* Sends and receives pieces of memory of the device. Two processes list the pieces between them in the same order. */
int collect_transfers(struct collect *collect, const struct transfer *list, uint32_t count, struct engine_error *error);

#endif
