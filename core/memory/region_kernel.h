/* One result of a region on a device: the cells of a block, where they are, become one element. The CUDA kernels
 * compile these functions, and so does a test for the host. Each row of the block gives a part, and parts are joined in
 * the order of rows, so that the lanes of a warp can share the rows of a block. */
#ifndef CORE_MEMORY_REGION_KERNEL_H
#define CORE_MEMORY_REGION_KERNEL_H

#include "base/bits.h"
#include "memory/region_rule.h"

struct region_task {
    const uint8_t *origin;            /* cell (0, 0, 0) of the first component */
    int64_t row_stride, plane_stride; /* bytes */
    int64_t cell_pitch, component_stride;
    struct engine_layout layout; /* of a grid of bits */
    uint64_t begin[3], end[3], block[3];
    uint64_t columns, height; /* results of a row; rows of a plane of results */
    uint64_t row, count;      /* the first row to make, and the number of elements to make */
    uint32_t components, type, made_type, element_bytes;
    uint32_t bits, reduce; /* bits: a cell is a bit */
    uint8_t *out;
};

/* What some rows of a block come to: a sum of cells or of numbers, or the largest number as Compared of
 * REGION_TYPES. */
union region_part {
    double real;
    int64_t integer;
    uint64_t natural;
};

/* The place of a result: its block, its component, and the rows of its block. */
struct region_place {
    uint64_t x, end; /* the cells [x, end) of each row */
    uint64_t y, z, height, rows;
    uint32_t component;
};

REGION_FUNCTION uint64_t region_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

REGION_FUNCTION struct region_place region_place_of(const struct region_task *task, uint64_t index)
{
    const uint64_t width = task->columns * task->components, row = task->row + index / width;
    struct region_place place;
    place.component = (uint32_t) (index % task->components);
    place.x = task->begin[0] + index % width / task->components * task->block[0];
    place.y = task->begin[1] + row % task->height * task->block[1];
    place.z = task->begin[2] + row / task->height * task->block[2];
    place.end = region_least(place.x + task->block[0], task->end[0]);
    place.height = region_least(task->block[1], task->end[1] - place.y);
    place.rows = place.height * region_least(task->block[2], task->end[2] - place.z);
    return place;
}

/* The address of cell 0 of row y of plane z of the block. */
REGION_FUNCTION const uint8_t *region_row_of(const struct region_task *task, const struct region_place *place,
                                             uint64_t y, uint64_t z)
{
    return task->origin + (int64_t) (place->y + y) * task->row_stride + (int64_t) (place->z + z) * task->plane_stride +
           (int64_t) place->component * task->component_stride;
}

REGION_FUNCTION uint32_t region_ones(uint64_t bits)
{
#ifdef __CUDA_ARCH__
    return (uint32_t) __popcll(bits);
#else
    return (uint32_t) __builtin_popcountll(bits);
#endif
}

/* Cells [x, x + count), which are in one aligned group of 64. In the striped order of the CUDA kernels, 64 cells are
 * found faster than some of them; rows have whole groups. */
REGION_FUNCTION uint64_t region_bits_get(const struct engine_layout *layout, const uint8_t *row, uint64_t x,
                                         uint32_t count)
{
    if (layout->order == ENGINE_ORDER_STRIPED && bits_is_striped_4x32(layout, 0, 64))
        return bits_get_4x32(row, (int64_t) (x - x % 64)) >> x % 64 & bits_low_bits(count);
    return bits_get(layout, row, (int64_t) x, count);
}

REGION_FUNCTION union region_part region_bits_part(const struct region_task *task, const struct region_place *place,
                                                   const uint8_t *row)
{
    uint64_t live = 0;
    for (uint64_t x = place->x, n; x < place->end; x += n) {
        n = region_least(64 - x % 64, place->end - x);
        live += region_ones(region_bits_get(&task->layout, row, x, (uint32_t) n));
    }
    union region_part part;
    part.natural = live;
    if (task->reduce == REGION_MEAN)
        part.real = (double) live;
    return part;
}

#define REGION_PART_CASE(id, T, Sum, Compared) \
    case id: { \
        const uint8_t *const end = row + (int64_t) place->end * task->cell_pitch; \
        const uint8_t *cell = row + (int64_t) place->x * task->cell_pitch; \
        if (task->reduce == REGION_MEAN) { \
            Sum sum = 0; \
            for (; cell < end; cell += task->cell_pitch) \
                sum += (Sum) * (const T *) cell; \
            part.real = (double) sum; \
        } else if (task->reduce == REGION_MAX) { \
            Compared most = (Compared) * (const T *) cell; \
            for (; cell < end; cell += task->cell_pitch) { \
                const Compared next = (Compared) * (const T *) cell; \
                most = REGION_LARGER(most, next); \
            } \
            memcpy(&part, &most, sizeof most); \
        } else \
            for (; cell < end; cell += task->cell_pitch) \
                part.natural += *(const T *) cell != 0; \
        break; \
    }

