/* A device transport: it moves cells between the processes of a run from device to device, without messages through
 * host memory.
 *
 * `peer`: the processes of one host share memory, and write margins directly to where their neighbours read them; GPUs
 * by CUDA IPC, CPUs by shared memory. `nccl`: NVIDIA's NCCL sends them, also between hosts, and adds up arrays. On GPUs
 * both only enqueue work, which can be recorded. The third value of [run] transport, `host`, is no device transport:
 * parts/halo_exchange.c and parts/collective.c then send messages through the link.
 *
 * All processes of a run open it together, and decide together which one it is. */
#ifndef LIB_PARTS_DEVICE_TRANSPORT_H
#define LIB_PARTS_DEVICE_TRANSPORT_H

#include "parts/communicator.h"
#include "plan/settings.h"

/* What a process tells the others about itself. */
struct device_transport_facts {
    char host[48];   /* the same for processes that run on one host */
    char device[40]; /* different for GPUs that differ; "": any number of processes may use it */
    uint32_t cuda;   /* the device is a CUDA device */
    uint32_t sums;   /* the parts share their work: they add up arrays, and have no margins */
    uint32_t alike;  /* all parts have their cells in the same order */
};

/* Returns why these processes cannot use a transport, as a sentence in `text`, or NULL if they can try it. */
const char *device_transport_obstacle(enum transport kind, const struct device_transport_facts *facts, uint32_t count,
                                      char text[256]);

/* The transport that `auto` tries first, second …; TRANSPORT_HOST, which always works, ends the list. Host memory goes
 * by messages unless the user asks for `peer`. */
enum transport device_transport_candidate(const struct device_transport_facts *facts, uint32_t count, uint32_t index);

struct device_transport;

/* Opens the transport that `wanted` names, or the first that works; *transport is NULL for `host`. `largest` has what
 * this process sends and receives in the largest exchange. `place` says where the configuration asks for it. All
 * processes return the same error: ENGINE_STATUS_USAGE if the transport cannot work here, ENGINE_STATUS_DEVICE if it
 * fails. */
int device_transport_open(const struct communicator *comm, enum transport wanted, const char *place,
                          const struct device_transport_facts *own, const struct transfer *largest, uint32_t count,
                          struct device_transport **transport, struct engine_error *error);

/* All processes close it, unless the link is broken. NULL is allowed. */
void device_transport_close(struct device_transport *transport);

/* peer or nccl; `host` for NULL. */
const char *device_transport_name(const struct device_transport *transport);

/* Can the work be recorded, because it is only enqueued? A recording is good for one phase. */
bool device_transport_enqueues(const struct device_transport *transport);
uint32_t device_transport_phase(const struct device_transport *transport);
void device_transport_set_phase(struct device_transport *transport, uint32_t phase);

/* Sends and receives. ENGINE_STATUS_DEVICE. */
int device_transport_exchange(struct device_transport *transport, const struct transfer *list, uint32_t count,
                              struct engine_error *error);

/* Can it add up arrays? Then: sets `array` to the sums over all processes, modulo 2^64. */
bool device_transport_reduces(const struct device_transport *transport);
int device_transport_all_reduce(struct device_transport *transport, uint64_t *array, uint64_t count,
                                struct engine_error *error);

/* Begins or ends a time in which this process makes calls that may wait for others, such as those that enqueue work
 * while the device is full. Returns whether such a time was under way. */
bool device_transport_watch(struct device_transport *transport, bool begins);

/* Waits for the device, and for other processes through it, as long as [run] patience allows. */
int device_transport_wait(struct device_transport *transport, struct engine_error *error);

#endif
