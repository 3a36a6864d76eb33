/* Writes a macrocell file from a tree of squares. The square that is written of each square of the tree is kept, so the time
 * grows with the number of different squares and not with that of the cells.
 *
 * The middle of a macrocell file is between the rows 0 and 1. If that of the tree is between the rows -1 and 0, all cells move
 * up by a row. Then a square of the file consists of a square of the tree and of the first row of the one below it:
 *
 *     here   a b        written   a/c b/d
 *            c d                  c/e d/f
 *     below  e f
 */
#include "formats/patterns/mc_writer.h"

#include <stdio.h>
#include <string.h>

enum { SIDE_MAX = 1 << IO_SQUARE_BLOCK_MAX };

/* What was written of a square and of the one below it; here = below = 0: nothing. */
struct made {
    uint32_t here, below;
    uint64_t value;
};

struct tree_writer {
    struct mc_writer *writer;
    const struct io_squares *squares;
    struct made *made; /* a table of `places` places, a power of 2 */
    uint64_t places, count;
};

/* ---- What was written ------------------------------------------------------------------------------------------- */

static struct made *place_of(const struct tree_writer *tree, uint32_t here, uint32_t below)
{
    uint64_t mixed = ((uint64_t) here << 32 | below) * UINT64_C(0x9E3779B97F4A7C15);
    for (uint64_t at = mixed ^ mixed >> 31;; at++) {
        struct made *made = &tree->made[at & (tree->places - 1)];
        if ((made->here | made->below) == 0 || (made->here == here && made->below == below))
            return made;
    }
}

static int make_room(struct tree_writer *tree)
{
    const struct tree_writer old = *tree;
    if (tree->places > 2 * tree->count)
        return 0;
    tree->places = old.places != 0 ? 2 * old.places : 1024;
    tree->made = io_new(tree->writer->file, tree->places * sizeof *tree->made);
    if (tree->made == NULL)
        return ENGINE_NO_MEMORY;
    for (uint64_t i = 0; i < old.places; i++)
        if ((old.made[i].here | old.made[i].below) != 0)
            *place_of(tree, old.made[i].here, old.made[i].below) = old.made[i];
    tree->writer->file->release(tree->writer->file, old.made);
    return 0;
}

/* ---- Squares ------------------------------------------------------------------------------------------------------ */

static int join(const struct tree_writer *tree, uint32_t level, const uint64_t quarters[4], uint64_t *value)
{
    *value = 0;
    return (quarters[0] | quarters[1] | quarters[2] | quarters[3]) != 0 ? mc_join(tree->writer, level, quarters, value)
                                                                        : 0;
}

/* The 8 x 8 cells of two states as a raster. */
static uint64_t raster_of(const uint8_t *cells, uint64_t stride)
{
    uint64_t raster = 0;
    for (unsigned i = 0; i < 64; i++)
        raster |= (uint64_t) cells[i / 8 * stride + i % 8] << i;
    return raster;
}

/* Writes a square of cells, in rows of `stride` bytes. */
static int put_cells(const struct tree_writer *tree, uint32_t level, const uint8_t *cells, uint64_t stride,
                     uint64_t *value)
{
    const uint64_t half = (UINT64_C(1) << level) / 2;
    uint64_t quarters[4] = {level == 0 ? cells[0] : 0};
    *value = quarters[0];
    if (level == MC_LEAF_TWO && !tree->writer->many)
        quarters[0] = raster_of(cells, stride);
    else
        for (int i = 0; i < 4 && level > 0; i++)
            if (put_cells(tree, level - 1, cells + (uint64_t) (i / 2) * half * stride + (uint64_t) (i % 2) * half,
                          stride, &quarters[i]) != 0)
                return ENGINE_INVALID;
    return level > 0 ? join(tree, level, quarters, value) : 0;
}

static int put_block(const struct tree_writer *tree, uint32_t here, uint32_t below, uint64_t *value)
{
    const struct io_squares *squares = tree->squares;
    const uint64_t side = UINT64_C(1) << squares->block;
    uint8_t cells[2 * SIDE_MAX * SIDE_MAX] = {0};
    if (here != 0)
        squares->cells(squares->context, here, cells);
    if (below != 0)
        squares->cells(squares->context, below, cells + side * side);
    return put_cells(tree, squares->block, cells + (squares->above ? side : 0), side, value);
}

