/* The objects of a settled plane. The cells that have been alive are cut into clusters that have no common neighbour. A
 * cluster whose cells are known takes a look at a table; lib/objects cuts and names the others. */
#include "worker.h"

#include <stdlib.h>
#include <string.h>

enum { SEED_X = 32, SEED_Y = 2, MARGIN = 72 }; /* a window of 64 x 64 bits, and the blank bits around the plane */

/* ---- The plane as bits ------------------------------------------------------------------------------------------- */

static void bound(const struct plane *plane, int32_t box[4])
{
    box[0] = box[1] = INT32_MAX;
    box[2] = box[3] = INT32_MIN;
    for (uint32_t i = 1; i < plane->count; i++) {
        const struct tile *tile = &plane->tiles[i];
        uint32_t any = 0;
        for (int y = 0; y < TILE_SIDE; y++)
            any |= tile_cells(plane->history[i], y);
        if (!any)
            continue;
        box[0] = tile->x < box[0] ? tile->x : box[0];
        box[1] = tile->y < box[1] ? tile->y : box[1];
        box[2] = tile->x > box[2] ? tile->x : box[2];
        box[3] = tile->y > box[3] ? tile->y : box[3];
    }
}

static int make_room(struct worker *worker, uint64_t words)
{
    if (words > worker->room) {
        free(worker->history);
        free(worker->alive);
        worker->room = words + words / 2;
        worker->history = malloc(worker->room * sizeof *worker->history);
        worker->alive = malloc(worker->room * sizeof *worker->alive);
        if (!worker->history || !worker->alive) {
            worker->room = 0;
            return -1;
        }
    }
    memset(worker->history, 0, words * sizeof *worker->history);
    memset(worker->alive, 0, words * sizeof *worker->alive);
    return 0;
}

static void put_bits(uint64_t *row, uint64_t at, uint64_t bits)
{
    row[at / 64] |= bits << at % 64;
    if (at % 64 > 64 - TILE_SIDE)
        row[at / 64 + 1] |= bits >> (64 - at % 64);
}

static uint64_t get_bits(const uint64_t *row, uint64_t at)
{
    return at % 64 ? row[at / 64] >> at % 64 | row[at / 64 + 1] << (64 - at % 64) : row[at / 64];
}

static void clear_bits(uint64_t *row, uint64_t at, uint64_t bits)
{
    row[at / 64] &= ~(bits << at % 64);
    if (at % 64)
        row[at / 64 + 1] &= ~(bits >> (64 - at % 64));
}

/* Copies the history and the live cells of all tiles to arrays of bits, with margins. */
static int copy_plane(struct worker *worker)
{
    const struct plane *plane = &worker->plane;
    int32_t box[4];
    bound(plane, box);
    worker->rows = worker->words = 0;
    if (box[0] > box[2])
        return 0;
    worker->words = (uint64_t) ((box[2] - box[0] + 1) * TILE_SIDE + 2 * MARGIN) / 64 + 2;
    worker->rows = (uint64_t) (box[3] - box[1] + 1) * TILE_SIDE + 2 * MARGIN;
    worker->left = (int64_t) box[0] * TILE_SIDE - MARGIN;
    worker->top = (int64_t) box[1] * TILE_SIDE - MARGIN;
    if (make_room(worker, worker->words * worker->rows) != 0)
        return -1;
    for (uint32_t i = 1; i < plane->count; i++) {
        const struct tile *tile = &plane->tiles[i];
        if (tile->x < box[0] || tile->x > box[2] || tile->y < box[1] || tile->y > box[3])
            continue;
        const uint64_t x = (uint64_t) (tile->x - box[0]) * TILE_SIDE + MARGIN;
        const uint64_t y = (uint64_t) (tile->y - box[1]) * TILE_SIDE + MARGIN;
        for (uint64_t k = 0; k < TILE_SIDE; k++) {
            const uint64_t cells = tile_cells(tile->rows[plane->pass & 1], (int) k);
            const uint64_t past = tile_cells(plane->history[i], (int) k);
            if (!(cells | past))
                continue;
            put_bits(worker->history + (y + k) * worker->words, x, cells | past);
            put_bits(worker->alive + (y + k) * worker->words, x, cells);
        }
    }
    return 0;
}

/* ---- Clusters ---------------------------------------------------------------------------------------------------- */

static uint64_t wide(uint64_t bits, int by)
{
    return by == 1 ? bits | bits << 1 | bits >> 1 : bits | bits << 1 | bits >> 1 | bits << 2 | bits >> 2;
}

