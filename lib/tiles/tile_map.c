#include "tiles/tile_map.h"
#include "run/init_field.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BITS = 6 };

static uint32_t fields_of(const struct tile_map *map)
{
    return map->plan->plugin->about.fields.count;
}

static const struct engine_shape *shape_of(const struct tile_map *map, uint32_t field)
{
    return &map->tiling->geometry[field].shape;
}

static uint64_t bytes_of(const struct tile_map *map, uint32_t field)
{
    return type_bytes(shape_of(map, field)->type);
}

uint64_t tile_map_width(const struct tile_map *map, uint32_t field)
{
    return map->tiling->side[0] * shape_of(map, field)->components;
}

uint64_t tile_map_grid_width(const struct tile_map *map, uint32_t field)
{
    return map->plan->shapes[field].extent[0] * shape_of(map, field)->components;
}

/* ---- The table -------------------------------------------------------------------------------------------------- */

static uint64_t place(const struct tile_map *map, const uint64_t at[3])
{
    uint64_t hash = at[0] * UINT64_C(0x9e3779b97f4a7c15) ^ at[1] * UINT64_C(0xd6e8feb86659fd93) ^
                    at[2] * UINT64_C(0xca5a826395121157);
    hash = (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return hash >> (64 - map->bits);
}

struct tile *tile_map_find(const struct tile_map *map, const uint64_t at[3])
{
    struct tile *tile = map->table[place(map, at)];
    while (tile && (tile->at[0] != at[0] || tile->at[1] != at[1] || tile->at[2] != at[2]))
        tile = tile->next;
    return tile;
}

static void enter(struct tile_map *map, struct tile *tile)
{
    struct tile **first = &map->table[place(map, tile->at)];
    tile->next = *first;
    *first = tile;
}

static void enter_all(struct tile_map *map)
{
    memset(map->table, 0, (sizeof *map->table) << map->bits);
    for (uint64_t i = 0; i < map->count; i++)
        enter(map, map->list[i]);
}

/* Makes room for one tile more. */
static int grow(struct tile_map *map, struct engine_error *error)
{
    if (map->count < map->room)
        return 0;
    const uint32_t bits = map->room == 0 ? FIRST_BITS : map->bits + 1;
    struct tile **list = realloc(map->list, (sizeof *list) << bits);
    struct tile **table = malloc((sizeof *table) << bits);
    map->list = list ? list : map->list;
    if (!list || !table) {
        free(table);
        return error_memory(error, (sizeof *table) << bits, "the table of the tiles");
    }
    free(map->table);
    map->table = table;
    map->bits = bits;
    map->room = UINT64_C(1) << bits;
    enter_all(map);
    return 0;
}

/* ---- Tiles ------------------------------------------------------------------------------------------------------ */

static void free_tile(const struct tile_map *map, struct tile *tile)
{
    for (uint32_t i = 0; i < fields_of(map); i++)
        for (int b = 0; b < 2; b++)
            free(tile->memory[i][b]);
    free(tile->values);
    free(tile);
}

/* Fills the current memory of a tile, which is all 0, with background. */
static void fill(const struct tile_map *map, struct tile *tile, uint32_t field)
{
    const uint64_t width = tile_map_width(map, field), rows = map->tiling->side[1] * map->tiling->side[2];
    const uint8_t *row = map->background[field];
    if (row[0] == 0 && memcmp(row, row + 1, width * bytes_of(map, field) - 1) == 0)
        return;
    for (uint64_t i = 0; i < rows; i++)
        geometry_write(&map->tiling->geometry[field], tile->memory[field][0], i * width, width, row);
}

static struct tile *new_tile(struct tile_map *map, const uint64_t at[3], struct engine_error *error)
{
    const uint32_t metrics = map->plan->plugin->about.metrics.count;
    struct tile *tile = calloc(1, sizeof *tile);
    bool made = tile && (tile->values = calloc(metrics + 1, sizeof *tile->values));
    for (uint32_t i = 0; made && i < fields_of(map); i++)
        for (int b = 0; b < 2; b++)
            made = (tile->memory[i][b] = calloc(1, map->tiling->geometry[i].bytes)) && made;
    for (uint32_t i = 0; made && i < fields_of(map); i++)
        fill(map, tile, i);
    if (made) {
        memcpy(tile->at, at, sizeof tile->at);
        return tile;
    }
    if (tile)
        free_tile(map, tile);
    error_memory(error, map->tiling->geometry[0].bytes, "a tile of the grid");
    return NULL;
}

struct tile *tile_map_make(struct tile_map *map, const uint64_t at[3], struct engine_error *error)
{
    struct tile *tile = tile_map_find(map, at);
    if (tile)
        return tile;
    if (map->count >= map->most) {
        error_set(error, ENGINE_STATUS_DEVICE,
                  "the grid needs more than %llu tiles, which take %llu MiB; set [run] memory to more",
                  (unsigned long long) map->most, (unsigned long long) map->tiling->memory >> 20);
        return NULL;
    }
    if (grow(map, error) != 0 || !(tile = new_tile(map, at, error)))
        return NULL;
    map->list[map->count++] = tile;
    map->sorted = false;
    enter(map, tile);
    return tile;
}

void tile_map_remove(struct tile_map *map, bool (*goes)(const struct tile *tile))
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < map->count; i++)
        if (goes(map->list[i]))
            free_tile(map, map->list[i]);
        else
            map->list[kept++] = map->list[i];
    if (kept == map->count)
        return;
    map->count = kept;
    enter_all(map);
}

