#include "identify/plane.h"
#include "base/error.h"
#include "objects/place_hash.h"

#include <engine/queue.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 64, ALIGNMENT = 64 }; /* cells around a pattern; extents are multiples */
static const uint64_t MOST_CELLS = 1 << 26;

static uint64_t cells_of(const int64_t extent[3])
{
    return (uint64_t) extent[0] * (uint64_t) extent[1] * (uint64_t) extent[2];
}

/* ---- Looking at the cells ---------------------------------------------------------------------------------------- */

static int make_powers(struct plane *plane, int64_t count, struct engine_error *error)
{
    if (plane->power_count >= count)
        return 0;
    uint64_t *powers = realloc(plane->powers, (size_t) count * sizeof *powers);
    if (!powers)
        return error_memory(error, (uint64_t) count * sizeof *powers, "hashes");
    const uint64_t base = place_factor(1, 0, 0);
    for (int64_t i = plane->power_count; i < count; i++)
        powers[i] = i == 0 ? 1 : place_multiply(powers[i - 1], base);
    plane->powers = powers;
    plane->power_count = count;
    return 0;
}

/* The first cell from x on that is not empty. */
static int64_t next_live(const uint8_t *row, int64_t x, int64_t width, uint8_t empty)
{
    uint64_t words[4], empties = empty * 0x0101010101010101u;
    for (; x + 32 <= width; x += 32) {
        memcpy(words, row + x, sizeof words);
        if (((words[0] ^ empties) | (words[1] ^ empties) | (words[2] ^ empties) | (words[3] ^ empties)) != 0)
            break;
    }
    while (x < width && row[x] == empty)
        x++;
    return x;
}

/* Widens the box of the live cells by those of a row. */
static void widen(struct sight *sight, const int64_t first[3], int64_t width)
{
    const int64_t size[3] = {width, 1, 1};
    for (int axis = 0; axis < 3; axis++) {
        const bool fresh = sight->population == 0;
        const int64_t begin = sight->at[axis], end = begin + sight->extent[axis], behind = first[axis] + size[axis];
        sight->at[axis] = fresh || first[axis] < begin ? first[axis] : begin;
        sight->extent[axis] = (fresh || behind > end ? behind : end) - sight->at[axis];
    }
}

/* The hash of a row, as if its first cell were at x = 0. */
static uint64_t see_row(struct plane *plane, const uint8_t *row, int64_t y, int64_t z)
{
    const int64_t width = plane->cells_extent[0];
    const uint8_t empty = plane->sight.empty;
    int64_t first = next_live(row, 0, width, empty), last = first;
    uint64_t sum = 0, count = 0;
    for (int64_t x = first; x < width; x = next_live(row, x + 1, width, empty), count++) {
        sum = place_add(sum, row[x] == 1 ? plane->powers[x] : place_multiply(plane->states[row[x]], plane->powers[x]));
        last = x;
    }
    if (count > 0)
        widen(&plane->sight, (int64_t[3]){plane->cells_at[0] + first, y, z}, last + 1 - first);
    plane->sight.population += count;
    return sum;
}

/* Fills in plane->sight from the cells. */
static int see(struct plane *plane, struct engine_error *error)
{
    const int64_t *at = plane->cells_at, *extent = plane->cells_extent;
    const uint64_t down = place_factor(0, 1, 0);
    struct sight *sight = &plane->sight;
    if (make_powers(plane, extent[0], error) != 0)
        return error->status;
    sight->place = sight->population = 0;
    memset(sight->extent, 0, sizeof sight->extent);
    for (int64_t z = 0; z < extent[2]; z++) {
        uint64_t factor = place_factor(at[0], at[1], at[2] + z);
        for (int64_t y = 0; y < extent[1]; y++, factor = place_multiply(factor, down)) {
            const uint8_t *row = plane->cells + (z * extent[1] + y) * extent[0];
            const uint64_t sum = see_row(plane, row, at[1] + y, at[2] + z);
            sight->place = sum ? place_add(sight->place, place_multiply(sum, factor)) : sight->place;
        }
    }
    sight->form = place_multiply(sight->place, place_factor(-sight->at[0], -sight->at[1], -sight->at[2]));
    return 0;
}

