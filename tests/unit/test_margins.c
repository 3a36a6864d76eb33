/* The margins of the parts of a run on GPUs, with a stand-in for a GPU that declares its rates. The expected numbers were
 * computed by hand from the formulas of docs/explain/scaling.md. */
#include "parts/parts.c"

#include "../library/runs.h"
#include "api/handles.h"
#include "config/config.h"
#include "files/plan_use.h"
#include "memory/devices.h"
#include "parts/ranks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* ---- A GPU and an implementation ------------------------------------------------------------------------------- */

static int use(struct device *device, struct engine_error *error)
{
    (void) device, (void) error;
    return 0;
}

static struct device gpu = {.memory = ENGINE_CUDA_MEMORY, .use = use};

static int open_gpu(int32_t ordinal, struct device **device, struct engine_error *error)
{
    (void) ordinal, (void) error;
    *device = &gpu;
    return 0;
}

static void close_gpu(struct device *device)
{
    (void) device;
}

static const struct device_kind kind = {
    .memory = ENGINE_CUDA_MEMORY, .name = "GPU", .open = open_gpu, .close = close_gpu};

static int cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *out)
{
    (void) host, (void) plan;
    out->bytes = 2;
    out->operations = 30;
    return 0;
}

static const struct engine_impl impl = {.name = "cuda", .memory = ENGINE_CUDA_MEMORY, .batch = 8, .cost = cost};

/* Finds the margin of each half of a torus of 4096 x 4096 cells. A step looks one cell away. */
static struct plan_slab halve(double byte_rate, double operation_rate)
{
    static const struct engine_field field = {.kind = ENGINE_GRID, .rank = 2, .reach = {1, 1}};
    static struct plugin plugin = {.about = {.fields = {.at = &field, .count = 1}}};
    static struct engine_shape shape = {.extent = {4096, 4096, 1}, .rank = 2, .components = 1};
    static struct context context;
    static struct plan plan = {.context = &context, .plugin = &plugin, .shapes = &shape};
    struct plan_slab slab = {.axis = 1, .count = 2048};
    struct engine_error error;
    plan.settings.parts = plan.settings.devices = 2;
    gpu.byte_rate = byte_rate;
    gpu.operation_rate = operation_rate;
    assert_int_equal(devices_open(&context, &kind, &error), 0);
    find_margin(&plan, &impl, &slab);
    devices_close(&context);
    return slab;
}

/* Returns how often the caller is warned that two devices with this efficiency are slower than one. */
static int warned;
static void count(void *user, int level, const char *source, const char *text)
{
    (void) user, (void) source;
    warned += level == ENGINE_LOG_WARNING && strstr(text, "0.98 times as fast as one");
}

static int warnings(double efficiency, uint32_t devices)
{
    static struct context context = {.hooks = {.message = count}};
    struct config *config = NULL;
    struct engine_error error;
    struct plan part = {.slab = {.efficiency = efficiency}}, *parts[] = {&part};
    assert_int_equal(config_open(NULL, &config, &error), 0);
    const struct plan plan = {.context = &context, .config = config, .parts = parts, .settings.devices = devices};
    warned = 0;
    plan_warn_slow(&plan);
    config_close(config);
    return warned;
}

/* ---- Tests ------------------------------------------------------------------------------------------------------ */

/* A step takes 2048 * 4096 * 2 / 2e12 = 8.389e-6 s, so that s = sqrt(12e-6 * 2048 / (2 * 8.389e-6)) = 38.3 is nearest to
 * 5 calls of 8 steps. */
static void given_bytes_that_take_longer_then_they_decide(void **state)
{
    (void) state;
    const struct plan_slab slab = halve(2e12, 1e15);
    assert_int_equal(slab.margin, 40);
    assert_int_equal(slab.steps, 40);
    assert_float_equal(slab.efficiency, 1 / (1 + 80.0 / 2048 + 12e-6 / (40 * 8.388608e-6)), 1e-6); /* 93.0 % */
}

/* A step takes 2048 * 4096 * 30 / 6e13 = 4.194e-6 s: s = 54.1, and 7 calls of 8 steps. */
static void given_operations_that_take_longer_then_they_decide(void **state)
{
    (void) state;
    assert_int_equal(halve(2e13, 6e13).margin, 56);
}

static void given_no_declared_rate_then_a_margin_lasts_for_a_call_and_nothing_is_predicted(void **state)
{
    (void) state;
    const double rates[][2] = {{0, 0}, {0, 6e13}, {2e12, 0}};
    for (int i = 0; i < 3; i++) {
        const struct plan_slab slab = halve(rates[i][0], rates[i][1]);
        assert_int_equal(slab.margin, 8);
        assert_true(slab.efficiency == 0);
    }
}

static void given_two_devices_that_are_predicted_to_be_slower_than_one_then_the_caller_is_told(void **state)
{
    (void) state;
    assert_int_equal(warnings(0.49, 2), 1);
    assert_int_equal(warnings(0.51, 2), 0);
    assert_int_equal(warnings(0, 2), 0); /* not known */
    assert_int_equal(warnings(0.49, 1), 0);
}

/* Their devices may declare other rates. */
static void given_other_ranks_then_they_are_told_the_margin(void **state)
{
    const char *const settings[] = {"run.plugin=life3d-naive", "run.implementation=cpu", "grid.size=8 8 32",
                                    "init.source=random", "run.parts=2"};
    struct engine_context *context;
    struct engine_config *config;
    struct engine_run *run;
    struct engine_error error;
    char *texts;
    uint64_t bytes;
    int told = 0;
    (void) state;
    assert_int_equal(open_built_context((struct engine_hooks){0}, &context, &error), 0);
    assert_int_equal(engine_config_open(context, NULL, &config, &error), 0);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        assert_int_equal(engine_config_set(config, settings[i], &error), 0);
    assert_int_equal(engine_run_plan(config, &run, &error), 0);
    run->run->plan->parts[0]->slab.margin = 5;
    assert_int_equal(ranks_texts(run->run->plan, &texts, &bytes, &error), 0);
    for (const char *at = texts; at < texts + bytes; at += strlen(at) + 1)
        told += strcmp(at, "run.margin=5") == 0;
    assert_int_equal(told, 1);
    free(texts);
    engine_run_close(run);
    engine_config_close(config);
    engine_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_bytes_that_take_longer_then_they_decide),
        cmocka_unit_test(given_operations_that_take_longer_then_they_decide),
        cmocka_unit_test(given_no_declared_rate_then_a_margin_lasts_for_a_call_and_nothing_is_predicted),
        cmocka_unit_test(given_two_devices_that_are_predicted_to_be_slower_than_one_then_the_caller_is_told),
        cmocka_unit_test(given_other_ranks_then_they_are_told_the_margin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
