#include "record/until.h"
#include "base/context.h"
#include "record/section_checkpoint.h"
#include "record/section_output.h"
#include "record/snapshot.h"
#include "run/state_hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 256 }; /* steps of one pass of find_first; each has a hash in memory */

struct until {
    struct instance *instance;
    const struct folder *folder; /* NULL: the run has none, and `start` holds what FOLDER_START would */
    void *start[PLAN_FIELDS_MAX];
    struct until_memory memory;
    double *values;  /* the metrics */
    char ended[256]; /* "": no condition holds */
};

static const struct plan *plan_of(const struct until *until)
{
    return until->instance->state->plan;
}

static bool compares_states(const struct plan *plan)
{
    return plan_waits_for(plan, UNTIL_REPEATS) || plan_waits_for(plan, UNTIL_UNCHANGED);
}

/* ---- Copies of a state ---------------------------------------------------------------------------------------- */

static int take_copies(const struct state *state, void *copies[PLAN_FIELDS_MAX], struct engine_error *error)
{
    if (state->store->keep)
        return state->store->keep(state, &copies[0], error);
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++) {
        const uint64_t bytes = state_geometry(state, i)->bytes;
        if (!plan_is_saved(&state->plan->fields[i]))
            continue;
        copies[i] = malloc(bytes);
        if (!copies[i])
            return error_memory(error, bytes, "a copy of the state, to look for its cycle");
        if (state_copy(state, i, copies[i], NULL, error) != 0)
            return error->status;
    }
    return 0;
}

static int put_copies(struct instance *instance, uint64_t step, void *const copies[PLAN_FIELDS_MAX],
                      struct engine_error *error)
{
    struct state *state = instance->state;
    state->step = step;
    state_update_views(state);
    instance_state_changed(instance);
    if (state->store->keep)
        return copies[0] ? state->store->back(state, copies[0], error) : 0;
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++)
        if (copies[i] && state_copy(state, i, NULL, copies[i], error) != 0)
            return error->status;
    return 0;
}

static void free_copies(const struct state *state, void *copies[PLAN_FIELDS_MAX])
{
    if (state->store->keep && copies[0]) {
        state->store->drop(copies[0]);
        copies[0] = NULL;
    }
    for (uint32_t i = 0; i < PLAN_FIELDS_MAX; i++)
        free(copies[i]);
}

/* ---- Opening ------------------------------------------------------------------------------------------------ */

/* Writes the present state, to which find_first goes back, and waits for the file: checkpoints rely on it. */
static int save_start(struct until *until, struct engine_error *error)
{
    struct snapshot_writing *writing;
    if (!until->folder)
        return take_copies(until->instance->state, until->start, error);
    if (snapshot_start(until->instance, NULL, until->folder, FOLDER_START,
                       checkpoint_settings(plan_of(until))->compressed, &writing, error) != 0)
        return error->status;
    return snapshot_finish(writing, error);
}

/* Starts to wait for a repeated state at the present step. */
static int begin_repeats(struct until *until, struct engine_error *error)
{
    struct until_memory *memory = &until->memory;
    memory->start = until->instance->state->step;
    memory->looked = UINT64_MAX;
    memory->again = false;
    memory->hash[0] = memory->kept_hash[0] = '\0';
    return save_start(until, error);
}

/* Goes on with what the checkpoint remembers, or starts. A resumed run that was not told to wait for a repeated state
 * before starts to do so at the step where it goes on. */
static int begin(struct until *until, const struct until_memory *past, struct engine_error *error)
{
    const struct plan *plan = plan_of(until);
    const bool waited = past && *past->kept_hash;
    const struct until_memory none = {.start = until->instance->state->step, .looked = UINT64_MAX};
    bool found = false;
    until->memory = past ? *past : none;
    if (!plan_waits_for(plan, UNTIL_REPEATS))
        return 0;
    if (waited && folder_has(until->folder, FOLDER_START, &found, error) != 0)
        return error->status;
    if (waited && !found)
        context_message(plan->context, ENGINE_LOG_WARNING,
                        "%s/" FOLDER_START " is missing, so 'repeats' finds no step before %llu", until->folder->path,
                        (unsigned long long) none.start);
    return found ? 0 : begin_repeats(until, error);
}