/* Grows a cluster in a window, from row *first to row *last. Returns false if it leaves the window. */
static bool grow(const struct worker *worker, const uint64_t *from, uint64_t x, uint64_t cluster[SHAPE_SIDE], int *last)
{
    const int corner = worker->diagonal ? 2 : 1; /* cells two rows further that belong to it, to each side */
    uint64_t around[SHAPE_SIDE] = {0};
    int loaded = SEED_Y;
    bool grows = true;
    memset(cluster, 0, SHAPE_SIDE * sizeof *cluster);
    cluster[SEED_Y] = UINT64_C(1) << SEED_X;
    *last = SEED_Y;
    while (grows) {
        grows = false;
        for (int y = SEED_Y; y <= *last + 2; y++) {
            if (y >= SHAPE_SIDE - 2)
                return false;
            for (; loaded <= y; loaded++)
                around[loaded] = get_bits(from + (uint64_t) loaded * worker->words, x);
            const uint64_t more = (wide(cluster[y] | cluster[y - 1] | cluster[y + 1], 2) |
                                   wide(cluster[y - 2] | cluster[y + 2], corner)) &
                                  around[y] & ~cluster[y];
            if (!more)
                continue;
            cluster[y] |= more;
            *last = y > *last ? y : *last;
            grows = true;
        }
    }
    uint64_t columns = 0;
    for (int y = SEED_Y; y <= *last; y++)
        columns |= cluster[y];
    return !(columns & UINT64_C(0xc000000000000003));
}

/* A growing array of bits of the plane. */
struct bits {
    uint64_t *at, count, room;
};

static int append(struct bits *bits, uint64_t bit)
{
    if (bits->count == bits->room) {
        uint64_t *at = realloc(bits->at, (2 * bits->room + 1024) * sizeof *at);
        if (!at)
            return -1;
        bits->at = at;
        bits->room = 2 * bits->room + 1024;
    }
    bits->at[bits->count++] = bit;
    return 0;
}

/* Makes a patch of bits of the plane. */
static int patch_of(const struct bits *bits, uint64_t width, struct patch *patch)
{
    uint64_t box[4] = {UINT64_MAX, UINT64_MAX, 0, 0};
    for (uint64_t i = 0; i < bits->count; i++) {
        const uint64_t x = bits->at[i] % width, y = bits->at[i] / width;
        box[0] = x < box[0] ? x : box[0];
        box[1] = y < box[1] ? y : box[1];
        box[2] = x > box[2] ? x : box[2];
        box[3] = y > box[3] ? y : box[3];
    }
    *patch = (struct patch){.x = 0};
    if (bits->count == 0)
        return 0;
    if (patch_make(patch, (int64_t) box[0], (int64_t) box[1], (int64_t) (box[2] - box[0] + 1),
                   (int64_t) (box[3] - box[1] + 1)) != 0)
        return -1;
    for (uint64_t i = 0; i < bits->count; i++)
        *patch_cell(patch, (int64_t) (bits->at[i] % width), (int64_t) (bits->at[i] / width)) = 1;
    return 0;
}

/* Takes a cluster that does not fit into a window out of the history, cell by cell. */
static int take_large(struct worker *worker, uint64_t x, uint64_t y, struct patch *cells)
{
    const uint64_t width = worker->words * 64;
    struct bits queue = {.at = NULL}, alive = {.at = NULL};
    int status = append(&queue, y * width + x);
    while (status == 0 && queue.count > 0) {
        const uint64_t at = queue.at[--queue.count], bit = UINT64_C(1) << at % 64;
        if (!(worker->history[at / 64] & bit))
            continue;
        worker->history[at / 64] &= ~bit;
        if (worker->alive[at / 64] & bit)
            status = append(&alive, at);
        for (int dy = -2; status == 0 && dy <= 2; dy++)
            for (int dx = -2; status == 0 && dx <= 2; dx++) {
                const uint64_t other = at + (uint64_t) dy * width + (uint64_t) dx;
                if ((worker->diagonal || dx * dx * dy * dy < 16) && worker->history[other / 64] >> other % 64 & 1)
                    status = append(&queue, other);
            }
    }
    if (status == 0)
        status = patch_of(&alive, width, cells);
    free(queue.at);
    free(alive.at);
    return status;
}

