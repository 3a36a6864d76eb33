/* Collective operations: what the processes of a run do together where its parts share their work (ENGINE_TEAMWORK).
 * Each gives an array, and gets those of all (all-gather), or their sums (all-reduce). All processes that have parts
 * call these functions in the same order, with the same sizes. A device transport that can add up arrays
 * (parts/device_transport.h) takes them from device to device, and only enqueues the work. Otherwise the messages are
 * in host memory, so each array goes through a copy there, which a device copies fast.
 *
 * A process that gets an error, ENGINE_STATUS_DEVICE, calls collective_break, because the others wait for its
 * messages. */
#ifndef LIB_PARTS_COLLECTIVE_H
#define LIB_PARTS_COLLECTIVE_H

#include "memory/device.h"
#include "parts/ranks.h"

struct collective;

/* Opens it for the arrays of a device. Both outlive it. ENGINE_STATUS_DEVICE: there is no memory. */
int collective_open(struct ranks *ranks, struct device *device, struct collective **collective,
                    struct engine_error *error);
void collective_close(struct collective *collective); /* NULL is allowed */

/* Breaks the link to the other processes. */
void collective_break(struct collective *collective);

/* The number of this process, and of all. */
uint32_t collective_rank(const struct collective *collective);
uint32_t collective_ranks(const struct collective *collective);

/* `all` has an array of `bytes` bytes for each process, one after the other, in host memory. Fills in those of the
 * others. */
int collective_all_gather_host(struct collective *collective, void *all, uint64_t bytes, struct engine_error *error);

/* Sets each of `copies` arrays of this process, which are equal, to the sums of the arrays of all processes, modulo
 * 2^64. */
int collective_all_reduce(struct collective *collective, uint64_t *const *arrays, uint32_t copies, uint64_t count,
                          struct engine_error *error);

/* Each process has bytes [begins[rank], begins[rank + 1]) of its `copies` arrays. Fills in the bytes of the others. */
int collective_all_gather(struct collective *collective, uint64_t *const *arrays, uint32_t copies,
                          const uint64_t *begins, struct engine_error *error);

/* Makes transfers from and to memory of the device. */
int collective_exchange(struct collective *collective, const struct transfer *list, uint32_t count,
                        struct engine_error *error);

#endif
