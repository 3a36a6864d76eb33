/* What two dishonest plugins share: steps that another thread takes. */
#ifndef TESTS_CHEATS_JOB_H
#define TESTS_CHEATS_JOB_H

#include "cheat.h"

#include <pthread.h>

struct job {
    const uint64_t *from;
    uint64_t *to, count, steps;
};

static void *work(void *argument)
{
    const struct job *job = argument;
    take_steps(job->from, job->to, job->count, job->steps);
    return NULL;
}

#endif
