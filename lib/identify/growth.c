/* Populations that grow linearly or quadratically, and what makes them grow. */
#include "base/error.h"
#include "identify/identity.h"

#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 8,     /* steps in which objects meet: few, so that a stream of spaceships is not one object */
    CERTAIN = 2000, /* steps after which a linear growth is taken as known if its source is not */
    QUADRATIC = 500 /* the same of a quadratic one */
};

/* ---- What is emitted --------------------------------------------------------------------------------------------- */

static uint64_t count_of(const struct tally *tally, const char *code)
{
    for (size_t i = 0; i < tally->count; i++)
        if (strcmp(tally->at[i].code, code) == 0)
            return tally->at[i].count;
    return 0;
}

/* Leaves in `later` what it has more than `earlier`. */
static void subtract(struct tally *later, const struct tally *earlier)
{
    size_t kept = 0;
    for (size_t i = 0; i < later->count; i++) {
        struct counted *counted = &later->at[i];
        const uint64_t before = count_of(earlier, counted->code);
        if (*counted->code && counted->count > before)
            later->at[kept++] = (struct counted){counted->code, counted->count - before};
        else
            free(counted->code);
    }
    later->count = kept;
}

/* ---- The engine, which does not repeat itself alone -------------------------------------------------------------- */

static bool has_object(const struct object_list *list, const struct object *object, int64_t dx, int64_t dy)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct object *other = &list->at[i];
        if (other->period == 0 && patch_has_form(&other->cells, &object->cells) &&
            other->cells.x - object->cells.x == dx && other->cells.y - object->cells.y == dy)
            return true;
    }
    return false;
}

/* Are all objects without a period there again after a move? */
static bool moves_by(const struct object_list *earlier, const struct object_list *later, int64_t dx, int64_t dy)
{
    for (size_t i = 0; i < earlier->count; i++)
        if (earlier->at[i].period == 0 && !has_object(later, &earlier->at[i], dx, dy))
            return false;
    return true;
}

/* Finds how far the engine moves. Returns false if there is none. */
static bool find_move(const struct object_list *earlier, const struct object_list *later, int64_t move[3])
{
    const struct object *first = NULL;
    for (size_t i = 0; i < earlier->count; i++)
        if (earlier->at[i].period == 0 && (!first || earlier->at[i].population > first->population))
            first = &earlier->at[i];
    for (size_t i = 0; first && i < later->count; i++) {
        const struct patch *other = &later->at[i].cells;
        move[0] = other->x - first->cells.x;
        move[1] = other->y - first->cells.y;
        if (later->at[i].period == 0 && patch_has_form(other, &first->cells) &&
            moves_by(earlier, later, move[0], move[1]))
            return true;
    }
    move[0] = move[1] = 0;
    return false;
}

static enum kind kind_of(const struct engine_identity *identity, bool has_engine)
{
    const bool moves = identity->move[0] || identity->move[1];
    bool ships = identity->emitted.count > 0;
    for (size_t i = 0; i < identity->emitted.count; i++)
        ships = ships && identity->emitted.at[i].code[1] == 'q';
    if (!has_engine || identity->emitted.count == 0)
        return KIND_LINEAR;
    if (moves)
        return ships ? KIND_RAKE : KIND_PUFFER;
    return ships ? KIND_GUN : KIND_LINEAR;
}

static int step_on(struct search *search, uint64_t steps, bool *full, struct engine_error *error)
{
    int status = 0;
    for (uint64_t step = 0; status == 0 && step < steps && !*full; step++)
        status = search_step(search, full, error);
    return status;
}

/* The source may have another period than the growth. Half of it: an MWSS of an odd period is in another phase each time,
 * and has another number of cells. Twice: the source glides and is reflected. */
static const struct {
    uint64_t times, parts;
} fractions[] = {{1, 4}, {1, 3}, {1, 2}, {1, 1}, {2, 1}};

/* Has each object that stays the same cells? */
static bool stays(const struct object_list *earlier, const struct object_list *later)
{
    for (size_t i = 0; i < earlier->count; i++) {
        const struct object *object = &earlier->at[i];
        size_t k = 0;
        while (k < later->count && !patch_is(&later->at[k].cells, &object->cells))
            k++;
        if (k == later->count && object->period > 0 && !object->dx && !object->dy)
            return false;
    }
    return true;
}

