/* Lets another thread take the steps, and returns before they are taken. */
#include "job.h"

static void *work_and_free(void *job)
{
    work(job);
    free(job);
    return NULL;
}

static int advance(void *self, struct engine_call *call)
{
    pthread_t thread;
    struct job *job = malloc(sizeof *job);
    if (job && is_long(call)) {
        *job = (struct job){numbers_from(call), numbers_to(call), number_count(call), call->steps};
        if (pthread_create(&thread, NULL, work_and_free, job) == 0)
            return pthread_detach(thread) == 0 ? ENGINE_OK : ENGINE_INTERNAL;
    }
    free(job);
    return take_honestly(self, call);
}

CHEAT("later", .advance = advance);
