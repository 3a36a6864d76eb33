#include "run/init.h"
#include "plan/source.h"
#include "run/init_field.h"

#include <stdlib.h>

/* ---- Arrays from files --------------------------------------------------------------------------------------- */

/* The array holds the whole field or, for a batch, perhaps one universe, in which all start. A piece has whole cells: a
 * device would have to read a cell before a part of it is written. */
static int copy_source(struct state *state, uint32_t index, struct engine_error *error)
{
    const struct engine_shape *shape = &state_geometry(state, index)->shape;
    const uint32_t type = shape->type;
    const uint64_t count = source_elements(state->plan, index), cells = INIT_PIECE / shape->components;
    const uint64_t most = (cells > 0 ? cells : 1) * shape->components;
    void *held = malloc(most * 16), *piece = malloc(most * 16);
    int status = held && piece ? 0 : error_memory(error, most * 16, "an array");
    for (uint64_t begin = 0; status == 0 && begin < count; begin += most) {
        const uint64_t n = count - begin < most ? count - begin : most;
        status = source_read(state->plan, index, type, begin, n, held, piece, error);
        if (status == 0)
            status = state_write(state, index, begin, n, piece, error);
    }
    free(held);
    free(piece);
    return status == 0 && count < init_element_count(state, index) ? init_repeat_universe(state, index, error) : status;
}

static int init_sources(struct state *state, struct engine_error *error)
{
    for (uint32_t i = 0; i < init_fields(state); i++) {
        const bool given = state->plan->sources[i].document != NULL;
        if ((given ? copy_source(state, i, error) : init_default(state, i, error)) != 0)
            return error->status;
    }
    return 0;
}

int init_change_box(struct state *state, const double *box, struct engine_error *error)
{
    return plan_change_box(state->plan, box, error) == 0
               ? 0
               : error_prefix(error, "after %llu frames: ", (unsigned long long) state->step);
}

int init_next_frame(struct state *state, uint64_t by, struct engine_error *error)
{
    if (source_next_frame(state->plan, by, error) != 0 || init_change_box(state, source_box(state->plan), error) != 0)
        return error->status;
    for (uint32_t i = 0; i < init_fields(state); i++)
        if (source_has_frames(state->plan, i) && copy_source(state, i, error) != 0)
            return error->status;
    return 0;
}

static int init_file(struct state *state, struct engine_error *error)
{
    return source_is_arrays(state->plan) ? init_sources(state, error) : init_pattern(state, error);
}

/* ---- The plugin's generators -------------------------------------------------------------------------------- */

/* A universe of a batch has the seed of its run, and is alone. */
static int generate_stretch(const struct state *state, struct host *host, uint32_t index,
                            const struct init_stretch *stretch, void *out, struct engine_error *error)
{
    const struct plan *plan = state->plan;
    const struct engine_plugin *about = &plan->plugin->about;
    struct engine_plan own = plan->for_plugin;
    own.seed += stretch->universe;
    own.universes = 1;
    host_enter(host, "generate");
    const int code =
        about->generate(&host->table, &own, plan->settings.generator, index, stretch->begin, stretch->count, out);
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
            const struct init_stretch stretch = init_stretch_at(state, index, begin + done, n - done);
            if (generate_stretch(state, host, index, &stretch, piece + done * bytes, error) != 0)
                return error->status;
            done += stretch.count;
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
        if (init_field(state, i)->role != ENGINE_OUTPUT)
            status = generate_field(state, &host, i, piece, error);
    free(piece);
    host_release(&host);
    return status;
}

int init_state(struct state *state, struct engine_error *error)
{
    static int (*const makers[])(struct state *, struct engine_error *) = {
        [INIT_DEFAULTS] = init_defaults, [INIT_FILE] = init_file,           [INIT_RANDOM] = init_random,
        [INIT_ARRAYS] = init_sources,    [INIT_GENERATOR] = init_generated,
    };
    return state_initialise(state, makers[state->plan->settings.source], error);
}
