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

static const struct seen *last_of(const struct orbit *orbit)
{
    return &orbit->at[orbit->count - 1];
}

/* Is this the state of a step of the cycle, if the step is in it? hashes[n] is that of the state n + 1 steps later than
 * the last one. */
static bool is_in_cycle(const struct search *search, uint64_t step, XXH128_hash_t hash)
{
    const uint64_t period = search->cycle.period;
    return are_equal(hash, search->hashes[(period - 1) - (search->cycle.step - step) % period]);
}

/* Takes steps of all universes. */
static int walk(struct states *some, uint64_t steps, struct engine_error *error)
{
    return steps > 0 ? engine_run_take(some->run, steps, 0, error) : 0;
}

static int read_one(const struct states *some, uint32_t universe, char *state, XXH128_hash_t *hash,
                    struct engine_error *error)
{
    if (states_read(some, universe, 1, state, error) != 0)
        return error->status;
    *hash = XXH3_128bits(state, some->bytes);
    return 0;
}

/* Puts the last states of all orbits into the run. */
static int write_last(const struct search *searches, uint32_t count, struct states *some, struct engine_error *error)
{
    for (uint32_t i = 0; i < count; i++)
        if (states_write(some, i, 1, place_of(searches[i].orbit, searches[i].orbit->count - 1), error) != 0)
            return error->status;
    return 0;
}

/* Takes steps until each state is there again, and hashes the states of the cycles. */
static int find_periods(struct search *searches, uint32_t count, struct states *some, char *space,
                        struct engine_error *error)
{
    uint32_t left = count;
    if (write_last(searches, count, some, error) != 0)
        return error->status;
    for (uint64_t n = 1; left > 0; n++) {
        if (walk(some, 1, error) != 0)
            return error->status;
        for (uint32_t i = 0; i < count; i++) {
            struct search *search = &searches[i];
            const uint64_t distance = search->cycle.step - search->orbit->at[search->again].step;
            if (search->cycle.period > 0 || n > distance)
                continue;
            if (read_one(some, i, space, &search->hashes[n - 1], error) != 0)
                return error->status;
            if (are_equal(search->hashes[n - 1], last_of(search->orbit)->hash))
                search->cycle.period = n;
            left -= search->cycle.period > 0 || n == distance;
        }
    }
    return 0;
}

/* Goes back to a state that is not in the cycle, or, if it is not kept, to that of step 0. *before is its step, or the
 * first one of the cycle if all states are in it. */
static void find_before(struct search *search, uint64_t *before, char *state)
{
    const struct orbit *orbit = search->orbit;
    uint32_t first = search->again;
    while (first > 0 && is_in_cycle(search, orbit->at[first - 1].step, orbit->at[first - 1].hash))
        first--;
    const uint32_t number = first > 0 && is_kept(orbit, first - 1) ? first - 1 : 0;
    search->cycle.first = orbit->at[first].step;
    *before = orbit->at[number].step;
    memcpy(state, place_of(orbit, number), orbit->bytes);
}

/* Halves the steps from those that are not in the cycles, whose states are in `space`, to those that are. */
static int find_firsts(struct search *searches, uint32_t count, struct states *some, char *space,
                       struct engine_error *error)
{
    char *const state = space + count * some->bytes;
    uint64_t before[ORBITS_MOST], most = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct search *search = &searches[i];
        if (search->cycle.period > 0)
            find_before(search, &before[i], space + i * some->bytes);
        else
            before[i] = search->cycle.first = 0;
        most = search->cycle.first - before[i] > most ? search->cycle.first - before[i] : most;
    }
    uint64_t half = 1;
    while (2 * half < most)
        half *= 2;
    for (; half > 0 && most > 1; half /= 2) {
        if (states_write(some, 0, count, space, error) != 0 || walk(some, half, error) != 0)
            return error->status;
        for (uint32_t i = 0; i < count; i++) {
            struct search *search = &searches[i];
            XXH128_hash_t hash;
            if (search->cycle.first - before[i] <= half)
                continue;
            if (read_one(some, i, state, &hash, error) != 0)
                return error->status;
            if (is_in_cycle(search, before[i] + half, hash)) {
                search->cycle.first = before[i] + half;
                continue;
            }
            memcpy(space + i * some->bytes, state, some->bytes);
            before[i] += half;
        }
    }
    return 0;
}

int orbits_find_cycles(struct search *searches, uint32_t count, struct states *some, struct engine_error *error)
{
    char *space = malloc((count + 1) * some->bytes);
    bool all = space != NULL;
    for (uint32_t i = 0; i < count; i++) {
        struct search *search = &searches[i];
        search->cycle = (struct cycle){.step = last_of(search->orbit)->step};
        search->hashes = malloc((search->cycle.step - search->orbit->at[search->again].step) * sizeof *search->hashes);
        all = all && search->hashes;
    }
    int status = all ? find_periods(searches, count, some, space, error)
                     : error_memory(error, (count + 1) * some->bytes, "states");
    if (status == 0)
        status = find_firsts(searches, count, some, space, error);
    free(space);
    return status;
}

void orbits_release(struct search *searches, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(searches[i].hashes);
}

uint64_t orbit_steps_to(const struct search *search, uint64_t step)
{
    const struct cycle *cycle = &search->cycle;
    const uint64_t behind = step < cycle->step ? (cycle->step - step) % cycle->period : 0;
    return step < cycle->step ? (cycle->period - behind) % cycle->period : (step - cycle->step) % cycle->period;
}

XXH128_hash_t orbit_hash(const struct search *search, uint64_t step)
{
    const uint64_t steps = orbit_steps_to(search, step);
    return steps > 0 ? search->hashes[steps - 1] : last_of(search->orbit)->hash;
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
