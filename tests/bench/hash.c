/* Measures how long the hash and the metrics of a state take:
 *
 *     build/tests/bench/hash REPEATS section.key=value…
 *
 * It starts the run of these settings, takes its steps, hashes the state, and computes the metrics if there are any. The
 * times are the smallest and the middle one of the repeats. An example:
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

static int take_hash(struct engine_run *run, struct engine_error *error)
{
    char hash[ENGINE_HASH_SIZE];
    return engine_run_hash(run, hash, error);
}

static int take_metrics(struct engine_run *run, struct engine_error *error)
{
    double values[64];
    return engine_run_measure(run, values, sizeof values / sizeof values[0], error);
}

/* Prints how long the repeats of what `take` does took. */
static int measure(struct engine_run *run, const char *what, int (*take)(struct engine_run *, struct engine_error *),
                   int repeats, double *seconds, struct engine_error *error)
{
    int status = 0;
    for (int i = 0; status == 0 && i < repeats; i++) {
        const double begin = now();
        status = take(run, error);
        seconds[i] = now() - begin;
    }
    qsort(seconds, (size_t) repeats, sizeof *seconds, smaller);
    if (status == 0)
        printf("%s: smallest %.4f ms, middle %.4f ms\n", what, 1e3 * seconds[0], 1e3 * seconds[repeats / 2]);
    return status;
}

static int measure_all(struct engine_run *run, int repeats, double *seconds, struct engine_error *error)
{
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    char hash[ENGINE_HASH_SIZE];
    int status = engine_run_advance(run, engine_run_steps(run), NULL, NULL, error);
    if (status == 0 && (status = engine_run_hash(run, hash, error)) == 0)
        status = measure(run, hash, take_hash, repeats, seconds, error);
    engine_run_plugin(run, &plugin);
    if (status == 0 && plugin.about->metrics.count > 0)
        status = measure(run, "metrics", take_metrics, repeats, seconds, error);
    return status;
}

int main(int count, char **arguments)
{
    const int repeats = count > 1 ? atoi(arguments[1]) : 0;
    double *const seconds = repeats > 0 ? calloc((size_t) repeats, sizeof *seconds) : NULL;
    struct engine_context *context = NULL;
    struct engine_config *config = NULL;
    struct engine_run *run = NULL;
    struct engine_error error = {.status = 0};
    if (!seconds) {
        fputs("usage: hash REPEATS section.key=value…\n", stderr);
        return ENGINE_STATUS_USAGE;
    }
    int status = open_built_context((struct engine_hooks){0}, &context, &error);
    if (status == 0)
        status = start_run(context, (const char *const *) (void *) (arguments + 2), &config, &run, &error);
    if (status == 0)
        status = measure_all(run, repeats, seconds, &error);
    if (status != 0)
        fprintf(stderr, "hash: %s\n", error.text);
    close_all(context, &config, &run, 1);
    free(seconds);
    return status;
}