uint8_t plane_cell(const struct plane *plane, int64_t x, int64_t y, int64_t z)
{
    const int64_t cell[3] = {x - plane->cells_at[0], y - plane->cells_at[1], z - plane->cells_at[2]};
    for (int axis = 0; axis < 3; axis++)
        if (cell[axis] < 0 || cell[axis] >= plane->cells_extent[axis])
            return plane->sight.empty;
    return plane->cells[(cell[2] * plane->cells_extent[1] + cell[1]) * plane->cells_extent[0] + cell[0]];
}

/* ---- Reading the grid -------------------------------------------------------------------------------------------- */

/* Reads the cells in which live ones may be, and sees them. */
static int look(struct plane *plane, const int64_t at[3], const int64_t extent[3], struct engine_error *error)
{
    struct engine_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.begin[axis] = (uint64_t) (at[axis] - plane->origin[axis]);
        box.end[axis] = box.begin[axis] + (uint64_t) extent[axis];
        plane->cells_at[axis] = at[axis];
        plane->cells_extent[axis] = extent[axis];
    }
    const uint64_t bytes = cells_of(extent);
    if (bytes > plane->room) {
        free(plane->cells);
        plane->room = 2 * bytes;
        plane->cells = malloc(plane->room);
        if (!plane->cells)
            return error_memory(error, plane->room, "the cells of the pattern");
    }
    if (engine_run_read(plane->run, plane->field, &box, plane->cells, bytes, error) != 0)
        return error->status;
    return see(plane, error);
}

/* Reads the first cell of the grid, which no pattern reaches. */
static int look_at_empty(struct plane *plane, struct engine_error *error)
{
    const struct engine_box box = {{0, 0, 0}, {1, 1, 1}};
    return plane->bounded ? 0 : engine_run_read(plane->run, plane->field, &box, &plane->sight.empty, 1, error);
}

/* ---- Grids ------------------------------------------------------------------------------------------------------- */

static int put_grid(struct engine_config *config, uint32_t rank, const int64_t extent[3], struct engine_error *error)
{
    char size[96];
    int used = 0;
    for (uint32_t axis = 0; axis < rank; axis++)
        used += snprintf(size + used, sizeof size - (size_t) used, "%s%lld", axis ? " " : "", (long long) extent[axis]);
    if (engine_config_put(config, "grid", "size", size, error) != 0 ||
        engine_config_put(config, "grid", "edges", "torus", error) != 0)
        return error->status;
    /* A step of one call is too short to be shared among threads. */
    return engine_config_get(config, "run", "threads") ? 0 : engine_config_put(config, "run", "threads", "1", error);
}

/* Plans a run on a grid of that size, at a step, with the cells that `fill` is given. */
static int open_grid(const struct plane *plane, const int64_t extent[3], uint64_t step, const uint8_t *cells,
                     struct engine_run **run, struct engine_error *error)
{
    struct engine_config *config;
    *run = NULL;
    if (engine_config_copy(plane->config, &config, error) != 0)
        return error->status;
    int status = put_grid(config, plane->rank, extent, error);
    if (status == 0)
        status = engine_run_plan(config, run, error);
    engine_config_close(config);
    if (status == 0)
        engine_run_set_flags(*run, ENGINE_RUN_NO_FILES);
    if (status == 0)
        status = engine_run_prepare(*run, step, error);
    if (status == 0)
        status = engine_run_write(*run, plane->field, NULL, cells, cells_of(extent), error);
    return status == 0 ? engine_run_start(*run, error) : status;
}

/* Puts the cells into a new array, in which the first cell of the plane's box is at `at`. */
static void place_cells(const struct plane *plane, const int64_t at[3], const int64_t extent[3], uint8_t *cells)
{
    const int64_t *from = plane->sight.extent, *first = plane->sight.at;
    memset(cells, plane->sight.empty, cells_of(extent));
    for (int64_t z = 0; z < from[2]; z++)
        for (int64_t y = 0; y < from[1]; y++)
            for (int64_t x = 0; x < from[0]; x++)
                cells[((at[2] + z) * extent[1] + at[1] + y) * extent[0] + at[0] + x] =
                    plane_cell(plane, first[0] + x, first[1] + y, first[2] + z);
}

