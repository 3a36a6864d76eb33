/* The state that comes again, perhaps somewhere else: still lifes, oscillators, spaceships, and what settles into them. */
#include "base/error.h"
#include "identify/identity.h"

#include <stdlib.h>
#include <string.h>

static bool same(const struct search *search, const struct sight *a, const struct sight *b)
{
    return a->population == b->population && a->empty == b->empty &&
           (search->plane.bounded ? a->place == b->place
                                  : a->form == b->form && memcmp(a->extent, b->extent, sizeof a->extent) == 0);
}

/* ---- A period, step by step -------------------------------------------------------------------------------------- */

/* What becomes of the cells of a box in a period. */
struct change {
    int64_t at[3], extent[3];
    uint8_t *state, *changed; /* at the last step; not 0 if it ever changed */
};

static uint64_t cells_of(const int64_t extent[3])
{
    return (uint64_t) extent[0] * (uint64_t) extent[1] * (uint64_t) extent[2];
}

/* The smallest box that holds the pattern in all steps of its period, and one step more. */
static void bound(const struct search *search, uint64_t period, struct change *change)
{
    const struct sight *sights = search->trace.at;
    for (int axis = 0; axis < 3; axis++) {
        int64_t begin = sights[0].at[axis], end = begin + sights[0].extent[axis];
        for (uint64_t step = 1; step <= period; step++) {
            const int64_t first = sights[step].at[axis], behind = first + sights[step].extent[axis];
            begin = first < begin ? first : begin;
            end = behind > end ? behind : end;
        }
        change->at[axis] = begin;
        change->extent[axis] = end - begin;
    }
}

/* Compares the cells with those of the last step, or only takes them. Cells are seen as many as they are from empty. */
static uint64_t compare(const struct search *search, struct change *change, const int64_t shift[3], bool first)
{
    const struct plane *plane = &search->plane;
    uint64_t changes = 0, cell = 0;
    for (int64_t z = 0; z < change->extent[2]; z++)
        for (int64_t y = 0; y < change->extent[1]; y++)
            for (int64_t x = 0; x < change->extent[0]; x++, cell++) {
                const uint8_t state = plane_cell(plane, change->at[0] + shift[0] + x, change->at[1] + shift[1] + y,
                                                 change->at[2] + shift[2] + z) ^
                                      plane->sight.empty;
                const bool changed = !first && state != change->state[cell];
                changes += changed;
                change->changed[cell] |= changed;
                change->state[cell] = state;
            }
    return changes;
}

static void count_cells(const struct search *search, const struct change *change)
{
    struct engine_identity *identity = search->identity;
    for (uint64_t i = 0; i < cells_of(change->extent); i++) {
        identity->rotor += change->changed[i];
        identity->stator += !change->changed[i] && change->state[i];
    }
}

/* Is a code defined? Where empty cells change, only for two states. */
static bool has_code(const struct search *search)
{
    return search->has_rule && (search->plane.values == 2 || !search->rule.next[0]);
}

/* Adds the present phase to the form of the pattern's code. A rule with births beside no live cell has only phases of
 * even steps, as on catagolue.hatsya.com. */
static int add_phase(const struct search *search, uint64_t step, char form[APGCODE_FORM + 1],
                     struct engine_error *error)
{
    struct patch patch;
    if (search->rule.next[0] && step % 2)
        return 0;
    if (search_patch(search, &patch, error) != 0)
        return error->status;
    const int status = apgcode_add_phase(&patch, search->plane.values, search->symmetry, form);
    patch_free(&patch);
    return status == 0 ? 0 : error_memory(error, 1, "the code of the pattern");
}

/* Walks through one more period of a pattern that has come again. */
static int walk(struct search *search, struct change *change, struct engine_error *error)
{
    struct engine_identity *identity = search->identity;
    char form[APGCODE_FORM + 1] = "";
    uint64_t changes = 0;
    bool full = false;
    compare(search, change, identity->move, true);
    for (uint64_t step = 0; step < identity->period && !full; step++) {
        if ((has_code(search) && add_phase(search, step, form, error) != 0) ||
            plane_step(&search->plane, &full, error) != 0)
            return error->status;
        changes += full ? 0 : compare(search, change, identity->move, false);
    }
    identity->measured = true;
    identity->heat = (double) changes / (double) identity->period;
    count_cells(search, change);
    if (has_code(search))
        apgcode_name(identity->period, identity->kind == KIND_SPACESHIP, identity->first.population, form,
                     identity->code);
    return 0;
}

static int measure(struct search *search, struct engine_error *error)
{
    struct change change = {0};
    bound(search, search->identity->period, &change);
    change.state = calloc(cells_of(change.extent) + 1, 1);
    change.changed = calloc(cells_of(change.extent) + 1, 1);
    const int status = change.state && change.changed
                           ? walk(search, &change, error)
                           : error_memory(error, 2 * cells_of(change.extent), "the cells of a period");
    free(change.state);
    free(change.changed);
    return status;
}

/* ---- The result -------------------------------------------------------------------------------------------------- */

static int separate(struct search *search, struct engine_error *error)
{
    struct engine_identity *identity = search->identity;
    struct object_list list;
    if (!search->has_objects || identity->kind == KIND_DIES)
        return 0;
    int status = search_objects(search, identity->period > 8 ? identity->period : 8, &list, error);
    if (status == 0)
        status = tally_make(&list, &identity->objects, error);
    if (status == 0 && list.count != 1)
        identity->code[0] = '\0';
    objects_free(&list);
    return status;
}

static int take(struct search *search, uint64_t first, struct engine_error *error)
{
    struct engine_identity *identity = search->identity;
    const struct sight *sights = search->trace.at, *now = &sights[search->trace.count - 1], *then = &sights[first];
    bool moves = false;
    identity->settled = first;
    identity->population = then->population;
    identity->period = search->trace.count - 1 - first;
    identity->fewest = identity->most = then->population;
    for (const struct sight *sight = then; sight < now; sight++) {
        identity->fewest = sight->population < identity->fewest ? sight->population : identity->fewest;
        identity->most = sight->population > identity->most ? sight->population : identity->most;
    }
    for (int axis = 0; axis < 3 && !search->plane.bounded; axis++)
        moves |= (identity->move[axis] = now->at[axis] - then->at[axis]) != 0;
    identity->kind = identity->most == 0    ? KIND_DIES
                     : first > 0            ? KIND_SETTLES
                     : moves                ? KIND_SPACESHIP
                     : identity->period > 1 ? KIND_OSCILLATOR
                                            : KIND_STILL;
    if (first == 0 && identity->kind != KIND_DIES && measure(search, error) != 0)
        return error->status;
    return separate(search, error);
}

int cycle_find(struct search *search, bool *done, struct engine_error *error)
{
    const struct trace *trace = &search->trace;
    const struct sight *now = &trace->at[trace->count - 1];
    if (now->population == 0)
        memset(trace->at[trace->count - 1].at, 0, sizeof now->at);
    for (uint64_t step = 0; step + 1 < trace->count && !*done; step++)
        if (same(search, &trace->at[step], now)) {
            *done = true;
            return take(search, step, error);
        }
    return 0;
}
