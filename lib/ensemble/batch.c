#include "ensemble/batch.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"
#include "base/type.h"
#include "ensemble/exchange.h"
#include "ensemble/groups.h"
#include "ensemble/initial.h"
#include "ensemble/orbit.h"
#include "ensemble/plans.h"
#include "ensemble/terms.h"

#include <stdlib.h>
#include <string.h>

enum {
    KEPT_BYTES = 1 << 25, /* of the states that orbits keep */
    KEPT_LEAST = 3,       /* the state before the first of two equal ones, if they follow each other */
    KEPT_MOST = 32,
    DEVICE_GAP = 8 /* universes whose transfer takes less time than another call */
};

/* The place of a universe. */
struct place {
    uint64_t member; /* 0: none */
    uint64_t step;
    uint32_t again;     /* the number of the state in the orbit that the present one equals, or UINT32_MAX */
    struct orbit orbit; /* if the terms have conditions */
    FILE *to;           /* its rows of metrics, if it has metrics; `rows` after the file was closed */
    char *rows;
    size_t bytes;
    bool begins; /* its first row of metrics is not written */
    bool over;   /* it waits for batch_record */
    struct outcome outcome;
    char ended[256], hash[ENGINE_HASH_SIZE];
    double *values;           /* its final metrics */
    struct engine_run *alone; /* the run of a member that was executed alone; or NULL */
    struct engine_error why;  /* it failed, if status is not 0 */
};

struct batch {
    const struct ensemble *ensemble;
    struct engine_context *context;
    uint32_t width, metrics;
    struct place *places;
    uint64_t *queue;  /* members without a place, in their order */
    uint32_t *ending; /* places whose members end at the present look */
    uint32_t queued, endings, active, over;
    struct exchange *exchange; /* of members that exchange; or NULL */
    uint64_t alone;            /* the member whose own run is executed now; 0: none */

    /* The present group. */
    uint64_t group; /* a member of it; 0: none */
    struct terms terms;
    uint32_t universes;      /* of the run of all places */
    struct states all;       /* of this run; all.run NULL: the members are executed alone */
    struct plans plans;      /* of its universes, if they have plans of their own */
    struct states some;      /* of a small batch, which finds cycles and measures final states; or NULL */
    struct initial *initial; /* or NULL: the run begins with the initial states of all members */
    char *cells;             /* the states of all places at the last look */
    double *values;          /* the metrics of all places */
};

/* ---- Opening and closing ---------------------------------------------------------------------------------------- */

static void clear_place(struct place *place)
{
    if (place->to)
        fclose(place->to);
    free(place->rows);
    engine_run_close(place->alone);
    *place = (struct place){.orbit = place->orbit, .values = place->values};
}

static void leave_group(struct batch *batch)
{
    for (uint32_t u = 0; u < batch->width; u++)
        orbit_close(&batch->places[u].orbit);
    initial_close(batch->initial);
    engine_run_close(batch->all.run);
    engine_run_close(batch->some.run);
    plans_close(&batch->plans);
    free(batch->cells);
    free(batch->values);
    batch->initial = NULL;
    batch->all.run = batch->some.run = NULL;
    batch->cells = NULL;
    batch->values = NULL;
    batch->group = 0;
    batch->endings = 0;
}

int batch_open(const struct ensemble *ensemble, struct engine_context *context, struct batch **out,
               struct engine_error *error)
{
    const uint32_t width = ensemble->together, metrics = ensemble->measured[0].about->metrics.count;
    struct batch *batch = calloc(1, sizeof *batch);
    *out = NULL;
    if (!batch)
        return error_memory(error, sizeof *batch, "a batch");
    *batch = (struct batch){.ensemble = ensemble,
                            .context = context,
                            .width = width,
                            .metrics = metrics,
                            .places = calloc(width, sizeof *batch->places),
                            .queue = calloc(width, sizeof *batch->queue),
                            .ending = calloc(width, sizeof *batch->ending)};
    bool all = batch->places && batch->queue && batch->ending;
    for (uint32_t u = 0; all && u < width; u++)
        all = (batch->places[u].values = calloc(metrics + 1, sizeof *batch->places[u].values)) != NULL;
    if (all) {
        *out = batch;
        return 0;
    }
    batch_close(batch);
    return error_memory(error, width * sizeof *batch->places, "a batch");
}