/* Sets *full if the grid would be too large. */
static int grow(struct plane *plane, bool *full, struct engine_error *error)
{
    int64_t extent[3] = {1, 1, 1}, at[3] = {0};
    struct engine_run *run;
    for (uint32_t axis = 0; axis < plane->rank; axis++) {
        const int64_t size = plane->sight.extent[axis], margin = MARGIN + 4 * (int64_t) plane->reach[axis];
        extent[axis] = size + (size > 2 * margin ? size : 2 * margin);
        extent[axis] += (ALIGNMENT - extent[axis] % ALIGNMENT) % ALIGNMENT;
        /* Even distances, for rules that take blocks of cells. */
        at[axis] = (extent[axis] - size) / 2;
        at[axis] += (plane->sight.at[axis] - at[axis]) & 1;
    }
    *full = cells_of(extent) > plane->most_cells;
    if (*full)
        return 0;
    uint8_t *cells = malloc(cells_of(extent));
    if (!cells)
        return error_memory(error, cells_of(extent), "a larger grid");
    place_cells(plane, at, extent, cells);
    const int status = open_grid(plane, extent, plane->step, cells, &run, error);
    free(cells);
    engine_run_close(plane->run);
    plane->run = run;
    for (int axis = 0; axis < 3; axis++) {
        plane->origin[axis] = plane->sight.at[axis] - at[axis];
        plane->extent[axis] = extent[axis];
    }
    return status;
}

