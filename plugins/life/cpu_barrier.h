/* A barrier for the threads of a kernel. OpenMP's own barriers spin for milliseconds. Where other work shares a
 * thread's core, that costs several times the work itself; so a thread here yields its core after some microseconds. */
#ifndef LIFE_CPU_BARRIER_H
#define LIFE_CPU_BARRIER_H

#include <sched.h>
#include <stdatomic.h>

#define SPINS 4000 /* before a thread yields; each takes a few nanoseconds */

struct barrier {
    atomic_uint arrived, round;
};

static void wait_for_all(struct barrier *b, unsigned threads)
{
    unsigned round = atomic_load(&b->round);
    if (atomic_fetch_add(&b->arrived, 1) + 1 == threads) {
        atomic_store(&b->arrived, 0);
        atomic_store(&b->round, round + 1);
        return;
    }
    for (unsigned spins = 0; atomic_load(&b->round) == round; spins++)
        if (spins > SPINS)
            sched_yield();
}

#endif