static bool always(const struct tile *tile)
{
    (void) tile;
    return true;
}

void tile_map_clear(struct tile_map *map)
{
    tile_map_remove(map, always);
}

int tile_map_copy(struct tile_map *to, const struct tile_map *from, struct engine_error *error)
{
    if (memcmp(to->tiling->side, from->tiling->side, sizeof to->tiling->side) != 0)
        return error_set(error, ENGINE_STATUS_USAGE, "the tiles of the two grids have different sides");
    tile_map_clear(to);
    for (uint32_t field = 0; field < fields_of(to); field++)
        memcpy(to->background[field], from->background[field], tile_map_width(to, field) * bytes_of(to, field));
    for (uint64_t i = 0; i < from->count; i++) {
        const struct tile *tile = from->list[i];
        struct tile *copy = tile_map_make(to, tile->at, error);
        if (!copy)
            return error->status;
        for (uint32_t field = 0; field < fields_of(to); field++)
            memcpy(copy->memory[field][0], tile->memory[field][tile->current], to->tiling->geometry[field].bytes);
        copy->written = copy->changed = true;
    }
    return 0;
}

static int compare_places(const uint64_t a[3], const uint64_t b[3])
{
    int axis = 2;
    while (axis > 0 && a[axis] == b[axis])
        axis--;
    return (a[axis] > b[axis]) - (a[axis] < b[axis]);
}

static int compare(const void *a, const void *b)
{
    const struct tile *const *first = a, *const *second = b;
    return compare_places((*first)->at, (*second)->at);
}

void tile_map_sort(struct tile_map *map)
{
    if (!map->sorted && map->count > 0)
        qsort(map->list, map->count, sizeof *map->list, compare);
    map->sorted = true;
}

