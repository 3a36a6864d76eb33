/* Measures how long the hash of a state takes:
 *
 *     build/tests/bench/hash REPEATS section.key=value…
 *
 * It starts the run of these settings, takes its steps, and hashes the state. The times are the smallest
 * and the middle one of the repeats; GB/s count the bytes of the canonical arrays. An example:
 *
 *     build/tests/bench/hash 9 run.plugin=life2d-bit run.steps=1 init.source=random grid.size="65536 65536" */
#include "tests/library/runs.h"

#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

static int smaller(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

/* Fills `seconds`. */
static int measure(struct engine_run *run, int repeats, double *seconds, char hash[ENGINE_HASH_SIZE],
                   struct engine_error *error)
{
    int status = engine_run_advance(run, engine_run_steps(run), NULL, NULL, error);
    for (int i = 0; status == 0 && i < repeats; i++) {
        const double begin = now();
        status = engine_run_hash(run, hash, error);
        seconds[i] = now() - begin;
    }
    qsort(seconds, (size_t) repeats, sizeof *seconds, smaller);
    return status;
}

int main(int count, char **arguments)
{
    const int repeats = count > 1 ? atoi(arguments[1]) : 0;
    double *const seconds = repeats > 0 ? calloc((size_t) repeats, sizeof *seconds) : NULL;
    char hash[ENGINE_HASH_SIZE];
    struct engine_context *context = NULL;
    struct engine_config *config = NULL;
    struct engine_run *run = NULL;
    struct engine_error error = {.status = 0};
    if (!seconds) {
        fputs("usage: hash REPEATS section.key=value…\n", stderr);
        return ENGINE_STATUS_USAGE;
    }
    if (open_built_context((struct engine_hooks){0}, &context, &error) == 0 &&
        start_run(context, (const char *const *) (void *) (arguments + 2), &config, &run, &error) == 0 &&
        measure(run, repeats, seconds, hash, &error) == 0)
        printf("%s: smallest %.3f ms, middle %.3f ms\n", hash, 1e3 * seconds[0], 1e3 * seconds[repeats / 2]);
    else
        fprintf(stderr, "hash: %s\n", error.text);
    close_all(context, &config, &run, 1);
    free(seconds);
    return error.status;
}
