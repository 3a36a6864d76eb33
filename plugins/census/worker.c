#include "worker.h"
#include "haul.h"

#include <stdlib.h>
#include <string.h>

enum {
    SOUP_X = 6, /* the place of the first cell: the 16 rows from 16 on of a soup C1 are in the middle of a tile */
    SOUP_Y = 18,
    LOOK_PASSES = 15, /* between two looks at the population: a multiple of most periods */
    LAGS = 16,        /* looks after which the population may repeat itself */
    FIRST_SURE = 4,   /* looks for which it has repeated itself before the objects are separated */
    MOST_SURE = 128,
    GLIDER_GAP = 12, /* of x + y: 4 of the glider, 4 in which cells have a common neighbour, and 4 for its phases */
    TILE_FRONT = 2 * TILE_SIDE - 2, /* the largest x + y in a tile */
    FIRST_WINDOW = 16,              /* passes in which objects meet */
    GROWTH_WINDOW = 640,            /* the same of a soup that grows: a stream of spaceships is part of their source */
    GROWTH_STEPS = 12000,           /* between two searches for what grows */
    FIRST_LONGEST = 1024,           /* the longest period of an object, which doubles with each try */
    MOST_LONGEST = 1 << 16
};

/* ---- Gliders that escape ----------------------------------------------------------------------------------------- */

/* Lists the 16 squares that are gliders, with 1 + (dx > 0) + 2 (dy > 0). */
static void list_gliders(uint8_t gliders[512])
{
    /* Two phases of a glider that moves to larger x and y; bit 3 y + x is cell (x, y). The others are reflections. */
    static const uint32_t phases[2] = {0742, 0265};
    memset(gliders, 0, 512);
    for (int phase = 0; phase < 2; phase++)
        for (int turn = 0; turn < 8; turn++) {
            uint32_t turned = 0;
            for (int bit = 0; bit < 9; bit++) {
                const int x = turn & 1 ? 2 - bit % 3 : bit % 3, y = turn & 2 ? 2 - bit / 3 : bit / 3;
                turned |= (phases[phase] >> bit & 1) << (turn & 4 ? 3 * x + y : 3 * y + x);
            }
            const bool right = turn & 4 ? !(turn & 2) : !(turn & 1), down = turn & 4 ? !(turn & 1) : !(turn & 2);
            gliders[turned] = (uint8_t) (1 + right + 2 * down);
        }
}

/* Does a glider live under the rule as it does in Life? */
static int check_glider(const struct object_rule *rule, bool *lives)
{
    static const struct object_limits limits = {.window = 4, .period = 4, .cells = 64};
    uint8_t cells[9] = {0, 1, 0, 0, 0, 1, 1, 1, 1};
    const struct patch glider = {.width = 3, .height = 3, .cells = cells};
    uint64_t period;
    int64_t dx, dy;
    const int status = object_period(rule, &limits, &glider, &period, &dx, &dy);
    *lives = period == 4 && dx == 1 && dy == 1;
    return status;
}

/* The direction of the glider that is all of a tile, or 0. */
static uint8_t glider_of(const struct worker *worker, const struct tile *tile)
{
    const uint32_t *const rows = tile->rows[worker->plane.pass & 1];
    uint32_t columns = 0, square = 0;
    int y = 0;
    while (!tile_cells(rows, y))
        y++;
    if (y + 2 >= TILE_SIDE)
        return 0;
    for (int k = 0; k < 3; k++)
        columns |= tile_cells(rows, y + k);
    const int x = __builtin_ctz(columns);
    for (int k = 0; k < 3; k++)
        square |= (tile_cells(rows, y + k) >> x & 7) << (3 * k);
    return __builtin_popcount(square) == 5 ? worker->gliders[square] : 0;
}

