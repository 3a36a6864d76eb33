#include "hard.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WAITING = 1 << 16 }; /* soups, before hard_add waits */

struct runner {
    struct hard *hard;
    struct worker *worker;
    pthread_t thread;
    pthread_mutex_t idle; /* locked while it runs a soup */
    bool paused;
};

struct hard {
    struct instance *own;
    struct runner *runners;
    uint32_t count;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    uint64_t *soups; /* that wait: from begin to end */
    uint64_t begin, end, room;
    uint32_t running;
    bool stop, failed;
};

static void *run(void *argument)
{
    struct runner *runner = argument;
    struct hard *hard = runner->hard;
    pthread_mutex_lock(&hard->lock);
    for (;;) {
        while (hard->begin == hard->end && !hard->stop)
            pthread_cond_wait(&hard->changed, &hard->lock);
        if (hard->stop)
            break;
        const uint64_t soup = hard->soups[hard->begin++];
        hard->running++;
        pthread_mutex_unlock(&hard->lock);
        pthread_mutex_lock(&runner->idle);
        const int status = census_take_soup(hard->own, runner->worker, soup);
        pthread_mutex_unlock(&runner->idle);
        pthread_mutex_lock(&hard->lock);
        hard->running--;
        hard->failed = hard->failed || status != 0;
        pthread_cond_broadcast(&hard->changed);
    }
    pthread_mutex_unlock(&hard->lock);
    return NULL;
}

int hard_open(struct instance *own, struct worker *workers, uint32_t count, struct hard **out)
{
    struct hard *hard = *out = calloc(1, sizeof *hard);
    if (!hard)
        return -1;
    hard->own = own;
    pthread_mutex_init(&hard->lock, NULL);
    pthread_cond_init(&hard->changed, NULL);
    hard->runners = calloc(count, sizeof *hard->runners);
    for (; hard->runners && hard->count < count; hard->count++) {
        struct runner *runner = &hard->runners[hard->count];
        *runner = (struct runner){.hard = hard, .worker = &workers[hard->count]};
        pthread_mutex_init(&runner->idle, NULL);
        if (pthread_create(&runner->thread, NULL, run, runner) != 0) {
            pthread_mutex_destroy(&runner->idle);
            break;
        }
    }
    if (hard->count == count)
        return 0;
    hard_close(hard);
    *out = NULL;
    return -1;
}

void hard_close(struct hard *hard)
{
    pthread_mutex_lock(&hard->lock);
    hard->stop = true;
    pthread_cond_broadcast(&hard->changed);
    pthread_mutex_unlock(&hard->lock);
    for (uint32_t i = 0; i < hard->count; i++) {
        pthread_join(hard->runners[i].thread, NULL);
        pthread_mutex_destroy(&hard->runners[i].idle);
    }
    pthread_cond_destroy(&hard->changed);
    pthread_mutex_destroy(&hard->lock);
    free(hard->runners);
    free(hard->soups);
    free(hard);
}

/* Makes room for more soups behind those that wait. */
static int make_room(struct hard *hard, uint32_t count)
{
    const uint64_t waiting = hard->end - hard->begin;
    if (hard->begin > 0)
        memmove(hard->soups, hard->soups + hard->begin, waiting * sizeof *hard->soups);
    hard->begin = 0;
    hard->end = waiting;
    if (waiting + count <= hard->room)
        return 0;
    uint64_t *soups = realloc(hard->soups, 2 * (waiting + count) * sizeof *soups);
    if (!soups)
        return -1;
    hard->soups = soups;
    hard->room = 2 * (waiting + count);
    return 0;
}

int hard_add(struct hard *hard, uint64_t first, const uint32_t *soups, uint32_t count)
{
    pthread_mutex_lock(&hard->lock);
    while (hard->end - hard->begin > MOST_WAITING)
        pthread_cond_wait(&hard->changed, &hard->lock);
    const int status = make_room(hard, count);
    for (uint32_t i = 0; status == 0 && i < count; i++)
        hard->soups[hard->end++] = first + soups[i];
    pthread_cond_broadcast(&hard->changed);
    pthread_mutex_unlock(&hard->lock);
    return status;
}

uint32_t hard_pause(struct hard *hard, bool all, struct names **counted)
{
    uint32_t paused = 0;
    pthread_mutex_lock(&hard->lock);
    while (all && (hard->begin != hard->end || hard->running))
        pthread_cond_wait(&hard->changed, &hard->lock);
    pthread_mutex_unlock(&hard->lock);
    for (uint32_t i = 0; i < hard->count; i++) {
        struct runner *runner = &hard->runners[i];
        runner->paused = pthread_mutex_trylock(&runner->idle) == 0;
        if (runner->paused)
            counted[paused++] = &runner->worker->names;
    }
    return paused;
}

int hard_resume(struct hard *hard)
{
    for (uint32_t i = 0; i < hard->count; i++)
        if (hard->runners[i].paused)
            pthread_mutex_unlock(&hard->runners[i].idle);
    pthread_mutex_lock(&hard->lock);
    const int status = hard->failed ? -1 : 0;
    pthread_mutex_unlock(&hard->lock);
    return status;
}