static int put_square(struct tree_writer *tree, uint32_t level, uint32_t here, uint32_t below, uint64_t *value);

static int put_quarters(struct tree_writer *tree, uint32_t level, uint32_t here, uint32_t below, uint64_t *value)
{
    const struct io_squares *squares = tree->squares;
    uint32_t h[4] = {0}, b[4] = {0};
    uint64_t quarters[4];
    if (here != 0)
        squares->quarters(squares->context, here, level, h);
    if (below != 0)
        squares->quarters(squares->context, below, level, b);
    const uint32_t under[4] = {h[2], h[3], b[0], b[1]};
    for (int i = 0; i < 4; i++)
        if (put_square(tree, level - 1, h[i], squares->above ? under[i] : 0, &quarters[i]) != 0)
            return ENGINE_INVALID;
    return join(tree, level, quarters, value);
}

static int put_square(struct tree_writer *tree, uint32_t level, uint32_t here, uint32_t below, uint64_t *value)
{
    *value = 0;
    if ((here | below) == 0)
        return 0;
    if (make_room(tree) != 0)
        return ENGINE_NO_MEMORY;
    const struct made *made = place_of(tree, here, below);
    if ((made->here | made->below) != 0) {
        *value = made->value;
        return 0;
    }
    if ((level == tree->squares->block ? put_block(tree, here, below, value)
                                       : put_quarters(tree, level, here, below, value)) != 0)
        return ENGINE_INVALID;
    if (make_room(tree) != 0)
        return ENGINE_NO_MEMORY;
    *place_of(tree, here, below) = (struct made){here, below, *value};
    tree->count++;
    return 0;
}

/* ---- The root ------------------------------------------------------------------------------------------------------- */

uint32_t mc_root_level(bool many, const int64_t begin[2], const int64_t end[2])
{
    uint32_t level = (many ? MC_LEAF_MANY : MC_LEAF_TWO) + 1;
    for (int64_t half = INT64_C(1) << (level - 1);
         - begin[0] > half || 1 - begin[1] > half || end[0] > half || end[1] - 1 > half; half *= 2)
        level++;
    return level;
}

/* Finds the 4 x 4 squares around the middle of which a square of level + 1 consists. */
static void find_middle(const struct io_squares *squares, uint32_t level, uint32_t grid[4][4])
{
    uint32_t four[4], of[4];
    memset(grid, 0, 16 * sizeof grid[0][0]);
    squares->quarters(squares->context, squares->root, squares->level, four);
    for (int i = 0; i < 4 && squares->level == level; i++)
        grid[1 + i / 2][1 + i % 2] = four[i];
    for (uint32_t at = squares->level - 1; at > level; at--)
        for (int i = 0; i < 4; i++) {
            memset(of, 0, sizeof of);
            if (four[i] != 0)
                squares->quarters(squares->context, four[i], at, of);
            four[i] = of[3 - i];
        }
    for (int i = 0; i < 16 && squares->level > level; i++) {
        memset(of, 0, sizeof of);
        if (four[i / 4] != 0)
            squares->quarters(squares->context, four[i / 4], level, of);
        grid[i / 8 * 2 + i % 4 / 2][i / 4 % 2 * 2 + i % 2] = of[i % 4];
    }
}

bool mc_takes_squares(const struct mc_writer *writer, const struct io_squares *squares)
{
    return writer->root > squares->block && writer->root <= squares->level;
}

int mc_put_squares(struct mc_writer *writer, const struct io_squares *squares)
{
    struct tree_writer tree = {.writer = writer, .squares = squares};
    uint32_t grid[4][4];
    uint64_t quarters[4], value;
    find_middle(squares, writer->root, grid);
    for (int i = 0; i < 4; i++) {
        const int x = 1 + i % 2, y = 1 + i / 2;
        if (put_square(&tree, writer->root - 1, grid[y][x], squares->above ? grid[y + 1][x] : 0, &quarters[i]) != 0)
            return ENGINE_INVALID;
    }
    return join(&tree, writer->root, quarters, &value);
}