/* The live cells of a cluster in a window. Returns false if there are none. */
static bool make_shape(const struct worker *worker, const uint64_t *from, uint64_t x,
                       const uint64_t cluster[SHAPE_SIDE], int last, struct shape *shape, int corner[2])
{
    uint64_t columns = 0;
    int top = -1, bottom = 0;
    uint64_t alive[SHAPE_SIDE];
    for (int y = SEED_Y; y <= last; y++) {
        alive[y] = get_bits(from + (uint64_t) y * worker->words, x) & cluster[y];
        columns |= alive[y];
        bottom = alive[y] ? y : bottom;
        top = alive[y] && top < 0 ? y : top;
    }
    if (!columns)
        return false;
    corner[0] = __builtin_ctzll(columns);
    corner[1] = top;
    shape->width = (uint32_t) (64 - __builtin_clzll(columns) - corner[0]);
    shape->height = (uint32_t) (bottom - top + 1);
    for (int y = top; y <= bottom; y++)
        shape->rows[y - top] = alive[y] >> corner[0];
    return true;
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static int make_patch(const struct shape *shape, int64_t x, int64_t y, struct patch *patch)
{
    if (patch_make(patch, x, y, shape->width, shape->height) != 0)
        return -1;
    for (int64_t row = 0; row < patch->height; row++)
        for (int64_t column = 0; column < patch->width; column++)
            patch->cells[row * patch->width + column] = shape->rows[row] >> column & 1;
    return 0;
}

/* Do all objects repeat themselves, and will none of them meet another one? */
static bool repeat_themselves(const struct object_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i].period == 0)
            return false;
    return objects_fly_apart(list);
}

/* Cuts a cluster into objects and finds the numbers of their names. `numbers` of *known is NULL if an object does not
 * repeat itself. */
static int learn(struct worker *worker, const struct patch *patch, uint64_t window, uint64_t longest,
                 struct known *known)
{
    const struct object_limits limits = {.window = window, .period = longest, .cells = 1 << 22};
    struct object_list list = {0};
    int status = objects_separate(&worker->rule, worker->symmetry, &limits, patch, &list);
    *known = (struct known){.count = (uint32_t) list.count, .numbers = malloc((list.count + 1) * sizeof(uint32_t))};
    status = known->numbers ? status : -1;
    bool lives = repeat_themselves(&list);
    if (status == 0 && !lives) {
        free(known->numbers);
        known->numbers = NULL;
    }
    for (size_t i = 0; status == 0 && lives && i < list.count; i++) {
        const struct object *object = &list.at[i];
        known->period = object->period > known->period ? object->period : known->period;
        if (object->dx || object->dy) {
            known->dx = object->dx;
            known->dy = object->dy;
        }
        status = names_find(&worker->names, object->code, &known->numbers[i]);
    }
    objects_free(&list);
    return status;
}

static int add_found(struct worker *worker, const struct known *known)
{
    if (worker->found_count + known->count > worker->found_room) {
        const uint64_t room = 2 * worker->found_room + known->count + 64;
        uint32_t *found = realloc(worker->found, room * sizeof *found);
        if (!found)
            return -1;
        worker->found = found;
        worker->found_room = room;
    }
    for (uint32_t i = 0; i < known->count; i++)
        worker->found[worker->found_count++] = known->numbers[i];
    return 0;
}

static int add_box(struct worker *worker, const struct known *known, const struct patch *box)
{
    struct object_list *boxes = &worker->boxes;
    if (boxes->count == boxes->room) {
        const size_t room = 2 * boxes->room + 64;
        struct object *at = realloc(boxes->at, room * sizeof *at);
        if (!at)
            return -1;
        boxes->at = at;
        boxes->room = room;
    }
    boxes->at[boxes->count++] =
        (struct object){.period = known->period, .dx = known->dx, .dy = known->dy, .cells = *box};
    return 0;
}

/* What one search of the ash has found. */
struct ash {
    uint64_t window, longest; /* steps */
    bool grow;                /* names what grows linearly */
    uint64_t period;          /* the longest of all objects */
    bool settled, ships;
};

static int take_known(struct worker *worker, struct ash *ash, const struct known *known, const struct patch *box)
{
    ash->period = known->period > ash->period ? known->period : ash->period;
    ash->ships |= known->dx || known->dy;
    return add_found(worker, known) == 0 && add_box(worker, known, box) == 0 ? 0 : -1;
}

