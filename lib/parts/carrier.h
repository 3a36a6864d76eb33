/* What carries cells between the processes of a run without messages through host memory: from device to device.
 *
 * `peer`: the processes of one host share memory, and write margins directly to where their neighbours read them; GPUs
 * by CUDA IPC, CPUs by shared memory. `nccl`: NVIDIA's NCCL sends them, also between hosts, and adds up arrays. On GPUs
 * both only enqueue work, which can be recorded. The third transport, `host`, is no carrier: parts/halo_exchange.c and
 * parts/collective.c then send messages through the link.
 *
 * All processes of a run open the carrier together, and decide together which one it is. */
#ifndef LIB_PARTS_CARRIER_H
#define LIB_PARTS_CARRIER_H

#include "parts/communicator.h"
#include "plan/settings.h"

/* What a process tells the others about itself. */
struct carrier_facts {
    char host[48];   /* the same for processes that run on one host */
    char device[40]; /* different for GPUs that differ; "": any number of processes may use it */
    uint32_t cuda;   /* the device is a CUDA device */
    uint32_t sums;   /* the parts share their work: they add up arrays, and have no margins */
    uint32_t alike;  /* all parts have their cells in the same order */
};

/* Returns why these processes cannot use a transport, as a sentence in `text`, or NULL if they can try it. */
const char *carrier_obstacle(enum transport kind, const struct carrier_facts *facts, uint32_t count, char text[256]);

/* The transport that `auto` tries first, second …; TRANSPORT_HOST, which always works, ends the list. Host memory goes
 * by messages unless the user asks for `peer`. */
enum transport carrier_candidate(const struct carrier_facts *facts, uint32_t count, uint32_t index);

struct carrier;

/* Opens the transport that `wanted` names, or the first that works; *carrier is NULL for `host`. `largest` has what
 * this process sends and receives in the largest exchange. `place` says where the configuration asks for it. All
 * processes return the same error: ENGINE_STATUS_USAGE if the transport cannot work here, ENGINE_STATUS_DEVICE if it
 * fails. */
int carrier_open(const struct communicator *comm, enum transport wanted, const char *place,
                 const struct carrier_facts *own, const struct transfer *largest, uint32_t count,
                 struct carrier **carrier, struct engine_error *error);

/* All processes close it, unless the link is broken. NULL is allowed. */
void carrier_close(struct carrier *carrier);

/* peer or nccl; `host` for NULL. */
const char *carrier_name(const struct carrier *carrier);

/* Can the work be recorded, because it is only enqueued? A recording is good for one phase. */
bool carrier_enqueues(const struct carrier *carrier);
uint32_t carrier_phase(const struct carrier *carrier);
void carrier_set_phase(struct carrier *carrier, uint32_t phase);

/* Sends and receives. ENGINE_STATUS_DEVICE. */
int carrier_exchange(struct carrier *carrier, const struct transfer *list, uint32_t count, struct engine_error *error);

/* Can it add up arrays? Then: sets `array` to the sums over all processes, modulo 2^64. */
bool carrier_adds(const struct carrier *carrier);
int carrier_sums(struct carrier *carrier, uint64_t *array, uint64_t count, struct engine_error *error);

/* Waits for the device, and for other processes through it, as long as [run] patience allows. */
int carrier_wait(struct carrier *carrier, struct engine_error *error);

#endif