const struct tile *tile_map_from(const struct tile_map *map, const uint64_t at[3])
{
    uint64_t low = 0, high = map->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (compare_places(map->list[middle]->at, at) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < map->count ? map->list[low] : NULL;
}

/* ---- Rows ------------------------------------------------------------------------------------------------------- */

/* A piece of a row of the grid, within a tile. */
struct piece {
    uint64_t at[3]; /* the tile */
    uint64_t begin; /* of its elements */
    uint64_t from;  /* of the elements of the row of the tile */
    uint64_t count;
};

static struct piece piece_at(const struct tile_map *map, uint32_t field, uint64_t x, uint64_t y, uint64_t z,
                             uint64_t most)
{
    const uint64_t width = tile_map_width(map, field), *side = map->tiling->side;
    struct piece piece = {.at = {x / width, y / side[1], z / side[2]}, .from = x % width};
    piece.begin = ((z % side[2]) * side[1] + y % side[1]) * width + piece.from;
    piece.count = width - piece.from < most ? width - piece.from : most;
    return piece;
}

void tile_map_read_row(const struct tile_map *map, uint32_t field, uint64_t x, uint64_t y, uint64_t z, uint64_t count,
                       void *out)
{
    const uint64_t bytes = bytes_of(map, field), all = tile_map_grid_width(map, field);
    for (uint8_t *to = out; count > 0;) {
        const struct piece piece = piece_at(map, field, x, y, z, count);
        const struct tile *tile = tile_map_find(map, piece.at);
        if (tile)
            geometry_read(&map->tiling->geometry[field], tile->memory[field][tile->current], piece.begin, piece.count,
                          to);
        else
            memcpy(to, map->background[field] + piece.from * bytes, piece.count * bytes);
        x = (x + piece.count) % all, count -= piece.count, to += piece.count * bytes;
    }
}

static int write_piece(struct tile_map *map, uint32_t field, const struct piece *piece, const void *in,
                       struct engine_error *error)
{
    const uint64_t bytes = bytes_of(map, field);
    struct tile *tile;
    int status = 0;
    pthread_mutex_lock(&map->lock);
    tile = tile_map_find(map, piece->at);
    if (!tile && memcmp(in, map->background[field] + piece->from * bytes, piece->count * bytes) != 0) {
        tile = tile_map_make(map, piece->at, error);
        status = tile ? 0 : error->status;
    }
    if (tile) {
        geometry_write(&map->tiling->geometry[field], tile->memory[field][tile->current], piece->begin, piece->count,
                       in);
        tile->written = tile->changed = true;
        tile->measured = tile->summed = false;
    }
    pthread_mutex_unlock(&map->lock);
    return status;
}

int tile_map_write_row(struct tile_map *map, uint32_t field, uint64_t x, uint64_t y, uint64_t z, uint64_t count,
                       const void *in, struct engine_error *error)
{
    const uint64_t bytes = bytes_of(map, field), all = tile_map_grid_width(map, field);
    for (const uint8_t *from = in; count > 0;) {
        const struct piece piece = piece_at(map, field, x, y, z, count);
        if (write_piece(map, field, &piece, from, error) != 0)
            return error->status;
        x = (x + piece.count) % all, count -= piece.count, from += piece.count * bytes;
    }
    return 0;
}

/* ---- Boxes ------------------------------------------------------------------------------------------------------ */

static void widen(uint64_t begin, uint64_t end, uint64_t *low, uint64_t *high)
{
    *low = begin < *low ? begin : *low;
    *high = end > *high ? end : *high;
}

void tile_map_widen(const struct tile_map *map, uint32_t field, const void *row, const void *plain, uint64_t y,
                    uint64_t z, uint64_t low[3], uint64_t high[3])
{
    const uint8_t *elements = row, *none = plain;
    const uint64_t bytes = bytes_of(map, field) * shape_of(map, field)->components;
    uint64_t first = 0, last = map->tiling->side[0];
    if (memcmp(elements, none, last * bytes) == 0)
        return;
    while (memcmp(elements + first * bytes, none, bytes) == 0)
        first++;
    while (memcmp(elements + (last - 1) * bytes, none, bytes) == 0)
        last--;
    widen(first, last, &low[0], &high[0]);
    widen(y, y + 1, &low[1], &high[1]);
    widen(z, z + 1, &low[2], &high[2]);
}

static void find_box(const struct tile_map *map, struct tile *tile, void *row)
{
    const uint64_t *side = map->tiling->side;
    memcpy(tile->low, side, sizeof tile->low);
    memset(tile->high, 0, sizeof tile->high);
    for (uint32_t field = 0; field < fields_of(map); field++) {
        const uint64_t width = tile_map_width(map, field);
        for (uint64_t i = 0; i < side[1] * side[2]; i++) {
            geometry_read(&map->tiling->geometry[field], tile->memory[field][tile->current], i * width, width, row);
            tile_map_widen(map, field, row, map->background[field], i % side[1], i / side[1], tile->low, tile->high);
        }
    }
    tile->written = false;
}

int tile_map_find_boxes(struct tile_map *map, struct engine_error *error)
{
    uint64_t most = 1;
    for (uint32_t i = 0; i < fields_of(map); i++) {
        const uint64_t bytes = tile_map_width(map, i) * bytes_of(map, i);
        most = bytes > most ? bytes : most;
    }
    void *row = malloc(most);
    if (!row)
        return error_memory(error, most, "a row of a tile");
    for (uint64_t i = 0; i < map->count; i++)
        if (map->list[i]->written)
            find_box(map, map->list[i], row);
    free(row);
    return 0;
}

static uint64_t bytes_of_tile(const struct tile_map *map)
{
    uint64_t bytes = sizeof(struct tile) + map->plan->plugin->about.metrics.count * sizeof(double);
    for (uint32_t i = 0; i < fields_of(map); i++)
        bytes += 2 * map->tiling->geometry[i].bytes;
    return bytes;
}

/* ---- Opening ---------------------------------------------------------------------------------------------------- */

static int make_background(struct tile_map *map, uint32_t field, struct engine_error *error)
{
    const uint64_t width = tile_map_width(map, field);
    map->background[field] = calloc(width, bytes_of(map, field));
    if (!map->background[field])
        return error_memory(error, width, "the background of the grid");
    init_elements(map->background[field], shape_of(map, field)->type, width, map->plan->fields[field].about->initial);
    return 0;
}

int tile_map_open(const struct plan *plan, struct tile_map **out, struct engine_error *error)
{
    struct tile_map *map = calloc(1, sizeof *map);
    *out = map;
    if (!map)
        return error_memory(error, sizeof *map, "the tiles of the grid");
    map->plan = plan;
    map->tiling = plan->tiling;
    map->most = plan->tiling->tree ? UINT64_MAX : plan->tiling->memory / bytes_of_tile(map);
    pthread_mutex_init(&map->lock, NULL);
    for (int axis = 0; axis < 3; axis++)
        map->tiles[axis] = plan->shapes[0].extent[axis] / plan->tiling->side[axis];
    for (uint32_t i = 0; i < fields_of(map); i++)
        if (make_background(map, i, error) != 0)
            return error->status;
    return grow(map, error);
}

void tile_map_close(struct tile_map *map)
{
    if (!map)
        return;
    if (map->table)
        tile_map_clear(map);
    for (uint32_t i = 0; i < fields_of(map); i++)
        free(map->background[i]);
    free(map->table);
    free(map->list);
    pthread_mutex_destroy(&map->lock);
    free(map);
}