void batch_close(struct batch *batch)
{
    if (!batch)
        return;
    if (batch->places)
        leave_group(batch);
    for (uint32_t u = 0; batch->places && u < batch->width; u++) {
        clear_place(&batch->places[u]);
        free(batch->places[u].values);
    }
    exchange_close(batch->exchange);
    free(batch->places);
    free(batch->queue);
    free(batch->ending);
    free(batch);
}

uint64_t batch_room(const struct batch *batch)
{
    return batch->width - batch->active - batch->queued - batch->over;
}

void batch_add(struct batch *batch, uint64_t member)
{
    batch->queue[batch->queued++] = member;
}

/* ---- Groups ----------------------------------------------------------------------------------------------------- */

/* Plans a run of so many universes, or of one, and chooses that implementation; NULL: that of the configuration. */
static int plan(const struct batch *batch, struct engine_config *config, uint32_t universes, const char *impl,
                struct engine_run **run, struct engine_error *error)
{
    const char *given = engine_config_get(config, "run", "implementation");
    char text[32];
    snprintf(text, sizeof text, "%u", universes);
    *run = NULL;
    if (engine_config_put(config, batch_section(batch->ensemble->measured[0].about), "batch", text, error) != 0 ||
        engine_run_plan_steps(config, NULL, run, error) != 0)
        return error->status;
    return engine_run_choose(*run, impl ? impl : given && *given ? given : "auto", error);
}

/* Starts the small batch. Exact implementations have the same bits, and one on the host answers sooner. */
static int start_some(struct batch *batch, struct engine_config *config, const struct engine_impl *impl,
                      struct engine_error *error)
{
    struct engine_run *run = NULL;
    const bool moves = impl->memory != ENGINE_HOST_MEMORY && impl->flags & ENGINE_EXACT;
    if (moves && engine_config_put(config, "run", "threads", "1", error) == 0 &&
        plan(batch, config, ORBITS_MOST, "cpu", &run, error) == 0 && engine_run_impl(run)->flags & ENGINE_EXACT)
        batch->some.run = run;
    else if (moves)
        engine_run_close(run);
    if (!batch->some.run && plan(batch, config, ORBITS_MOST, impl->name, &batch->some.run, error) != 0)
        return error->status;
    return engine_run_start(batch->some.run, error);
}

static int make_room(struct batch *batch, struct engine_error *error)
{
    const uint64_t bytes = batch->all.bytes, fit = KEPT_BYTES / (batch->width * bytes);
    const uint32_t kept = (uint32_t) (fit < KEPT_LEAST ? KEPT_LEAST : fit > KEPT_MOST ? KEPT_MOST : fit);
    batch->cells = calloc(batch->width, bytes);
    batch->values = calloc((uint64_t) (batch->width + ORBITS_MOST) * batch->metrics + 1, sizeof *batch->values);
    if (!batch->cells || !batch->values)
        return error_memory(error, batch->width * bytes, "the states of members");
    for (uint32_t u = 0; batch->terms.count > 0 && u < batch->width; u++)
        if (orbit_open(&batch->places[u].orbit, bytes, kept, error) != 0)
            return error->status;
    return 0;
}

static int refuse_batch(struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_USAGE, "the members are no universes of a batch");
}

/* Reads the terms of a group, and finds the implementation of its members' own runs. */
static int read_terms(struct batch *batch, struct engine_config *config, const struct engine_impl **impl,
                      struct engine_error *error)
{
    struct engine_run *run;
    int status = plan(batch, config, 1, NULL, &run, error);
    if (status == 0 && !terms_read(config, run, &batch->terms))
        status = refuse_batch(error);
    if (status == 0)
        *impl = engine_run_impl(run);
    engine_run_close(run);
    return status;
}

