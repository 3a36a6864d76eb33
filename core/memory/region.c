#include "memory/region.h"

#include <stdlib.h>
#include <string.h>

/* ---- Shapes ------------------------------------------------------------------------------------------------- */

static uint32_t result_type(const struct region *region, uint32_t type)
{
    switch (region->reduce) {
    case REGION_ANY:
        return ENGINE_U8;
    case REGION_COUNT:
        return region_block_cells(region) <= UINT32_MAX ? ENGINE_U32 : ENGINE_U64;
    case REGION_MEAN:
        return region_mean_is_single(type) ? ENGINE_F32 : ENGINE_F64;
    default:
        return type;
    }
}

struct engine_shape region_shape(const struct region *region, const struct engine_shape *shape)
{
    struct engine_shape made = *shape;
    for (int axis = 0; axis < 3; axis++)
        made.extent[axis] = (region->end[axis] - region->begin[axis] - 1) / region->block[axis] + 1;
    made.type = result_type(region, shape->type);
    return made;
}

uint64_t region_block_cells(const struct region *region)
{
    uint64_t cells;
    if (!multiply(region->block[0], region->block[1], &cells) || !multiply(cells, region->block[2], &cells))
        return UINT64_MAX;
    return cells;
}

/* ---- Rows --------------------------------------------------------------------------------------------------- */

/* One row of a region in the making. */
struct making {
    const struct region *region;
    const struct engine_shape *shape;
    struct engine_shape made;
    uint64_t columns, components, width; /* blocks of a row; elements of a cell; cells of a row that is read */
    uint64_t rows;                       /* of the whole that have been added to the blocks */
    void *cells;                         /* the row that was read */
    double *sums;                        /* REGION_MEAN: one for each result */
    uint8_t *out;
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Takes the first cell of each block. */
static void take_first(const struct making *making)
{
    const uint64_t bytes = making->components * type_bytes(making->shape->type), block = making->region->block[0];
    const uint8_t *cells = making->cells;
    if (block == 1)
        memcpy(making->out, cells, making->columns * bytes);
    for (uint64_t column = 0; block > 1 && column < making->columns; column++)
        memcpy(making->out + column * bytes, cells + column * block * bytes, bytes);
}

/* Calls EACH for each result of the row, with the elements of its block: `first`, and from each to the next `step`,
 * before `end`. */
#define EACH_RESULT(T, EACH) \
    const uint64_t step = making->components, block = making->region->block[0]; \
    for (uint64_t column = 0, i = 0; column < making->columns; column++) { \
        const T *const cells = (const T *) making->cells + column * block * step; \
        const uint64_t count = smaller(block, making->width - column * block) * step; \
        for (uint64_t component = 0; component < step; component++, i++) { \
            EACH \
        } \
    }

/* Adds the row that was read to the blocks, for each type of elements. */
#define DEFINE_ADD(id, T, Sum, Compared) \
    static void add_##T(const struct making *making) \
    { \
        switch (making->region->reduce) { \
        case REGION_ANY: { \
            EACH_RESULT(T, for (uint64_t e = component; e < count; e += step) making->out[i] |= cells[e] != 0;) \
            break; \
        } \
        case REGION_COUNT: { \
            EACH_RESULT(T, uint64_t live = 0; \
                        for (uint64_t e = component; e < count; e += step) live += cells[e] != 0; \
                        if (making->made.type == ENGINE_U32)((uint32_t *) making->out)[i] += (uint32_t) live; \
                        else((uint64_t *) making->out)[i] += live;) \
            break; \
        } \
        case REGION_MEAN: { \
            EACH_RESULT(T, Sum sum = 0; for (uint64_t e = component; e < count; e += step) sum += (Sum) cells[e]; \
                        making->sums[i] += (double) sum;) \
            break; \
        } \
        default: { \
            T *const out = (T *) making->out; \
            EACH_RESULT(T, T most = making->rows == 0 ? cells[component] : out[i]; \
                        for (uint64_t e = component; e < count; e += step) most = REGION_LARGER(most, cells[e]); \
                        out[i] = most;) \
        } \
        } \
    }
REGION_TYPES(DEFINE_ADD)

static void add_row(const struct making *making)
{
    static void (*const add[TYPE_COUNT])(const struct making *) = {
#define ENTRY(id, T, Sum, Compared) [id] = add_##T,
        REGION_TYPES(ENTRY)
#undef ENTRY
    };
    add[making->shape->type](making);
}

static void divide_sums(const struct making *making)
{
    const uint64_t block = making->region->block[0];
    for (uint64_t i = 0; i < making->columns * making->components; i++) {
        const uint64_t width = smaller(block, making->width - i / making->components * block);
        const double mean = making->sums[i] / (double) (width * making->rows);
        if (making->made.type == ENGINE_F32)
            ((float *) making->out)[i] = (float) mean;
        else
            ((double *) making->out)[i] = mean;
    }
}

/* Reads the cells of the region's columns in row y of plane z. */
static int read_cells(const struct making *making, uint64_t y, uint64_t z, region_source *source, void *context,
                      struct engine_error *error)
{
    const uint64_t *extent = making->shape->extent, components = making->components;
    const uint64_t begin = ((z * extent[1] + y) * extent[0] + making->region->begin[0]) * components;
    return source(context, begin, making->width * components, making->cells, error);
}

static int make_row(struct making *making, uint64_t row, region_source *source, void *context,
                    struct engine_error *error)
{
    const struct region *region = making->region;
    const uint64_t first_y = region->begin[1] + row % making->made.extent[1] * region->block[1];
    const uint64_t first_z = region->begin[2] + row / making->made.extent[1] * region->block[2];
    making->rows = 0;
    if (region->reduce == REGION_FIRST) {
        const int status = read_cells(making, first_y, first_z, source, context, error);
        take_first(making);
        return status;
    }
    memset(making->out, 0, making->columns * making->components * type_bytes(making->made.type));
    memset(making->sums, 0, making->columns * making->components * sizeof *making->sums);
    for (uint64_t z = first_z; z < smaller(first_z + region->block[2], region->end[2]); z++)
        for (uint64_t y = first_y; y < smaller(first_y + region->block[1], region->end[1]); y++, making->rows++) {
            if (read_cells(making, y, z, source, context, error) != 0)
                return error->status;
            add_row(making);
        }
    if (region->reduce == REGION_MEAN)
        divide_sums(making);
    return 0;
}

int region_make_rows(const struct region *region, const struct engine_shape *shape, uint64_t row, uint64_t rows,
                     region_source *source, void *context, void *out, struct engine_error *error)
{
    struct making making = {.region = region,
                            .shape = shape,
                            .made = region_shape(region, shape),
                            .components = shape->components,
                            .width = region->end[0] - region->begin[0],
                            .out = out};
    making.columns = making.made.extent[0];
    const uint64_t results = making.columns * making.components;
    making.cells = malloc(making.width * making.components * type_bytes(shape->type));
    making.sums = malloc(results * sizeof *making.sums);
    int status = making.cells && making.sums ? 0 : error_memory(error, results * sizeof *making.sums, "a region");
    for (uint64_t i = 0; status == 0 && i < rows; i++) {
        status = make_row(&making, row + i, source, context, error);
        making.out += results * type_bytes(making.made.type);
    }
    free(making.cells);
    free(making.sums);
    return status;
}
