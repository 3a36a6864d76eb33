#include "run/init.h"
#include "plan/source.h"
#include "run/init_field.h"

#include <stdlib.h>

/* ---- The plugin's generators -------------------------------------------------------------------------------- */

static int generate_range(const struct state *state, struct host *host, uint32_t index, const struct init_range *range,
                          void *out, struct engine_error *error)
{
    const struct plan *plan = state->plan;
    const struct engine_plugin *about = &plan->plugin->about;
    const struct engine_plan own = engine_universe_plan(&plan->for_plugin, range->universe);
    host_enter(host, "generate");
    const int code =
        about->generate(&host->table, &own, plan->settings.generator, index, range->begin, range->count, out);
    host_leave(host);
    return code == 0 ? 0 : host_error(host, code, about->generators.at[plan->settings.generator].name, error);
}

static int generate_field(struct state *state, struct host *host, uint32_t index, char *piece,
                          struct engine_error *error)
{
    const uint64_t count = init_element_count(state, index);
    const uint32_t bytes = type_bytes(state_geometry(state, index)->shape.type);
    for (uint64_t begin = 0; begin < count; begin += INIT_PIECE) {
        uint64_t n = count - begin < INIT_PIECE ? count - begin : INIT_PIECE;
        if (!state_makes(state, index, begin, n))
            continue;
        for (uint64_t done = 0; done < n;) {
            const struct init_range range = init_range_at(state, index, begin + done, n - done);
            if (generate_range(state, host, index, &range, piece + done * bytes, error) != 0)
                return error->status;
            done += range.count;
        }
        if (state_write(state, index, begin, n, piece, error) != 0)
            return error->status;
    }
    return 0;
}

static int init_generated(struct state *state, struct engine_error *error)
{
    struct host host;
    host_init(&host, state->plan->context, state->plan->plugin->about.name, state->plan->for_plugin.threads, NULL);
    char *piece = malloc((uint64_t) INIT_PIECE * 16);
    int status = piece ? 0 : error_memory(error, INIT_PIECE, "the initial state");
    for (uint32_t i = 0; status == 0 && i < init_fields(state); i++)
        status = init_field(state, i)->role == ENGINE_OUTPUT ? init_default(state, i, error)
                                                             : generate_field(state, &host, i, piece, error);
    free(piece);
    host_release(&host);
    return status;
}

static int init_by_source(struct state *state, struct engine_error *error)
{
    return state->plan->source->make(state, error);
}

int init_state(struct state *state, struct engine_error *error)
{
    static int (*const makers[])(struct state *, struct engine_error *) = {
        [INIT_DEFAULTS] = init_defaults, [INIT_FILE] = init_by_source,      [INIT_RANDOM] = init_random,
        [INIT_ARRAYS] = init_by_source,  [INIT_GENERATOR] = init_generated,
    };
    return state_initialise(state, makers[state->plan->settings.source], error);
}