/* How far along its direction dx, dy the foremost live cell of a tile is: dx x + dy y, but for a constant. */
static int32_t front_of(const struct worker *worker, const struct tile *tile, int dx, int dy)
{
    const uint32_t *const rows = tile->rows[worker->plane.pass & 1];
    uint64_t cells = 0; /* bit x + y, or x - y + TILE_SIDE - 1 */
    for (int y = 0; y < TILE_SIDE; y++)
        cells |= (uint64_t) tile_cells(rows, y) << (dx == dy ? y : TILE_SIDE - 1 - y);
    return (dx * tile->x + dy * tile->y) * TILE_SIDE +
           (dx > 0 ? 63 - __builtin_clzll(cells) : TILE_FRONT - __builtin_ctzll(cells));
}

/* Will nothing ever meet the glider of a tile? Under a rule without births at 2 or survival at 4 or 5, live cells behind a
 * diagonal never overtake it if it moves by a cell along x in two steps, as a glider does. So the glider is free of all
 * cells that are far enough behind it, and of gliders beside and ahead of it, which are free of these cells, too. */
static bool is_free(const struct worker *worker, const struct tile *tile, uint8_t direction)
{
    const struct plane *plane = &worker->plane;
    const int dx = (direction - 1) & 1 ? 1 : -1, dy = (direction - 1) & 2 ? 1 : -1;
    const int32_t front = front_of(worker, tile, dx, dy);
    for (uint32_t i = 1; i < plane->count; i++) {
        const struct tile *other = &plane->tiles[i];
        if (!other->population || other == tile ||
            (dx * other->x + dy * other->y) * TILE_SIDE + TILE_FRONT <= front - GLIDER_GAP)
            continue;
        const int32_t place = front_of(worker, other, dx, dy);
        const bool ahead = place >= front && (abs(other->x - tile->x) > 1 || abs(other->y - tile->y) > 1);
        if (place > front - GLIDER_GAP && !(ahead && other->population == 5 && glider_of(worker, other) == direction))
            return false;
    }
    return true;
}

/* The populations are up to date. */
static void remove_gliders(struct worker *worker)
{
    struct plane *plane = &worker->plane;
    for (uint32_t i = 0; i < plane->next_count; i++) {
        struct tile *tile = &plane->tiles[plane->next[i]];
        if (tile->population != 5)
            continue;
        const uint8_t direction = glider_of(worker, tile);
        if (!direction || !is_free(worker, tile, direction))
            continue;
        plane_erase(plane, plane->next[i]);
        worker->kernel->count(plane);
        worker->removed++;
    }
}

/* ---- Running a soup ---------------------------------------------------------------------------------------------- */

/* The populations at the last looks, and for how many looks they have been those of some looks before. */
struct watch {
    int64_t at[LAGS];
    uint32_t looks, same[LAGS + 1], sure;
};

static bool repeats(struct watch *watch, int64_t population)
{
    bool result = false;
    for (uint32_t lag = 1; lag <= LAGS && lag <= watch->looks; lag++) {
        watch->same[lag] = watch->at[(watch->looks - lag) % LAGS] == population ? watch->same[lag] + 1 : 0;
        result |= watch->same[lag] >= watch->sure && watch->same[lag] >= lag;
    }
    watch->at[watch->looks++ % LAGS] = population;
    return result;
}

static void watch_again(struct watch *watch)
{
    *watch = (struct watch){.sure = watch->sure < MOST_SURE ? 2 * watch->sure : watch->sure};
}

/* Runs the plane until its population repeats itself, or all of it after two steps. */
static void run(struct worker *worker, struct watch *watch)
{
    struct plane *plane = &worker->plane;
    bool done = false;
    while (!done && worker->steps < worker->limit && worker->steps < worker->next_growth && !plane->full) {
        worker->kernel->advance(plane, LOOK_PASSES);
        worker->steps += 2 * LOOK_PASSES;
        if (plane->next_count == 0)
            return;
        const int64_t population = worker->kernel->count(plane) + 5 * (int64_t) worker->removed;
        done = repeats(watch, population);
        if (worker->glider)
            remove_gliders(worker);
    }
}

static void count_object(struct worker *worker, uint32_t name, uint64_t count, uint64_t soup)
{
    worker->names.at[name].count += count;
    names_sample(&worker->names.at[name], soup);
}

