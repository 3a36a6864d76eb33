/* The universes of a batch get the plans of other runs (engine_run_set_universes): each takes the steps of its run.
 * TEST_IMPLEMENTATION names another implementation than cpu. */
#include "tests/library/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { SYSTEMS = 3, COUNT = 32, STEPS = 20, FIELDS = 2, METRICS = 6 };

static const char *const own[SYSTEMS][4] = {
    {"pairs.temperature=0.7", "pairs.density=0.5", "init.seed=4", "pairs.epsilon=1"},
    {"pairs.temperature=1.2", "pairs.density=0.7", "init.seed=4", "pairs.epsilon=1.5"},
    {"pairs.temperature=1.2", "pairs.density=0.5", "init.seed=1", "pairs.epsilon=1"},
};

static struct engine_error error;

#define NEED(call) \
    do { \
        if ((call) != 0) \
            fail_msg("%s", error.text); \
    } while (0)

/* Plans the run of a system, or of a batch that begins like it. */
static struct engine_run *plan(struct engine_context *context, int system, const char *batch)
{
    static const char *const all[] = {"run.plugin=pairs", "particles.count=32", "init.source=fcc",
                                      "pairs.potential=wca", "pairs.integrator=langevin"};
    struct engine_config *config;
    struct engine_run *run;
    NEED(engine_config_open(context, NULL, &config, &error));
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        NEED(engine_config_set(config, all[i], &error));
    for (int i = 0; i < 4; i++)
        NEED(engine_config_set(config, own[system][i], &error));
    NEED(engine_config_set(config, batch, &error));
    NEED(engine_run_plan_steps(config, NULL, &run, &error));
    NEED(engine_run_choose(run, tested_implementation(), &error));
    engine_config_close(config);
    return run;
}

static void universes_are_runs(void **state)
{
    struct engine_context *context;
    struct engine_run *runs[SYSTEMS], *all;
    struct engine_plan plans[SYSTEMS];
    double together[SYSTEMS][METRICS], alone[METRICS], values[2][3 * COUNT];
    (void) state;
    NEED(open_built_context((struct engine_hooks){0}, &context, &error));
    for (int u = 0; u < SYSTEMS; u++) {
        const struct engine_host *host;
        const struct engine_plan *seen;
        runs[u] = plan(context, u, "particles.batch=1");
        engine_run_seen(runs[u], &host, &seen);
        plans[u] = *seen;
    }
    all = plan(context, 0, "particles.batch=3");
    NEED(engine_run_set_universes(all, plans, &error));
    NEED(engine_run_start(all, &error));
    assert_int_equal(engine_run_set_universes(all, plans, &error), ENGINE_STATUS_USAGE);
    NEED(engine_run_advance(all, STEPS, NULL, NULL, &error));
    NEED(engine_run_measure_universes(all, together[0], SYSTEMS * METRICS, &error));
    for (int u = 0; u < SYSTEMS; u++) {
        NEED(engine_run_start(runs[u], &error));
        NEED(engine_run_advance(runs[u], STEPS, NULL, NULL, &error));
        NEED(engine_run_measure(runs[u], alone, METRICS, &error));
        assert_memory_equal(together[u], alone, sizeof alone);
        for (uint32_t field = 0; field < FIELDS; field++) {
            NEED(engine_run_fetch(runs[u], field, 0, 3 * COUNT, values[0], &error));
            NEED(engine_run_fetch(all, field, (uint64_t) u * 3 * COUNT, 3 * COUNT, values[1], &error));
            assert_memory_equal(values[0], values[1], sizeof values[0]);
        }
    }
    engine_run_close(all);
    for (int u = 0; u < SYSTEMS; u++)
        engine_run_close(runs[u]);
    engine_close(context);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(universes_are_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
