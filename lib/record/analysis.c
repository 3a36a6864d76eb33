#include "record/analysis.h"
#include "base/convert.h"
#include "base/machine.h"
#include "record/binding.h"
#include "record/section_analyse.h"
#include "run/init.h"

#include <stdlib.h>
#include <string.h>

int analysis_plan(const struct plan *run, struct plan **plan, struct engine_error *error)
{
    const struct analyse_settings *settings = analyse_settings(run);
    const struct plugin *found;
    *plan = NULL;
    if (!*settings->plugin)
        return 0;
    if (registry_find(run->search.registry, settings->plugin, &found, error) != 0)
        return error_prefix(error, "%s: ", config_place(run->config, "analyse", "plugin"));
    if (plan_open_analysis(run, &binding_source, settings->plugin, plan, error) != 0)
        return error->status;
    (*plan)->settings.implementation = settings->implementation;
    return plan_choose(*plan, settings->implementation, error);
}

/* ---- Inputs of another type ---------------------------------------------------------------------------------- */

enum { PIECE = 3 << 15 }; /* elements converted at a time */

/* Adds a third component, 0, to particles of two. */
static void spread(uint64_t particles, uint32_t bytes, char *piece)
{
    for (uint64_t i = particles; i-- > 0;) {
        memmove(piece + 3 * i * bytes, piece + 2 * i * bytes, 2 * bytes);
        memset(piece + (3 * i + 2) * bytes, 0, bytes);
    }
}

/* `count` elements of the input from `begin` on: whole particles, if the run's have fewer components. */
static int convert_piece(const struct analysis *analysis, uint32_t index, uint64_t begin, uint64_t count, void *held,
                         void *piece, struct engine_error *error)
{
    struct state *state = analysis->state;
    const uint32_t from = (uint32_t) (state->plan->sources[index].bound - analysis->run->plan->fields);
    const struct engine_shape *shape = &state_geometry(state, index)->shape;
    const struct engine_shape *there = &state_geometry(analysis->run, from)->shape;
    const uint32_t type = shape->type;
    const bool plane = shape->components != there->components;
    const uint64_t first = plane ? begin / 3 * 2 : begin, elements = plane ? count / 3 * 2 : count;
    if (state_read(analysis->run, from, first, elements, held, error) != 0)
        return error->status;
    const uint64_t fit = convert_elements(there->type, held, elements, type, piece);
    if (fit < elements)
        return error_set(error, ENGINE_STATUS_INPUT, "element %llu of field %s does not fit %s, which %s reads",
                         (unsigned long long) (first + fit), state->plan->fields[index].about->name, type_name(type),
                         state->plan->plugin->about.name);
    if (plane)
        spread(count / 3, type_bytes(type), piece);
    return state_write(state, index, begin, count, piece, error);
}

static int convert_input(const struct analysis *analysis, uint32_t index, struct engine_error *error)
{
    uint64_t count;
    void *held = malloc((uint64_t) PIECE * 8), *piece = malloc((uint64_t) PIECE * 8);
    int status = held && piece ? 0 : error_memory(error, (uint64_t) PIECE * 16, "an input of the analysis");
    shape_elements(&state_geometry(analysis->state, index)->shape, &count);
    for (uint64_t begin = 0; status == 0 && begin < count; begin += PIECE)
        status =
            convert_piece(analysis, index, begin, count - begin < PIECE ? count - begin : PIECE, held, piece, error);
    free(held);
    free(piece);
    return status;
}

static int convert_inputs(const struct analysis *analysis, struct engine_error *error)
{
    const struct plan *plan = analysis->state->plan;
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++)
        if (plan->fields[i].converted && convert_input(analysis, i, error) != 0)
            return error->status;
    return 0;
}

/* Binds the inputs to the buffers that hold the run's present state, and takes over its step. Inputs that are converted
 * keep their own buffers. */
static void bind(struct state *state, const struct state *run)
{
    state->step = run->step;
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++) {
        const struct plan_field *bound = state->plan->sources[i].bound;
        if (bound && !state->plan->fields[i].converted)
            state->memory[i][0] = state->memory[i][1] = state_buffer(run, (uint32_t) (bound - run->plan->fields));
    }
}

/* ---- Opening ------------------------------------------------------------------------------------------------- */

int analysis_open(struct plan *plan, const struct state *run, struct analysis **out, struct engine_error *error)
{
    struct analysis *analysis = calloc(1, sizeof *analysis);
    *out = NULL;
    if (!analysis)
        return error_memory(error, sizeof *analysis, "an analysis");
    analysis->run = run;
    analysis->last = UINT64_MAX;
    if (state_open(plan, &analysis->state, error) == 0) {
        bind(analysis->state, run);
        if (init_state(analysis->state, error) == 0 && convert_inputs(analysis, error) == 0 &&
            instance_open(analysis->state, &analysis->instance, error) == 0) {
            *out = analysis;
            return 0;
        }
    }
    analysis_close(analysis);
    return error->status;
}

void analysis_close(struct analysis *analysis)
{
    if (!analysis)
        return;
    instance_close(analysis->instance);
    state_close(analysis->state);
    free(analysis);
}

uint64_t analysis_next(const struct analysis *analysis)
{
    const struct analyse_settings *settings = analysis ? analyse_settings(analysis->state->plan) : NULL;
    if (!settings || settings->every == 0)
        return UINT64_MAX;
    const uint64_t from = settings->from, every = settings->every, step = analysis->run->step;
    return step < from ? from : from + ((step - from) / every + 1) * every;
}

int analysis_follow(struct analysis *analysis, struct engine_error *error)
{
    bind(analysis->state, analysis->run);
    instance_state_changed(analysis->instance);
    return convert_inputs(analysis, error) != 0
               ? error->status
               : state_change_box(analysis->state, analysis->run->for_plugin.box, error);
}

/* Takes one step on the present contents of the run's buffers. Nothing that was derived from earlier states is
 * reused. */
static int analyse(struct analysis *analysis, struct engine_error *error)
{
    struct state *state = analysis->state;
    if (analysis_follow(analysis, error) != 0 || instance_advance(analysis->instance, 1, NULL, error) != 0)
        return error->status;
    state->step = analysis->run->step;
    return state_synchronise(state, error);
}

int analysis_take(struct analysis *analysis, bool final, struct engine_error *error)
{
    if (!analysis || analysis->last == analysis->run->step)
        return 0;
    const struct analyse_settings *settings = analyse_settings(analysis->state->plan);
    const uint64_t from = settings->from, every = settings->every, step = analysis->run->step;
    const bool due = every == 0 ? final : step >= from && (step - from) % every == 0;
    if (!due)
        return 0;
    const double begin = machine_clock();
    if (analyse(analysis, error) != 0)
        return error_prefix(error, "analysis of step %llu: ", (unsigned long long) step);
    analysis->last = step;
    analysis->seconds += machine_clock() - begin;
    analysis->frames++;
    return 0;
}

/* ---- As an observer ----------------------------------------------------------------------------------------- */

static uint64_t observer_next(void *self)
{
    return analysis_next(self);
}

static int observer_see(void *self, enum moment moment, const struct loop_view *view, struct engine_error *error)
{
    (void) view;
    return moment <= MOMENT_DUE || moment == MOMENT_FINAL ? analysis_take(self, moment == MOMENT_FINAL, error) : 0;
}

struct observer analysis_observer(struct analysis *analysis)
{
    return (struct observer){.self = analysis, .next = observer_next, .see = observer_see};
}