static void count_soup(struct worker *worker, uint64_t soup)
{
    for (uint64_t i = 0; i < worker->found_count; i++)
        count_object(worker, worker->found[i], 1, soup);
    if (worker->removed)
        count_object(worker, worker->glider, worker->removed, soup);
}

int soups_take(struct worker *worker, uint64_t number, const uint64_t *rows, uint32_t count)
{
    struct plane *plane = &worker->plane;
    struct watch watch = {.sure = FIRST_SURE};
    uint64_t longest = FIRST_LONGEST;
    bool settled = false;
    int status = 0;
    plane_clear(plane);
    for (uint32_t y = 0; y < count; y++)
        for (uint64_t rest = rows[y]; rest; rest &= rest - 1)
            plane_put(plane, SOUP_X + __builtin_ctzll(rest), SOUP_Y + y);
    plane_wake(plane);
    worker->removed = worker->steps = 0;
    worker->next_growth = GROWTH_STEPS;
    while (status == 0 && !settled && worker->steps < worker->limit && !plane->full) {
        run(worker, &watch);
        const bool grow = worker->steps >= worker->next_growth;
        uint32_t passes = grow ? GROWTH_WINDOW : plane->next_count == 0 ? 1 : FIRST_WINDOW, before;
        worker->next_growth += grow ? GROWTH_STEPS : 0;
        worker->kernel->count(plane);
        do {
            before = passes;
            status = ash_take(worker, &passes, longest, grow, &settled);
        } while (status == 0 && !settled && passes > before);
        watch_again(&watch);
        longest = longest < MOST_LONGEST ? 2 * longest : longest;
    }
    if (status == 0 && settled)
        count_soup(worker, number);
    else if (status == 0)
        count_object(worker, worker->given_up, 1, number);
    return status;
}

int soups_take_cluster(struct worker *worker, uint64_t number, const struct shape *shape)
{
    bool settled;
    worker->removed = 0;
    const int status = ash_take_shape(worker, shape, FIRST_LONGEST, &settled);
    if (status == 0 && settled)
        count_soup(worker, number);
    return status == 0 && !settled ? 1 : status;
}

void soups_take_glider(struct worker *worker, uint64_t number)
{
    count_object(worker, worker->glider, 1, number);
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

int soups_open(struct worker *worker, const struct plane_kernel *kernel, uint32_t birth, uint32_t survive,
               uint64_t limit)
{
    bool lives = false;
    *worker = (struct worker){.kernel = kernel, .limit = limit, .birth = birth, .survive = survive};
    for (uint32_t square = 0; square < 512; square++) {
        const int total = __builtin_popcount(square & ~16u);
        worker->rule.next[square] = (square & 16 ? survive : birth) >> total & 1;
    }
    object_rule_count(&worker->rule);
    worker->rule.past = worker_past;
    worker->rule.may_repeat = worker_may_repeat;
    worker->rule.context = worker;
    worker->symmetry = apgcode_symmetry(&worker->rule);
    worker->diagonal = birth >> 2 & 1;
    list_gliders(worker->gliders);
    if (plane_open(&worker->plane, birth, survive) == 0 && plane_open(&worker->spare, birth, survive) == 0 &&
        names_open(&worker->names) == 0 && known_open(&worker->known) == 0 &&
        check_glider(&worker->rule, &lives) == 0 && names_find(&worker->names, HAUL_GIVEN_UP, &worker->given_up) == 0 &&
        (!lives || survive >> 5 & 1 || names_find(&worker->names, "xq4_153", &worker->glider) == 0))
        return 0;
    soups_close(worker);
    return -1;
}

void soups_close(struct worker *worker)
{
    plane_close(&worker->plane);
    plane_close(&worker->spare);
    names_close(&worker->names);
    known_close(&worker->known);
    free(worker->history);
    free(worker->alive);
    free(worker->found);
    free(worker->boxes.at);
    *worker = (struct worker){0};
}
