/* Lets another thread take the steps, and returns before they are taken. */
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
    free(argument);
    return NULL;
}

static int advance(void *self, struct engine_call *call)
{
    pthread_t thread;
    struct job *job = malloc(sizeof *job);
    if (job && is_long(call)) {
        *job = (struct job){numbers_from(call), numbers_to(call), number_count(call), call->steps};
        if (pthread_create(&thread, NULL, work, job) == 0)
            return pthread_detach(thread) == 0 ? ENGINE_OK : ENGINE_INTERNAL;
    }
    free(job);
    return take_honestly(self, call);
}

CHEAT("later", .advance = advance);