/* Starts the run of all places. `plans`: those of the queue get plans of their own. */
static int start_all(struct batch *batch, struct engine_config *config, uint32_t universes,
                     const struct engine_impl *impl, bool plans, struct engine_error *error)
{
    batch->universes = universes;
    if (plan(batch, config, universes, impl->name, &batch->all.run, error) != 0 ||
        (plans && plans_open(&batch->plans, batch->ensemble, batch->context, batch->queue, universes, batch->all.run,
                             error) != 0) ||
        engine_run_start(batch->all.run, error) != 0)
        return error->status;
    return states_open(&batch->all, batch->all.run, universes) ? make_room(batch, error) : refuse_batch(error);
}

/* How many members of the queue begin together. *plans: they need plans of their own. */
static uint32_t count_together(const struct batch *batch, bool *plans)
{
    const struct ensemble *ensemble = batch->ensemble;
    uint32_t follow = 1, join = 1;
    while (follow < batch->queued && group_follows(&ensemble->sweeps, batch->queue[0], batch->queue[follow], follow))
        follow++;
    while (batch->terms.plans && join < batch->queued &&
           group_joins(ensemble->measured[0].about, &ensemble->sweeps, batch->queue[0], batch->queue[join]))
        join++;
    *plans = join > follow;
    return *plans ? join : follow;
}

/* Starts the runs of a group, if its members can be universes of one. */
static int start_group(struct batch *batch, struct engine_config *config, struct engine_error *error)
{
    const struct engine_impl *impl;
    if (read_terms(batch, config, &impl, error) != 0)
        return error->status;
    if (batch->terms.together) {
        bool plans;
        const uint32_t count = count_together(batch, &plans);
        return count < 2 ? refuse_batch(error) : start_all(batch, config, count, impl, plans, error);
    }
    if (start_some(batch, config, impl, error) != 0 || start_all(batch, config, batch->width, impl, false, error) != 0)
        return error->status;
    if (!states_open(&batch->some, batch->some.run, ORBITS_MOST) || batch->some.bytes != batch->all.bytes)
        return refuse_batch(error);
    return initial_open(batch->ensemble, batch->context, engine_run_impl(batch->some.run)->name, &batch->initial,
                        error);
}

/* Begins the group of a member. After an error, its members are executed alone, and report theirs. */
static void begin_group(struct batch *batch, uint64_t member)
{
    struct engine_config *config = NULL;
    struct engine_error ignored;
    leave_group(batch);
    const bool started = batch->width > 1 &&
                         ensemble_config(batch->ensemble, member, batch->context, &config, &ignored) == 0 &&
                         start_group(batch, config, &ignored) == 0;
    if (!started)
        leave_group(batch);
    engine_config_close(config);
    batch->group = member;
}

static char *state_of(const struct batch *batch, uint32_t u)
{
    return batch->cells + u * batch->all.bytes;
}

/* ---- Members ---------------------------------------------------------------------------------------------------- */

static void end_member(struct batch *batch, struct place *place, enum tables_state state, uint64_t step)
{
    place->outcome.state = state;
    place->outcome.steps = step;
    place->over = true;
    batch->active--;
    batch->over++;
}

/* Executes a member as a run of its own. */
static void run_alone(struct batch *batch, struct place *place)
{
    struct engine_result result = {.size = sizeof result};
    place->why.status = 0;
    batch->alone = place->member;
    if (ensemble_member(batch->ensemble, place->member, batch->context, &place->alone, &place->why) == 0)
        engine_run_execute(place->alone, NULL, &result, &place->why);
    batch->alone = 0;
    place->outcome.why = place->why.status ? &place->why : NULL;
    end_member(batch, place, TABLE_DONE, 0);
}

static void run_all_alone(struct batch *batch)
{
    for (uint32_t u = 0; u < batch->width; u++)
        if (batch->places[u].member && !batch->places[u].over)
            run_alone(batch, &batch->places[u]);
    leave_group(batch);
}

/* Begins the table of a member's metrics. */
static bool begin_rows(const struct batch *batch, struct place *place)
{
    const struct engine_metric_array *metrics = &batch->ensemble->measured[0].about->metrics;
    if (!batch->terms.measures)
        return true;
    place->to = open_memstream(&place->rows, &place->bytes);
    if (!place->to)
        return false;
    fputs("step", place->to);
    for (uint32_t m = 0; m < metrics->count; m++)
        fprintf(place->to, ",%s", metrics->at[m].name);
    fputc('\n', place->to);
    return true;
}