/* Takes a cluster that grows linearly. Sets *done if it does, or if it can be no object. */
static int take_growing(struct worker *worker, struct ash *ash, const struct patch *patch, bool *done)
{
    bool chaotic;
    char code[APGCODE_SIZE] = "";
    uint32_t number;
    const struct known known = {.count = 1, .numbers = &number};
    int status = growth_name(worker, patch, code, &chaotic);
    if (status != 0)
        return status;
    ash->settled = !chaotic;
    *done = *code || chaotic;
    if (*code)
        status = names_find(&worker->names, code, &number);
    return status == 0 && *code ? add_found(worker, &known) : status;
}

/* Takes a cluster that is not known. Remembers it if it has a shape. */
static int take_patch(struct worker *worker, struct ash *ash, const struct shape *shape, const struct patch *patch)
{
    const struct patch box = {.x = patch->x, .y = patch->y, .width = patch->width, .height = patch->height};
    struct known learned = {.count = 0};
    bool done = false;
    int status = ash->grow ? take_growing(worker, ash, patch, &done) : 0;
    if (status != 0 || done)
        return status;
    status = learn(worker, patch, ash->window, ash->longest, &learned);
    ash->settled = learned.numbers;
    if (status == 0 && learned.numbers)
        status = take_known(worker, ash, &learned, &box);
    if (status == 0 && learned.numbers && shape) {
        status = known_add(&worker->known, shape, &learned);
        learned.numbers = status == 0 ? NULL : learned.numbers;
    }
    free(learned.numbers);
    return status;
}

static int take_shape(struct worker *worker, struct ash *ash, const struct shape *shape, int64_t x, int64_t y)
{
    const struct known *known = known_find(&worker->known, shape);
    struct patch patch;
    if (known->rows) {
        const struct patch box = {.x = x, .y = y, .width = shape->width, .height = shape->height};
        return take_known(worker, ash, known, &box);
    }
    if (make_patch(shape, x, y, &patch) != 0)
        return -1;
    const int status = take_patch(worker, ash, shape, &patch);
    patch_free(&patch);
    return status;
}

/* Takes the cluster whose first cell, in the order of rows, is bit x of row y. */
static int take_cluster(struct worker *worker, struct ash *ash, uint64_t x, uint64_t y)
{
    const uint64_t first = (y - SEED_Y) * worker->words, left = x - SEED_X;
    uint64_t cluster[SHAPE_SIDE];
    struct shape shape;
    int last, corner[2];
    if (!grow(worker, worker->history + first, left, cluster, &last)) {
        struct patch patch = {.x = 0};
        int status = take_large(worker, x, y, &patch);
        if (status == 0 && patch.cells)
            status = take_patch(worker, ash, NULL, &patch);
        patch_free(&patch);
        return status;
    }
    for (int row = SEED_Y; row <= last; row++)
        clear_bits(worker->history + first + (uint64_t) row * worker->words, left, cluster[row]);
    if (!make_shape(worker, worker->alive + first, left, cluster, last, &shape, corner))
        return 0;
    return take_shape(worker, ash, &shape, (int64_t) left + corner[0], (int64_t) y - SEED_Y + corner[1]);
}

int ash_take(struct worker *worker, uint32_t *passes, uint64_t longest, bool grow, bool *settled)
{
    struct ash ash = {.window = 2 * (uint64_t) *passes, .longest = longest, .grow = grow, .settled = true};
    *settled = false;
    worker->kernel->remember(&worker->plane, *passes);
    worker->steps += 2 * (uint64_t) *passes;
    worker->found_count = worker->boxes.count = 0;
    int status = worker->plane.full ? 0 : copy_plane(worker);
    for (uint64_t at = 0; status == 0 && ash.settled && at < worker->rows * worker->words; at++)
        while (status == 0 && ash.settled && worker->history[at])
            status =
                take_cluster(worker, &ash, at % worker->words * 64 + (uint64_t) __builtin_ctzll(worker->history[at]),
                             at / worker->words);
    if (status != 0 || !ash.settled || worker->plane.full)
        return status;
    if (ash.period > ash.window)
        *passes = (uint32_t) (ash.period / 2 + 1);
    else
        *settled = !ash.ships || objects_fly_apart(&worker->boxes);
    return 0;
}

int ash_take_shape(struct worker *worker, const struct shape *shape, uint64_t longest, bool *settled)
{
    struct ash ash = {.window = 2, .longest = longest, .settled = true};
    worker->found_count = worker->boxes.count = 0;
    const int status = take_shape(worker, &ash, shape, 0, 0);
    *settled = ash.settled && ash.period <= ash.window && !ash.ships;
    return status;
}
