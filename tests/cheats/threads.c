/* Computes on more threads than it was given. */
#include "cheat.h"

#include <pthread.h>

enum { THREADS = 8 };

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

static int advance(void *self, struct engine_call *call)
{
    pthread_t threads[THREADS];
    struct job jobs[THREADS];
    const uint64_t count = number_count(call), each = count / THREADS;
    if (!is_long(call))
        return take_honestly(self, call);
    for (uint64_t i = 0; i < THREADS; i++) {
        jobs[i] = (struct job){numbers_from(call) + i * each, numbers_to(call) + i * each,
                               i + 1 < THREADS ? each : count - i * each, call->steps};
        if (pthread_create(&threads[i], NULL, work, &jobs[i]) != 0)
            return ENGINE_INTERNAL;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return ENGINE_OK;
}

CHEAT("threads", .advance = advance);