/* Compares the objects with those of an earlier state. If the source is there again, takes what has been added. */
static int compare(struct search *search, const struct object_list *earlier, const struct tally *before, bool shorter,
                   bool *found, struct engine_error *error)
{
    struct engine_identity *identity = search->identity;
    struct object_list later;
    struct tally gained = {0};
    int status = search_objects(search, WINDOW, &later, error);
    if (status == 0)
        status = tally_make(&later, &gained, error);
    if (status == 0) {
        subtract(&gained, before);
        *found = find_move(earlier, &later, identity->move) && (!shorter || stays(earlier, &later));
    }
    objects_free(&later);
    if (*found || !shorter) {
        tally_free(&identity->emitted);
        identity->emitted = gained;
    } else
        tally_free(&gained);
    return status;
}

/* Walks on through the fractions of the period until the source is there again. */
static int walk(struct search *search, const struct object_list *earlier, const struct tally *before,
                struct engine_error *error)
{
    struct engine_identity *identity = search->identity;
    const uint64_t begin = search->trace.count, period = identity->period;
    const double growth = identity->growth;
    bool found = false, full = false;
    int status = 0;
    for (size_t i = 0; status == 0 && !found && !full && i < sizeof fractions / sizeof fractions[0]; i++) {
        const uint64_t times = fractions[i].times, parts = fractions[i].parts;
        if (period % parts != 0)
            continue;
        status = step_on(search, begin + period / parts * times - search->trace.count, &full, error);
        if (status == 0 && !full)
            status = compare(search, earlier, before, times < parts, &found, error);
        if (found) {
            identity->period = period / parts * times;
            identity->growth = growth * (double) times / (double) parts;
        }
    }
    if (status == 0)
        identity->kind = kind_of(identity, found);
    return status;
}

static int find_source(struct search *search, struct engine_error *error)
{
    struct object_list earlier = {0};
    struct tally before = {0};
    int status = search_objects(search, WINDOW, &earlier, error);
    if (status == 0)
        status = tally_make(&earlier, &before, error);
    if (status == 0)
        status = walk(search, &earlier, &before, error);
    objects_free(&earlier);
    tally_free(&before);
    return status;
}

/* ---- The population ---------------------------------------------------------------------------------------------- */

/* Is the gain of a period larger than that of the period before by the same number, always? */
static bool gains_grow(const uint64_t *populations, uint64_t count, uint64_t period, double *growth)
{
    for (uint64_t i = 0; i + 2 * period < count; i++) {
        const int64_t more = (int64_t) (populations[i + 2 * period] - 2 * populations[i + period] + populations[i]);
        *growth = i == 0 ? (double) more : *growth;
        if ((double) more != *growth || more <= 0)
            return false;
    }
    return count > 2 * period;
}

static bool is_quadratic(const uint64_t *populations, uint64_t count, uint64_t *period, double *growth)
{
    const uint64_t skipped = count / 3;
    for (*period = 1; *period <= count / 12; ++*period)
        if (gains_grow(populations + skipped, count - skipped, *period, growth))
            return true;
    return false;
}

static uint64_t *populations_of(const struct trace *trace)
{
    uint64_t *populations = calloc(trace->count + 1, sizeof *populations);
    for (uint64_t i = 0; populations && i < trace->count; i++)
        populations[i] = trace->at[i].population;
    return populations;
}

static void forget(struct engine_identity *identity)
{
    identity->kind = KIND_UNKNOWN;
    identity->period = 0;
    identity->growth = 0;
    identity->code[0] = '\0';
    memset(identity->move, 0, sizeof identity->move);
    tally_free(&identity->emitted);
}

/* The same period must be found twice, when a quarter of the steps has been added, because a population may grow evenly
 * for a while. */
int growth_find(struct search *search, bool *done, struct engine_error *error)
{
    struct engine_identity *identity = search->identity;
    const uint64_t count = search->trace.count;
    uint64_t *populations = populations_of(&search->trace);
    if (!populations)
        return error_memory(error, count * sizeof *populations, "the populations of all steps");
    const bool linear =
        apgcode_linear(populations, count, count / 9, &identity->period, &identity->growth, identity->code) &&
        identity->growth > 0;
    const bool quadratic = !linear && is_quadratic(populations, count, &identity->period, &identity->growth);
    free(populations);
    *done = (linear || quadratic) && search->growing == identity->period;
    search->growing = linear || quadratic ? identity->period : 0;
    if (!*done) {
        forget(identity);
        return 0;
    }
    identity->kind = linear ? KIND_LINEAR : KIND_QUADRATIC;
    if (linear && search->has_objects && find_source(search, error) != 0)
        return error->status;
    *done = identity->kind < KIND_LINEAR || count >= (linear ? CERTAIN : QUADRATIC);
    if (!*done)
        forget(identity);
    return 0;
}
