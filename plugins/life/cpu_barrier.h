/*
 * Where threads wait for each other. OpenMP's own barriers spin for milliseconds; where a thread's core is shared with
 * other work that costs several times the work itself, so here a thread that has waited some microseconds gives way.
 */
#ifndef LIFE_CPU_BARRIER_H
#define LIFE_CPU_BARRIER_H

#include <sched.h>
#include <stdatomic.h>

#define PATIENCE 4000 /* looks at the others, each a few nanoseconds */

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
    for (unsigned looks = 0; atomic_load(&b->round) == round; looks++)
        if (looks > PATIENCE)
            sched_yield();
}

#endif