/* What row y of plane z of the block comes to. */
REGION_FUNCTION union region_part region_row_part(const struct region_task *task, const struct region_place *place,
                                                  uint64_t y, uint64_t z)
{
    const uint8_t *const row = region_row_of(task, place, y, z);
    union region_part part;
    part.natural = 0;
    if (task->bits)
        return region_bits_part(task, place, row);
    switch (task->type) {
        REGION_TYPES(REGION_PART_CASE)
    default:
        break;
    }
    return part;
}

#define REGION_JOIN_CASE(id, T, Sum, Compared) \
    case id: { \
        Compared most, next; \
        memcpy(&most, &total, sizeof most); \
        memcpy(&next, &part, sizeof next); \
        most = REGION_LARGER(most, next); \
        memcpy(&total, &most, sizeof most); \
        break; \
    }

/* Adds the part of the next row. */
REGION_FUNCTION union region_part region_join(const struct region_task *task, union region_part total,
                                              union region_part part, int first)
{
    if (first)
        return part;
    if (task->reduce == REGION_MEAN)
        total.real += part.real;
    else if (task->reduce != REGION_MAX)
        total.natural += part.natural;
    else if (task->bits)
        total.natural |= part.natural;
    else
        switch (task->type) {
            REGION_TYPES(REGION_JOIN_CASE)
        default:
            break;
        }
    return total;
}

#define REGION_STORE_CASE(id, T, Sum, Compared) \
    case id: { \
        Compared most; \
        memcpy(&most, &total, sizeof most); \
        ((T *) task->out)[index] = (T) most; \
        break; \
    }

/* Writes the result of the block. */
REGION_FUNCTION void region_store(const struct region_task *task, const struct region_place *place, uint64_t index,
                                  union region_part total)
{
    const double mean = total.real / (double) (place->rows * (place->end - place->x));
    if (task->reduce == REGION_ANY || (task->reduce == REGION_MAX && task->bits))
        task->out[index] = total.natural != 0;
    else if (task->reduce == REGION_COUNT && task->made_type == ENGINE_U32)
        ((uint32_t *) task->out)[index] = (uint32_t) total.natural;
    else if (task->reduce == REGION_COUNT)
        ((uint64_t *) task->out)[index] = total.natural;
    else if (task->reduce == REGION_MEAN && task->made_type == ENGINE_F32)
        ((float *) task->out)[index] = (float) mean;
    else if (task->reduce == REGION_MEAN)
        ((double *) task->out)[index] = mean;
    else
        switch (task->type) {
            REGION_TYPES(REGION_STORE_CASE)
        default:
            break;
        }
}

/* REGION_FIRST: copies the first cell of the block. */
REGION_FUNCTION void region_copy_first(const struct region_task *task, const struct region_place *place, uint64_t index)
{
    const uint8_t *const row = region_row_of(task, place, 0, 0);
    const uint8_t *const cell = row + (int64_t) place->x * task->cell_pitch;
    if (task->bits) {
        task->out[index] = (uint8_t) region_bits_get(&task->layout, row, place->x, 1);
        return;
    }
    switch (task->element_bytes) {
    case 1:
        task->out[index] = *cell;
        break;
    case 2:
        ((uint16_t *) task->out)[index] = *(const uint16_t *) cell;
        break;
    case 4:
        ((uint32_t *) task->out)[index] = *(const uint32_t *) cell;
        break;
    default:
        for (uint32_t word = 0; word < task->element_bytes / 8; word++)
            ((uint64_t *) task->out)[index * (task->element_bytes / 8) + word] = ((const uint64_t *) cell)[word];
    }
}

/* Makes a result in one thread. */
REGION_FUNCTION void region_make_result(const struct region_task *task, uint64_t index)
{
    const struct region_place place = region_place_of(task, index);
    if (task->reduce == REGION_FIRST) {
        region_copy_first(task, &place, index);
        return;
    }
    union region_part total;
    total.natural = 0;
    for (uint64_t z = 0; z * place.height < place.rows; z++)
        for (uint64_t y = 0; y < place.height; y++)
            total = region_join(task, total, region_row_part(task, &place, y, z), (y | z) == 0);
    region_store(task, &place, index, total);
}

#endif