static void put_row(const struct batch *batch, const struct place *place, uint64_t step, const double *values)
{
    fprintf(place->to, "%llu", (unsigned long long) step);
    for (uint32_t m = 0; m < batch->metrics; m++)
        fprintf(place->to, ",%.17g", values[m]);
    fputc('\n', place->to);
}

/* Puts the next member of the queue into a place, with its initial state in the copy of the states. */
static void begin_member(struct batch *batch, uint32_t u)
{
    struct place *place = &batch->places[u];
    char *state = state_of(batch, u);
    struct engine_error ignored;
    uint32_t again;
    place->member = batch->queue[0];
    place->begins = true;
    memmove(batch->queue, batch->queue + 1, --batch->queued * sizeof *batch->queue);
    memcpy(place->outcome.measured, batch->ensemble->measured, sizeof place->outcome.measured);
    batch->active++;
    orbit_begin(&place->orbit);
    if ((batch->initial && initial_state(batch->initial, place->member, batch->queued + 1, state, &ignored) != 0) ||
        !begin_rows(batch, place) ||
        (batch->terms.count > 0 && orbit_see(&place->orbit, 0, state, &again, &ignored) != 0))
        run_alone(batch, place);
}

static bool begins(const struct place *place)
{
    return place->begins;
}

static bool is_running(const struct place *place)
{
    return place->member && !place->over;
}

/* Copies the states of the places of which `is` holds into the run, or out of it. Where each transfer is a call of a
 * device, those of a few others between them go along. */
static int move_states(struct batch *batch, bool (*is)(const struct place *place), bool into,
                       struct engine_error *error)
{
    const uint32_t gap = engine_run_impl(batch->all.run)->memory == ENGINE_HOST_MEMORY ? 0 : DEVICE_GAP;
    int status = 0;
    for (uint32_t u = 0, end; u < batch->universes && status == 0; u = end) {
        end = u + 1;
        if (!is(&batch->places[u]))
            continue;
        for (uint32_t next = end; next < batch->universes && next <= end + gap; next++)
            end = is(&batch->places[next]) ? next + 1 : end;
        status = into ? states_write(&batch->all, u, end - u, state_of(batch, u), error)
                      : states_read(&batch->all, u, end - u, state_of(batch, u), error);
    }
    return status;
}

/* Puts members of the group into the places that are free, and their states into the run. Members that begin together
 * find theirs there. */
static int put_members(struct batch *batch, struct engine_error *error)
{
    const uint32_t together = batch->active == 0 && batch->queued > 0 ? batch->universes : 0;
    for (uint32_t u = 0; batch->terms.together && u < together; u++)
        begin_member(batch, u);
    if (batch->terms.together)
        return 0;
    for (uint32_t u = 0; u < batch->width && batch->queued > 0; u++)
        if (batch->places[u].member == 0 && group_has(&batch->ensemble->sweeps, batch->group, batch->queue[0]))
            begin_member(batch, u);
    return move_states(batch, begins, true, error);
}

/* The same, and adds the rows of metrics of their first states. */
static int fill(struct batch *batch, struct engine_error *error)
{
    const bool rows = batch->terms.rows_every > 0 && batch->terms.measures;
    if (put_members(batch, error) != 0 ||
        (rows && engine_run_measure_universes(batch->all.run, batch->values, (uint64_t) batch->width * batch->metrics,
                                              error) != 0))
        return error->status;
    for (uint32_t u = 0; u < batch->width; u++) {
        if (rows && batch->places[u].to && batch->places[u].begins)
            put_row(batch, &batch->places[u], 0, batch->values + u * batch->metrics);
        batch->places[u].begins = false;
    }
    return 0;
}

/* ---- Ends ------------------------------------------------------------------------------------------------------- */

