#include "judge/universe.h"
#include "base/error.h"
#include "base/type.h"

#include <stdio.h>
#include <stdlib.h>

uint64_t universe_count(struct engine_run *run)
{
    const struct engine_host *host;
    const struct engine_plan *plan;
    engine_run_seen(run, &host, &plan);
    return plan->universes;
}

/* The seed of universe i is that of the batch + i. */
static int set_universe(struct engine_config *config, const struct engine_run *start, uint64_t universe, uint64_t seed,
                        struct engine_error *error)
{
    char text[32];
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    engine_run_plugin(start, &plugin);
    snprintf(text, sizeof text, "%llu", (unsigned long long) (seed + universe));
    return engine_config_put(config, batch_section(plugin.about), "batch", "1", error) == 0
               ? engine_config_put(config, "init", "seed", text, error)
               : error->status;
}

static int plan_alone(const struct engine_config *config, const char *impl, const struct engine_run *start,
                      uint64_t universe, struct engine_run **alone, struct engine_error *error)
{
    const struct engine_host *host;
    const struct engine_plan *plan;
    struct engine_config *own;
    engine_run_seen((struct engine_run *) (uintptr_t) start, &host, &plan);
    if (engine_config_copy(config, &own, error) != 0)
        return error->status;
    int status = set_universe(own, start, universe, plan->seed, error);
    if (status == 0 && (status = engine_run_plan_steps(own, NULL, alone, error)) == 0 &&
        (status = engine_run_choose(*alone, impl, error)) == 0)
        status = engine_run_prepare(*alone, 0, error);
    engine_config_close(own);
    return status;
}

/* Fetches a field of a universe, whose shape the run alone has. Sets the number of its elements. The caller frees the
 * result; NULL: an error. */
static void *fetch(const struct engine_run *run, const struct engine_run *alone, uint64_t universe, uint32_t field,
                   uint64_t *elements, struct engine_error *error)
{
    struct engine_shape shape = {.size = sizeof shape};
    engine_run_shape(alone, field, &shape);
    *elements = shape.extent[0] * shape.extent[1] * shape.extent[2] * shape.components;
    void *array = malloc(*elements * type_bytes(shape.type));
    if (!array)
        error_memory(error, *elements * type_bytes(shape.type), "a universe");
    else if (engine_run_fetch(run, field, universe * *elements, *elements, array, error) != 0) {
        free(array);
        array = NULL;
    }
    return array;
}

static int copy_fields(struct engine_run *alone, const struct engine_run *start, uint64_t universe,
                       struct engine_error *error)
{
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    int status = 0;
    engine_run_plugin(alone, &plugin);
    for (uint32_t i = 0; status == 0 && i < plugin.about->fields.count; i++) {
        uint64_t elements;
        if (plugin.about->fields.at[i].role == ENGINE_OUTPUT)
            continue;
        void *array = fetch(start, alone, universe, i, &elements, error);
        status = array ? engine_run_feed(alone, i, 0, elements, array, error) : error->status;
        free(array);
    }
    return status;
}

int universe_open(const struct engine_config *config, const char *impl, const struct engine_run *start,
                  uint64_t universe, struct engine_run **alone, struct engine_error *error)
{
    *alone = NULL;
    if (plan_alone(config, impl, start, universe, alone, error) == 0 &&
        copy_fields(*alone, start, universe, error) == 0 && engine_run_start(*alone, error) == 0)
        return 0;
    engine_run_close(*alone);
    *alone = NULL;
    return error->status;
}

int universe_compare(struct comparison *comparison, const struct engine_run *batch, const struct engine_run *alone,
                     uint64_t universe, uint32_t field, struct engine_error *error)
{
    struct engine_shape shape = {.size = sizeof shape};
    uint64_t elements;
    void *is = fetch(batch, alone, universe, field, &elements, error),
         *should = is ? fetch(alone, alone, 0, field, &elements, error) : NULL;
    engine_run_shape(alone, field, &shape);
    if (should)
        comparison_add(comparison, shape.type, is, should, elements);
    free(is);
    free(should);
    return should ? 0 : error->status;
}
