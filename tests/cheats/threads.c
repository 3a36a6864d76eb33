/* Computes on more threads than it was given. */
#include "job.h"

enum { THREADS = 8 };

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