int until_open(struct instance *instance, const struct folder *folder, const struct until_memory *past,
               struct until **out, struct engine_error *error)
{
    const struct plan *plan = instance->state->plan;
    const uint32_t metrics = plan->plugin->about.metrics.count;
    *out = NULL;
    if (output_settings(plan)->until.count == 0)
        return 0;
    struct until *until = calloc(1, sizeof *until);
    if (!until)
        return error_memory(error, sizeof *until, "the conditions of [run] until");
    until->instance = instance;
    until->folder = folder;
    until->values = calloc(metrics + 1, sizeof *until->values);
    if (!until->values)
        error_memory(error, metrics * sizeof *until->values, "metrics");
    else if (begin(until, past, error) == 0) {
        *out = until;
        return 0;
    }
    until_close(until);
    return error->status;
}

void until_close(struct until *until)
{
    if (until) {
        free_copies(until->instance->state, until->start);
        free(until->values);
    }
    free(until);
}

/* ---- When --------------------------------------------------------------------------------------------------- */

static bool is_regular(const struct until *until, uint64_t step)
{
    return step % output_until_every(plan_of(until)) == 0;
}

uint64_t until_next(const struct until *until)
{
    if (!until)
        return UINT64_MAX;
    const uint64_t step = until->instance->state->step, every = output_until_every(plan_of(until));
    return until->memory.again && until->memory.looked == step ? step + 1 : (step / every + 1) * every;
}

static bool is_due(const struct until *until)
{
    const struct until_memory *memory = &until->memory;
    const uint64_t step = until->instance->state->step;
    return memory->looked != step &&
           (step == memory->start || is_regular(until, step) || (memory->again && step == memory->looked + 1));
}

/* ---- Equal states -------------------------------------------------------------------------------------------- */

/* Do the shapes of states differ between even and odd steps, as those of a matrix that is transposed? */
static bool shapes_alternate(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++)
        if (plan->plugin->about.fields.at[i].role == ENGINE_STATE &&
            memcmp(plan->fields[i].geometry[0].shape.extent, plan->fields[i].geometry[1].shape.extent,
                   sizeof plan->fields[i].geometry[0].shape.extent) != 0)
            return true;
    return false;
}

/* Are the states with these hashes, so many steps apart, the same? */
static bool are_equal(const struct plan *plan, const char *hash, const char *other, uint64_t apart)
{
    return strcmp(hash, other) == 0 && (apart % 2 == 0 || !shapes_alternate(plan));
}

/* ---- Running again ------------------------------------------------------------------------------------------- */

/* What looks for the cycle after a state was seen again. */
struct search {
    struct until *until;
    struct pace *pace;
    bool (*stopped)(void *context);
    void *context;
    uint64_t seen;                  /* the step whose state the present one is */
    uint64_t step;                  /* the present step */
    char hash[HASH_TEXT];           /* of the present state */
    uint64_t period, first;         /* what is found */
    bool abandoned;                 /* `stopped` said so */
    void *copies[PLAN_FIELDS_MAX];  /* of the present state */
    char hashes[POINTS][HASH_TEXT]; /* of the steps of a pass */
};

/* Takes the steps up to `target` and hashes the state there. */
static int run_to(struct search *search, uint64_t target, char hash[HASH_TEXT], struct engine_error *error)
{
    struct state *state = search->until->instance->state;
    while (state->step < target) {
        search->abandoned = search->abandoned || search->stopped(search->context);
        if (search->abandoned)
            return 0;
        if (pace_take(search->pace, target, error) != 0)
            return error->status;
    }
    return state_hash(state, HASH_STATES, hash, error);
}

static int restore_state(struct search *search, struct engine_error *error)
{
    struct state *state = search->until->instance->state;
    const int status = put_copies(search->until->instance, search->step, search->copies, error);
    state->lost = status != 0; /* the copies are whole, whatever has happened to the state meanwhile */
    return status;
}

static int go_to_start(const struct search *search, struct engine_error *error)
{
    const struct until *until = search->until;
    struct snapshot *snapshot;
    bool damaged;
    if (!until->folder)
        return put_copies(until->instance, until->memory.start, until->start, error);
    int status = snapshot_open_in(until->folder, FOLDER_START, &snapshot, &damaged, error);
    if (status == 0) {
        status = snapshot_restore(snapshot, until->instance->state, &damaged, error);
        instance_state_changed(until->instance);
        snapshot_close(snapshot);
    }
    return status == 0 ? 0 : error_prefix(error, "[run] until: the start of the run, to find where the cycle began: ");
}

/* The distance of two equal states of a cycle is a multiple of the period, so the period is the least divisor of it
 * after which the state is there again. */
