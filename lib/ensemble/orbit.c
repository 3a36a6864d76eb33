#include "ensemble/orbit.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

int orbit_open(struct orbit *orbit, uint64_t bytes, uint32_t kept, struct engine_error *error)
{
    *orbit = (struct orbit){.bytes = bytes, .kept = kept, .states = malloc((kept + 1) * bytes)};
    return orbit->states ? 0 : error_memory(error, (kept + 1) * bytes, "the states of members");
}

void orbit_close(struct orbit *orbit)
{
    free(orbit->at);
    free(orbit->states);
    *orbit = (struct orbit){0};
}

void orbit_begin(struct orbit *orbit)
{
    orbit->count = 0;
}

static bool are_equal(XXH128_hash_t a, XXH128_hash_t b)
{
    return a.low64 == b.low64 && a.high64 == b.high64;
}

/* The place of a state: the first one has a place of its own. */
static char *place_of(const struct orbit *orbit, uint32_t number)
{
    return orbit->states + (number == 0 ? 0 : 1 + number % orbit->kept) * orbit->bytes;
}

static bool is_kept(const struct orbit *orbit, uint32_t number)
{
    return number == 0 || number + orbit->kept >= orbit->count;
}

int orbit_see(struct orbit *orbit, uint64_t step, const char *state, uint32_t *again, struct engine_error *error)
{
    const XXH128_hash_t hash = XXH3_128bits(state, orbit->bytes);
    if (orbit->count == orbit->room) {
        const uint32_t room = 2 * orbit->room + 64;
        struct seen *at = realloc(orbit->at, room * sizeof *at);
        if (!at)
            return error_memory(error, room * sizeof *at, "the hashes of a member");
        orbit->at = at;
        orbit->room = room;
    }
    *again = orbit->count;
    while (*again > 0 && !are_equal(orbit->at[*again - 1].hash, hash))
        --*again;
    --*again; /* 0 - 1 is UINT32_MAX */
    orbit->at[orbit->count] = (struct seen){step, hash};
    memcpy(place_of(orbit, orbit->count++), state, orbit->bytes);
    return 0;
}

/* ---- The cycle -------------------------------------------------------------------------------------------------- */

/* Takes steps, and hashes the state of the first universe, which `state` gets. */
static int walk(struct states *one, uint64_t steps, char *state, XXH128_hash_t *hash, struct engine_error *error)
{
    if ((steps > 0 && engine_run_take(one->run, steps, 0, error) != 0) || states_read(one, 0, 1, state, error) != 0)
        return error->status;
    *hash = XXH3_128bits(state, one->bytes);
    return 0;
}

/* The distance of two equal states is a multiple of the period, so the period is its least divisor after which the
 * state is there again. */
static int find_period(const struct orbit *orbit, uint64_t distance, struct states *one, char *state, uint64_t *period,
                       struct engine_error *error)
{
    const uint32_t last = orbit->count - 1;
    XXH128_hash_t hash;
    uint64_t at = 0;
    *period = 0;
    if (states_write(one, 0, 1, place_of(orbit, last), error) != 0)
        return error->status;
    for (uint64_t n = 1; n <= distance && *period == 0; n++) {
        if (distance % n != 0)
            continue;
        if (walk(one, n - at, state, &hash, error) != 0)
            return error->status;
        at = n;
        if (are_equal(hash, orbit->at[last].hash))
            *period = n;
    }
    return 0;
}

/* A state that is not in the cycle, or not known to be, and its step. */
struct before {
    uint64_t step;
    char *state;
};

/* Is the state `steps` steps later in the cycle? `state` gets it, and `later` the one a period later. */
static int is_in_cycle(const struct before *before, uint64_t steps, uint64_t period, struct states *one, char *state,
                       char *later, bool *is, struct engine_error *error)
{
    XXH128_hash_t hash, again;
    if (states_write(one, 0, 1, before->state, error) != 0 || walk(one, steps, state, &hash, error) != 0 ||
        walk(one, period, later, &again, error) != 0)
        return error->status;
    *is = are_equal(hash, again);
    return 0;
}