/* Ends a member with the hash of its final state. place->values has its metrics. */
static int end_done(struct batch *batch, struct place *place, uint64_t step, XXH128_hash_t hash,
                    struct engine_error *error)
{
    struct engine_measured *measured = &place->outcome.measured[0];
    states_hash_text(hash, place->hash);
    measured->hash = place->hash;
    if (batch->terms.measures) {
        put_row(batch, place, step, place->values);
        FILE *to = place->to;
        place->to = NULL;
        if (!text_stream_close(to, &place->rows))
            return error_memory(error, place->bytes, "metrics");
        measured->values = place->values;
        measured->rows = place->rows;
    }
    end_member(batch, place, TABLE_DONE, step);
    return 0;
}

/* Measures members so many steps after their present states, of places[i] after steps[i] steps. */
static int measure_later(struct batch *batch, const uint32_t *places, const uint64_t *steps, uint32_t count,
                         struct engine_error *error)
{
    double *values = batch->values + (uint64_t) batch->width * batch->metrics;
    uint64_t at = 0, next = 0;
    for (uint32_t i = 0; i < count; i++)
        if (states_write(&batch->some, i, 1, state_of(batch, places[i]), error) != 0)
            return error->status;
    while (next != UINT64_MAX) {
        if ((next > at && engine_run_take(batch->some.run, next - at, 0, error) != 0) ||
            engine_run_measure_universes(batch->some.run, values, (uint64_t) ORBITS_MOST * batch->metrics, error) != 0)
            return error->status;
        at = next, next = UINT64_MAX;
        for (uint32_t i = 0; i < count; i++)
            if (steps[i] == at)
                memcpy(batch->places[places[i]].values, values + i * batch->metrics, batch->metrics * sizeof *values);
            else if (steps[i] > at && steps[i] < next)
                next = steps[i];
    }
    return 0;
}

/* Finds the condition that ends a member whose cycle is known, at the step *step or before. */
static void find_end(const struct terms *terms, const struct cycle *cycle, struct place *place, uint64_t *step)
{
    for (uint32_t i = 0; i < terms->count; i++) {
        const bool repeats = terms->conditions[i] == ENGINE_UNTIL_REPEATS;
        const uint64_t at = (repeats ? cycle_repeats_at : cycle_unchanged_at)(cycle, terms->every);
        if (at > *step || (at == *step && place->outcome.ended))
            continue;
        *step = at;
        if (repeats)
            snprintf(place->ended, sizeof place->ended, "repeats: period %llu, first seen at step %llu",
                     (unsigned long long) cycle->period, (unsigned long long) cycle->first);
        else
            snprintf(place->ended, sizeof place->ended, "unchanged: the state is that of step %llu",
                     (unsigned long long) at - 1);
        place->outcome.ended = place->ended;
    }
}

/* Ends members whose present states have been seen before. */
static int end_in_cycles(struct batch *batch, const uint32_t *places, struct search *searches, uint32_t count,
                         struct engine_error *error)
{
    uint64_t step[ORBITS_MOST], steps[ORBITS_MOST] = {0};
    if (orbits_find_cycles(searches, count, &batch->some, error) != 0)
        return error->status;
    for (uint32_t i = 0; i < count; i++) {
        step[i] = batch->terms.steps;
        if (searches[i].cycle.period == 0)
            continue;
        find_end(&batch->terms, &searches[i].cycle, &batch->places[places[i]], &step[i]);
        steps[i] = orbit_steps_to(&searches[i], step[i]);
    }
    if (batch->terms.measures && measure_later(batch, places, steps, count, error) != 0)
        return error->status;
    for (uint32_t i = 0; i < count; i++) {
        struct place *place = &batch->places[places[i]];
        if (searches[i].cycle.period == 0)
            run_alone(batch, place);
        else if (end_done(batch, place, step[i], orbit_hash(&searches[i], step[i]), error) != 0)
            return error->status;
    }
    return 0;
}

/* Ends members that have taken all steps. */
static int end_last(struct batch *batch, const uint32_t *places, uint32_t count, struct engine_error *error)
{
    const uint64_t none[ORBITS_MOST] = {0};
    if (batch->terms.measures && measure_later(batch, places, none, count, error) != 0)
        return error->status;
    for (uint32_t i = 0; i < count; i++) {
        struct place *place = &batch->places[places[i]];
        if (end_done(batch, place, place->step, states_hash(&batch->all, state_of(batch, places[i])), error) != 0)
            return error->status;
    }
    return 0;
}