static int find_period(struct search *search, struct engine_error *error)
{
    const uint64_t distance = search->step - search->seen;
    char hash[HASH_TEXT];
    for (uint64_t n = 1; n <= distance && !search->abandoned && search->period == 0; n++) {
        if (distance % n != 0)
            continue;
        if (run_to(search, search->step + n, hash, error) != 0)
            return error->status;
        if (!search->abandoned && are_equal(plan_of(search->until), hash, search->hash, n))
            search->period = n;
    }
    return search->period != 0 || search->abandoned
               ? 0
               : error_set(error, ENGINE_STATUS_PLUGIN,
                           "[run] until: the state of step %llu is that of step %llu, but what follows differs: the "
                           "steps of %s depend on more than the state; do not use 'repeats' with this plugin",
                           (unsigned long long) search->step, (unsigned long long) search->seen,
                           plan_of(search->until)->plugin->about.name);
}

/* Runs from the start, and compares the states at steps low, low + stride, … below `high` with those one period later.
 * Returns in *found the index of the first that is equal, or the number of them. */
static int compare_points(struct search *search, uint64_t low, uint64_t high, uint64_t stride, uint64_t *found,
                          struct engine_error *error)
{
    const uint64_t count = (high - low + stride - 1) / stride;
    uint64_t early = 0; /* of the steps themselves, the number that was reached; *found: of those a period later */
    *found = 0;
    if (go_to_start(search, error) != 0)
        return error->status;
    while (*found < count) {
        const uint64_t here = low + early * stride, later = low + *found * stride + search->period;
        char hash[HASH_TEXT];
        if (run_to(search, early < count && here < later ? here : later, hash, error) != 0)
            return error->status;
        if (search->abandoned)
            return 0;
        const uint64_t step = search->until->instance->state->step;
        if (early < count && step == here)
            memcpy(search->hashes[early++], hash, HASH_TEXT);
        if (step != later)
            continue;
        if (are_equal(plan_of(search->until), hash, search->hashes[*found], search->period))
            return 0;
        ++*found;
    }
    return 0;
}

/* The first step of the cycle is the first one whose state is there again after a period. All later ones have this
 * property, and no earlier one, so passes over ever narrower ranges of steps find it. */
static int find_first(struct search *search, struct engine_error *error)
{
    uint64_t low = search->until->memory.start, high = search->seen, found;
    while (low < high) {
        const uint64_t stride = (high - low + POINTS - 1) / POINTS;
        if (compare_points(search, low, high, stride, &found, error) != 0)
            return error->status;
        if (search->abandoned)
            return 0;
        const uint64_t point = low + found * stride;
        low = found > 0 ? point - stride + 1 : low;
        high = point < high ? point : high;
    }
    search->first = high;
    return 0;
}

/* Finds the cycle, and puts the state back. */
static int find_cycle(struct search *search, struct engine_error *error)
{
    struct engine_error ignored;
    int status = take_copies(search->until->instance->state, search->copies, error);
    if (status == 0) {
        status = find_period(search, error);
        if (status == 0 && !search->abandoned)
            status = find_first(search, error);
        const int restored = restore_state(search, status == 0 ? error : &ignored);
        status = status ? status : restored;
    }
    free_copies(search->until->instance->state, search->copies);
    return status;
}

/* ---- Conditions ---------------------------------------------------------------------------------------------- */

/* A look at the present state. */
struct look {
    struct until *until;
    struct search search;
    struct until_memory next; /* what the memory is after it */
    bool seen;                /* the state was seen before */
    bool unchanged;           /* the state is that of the step before */
};

static bool holds(const struct until_condition *condition, double value)
{
    switch (condition->comparison) {
    case UNTIL_BELOW:
        return value < condition->number;
    case UNTIL_AT_MOST:
        return value <= condition->number;
    case UNTIL_ABOVE:
        return value > condition->number;
    case UNTIL_AT_LEAST:
        return value >= condition->number;
    case UNTIL_EQUAL:
        return value == condition->number;
    default:
        return value != condition->number;
    }
}

static int check_cycle(struct look *look, struct engine_error *error)
{
    struct until *until = look->until;
    if (!look->seen)
        return 0;
    if (find_cycle(&look->search, error) != 0)
        return error->status;
    if (!look->search.abandoned)
        snprintf(until->ended, sizeof until->ended, "repeats: period %llu, first seen at step %llu",
                 (unsigned long long) look->search.period, (unsigned long long) look->search.first);
    return 0;
}

/* The metric, or its relative change since the start. */
static double value_of(const struct look *look, const struct until_condition *condition)
{
    const double value = look->until->values[condition->metric];
    if (!condition->error)
        return value;
    const double first = condition->metric < look->next.metrics ? look->next.first[condition->metric] : NAN;
    return fabs(value - first) / fabs(first);
}

