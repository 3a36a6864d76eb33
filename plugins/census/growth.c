/* The name of a pattern that grows linearly, which is made from its populations. */
#include "worker.h"

#include <stdlib.h>

/* The steps in which the growth must have a period. A spaceship of c/2 stays in the plane. */
enum { GROWTH_STEPS = 12000, LONGEST = GROWTH_STEPS / 9 };

/* Runs a pattern alone. populations[k] becomes its population after 2 k steps. Has it stayed in the plane? */
static bool run(struct worker *worker, const struct patch *patch, uint64_t *populations)
{
    struct plane *plane = worker_put(worker, patch);
    for (uint64_t k = 0; k < GROWTH_STEPS / 2; k++) {
        populations[k] = (uint64_t) worker->kernel->count(plane);
        worker->kernel->advance(plane, 1);
    }
    return !plane->full;
}

/* A pass takes two steps, so the pattern runs twice: from itself, and from its next step. The populations after even steps
 * show most patterns that do not grow linearly. */
static int find(struct worker *worker, const struct patch *patch, uint64_t *even, uint64_t *odd, uint64_t *all,
                bool *chaotic)
{
    char code[APGCODE_SIZE];
    struct patch next;
    uint64_t period = LONGEST;
    double growth;
    const bool linear =
        run(worker, patch, even) && apgcode_linear(even, GROWTH_STEPS / 2, LONGEST / 2, &period, &growth, code);
    *chaotic = period > LONGEST / 2;
    if (!linear)
        return 0;
    int status = patch_copy(patch, &next);
    if (status == 0)
        status = patch_step(&next, &worker->rule);
    if (status == 0)
        run(worker, &next, odd);
    patch_free(&next);
    for (uint64_t k = 0; status == 0 && k < GROWTH_STEPS / 2; k++) {
        all[2 * k] = even[k];
        all[2 * k + 1] = odd[k];
    }
    return status;
}

int growth_name(struct worker *worker, const struct patch *patch, char code[APGCODE_SIZE], bool *chaotic)
{
    uint64_t *populations = calloc(2 * GROWTH_STEPS, sizeof *populations), *all = populations + GROWTH_STEPS, period;
    double growth;
    if (!populations)
        return -1;
    const int status = find(worker, patch, populations, populations + GROWTH_STEPS / 2, all, chaotic);
    if (status != 0 || !apgcode_linear(all, GROWTH_STEPS, LONGEST, &period, &growth, code) || growth <= 0)
        *code = '\0';
    free(populations);
    return status;
}
