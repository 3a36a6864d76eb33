/* What one run has. */
#include "hashlife.h"

#include <stdlib.h>

struct hashlife *hashlife_new(const struct engine_call *call, const struct hashlife_kernel *kernel, uint64_t bytes,
                              uint64_t memory, const char *memory_key)
{
    const struct engine_host *host = call->host;
    const uint32_t threads = call->plan->threads < HASHLIFE_THREADS ? call->plan->threads : HASHLIFE_THREADS;
    struct hashlife *life = (struct hashlife *) host->scratch(host, sizeof *life, ENGINE_HOST_MEMORY);
    void *workers = host->scratch(host, threads * sizeof *life->workers, ENGINE_HOST_MEMORY);
    void *counts = host->scratch(host, HASHLIFE_COUNTS * sizeof *life->counts, ENGINE_HOST_MEMORY);
    if (!life || !workers || !counts)
        return NULL;
    *life =
        (struct hashlife){.workers = (struct store_worker *) workers,
                          .kernel = kernel,
                          .host = host,
                          .threads = threads,
                          .width = UINT64_C(1) << ENGINE_TREE_MOST, /* so the population is that of the whole tree */
                          .height = UINT64_C(1) << ENGINE_TREE_MOST,
                          .counts = (struct hashlife_count *) counts,
                          .count_places = HASHLIFE_COUNTS,
                          .counted = UINT64_MAX, /* none: the memory is not cleared */
                          .memory = bytes > 0 ? bytes >> 20 : memory,
                          .memory_key = bytes > 0 ? "run.memory" : memory_key};
    if (store_open(&life->store, life->memory << 20, life->workers, threads))
        return life;
    ENGINE_FAIL(host, ENGINE_NO_MEMORY, "no %llu MiB of memory for the nodes of the tree",
                (unsigned long long) life->memory);
    return NULL;
}

void hashlife_close(void *self)
{
    struct hashlife *life = (struct hashlife *) self;
    free(life->grown_counts);
    store_close(&life->store);
}

int hashlife_fail(const struct hashlife *life, const struct engine_call *call)
{
    return ENGINE_FAIL(
        call->host, ENGINE_NO_MEMORY,
        "%llu MiB do not hold what the nodes of one call need (%llu at the last collection); set %s to more MiB, or "
        "take the implementation cpu or cuda: this pattern may have too little order for hashlife",
        (unsigned long long) life->memory, (unsigned long long) store_used(&life->store), life->memory_key);
}

void hashlife_note(const struct hashlife *life)
{
    const struct engine_host *host = life->host;
    host->note(host, "nodes", "%llu, %llu collections", (unsigned long long) store_used(&life->store) - 1,
               (unsigned long long) life->store.collections);
    host->note(host, "settled", "unknown: results of squares that it remembers are not computed again");
    if (life->lone_calls > 0)
        host->note(host, "threads",
                   "a single thread finished %llu of %llu shared calls, because memory was full; more MiB in %s may "
                   "make the run faster",
                   (unsigned long long) life->lone_calls, (unsigned long long) life->shared_calls, life->memory_key);
}

void hashlife_begin(struct hashlife *life, const struct engine_call *call)
{
    life->host = call->host;
    life->resting -= life->resting > 0;
    life->has_shared = false;
    life->store.is_full = false;
    life->workers[0].root_count = 0;
}