static int check(struct look *look, const struct until_condition *condition, struct engine_error *error)
{
    struct until *until = look->until;
    if (condition->kind == UNTIL_REPEATS)
        return check_cycle(look, error);
    const double value = value_of(look, condition);
    if (condition->kind == UNTIL_METRIC && holds(condition, value))
        snprintf(until->ended, sizeof until->ended, "%s: it is %.12g", condition->text, value);
    if (condition->kind == UNTIL_UNCHANGED && look->unchanged)
        snprintf(until->ended, sizeof until->ended, "unchanged: the state is that of step %llu",
                 (unsigned long long) look->search.step - 1);
    return 0;
}

/* Brent's method: compares the state with one that is kept, and keeps another one after 1, 2, 4, 8, … looks. */
static void compare_with_kept(struct look *look)
{
    struct until_memory *next = &look->next;
    const uint64_t step = look->search.step;
    look->seen =
        *next->kept_hash && are_equal(plan_of(look->until), look->search.hash, next->kept_hash, step - next->kept);
    look->search.seen = next->kept;
    if (*next->kept_hash && ++next->looks < next->limit)
        return;
    next->limit = *next->kept_hash ? 2 * next->limit : 1;
    next->looks = 0;
    next->kept = step;
    memcpy(next->kept_hash, look->search.hash, HASH_TEXT);
}

static void compare_with_last(struct look *look)
{
    struct until_memory *next = &look->next;
    const uint64_t step = look->search.step, apart = step - next->looked;
    const bool equal = *next->hash && are_equal(plan_of(look->until), look->search.hash, next->hash, apart);
    look->unchanged = equal && apart == 1;
    next->again = equal && apart > 1;
}

static int take(struct look *look, struct engine_error *error)
{
    struct until *until = look->until;
    const struct plan *plan = plan_of(until);
    const uint64_t step = look->search.step;
    bool measured;
    if ((plan_waits_for(plan, UNTIL_METRIC) &&
         instance_measure(until->instance, until->values, &measured, error) != 0) ||
        (compares_states(plan) && state_hash(until->instance->state, HASH_STATES, look->search.hash, error) != 0))
        return error->status;
    if (look->next.metrics == 0 && plan_waits_for(plan, UNTIL_METRIC)) {
        const uint32_t count = plan->plugin->about.metrics.count;
        look->next.metrics = count < UNTIL_ERRORS_MAX ? count : UNTIL_ERRORS_MAX;
        memcpy(look->next.first, until->values, look->next.metrics * sizeof until->values[0]);
    }
    if (plan_waits_for(plan, UNTIL_UNCHANGED))
        compare_with_last(look);
    if (plan_waits_for(plan, UNTIL_REPEATS) && (step == look->next.start || is_regular(until, step)))
        compare_with_kept(look);
    look->next.looked = step;
    memcpy(look->next.hash, look->search.hash, HASH_TEXT);
    int status = 0;
    for (uint32_t i = 0; i < output_settings(plan)->until.count && status == 0 && !*until->ended; i++)
        status = check(look, &output_settings(plan)->until.at[i], error);
    return status;
}

/* The memory stays as it was where the run ends or the look is abandoned, so that a run which is resumed at this step
 * looks again and finds the same. */
int until_look(struct until *until, struct pace *pace, bool (*stopped)(void *context), void *context,
               struct engine_error *error)
{
    if (!until || !is_due(until))
        return 0;
    struct look *look = calloc(1, sizeof *look);
    if (!look)
        return error_memory(error, sizeof *look, "a look at the state");
    look->until = until;
    look->next = until->memory;
    look->search = (struct search){
        .until = until, .pace = pace, .stopped = stopped, .context = context, .step = until->instance->state->step};
    const int status = take(look, error);
    if (status == 0 && !*until->ended && !look->search.abandoned)
        until->memory = look->next;
    free(look);
    return status;
}

const char *until_ended(const struct until *until)
{
    return until && *until->ended ? until->ended : NULL;
}

const struct until_memory *until_memory(const struct until *until)
{
    return until ? &until->memory : NULL;
}

/* ---- As an observer ----------------------------------------------------------------------------------------- */

static uint64_t observer_next(void *self)
{
    return until_next(self);
}

static int observer_see(void *self, enum moment moment, const struct loop_view *view, struct engine_error *error)
{
    return moment <= MOMENT_DUE ? until_look(self, view->pace, view->stopped, view->loop, error) : 0;
}

static const char *observer_ended(void *self)
{
    return until_ended(self);
}

struct observer until_observer(struct until *until)
{
    return (struct observer){.self = until, .next = observer_next, .see = observer_see, .ended = observer_ended};
}
