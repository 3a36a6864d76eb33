/* Grids of two values as columns of bits. */
#include "layout.h"

#include <string.h>

enum { ROWS = 8, RUN = 1024 }; /* cells of a column, columns at a time */

/* Columns [x, x + count) of a band of up to eight rows. */
struct run {
    uint64_t first; /* element of the canonical array: the band's first row at x */
    uint32_t rows;  /* that the band has */
    uint64_t count;
};

static uint64_t bands_of(const struct engine_shape *shape)
{
    return (shape->extent[1] + ROWS - 1) / ROWS;
}

bool geometry_has_columns(const struct engine_shape *shape, uint32_t values)
{
    return values == 2 && shape->type == ENGINE_U8 && shape->components == 1;
}

uint64_t geometry_columns(const struct engine_shape *shape)
{
    return shape->extent[0] * bands_of(shape) * shape->extent[2];
}

static struct run run_at(const struct engine_shape *shape, uint64_t begin, uint64_t count)
{
    const uint64_t width = shape->extent[0], height = shape->extent[1], x = begin % width;
    const uint64_t band = begin / width % bands_of(shape), plane = begin / width / bands_of(shape);
    const uint64_t rows = height - band * ROWS, left = width - x;
    struct run run = {(plane * height + band * ROWS) * width + x, rows < ROWS ? (uint32_t) rows : ROWS, RUN};
    run.count = left < run.count ? left : run.count;
    run.count = count < run.count ? count : run.count;
    return run;
}

void geometry_read_columns(const struct geometry *geometry, const void *buffer, uint64_t begin, uint64_t count,
                           uint8_t *columns)
{
    uint8_t cells[RUN];
    while (count > 0) {
        const struct run run = run_at(&geometry->shape, begin, count);
        memset(columns, 0, run.count);
        for (uint32_t row = 0; row < run.rows; row++) {
            geometry_read(geometry, buffer, run.first + row * geometry->shape.extent[0], run.count, cells);
            for (uint64_t i = 0; i < run.count; i++)
                columns[i] = (uint8_t) (columns[i] | cells[i] << row);
        }
        begin += run.count, count -= run.count, columns += run.count;
    }
}

void geometry_write_columns(const struct geometry *geometry, void *buffer, uint64_t begin, uint64_t count,
                            const uint8_t *columns)
{
    uint8_t cells[RUN];
    while (count > 0) {
        const struct run run = run_at(&geometry->shape, begin, count);
        for (uint32_t row = 0; row < run.rows; row++) {
            for (uint64_t i = 0; i < run.count; i++)
                cells[i] = columns[i] >> row & 1;
            geometry_write(geometry, buffer, run.first + row * geometry->shape.extent[0], run.count, cells);
        }
        begin += run.count, count -= run.count, columns += run.count;
    }
}
