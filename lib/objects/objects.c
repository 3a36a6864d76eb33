#include "objects/objects.h"
#include "objects/islands.h"

#include <stdlib.h>
#include <string.h>

enum {
    SPREAD = 4, /* times, and cells besides, that the box of a phase may be as large as that of another */
    SPREAD_CELLS = 1 << 18,
    SURPRISING = 64,   /* a period for which object_rule.may_repeat is asked */
    FIRST_WINDOW = 8,  /* of a cluster that does not repeat itself, because paths of spaceships cross in it */
    TRIED_STEPS = 256, /* in which the parts of such a cluster must live alone */
    SHIP_TRIES = 4096, /* ways to cut a spaceship into groups of islands */
    MOST_GROUPS = 4,   /* of islands, by the theorem of four colours */
    MOST_CROSSING = 7  /* where cells at opposite corners make a third one alive, so that islands may cross */
};

static const double MOST_STEPS = 1e6; /* of all ways to cut an oscillator, as in apgsearch */

/* What a search works with. */
struct search {
    const struct object_rule *rule;
    const struct object_limits *limits;
    enum reach reach;
    enum apgcode_symmetry symmetry;
    struct object_list *list;
};

void objects_free(struct object_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        patch_free(&list->at[i].cells);
        free(list->at[i].code);
    }
    free(list->at);
    *list = (struct object_list){0};
}

int object_period(const struct object_rule *rule, const struct object_limits *limits, const struct patch *patch,
                  uint64_t *period, int64_t *dx, int64_t *dy)
{
    /* What spreads so far is a pattern that grows. */
    const int64_t spread = SPREAD * patch->width * patch->height + SPREAD_CELLS;
    struct patch now;
    bool may = true;
    int status = patch_copy(patch, &now);
    *period = 0;
    *dx = *dy = 0;
    for (uint64_t step = 1; status == 0 && step <= limits->period && *period == 0; step++) {
        if (step == SURPRISING && rule->may_repeat)
            status = rule->may_repeat(rule->context, patch, limits->period, spread, &may);
        if (status != 0 || !may)
            break;
        status = patch_step(&now, rule);
        if (status != 0 || !now.cells || now.width * now.height > limits->cells || now.width * now.height > spread)
            break;
        if (patch_has_form(&now, patch)) {
            *period = step;
            *dx = now.x - patch->x;
            *dy = now.y - patch->y;
        }
    }
    patch_free(&now);
    return status;
}

/* ---- Objects ----------------------------------------------------------------------------------------------------- */

static int name_object(const struct search *search, struct object *object)
{
    char form[APGCODE_FORM + 1] = "", code[APGCODE_SIZE] = "";
    struct patch now;
    int status = patch_copy(&object->cells, &now);
    for (uint64_t step = 0; status == 0 && step < object->period; step++) {
        status = apgcode_add_phase(&now, 2, search->symmetry, form);
        if (status == 0)
            status = patch_step(&now, search->rule);
    }
    patch_free(&now);
    if (object->period > 0)
        apgcode_name(object->period, object->dx || object->dy, object->population, form, code);
    object->code = strdup(code);
    return status == 0 && object->code ? 0 : -1;
}

/* `repeats`: the object has a period within the limits. */
static int add_object(const struct search *search, const struct patch *patch, bool repeats)
{
    struct object_list *list = search->list;
    if (list->count == list->room) {
        struct object *at = realloc(list->at, (2 * list->room + 16) * sizeof *at);
        if (!at)
            return -1;
        list->at = at;
        list->room = 2 * list->room + 16;
    }
    struct object *object = &list->at[list->count];
    *object = (struct object){.population = patch_population(patch)};
    if (patch_copy(patch, &object->cells) != 0)
        return -1;
    list->count++;
    const int status =
        repeats ? object_period(search->rule, search->limits, patch, &object->period, &object->dx, &object->dy) : 0;
    return status == 0 ? name_object(search, object) : status;
}

/* ---- Clusters ---------------------------------------------------------------------------------------------------- */

static int take_cluster(const struct search *search, const struct patch *patch);

static int take_clusters(const struct search *search, const struct parts *parts)
{
    int status = 0;
    for (uint32_t i = 0; status == 0 && i < parts->count; i++)
        status = take_cluster(search, &parts->at[i]);
    return status;
}

/* Cuts by groups of islands until none can be cut. */
static int take_islands(const struct search *search, const struct patch *patch, uint64_t period, bool moves)
{
    struct patch history;
    struct parts islands = {0}, groups = {0};
    const uint32_t most = search->reach == REACH_ALL ? MOST_CROSSING : MOST_GROUPS;
    /* A spaceship's islands are those of one phase, because its history joins them. */
    int status = islands_history(search->rule, patch, moves ? 0 : period + 2, search->limits->cells, &history);
    if (status == 0)
        status = islands_cut(patch, &history, REACH_TOUCH, &islands);
    if (status == 0)
        status = islands_group(search->rule, patch, &islands, period, most,
                               moves ? SHIP_TRIES : MOST_STEPS / (double) (period + 2), &groups);
    if (status == 0 && groups.count == 1)
        status = add_object(search, patch, true);
    for (uint32_t i = 0; status == 0 && groups.count > 1 && i < groups.count; i++)
        status = take_islands(search, &groups.at[i], period, moves);
    patch_free(&history);
    parts_free(&islands);
    parts_free(&groups);
    return status;
}

