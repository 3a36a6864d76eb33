/* Patterns that settle into objects of which spaceships fly away. The whole never comes again, so the objects of the
 * present state are followed back in time, and must fly apart from now on. */
#include "base/error.h"
#include "identify/identity.h"
#include "objects/place_hash.h"

#include <stdlib.h>

enum { SHORTEST = 48, WINDOW = 64 }; /* steps in which the population repeats; in which objects meet */

/* ---- The population ---------------------------------------------------------------------------------------------- */

static bool repeats(const struct sight *sights, uint64_t count, uint64_t period)
{
    for (uint64_t i = 0; i + period < count; i++)
        if (sights[i].population != sights[i + period].population)
            return false;
    return true;
}

/* The period of the population in the last sixth of the steps; 0: it has none. */
static uint64_t population_period(const struct trace *trace)
{
    const uint64_t count = trace->count / 6;
    for (uint64_t period = 1; count >= SHORTEST / 2 && period <= count / 3; period++)
        if (repeats(trace->at + trace->count - count, count, period))
            return period;
    return 0;
}

/* Does the population become much larger in the last quarter of the steps? */
static bool grows(const struct trace *trace)
{
    return trace->at[trace->count - 1].population > trace->at[trace->count * 3 / 4].population * 5 / 4;
}

/* ---- Back in time ------------------------------------------------------------------------------------------------ */

/* The hashes of an object's phases, from the present one on. */
struct phases {
    uint64_t *at;
    const struct object *object;
};

static uint64_t hash_of(const struct patch *patch)
{
    uint64_t sum = 0;
    for (int64_t y = 0; y < patch->height; y++)
        for (int64_t x = 0; x < patch->width; x++)
            if (patch->cells[y * patch->width + x])
                sum = place_add(sum, place_factor(patch->x + x, patch->y + y, 0));
    return sum;
}

static int make_phases(const struct object_rule *rule, const struct object *object, struct phases *phases)
{
    struct patch now;
    *phases = (struct phases){calloc(object->period, sizeof *phases->at), object};
    if (!phases->at || patch_copy(&object->cells, &now) != 0)
        return -1;
    int status = 0;
    for (uint64_t phase = 0; status == 0 && phase < object->period; phase++) {
        phases->at[phase] = hash_of(&now);
        status = patch_step(&now, rule);
    }
    patch_free(&now);
    return status;
}

/* The hash that the objects had so many steps ago, if they lived then as they live now. */
static uint64_t past_hash(const struct phases *phases, size_t count, uint64_t steps)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        const struct object *object = phases[i].object;
        const int64_t move[3] = {object->dx, object->dy, 0};
        sum = place_add(sum, place_past(phases[i].at, object->period, move, steps));
    }
    return sum;
}

/* Finds the first step from which on all objects live as they do now. */
static int find_first(const struct search *search, const struct object_list *list, uint64_t *first,
                      struct engine_error *error)
{
    const struct trace *trace = &search->trace;
    struct phases *phases = calloc(list->count + 1, sizeof *phases);
    int status = phases ? 0 : -1;
    for (size_t i = 0; status == 0 && i < list->count; i++)
        status = make_phases(&search->rule, &list->at[i], &phases[i]);
    *first = trace->count;
    while (status == 0 && *first > 0 &&
           past_hash(phases, list->count, trace->count - *first) == trace->at[*first - 1].place)
        --*first;
    for (size_t i = 0; phases && i < list->count; i++)
        free(phases[i].at);
    free(phases);
    return status == 0 ? 0 : error_memory(error, 1, "the phases of objects");
}

/* ---- The result -------------------------------------------------------------------------------------------------- */

static uint64_t common_multiple(uint64_t a, uint64_t b)
{
    uint64_t x = a, y = b;
    while (y) {
        const uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

/* The longest period of an object, 0 if one has none; *all is the period of all objects that stay. */
static uint64_t periods_of(const struct object_list *list, uint64_t *all)
{
    uint64_t longest = 1;
    *all = 1;
    for (size_t i = 0; i < list->count; i++) {
        const struct object *object = &list->at[i];
        if (object->period == 0)
            return 0;
        longest = object->period > longest ? object->period : longest;
        *all = object->dx || object->dy ? *all : common_multiple(*all, object->period);
    }
    return longest;
}

static int take(struct search *search, const struct object_list *list, uint64_t first, uint64_t period,
                struct engine_error *error)
{
    struct engine_identity *identity = search->identity;
    const struct sight *sights = search->trace.at;
    bool ships = false;
    for (size_t i = 0; i < list->count; i++)
        ships = ships || list->at[i].dx || list->at[i].dy;
    identity->kind = first == 0 && !ships ? KIND_OSCILLATOR : KIND_SETTLES;
    identity->settled = first;
    identity->population = identity->fewest = identity->most = sights[first].population;
    identity->period = period;
    for (uint64_t step = first; step < search->trace.count; step++) {
        identity->fewest = sights[step].population < identity->fewest ? sights[step].population : identity->fewest;
        identity->most = sights[step].population > identity->most ? sights[step].population : identity->most;
    }
    return tally_make(list, &identity->objects, error);
}

int settled_find(struct search *search, bool *done, struct engine_error *error)
{
    struct object_list list = {0};
    uint64_t first = 0, all, longest, window = 2 * population_period(&search->trace);
    /* Objects of many periods have a population whose period is too long to see. */
    if (window == 0 && (grows(&search->trace) || ++search->looks % 4 != 1))
        return 0;
    window = window > WINDOW ? window : WINDOW;
    int status = search_objects(search, window, &list, error);
    longest = status == 0 ? periods_of(&list, &all) : 0;
    if (longest > window) {
        objects_free(&list);
        status = search_objects(search, longest, &list, error);
        longest = status == 0 ? periods_of(&list, &all) : 0;
    }
    if (longest > 0 && objects_fly_apart(&list)) {
        status = find_first(search, &list, &first, error);
        *done = status == 0 && first + 2 * longest <= search->trace.count;
    }
    if (*done)
        status = take(search, &list, first, all, error);
    objects_free(&list);
    return status;
}