static bool is_again(const struct batch *batch, uint32_t index)
{
    return batch->places[batch->ending[index]].again != UINT32_MAX;
}

/* Ends the members that end at the present look, as many at a time as a search takes. */
static int end_all(struct batch *batch, struct engine_error *error)
{
    for (uint32_t first = 0, count; first < batch->endings; first += count) {
        const uint32_t *places = batch->ending + first;
        struct search searches[ORBITS_MOST];
        const bool again = is_again(batch, first);
        for (count = 0;
             count < ORBITS_MOST && first + count < batch->endings && is_again(batch, first + count) == again;
             count++) {
            const struct place *place = &batch->places[places[count]];
            searches[count] = (struct search){.orbit = &place->orbit, .again = place->again};
        }
        const int status =
            again ? end_in_cycles(batch, places, searches, count, error) : end_last(batch, places, count, error);
        orbits_release(searches, count);
        if (status != 0)
            return status;
    }
    batch->endings = 0;
    return 0;
}

/* Has the orbit all states at which a run of the member would have looked? */
static bool has_all_looks(const struct batch *batch, const struct orbit *orbit)
{
    uint64_t looks = 0;
    for (uint32_t i = 1; i < orbit->count; i++)
        looks += orbit->at[i].step % batch->terms.every == 0;
    return looks == batch->terms.steps / batch->terms.every;
}

/* Looks at the state of a member. */
static int look(struct batch *batch, uint32_t u, struct engine_error *error)
{
    struct place *place = &batch->places[u];
    const char *state = state_of(batch, u);
    const double *values = batch->values + u * batch->metrics;
    place->again = UINT32_MAX;
    if (batch->terms.count > 0 && orbit_see(&place->orbit, place->step, state, &place->again, error) != 0)
        return error->status;
    if (place->again == UINT32_MAX && place->step < batch->terms.steps) {
        if (batch->terms.rows_every > 0 && place->step % batch->terms.rows_every == 0 && place->to)
            put_row(batch, place, place->step, values);
        return 0;
    }
    if (batch->terms.together) {
        memcpy(place->values, values, batch->metrics * sizeof *values);
        return end_done(batch, place, place->step, states_hash(&batch->all, state), error);
    }
    if (place->again == UINT32_MAX && batch->terms.count > 0 && !has_all_looks(batch, &place->orbit))
        run_alone(batch, place);
    else
        batch->ending[batch->endings++] = u;
    return 0;
}

/* ---- Steps ------------------------------------------------------------------------------------------------------ */

/* The number of steps until the next look. */
static uint64_t next_steps(const struct batch *batch)
{
    const struct terms *terms = &batch->terms;
    uint64_t steps = terms->count > 0 ? terms->pace : UINT64_MAX;
    for (uint32_t u = 0; u < batch->width; u++) {
        const struct place *place = &batch->places[u];
        const uint64_t end = terms->steps - place->step;
        const uint64_t row = terms->rows_every > 0 ? terms->rows_every - place->step % terms->rows_every : end;
        if (is_running(place))
            steps = steps < end ? steps < row ? steps : row : end < row ? end : row;
    }
    return steps;
}

/* Reads and measures what the looks need. */
static int read_states(struct batch *batch, struct engine_error *error)
{
    bool ends = batch->terms.count > 0;
    for (uint32_t u = 0; !ends && u < batch->width; u++)
        ends = is_running(&batch->places[u]) && batch->places[u].step == batch->terms.steps;
    if (ends && move_states(batch, is_running, false, error) != 0)
        return error->status;
    return (batch->terms.rows_every > 0 || (ends && batch->terms.together)) && batch->terms.measures
               ? engine_run_measure_universes(batch->all.run, batch->values, (uint64_t) batch->width * batch->metrics,
                                              error)
               : 0;
}