/* Is there room for a step, with an empty cell at each edge? */
static bool has_room(const struct plane *plane)
{
    for (uint32_t axis = 0; axis < plane->rank && plane->sight.population > 0 && !plane->bounded; axis++) {
        const int64_t begin = plane->sight.at[axis] - plane->origin[axis], reach = plane->reach[axis] + 1;
        if (begin <= 2 * reach || begin + plane->sight.extent[axis] + 2 * reach >= plane->extent[axis])
            return false;
    }
    return true;
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

static int find_field(struct plane *plane, const char *path, struct engine_error *error)
{
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct engine_shape shape = {.size = sizeof shape};
    char size[80];
    engine_run_plugin(plane->run, &plugin);
    const struct engine_field *field = plugin.about->fields.at;
    engine_run_shape(plane->run, 0, &shape);
    if (strstr(engine_run_size(plane->run, 0, size), "unbounded"))
        return error_set(error, ENGINE_STATUS_INPUT,
                         "%s: the grid is %s; expected a size along all axes, or a pattern file that states no grid",
                         path, size);
    if (shape.type != ENGINE_U8 || shape.components != 1)
        return error_set(error, ENGINE_STATUS_INPUT,
                         "%s: the cells of plugin %s are no states, expected a field of bytes", path,
                         plugin.about->name);
    plane->rank = shape.rank;
    plane->values = field->values;
    for (int axis = 0; axis < 3; axis++) {
        plane->reach[axis] = field->reach[axis] ? field->reach[axis] : (uint32_t) axis < shape.rank;
        plane->extent[axis] = (int64_t) shape.extent[axis];
    }
    return 0;
}

/* A pattern that comes again must live as before. */
static int check_steps(const struct plane *plane, const char *path, struct engine_error *error)
{
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    const struct engine_impl *impl = engine_run_impl(plane->run);
    engine_run_plugin(plane->run, &plugin);
    if (!(impl->flags & (ENGINE_SEEDED | ENGINE_TIMED)))
        return 0;
    return error_set(error, ENGINE_STATUS_INPUT,
                     "%s: the steps of %s/%s %s, so a pattern that comes again need not repeat what followed it; "
                     "expected a rule that is the same in all steps",
                     path, plugin.about->name, impl->name,
                     impl->flags & ENGINE_SEEDED ? "use random numbers" : "depend on their number");
}

static int assign(struct plane *plane, const struct engine_question *question, struct engine_error *error)
{
    int status = 0;
    for (uint32_t i = 0; status == 0 && i < question->count; i++)
        status = engine_config_set(plane->config, question->assignments[i], error);
    plane->bounded =
        !engine_config_get(plane->config, "grid", "size") || engine_config_is_assigned(plane->config, "grid", "edges");
    return status != 0 || engine_config_get(plane->config, "run", "implementation")
               ? status
               : engine_config_put(plane->config, "run", "implementation", "cpu", error);
}

/* Finds how many states a cell has. A field may have fewer than its plugin declares, and the run refuses the others. */
static int count_states(struct plane *plane, struct engine_error *error)
{
    const struct engine_box box = {{0, 0, 0}, {1, 1, 1}};
    struct engine_error refused;
    const uint32_t declared = plane->values ? plane->values : 256;
    uint32_t state = 2;
    for (; state < declared; state++) {
        const uint8_t cell = (uint8_t) state;
        if (engine_run_write(plane->run, plane->field, &box, &cell, 1, &refused) != 0)
            break;
    }
    plane->values = state;
    return engine_run_write(plane->run, plane->field, &box, &plane->sight.empty, 1, error);
}

int plane_open(struct engine_context *context, const char *path, const struct engine_question *question,
               struct plane *plane, struct engine_error *error)
{
    bool full = false;
    *plane = (struct plane){.most_cells = question->cells ? question->cells : MOST_CELLS};
    for (uint32_t state = 0; state < 256; state++)
        plane->states[state] = state == 1 ? 1 : place_state(state);
    int status = engine_config_of_pattern(context, path, NULL, &plane->config, error);
    if (status == 0)
        status = assign(plane, question, error);
    if (status == 0)
        status = engine_run_plan(plane->config, &plane->run, error);
    if (status == 0)
        status = check_steps(plane, path, error);
    if (status == 0)
        status = find_field(plane, path, error);
    if (status == 0)
        status = engine_run_prepare(plane->run, 0, error);
    if (status == 0)
        status = look(plane, plane->origin, plane->extent, error);
    if (status == 0 && plane->bounded)
        return engine_run_start(plane->run, error);
    if (status == 0)
        status = grow(plane, &full, error);
    if (status == 0 && !full)
        status = count_states(plane, error);
    return full ? error_set(error, ENGINE_STATUS_INPUT, "%s: the pattern has %lld x %lld cells, which is too large",
                            path, (long long) plane->sight.extent[0], (long long) plane->sight.extent[1])
                : status;
}

void plane_close(struct plane *plane)
{
    engine_run_close(plane->run);
    engine_config_close(plane->config);
    free(plane->cells);
    free(plane->powers);
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

/* Looks at the cells that a step may have made alive. */
static int look_around(struct plane *plane, struct engine_error *error)
{
    int64_t at[3], extent[3];
    for (int axis = 0; axis < 3; axis++) {
        const int64_t reach = (uint32_t) axis < plane->rank && !plane->bounded ? plane->reach[axis] : 0;
        at[axis] = plane->bounded ? plane->origin[axis] : plane->sight.at[axis] - reach;
        extent[axis] = plane->bounded ? plane->extent[axis] : plane->sight.extent[axis] + 2 * reach;
    }
    return plane->sight.population == 0 && !plane->bounded ? 0 : look(plane, at, extent, error);
}

int plane_step(struct plane *plane, bool *full, struct engine_error *error)
{
    uint64_t taken;
    *full = false;
    if (!has_room(plane) && grow(plane, full, error) != 0)
        return error->status;
    if (*full)
        return 0;
    if (engine_run_advance(plane->run, 1, &taken, NULL, error) != 0)
        return error->status;
    if (taken == 0)
        return error_set(error, ENGINE_STATUS_USAGE, "stopped at step %llu", (unsigned long long) plane->step);
    plane->step++;
    const int status = look_at_empty(plane, error);
    return status == 0 ? look_around(plane, error) : status;
}

/* ---- The rule ---------------------------------------------------------------------------------------------------- */

enum { TILES = 32, TILE_ROWS = 16, WIDTH = 3 * TILES, HEIGHT = 3 * TILE_ROWS };

/* The middle of a tile of 3 x 3 cells, in a grid of that width. */
static int64_t middle_of(int tile, int64_t width)
{
    return (3 * (tile / TILES) + 1) * width + 3 * (tile % TILES) + 1;
}

/* What the tiles try: the neighbours that are not alive are dead, or in state 2; the cell is dead or alive, or in one of
 * the states from 2 on. */
enum trial { TRY_RULE, TRY_DYING, TRY_AGES, TRIALS };

/* The state of a cell of a tile, by its bit of the neighbourhood. */
static uint8_t state_of(const struct plane *plane, enum trial trial, int tile, int bit)
{
    if (bit == 4 && trial == TRY_AGES)
        return (uint8_t) (2 + (uint32_t) tile % (plane->values - 2));
    return tile >> bit & 1 ? 1 : bit != 4 && trial != TRY_RULE ? 2 : 0;
}

/* Makes the tiles, lets them take a step, and takes the states of the middle cells. */
static int step_tiles(const struct plane *plane, const int64_t extent[3], enum trial trial, uint8_t *cells,
                      uint8_t middles[512], struct engine_error *error)
{
    struct engine_run *run;
    memset(cells, 0, cells_of(extent));
    for (int tile = 0; tile < 512; tile++)
        for (int bit = 0; bit < 9; bit++)
            cells[middle_of(tile, extent[0]) + (bit / 3 - 1) * extent[0] + bit % 3 - 1] =
                state_of(plane, trial, tile, bit);
    int status = open_grid(plane, extent, 0, cells, &run, error);
    if (status == 0)
        status = engine_run_advance(run, 1, NULL, NULL, error);
    if (status == 0)
        status = engine_run_read(run, plane->field, NULL, cells, cells_of(extent), error);
    engine_run_close(run);
    for (int tile = 0; status == 0 && tile < 512; tile++)
        middles[tile] = cells[middle_of(tile, extent[0])];
    return status;
}

/* Is it what a rule of Generations gives: cells from state 2 on count as dead and age, and cells that do not survive
 * begin to age? */
static bool fits(const struct plane *plane, enum trial trial, const uint8_t next[512], const uint8_t middles[512])
{
    for (int tile = 0; tile < 512; tile++) {
        const uint8_t dies = tile >> 4 & 1 ? (uint8_t) (2 % plane->values) : 0;
        const uint32_t aged = state_of(plane, trial, tile, 4) + 1u;
        if (middles[tile] != (trial == TRY_AGES ? aged % plane->values : next[tile] ? 1 : dies))
            return false;
    }
    return true;
}

static int try_rule(const struct plane *plane, const int64_t extent[3], uint8_t *cells, uint8_t next[512], bool *known,
                    struct engine_error *error)
{
    const int trials = plane->values == 2 ? 1 : TRIALS;
    for (int trial = TRY_RULE; trial < trials && *known; trial++) {
        uint8_t middles[512];
        if (step_tiles(plane, extent, (enum trial) trial, cells, middles, error) != 0)
            return error->status;
        for (int tile = 0; tile < 512 && trial == TRY_RULE; tile++)
            next[tile] = middles[tile] == 1;
        *known = fits(plane, (enum trial) trial, next, middles);
    }
    return 0;
}

int plane_rule(const struct plane *plane, uint8_t next[512], bool *known, struct engine_error *error)
{
    /* The grid is as large as the plane's, because the pattern of the configuration must fit into it. */
    const int64_t extent[3] = {plane->extent[0] > WIDTH ? plane->extent[0] : WIDTH,
                               plane->extent[1] > HEIGHT ? plane->extent[1] : HEIGHT, 1};
    *known = plane->values >= 2 && plane->rank == 2 && plane->reach[0] == 1 && plane->reach[1] == 1;
    if (!*known)
        return 0;
    uint8_t *cells = malloc(cells_of(extent));
    if (!cells)
        return error_memory(error, cells_of(extent), "the table of a rule");
    const int status = try_rule(plane, extent, cells, next, known, error);
    free(cells);
    return status;
}