static int take_oscillator(const struct search *search, const struct patch *patch, uint64_t period)
{
    struct patch history;
    struct parts parts = {0};
    int status = islands_history(search->rule, patch, period + 2, search->limits->cells, &history);
    if (status == 0)
        status = islands_cut_dependent(search->rule, patch, &history, period, &parts);
    for (uint32_t i = 0; status == 0 && i < parts.count; i++)
        status = take_islands(search, &parts.at[i], period, false);
    patch_free(&history);
    parts_free(&parts);
    return status;
}

/* Cuts a cluster by what is near in `window` steps. Sets *cut if there are parts that live alone for `steps` steps, and
 * takes them. */
static int cut_by_window(const struct search *search, const struct patch *patch, uint64_t window, uint64_t steps,
                         bool *cut)
{
    struct patch history;
    struct parts parts = {0};
    *cut = false;
    int status = islands_history(search->rule, patch, window, search->limits->cells, &history);
    if (status == 0)
        status = islands_cut(patch, &history, search->reach, &parts);
    if (status == 0 && parts.count > 1)
        status = islands_live_alone(search->rule, patch, &parts, steps, cut);
    if (status == 0 && *cut)
        status = take_clusters(search, &parts);
    patch_free(&history);
    parts_free(&parts);
    return status;
}

/* Cuts a cluster that does not repeat itself. */
static int take_crossing(const struct search *search, const struct patch *patch)
{
    bool cut = false;
    int status = 0;
    for (uint64_t window = FIRST_WINDOW; status == 0 && !cut && window < search->limits->window; window *= 4)
        status = cut_by_window(search, patch, window, TRIED_STEPS, &cut);
    return status != 0 || cut ? status : add_object(search, patch, false);
}

static int take_spaceship(const struct search *search, const struct patch *patch, uint64_t period)
{
    bool cut;
    const int status = cut_by_window(search, patch, period + 2, period, &cut);
    return status != 0 || cut ? status : take_islands(search, patch, period, true);
}

static int take_cluster(const struct search *search, const struct patch *patch)
{
    uint64_t period;
    int64_t dx, dy;
    const int status = object_period(search->rule, search->limits, patch, &period, &dx, &dy);
    if (status != 0)
        return status;
    if (period == 0)
        return take_crossing(search, patch);
    return dx || dy ? take_spaceship(search, patch, period) : take_oscillator(search, patch, period);
}

int objects_separate(const struct object_rule *rule, enum apgcode_symmetry symmetry, const struct object_limits *limits,
                     const struct patch *universe, struct object_list *list)
{
    const struct search search = {rule, limits, islands_reach(rule), symmetry, list};
    struct patch patch, history = {0};
    struct parts parts = {0};
    int status = patch_copy(universe, &patch);
    if (status == 0)
        status = patch_trim(&patch);
    if (status == 0)
        status = islands_history(rule, &patch, limits->window, limits->cells, &history);
    if (status == 0)
        status = islands_cut(&patch, &history, search.reach, &parts);
    if (status == 0)
        status = take_clusters(&search, &parts);
    patch_free(&patch);
    patch_free(&history);
    parts_free(&parts);
    return status;
}

/* ---- Flying apart ------------------------------------------------------------------------------------------------ */

/* Do two intervals that approach with a speed meet between the times *from and *to? Narrows these times. */
static void meet(double begin, double end, double other_begin, double other_end, double speed, double *from, double *to)
{
    const double margin = 6; /* cells that a spaceship's other phases and its neighbours take */
    const double first = other_begin - end - margin, last = other_end - begin + margin;
    if (speed == 0) {
        *to = first < 0 && last > 0 ? *to : -1;
        return;
    }
    const double a = first / speed, b = last / speed;
    *from = (a < b ? a : b) > *from ? (a < b ? a : b) : *from;
    *to = (a < b ? b : a) < *to ? (a < b ? b : a) : *to;
}

static bool will_meet(const struct object *a, const struct object *b)
{
    const struct patch *p = &a->cells, *q = &b->cells;
    const double vx = (double) a->dx / (double) a->period - (double) b->dx / (double) b->period;
    const double vy = (double) a->dy / (double) a->period - (double) b->dy / (double) b->period;
    double from = 0, to = 1e18;
    if (vx == 0 && vy == 0)
        return false;
    meet((double) p->x, (double) (p->x + p->width), (double) q->x, (double) (q->x + q->width), vx, &from, &to);
    meet((double) p->y, (double) (p->y + p->height), (double) q->y, (double) (q->y + q->height), vy, &from, &to);
    return from <= to;
}

bool objects_fly_apart(const struct object_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        for (size_t k = 0; (list->at[i].dx || list->at[i].dy) && k < list->count; k++)
            if (k != i && will_meet(&list->at[i], &list->at[k]))
                return false;
    return true;
}
