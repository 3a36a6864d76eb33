#include "judge/conform/pace.h"
#include "judge/conform/cells.h"

#include <time.h>

/* Seconds of the processors, so that other programs on the machine do not matter. A property takes up to some hundred
 * steps at the largest size. */
static const double quick = 0.03, worth_trying = 3;

/* The seconds of a step; 0 where the size is refused. */
static double time_step(struct test *test, const struct engine_impl *impl, struct setup setup)
{
    struct fixture *fixture = cells_run(test, impl, setup, 1);
    if (!fixture)
        return 0;
    const clock_t begin = clock();
    fixture_advance(fixture, 1);
    const double seconds = (double) (clock() - begin) / CLOCKS_PER_SEC;
    fixture_close(fixture);
    return seconds;
}

/* The work of a step may follow the square of the number of particles. */
static uint64_t most_elements(struct test *test, const struct engine_impl *impl)
{
    uint64_t most = 1;
    double seconds = 0;
    for (const struct setup *setup = fixture_sizes(test); setup->extent[0]; setup++) {
        const uint64_t elements = setup->extent[0] * setup->extent[1] * setup->extent[2];
        const double ratio = (double) elements / (double) most;
        if (elements <= most)
            continue;
        if (seconds * ratio * ratio > worth_trying || (seconds = time_step(test, impl, *setup)) > quick)
            return most;
        most = elements;
    }
    return UINT64_MAX;
}

void pace_measure(struct test *test, const struct engine_impl *impl)
{
    if (!impl || test->given[0].extent[0])
        return;
    uint64_t *most = &test->told->most_elements[impl - test->plugin->impls.at];
    *most = *most ? *most : most_elements(test, impl);
}