/* Stops all members. Those without a place have not begun. */
static void stop_all(struct batch *batch)
{
    for (uint32_t u = 0; u < batch->width; u++) {
        struct place *place = &batch->places[u];
        if (place->member == 0 && batch->queued > 0) {
            place->member = batch->queue[--batch->queued];
            memcpy(place->outcome.measured, batch->ensemble->measured, sizeof place->outcome.measured);
            batch->active++;
        }
        if (is_running(place))
            end_member(batch, place, TABLE_STOPPED, place->step);
    }
}

/* Takes steps up to the next look. */
static int take_steps(struct batch *batch, bool *stopped, struct engine_error *error)
{
    const uint64_t steps = next_steps(batch);
    const double begin = machine_clock();
    uint64_t taken = 0;
    const int status = engine_run_advance(batch->all.run, steps, &taken, NULL, error);
    const double seconds = (machine_clock() - begin) / batch->active;
    for (uint32_t u = 0; u < batch->width; u++)
        if (is_running(&batch->places[u])) {
            batch->places[u].step += taken;
            batch->places[u].outcome.seconds += seconds;
        }
    *stopped = status == 0 && taken < steps;
    return status;
}

/* Takes steps until a member is over. */
static int advance_group(struct batch *batch, struct engine_error *error)
{
    bool stopped = false;
    if (fill(batch, error) != 0)
        return error->status;
    while (batch->active > 0 && batch->over == 0 && !stopped) {
        if (take_steps(batch, &stopped, error) != 0 || (!stopped && read_states(batch, error) != 0))
            return error->status;
        for (uint32_t u = 0; !stopped && u < batch->width; u++)
            if (is_running(&batch->places[u]) && look(batch, u, error) != 0)
                return error->status;
        if (end_all(batch, error) != 0)
            return error->status;
    }
    if (stopped)
        stop_all(batch);
    return 0;
}

/* Executes all members together. Those that were recorded before take part, too. */
static void run_exchange(struct batch *batch)
{
    struct engine_error why = {.status = 0};
    if (exchange_open(batch->ensemble, batch->context, &batch->exchange, &why) == 0)
        exchange_execute(batch->exchange, &why);
    for (uint32_t u = 0; batch->queued > 0; u++) {
        struct place *place = &batch->places[u];
        place->member = batch->queue[--batch->queued];
        memcpy(place->outcome.measured, batch->ensemble->measured, sizeof place->outcome.measured);
        batch->active++;
        end_member(batch, place, TABLE_FAILED, 0);
        place->why = why;
        if (why.status == 0)
            exchange_outcome(batch->exchange, place->member, &place->outcome);
        else
            place->outcome.why = &place->why;
    }
}

void batch_advance(struct batch *batch)
{
    struct engine_error ignored; /* the member's own run reports it */
    if (batch->ensemble->exchange > 0 && batch->queued > 0) {
        run_exchange(batch);
        return;
    }
    if (batch->active == 0 && batch->queued > 0 &&
        (batch->terms.together || !batch->group || !group_has(&batch->ensemble->sweeps, batch->group, batch->queue[0])))
        begin_group(batch, batch->queue[0]);
    if (batch->all.run) {
        if (advance_group(batch, &ignored) != 0)
            run_all_alone(batch);
    } else if (batch->queued > 0) {
        batch->places[0].member = batch->queue[0];
        memmove(batch->queue, batch->queue + 1, --batch->queued * sizeof *batch->queue);
        batch->active++;
        run_alone(batch, &batch->places[0]);
    }
}

uint64_t batch_member(const struct batch *batch)
{
    return batch->alone;
}

uint32_t batch_ended(const struct batch *batch)
{
    return batch->over;
}

int batch_record(struct batch *batch, struct ensemble *ensemble, struct engine_error *error)
{
    int status = 0;
    for (uint32_t u = 0; u < batch->width; u++) {
        struct place *place = &batch->places[u];
        const bool alone = place->alone || place->why.status != 0;
        if (!place->over)
            continue;
        if (status == 0)
            status = alone ? ensemble_record(ensemble, place->member, place->alone, place->outcome.why, error)
                           : ensemble_record_outcome(ensemble, place->member, &place->outcome, error);
        clear_place(place);
        batch->over--;
    }
    return status;
}