/* Halves the steps from one that is not in the cycle to one that is. */
static int find_first(struct before *before, struct states *one, char *state, char *later, struct cycle *cycle,
                      struct engine_error *error)
{
    bool is;
    while (cycle->first - before->step > 1) {
        const uint64_t half = (cycle->first - before->step) / 2;
        if (is_in_cycle(before, half, cycle->period, one, state, later, &is, error) != 0)
            return error->status;
        if (is)
            cycle->first = before->step + half;
        else {
            memcpy(before->state, state, one->bytes);
            before->step += half;
        }
    }
    return 0;
}

/* Goes back to a state that is not in the cycle: the one seen before, or that of step 0 if it is not kept. */
static int find_before(const struct orbit *orbit, uint32_t again, struct states *one, char *space, struct cycle *cycle,
                       struct engine_error *error)
{
    struct before before = {.state = space};
    bool is = true;
    cycle->first = orbit->at[again].step;
    while (is && again > 0) {
        again = is_kept(orbit, again - 1) ? again - 1 : 0;
        before.step = orbit->at[again].step;
        memcpy(space, place_of(orbit, again), orbit->bytes);
        if (is_in_cycle(&before, 0, cycle->period, one, space + orbit->bytes, space + 2 * orbit->bytes, &is, error) !=
            0)
            return error->status;
        if (is)
            cycle->first = before.step;
    }
    return is ? 0 : find_first(&before, one, space + orbit->bytes, space + 2 * orbit->bytes, cycle, error);
}

int orbit_find_cycle(const struct orbit *orbit, uint32_t again, struct states *one, struct cycle *cycle, bool *found,
                     struct engine_error *error)
{
    char *space = malloc(3 * orbit->bytes);
    *cycle = (struct cycle){.step = orbit->at[orbit->count - 1].step};
    *found = false;
    if (!space)
        return error_memory(error, 3 * orbit->bytes, "states");
    int status = find_period(orbit, cycle->step - orbit->at[again].step, one, space, &cycle->period, error);
    *found = status == 0 && cycle->period > 0;
    if (*found)
        status = find_before(orbit, again, one, space, cycle, error);
    free(space);
    return status;
}

int orbit_go_to(const struct orbit *orbit, const struct cycle *cycle, uint64_t step, struct states *one,
                struct engine_error *error)
{
    const uint64_t behind = step < cycle->step ? (cycle->step - step) % cycle->period : 0;
    const uint64_t steps =
        step < cycle->step ? (cycle->period - behind) % cycle->period : (step - cycle->step) % cycle->period;
    if (states_write(one, 0, 1, place_of(orbit, orbit->count - 1), error) != 0)
        return error->status;
    return steps > 0 ? engine_run_take(one->run, steps, 0, error) : 0;
}

/* ---- When a run notices it -------------------------------------------------------------------------------------- */

/* Brent's method, as until_look of record/until.c applies it: each look compares the state with that of a step that is
 * kept, and after 1, 2, 4, 8, … looks another step is. */
uint64_t cycle_repeats_at(const struct cycle *cycle, uint64_t every)
{
    uint64_t kept = 0, looks = 0, limit = 1, step = every;
    for (; kept < cycle->first || (step - kept) % cycle->period != 0; step += every)
        if (++looks == limit) {
            kept = step;
            looks = 0;
            limit *= 2;
        }
    return step;
}

/* A look that finds the state of the look before makes the run look again at the next step. */
uint64_t cycle_unchanged_at(const struct cycle *cycle, uint64_t every)
{
    if (cycle->period != 1)
        return UINT64_MAX;
    return every == 1 ? cycle->first + 1 : ((cycle->first + every - 1) / every + 1) * every + 1;
}
