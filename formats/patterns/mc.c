/* Macrocell patterns (.mc), as Golly reads and writes them (Golly Help: File Formats, Macrocell format). A file is a
 * quadtree in which equal squares stand once, so a few bytes may describe more cells than any memory holds.
 *
 *     [M2] (golly 3.3)
 *     #R B3/S23                  the rule; #G is the generation; other lines with # are comments
 *     $$..*$...*$.***$           1: a leaf of 8 x 8 cells of two states, row by row
 *     4 0 0 0 1                  2: a square of 2^4 x 2^4 cells: the numbers of its quarters nw ne sw se, 0 is empty
 *     5 2 0 0 2                  3: the root is the last square
 *
 * In a file of more than two states, the smallest square has 2 x 2 cells: "1 0 3 0 2" gives their states.
 *
 * The engine takes the smallest grid that contains the live cells. It finds it from the tree alone, and reads rows from
 * the tree, so memory holds the squares of the file and never its cells. */
#include "formats/patterns/mc.h"
#include "formats/patterns/rle.h"

#include <string.h>

/* Within squares up to this level, distances fit into 64 bits. */
enum { MEASURED_MAX = 60 };

/* ---- Where the live cells are ------------------------------------------------------------------------------- */

/* Returns the quarter of a square, 0 where it is empty. */
static uint32_t quarter(const struct mc *mc, uint32_t node, int which)
{
    return node != 0 ? mc->nodes[node].child[which] : 0;
}

/* Finds the four neighbouring quarters that contain all live cells of the block, among its 4 x 4. Returns false where
 * no four do. */
static bool shrink(const struct mc *mc, struct mc_block *block)
{
    uint32_t cells[4][4];
    int first[2] = {4, 4}, last[2] = {-1, -1};
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++) {
            cells[y][x] = quarter(mc, block->at[y / 2 * 2 + x / 2], y % 2 * 2 + x % 2);
            const int at[2] = {x, y};
            for (int axis = 0; axis < 2 && cells[y][x] != 0; axis++) {
                first[axis] = at[axis] < first[axis] ? at[axis] : first[axis];
                last[axis] = at[axis] > last[axis] ? at[axis] : last[axis];
            }
        }
    if (last[0] - first[0] > 1 || last[1] - first[1] > 1)
        return false;
    block->level--;
    for (int axis = 0; axis < 2; axis++) {
        /* The middle ones where there is a choice, so that the block stays near the middle of the root. */
        const int from = last[axis] == 3 ? 2 : first[axis] == 0 ? 0 : 1;
        first[axis] = from;
        block->near = block->near && (from == 1 || block->level <= MEASURED_MAX);
        if (block->near && from != 1)
            block->middle[axis] += (int64_t) (from - 1) * ((int64_t) 1 << block->level);
    }
    for (int i = 0; i < 4; i++)
        block->at[i] = cells[first[1] + i / 2][first[0] + i % 2];
    return true;
}

static uint64_t leaf_distance(const struct mc_node *node, uint32_t leaf, int axis, bool from_end)
{
    const int side = 1 << leaf;
    for (int distance = 0; distance < side; distance++)
        for (int other = 0; other < side; other++) {
            const int line = from_end ? side - 1 - distance : distance;
            const int x = axis == 0 ? line : other, y = axis == 0 ? other : line;
            const bool live =
                leaf == MC_LEAF_TWO ? node->child[y / 4] >> (y % 4 * 8 + x) & 1 : node->child[2 * y + x] != 0;
            if (live)
                return (uint64_t) distance;
        }
    return UINT64_MAX;
}

/* Of four neighbouring squares of this level, returns the distance from an edge of all four to the first live cell.
 * `of` has the distances within each square. */
static uint64_t nearest(const uint32_t at[4], uint32_t level, int axis, bool from_end, const uint64_t *of)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 4; i++) {
        const bool second = (axis == 0 ? i % 2 : i / 2) != from_end;
        const uint64_t distance = at[i] != 0 ? of[at[i]] + (second ? UINT64_C(1) << level : 0) : UINT64_MAX;
        least = distance < least ? distance : least;
    }
    return least;
}

/* Finds the distance from an edge of the block to the first live cell. Distances are found for all squares in the order
 * of the file, where quarters come before their squares. */
static uint64_t distance_in_block(const struct mc *mc, int axis, bool from_end, uint64_t *of)
{
    for (uint64_t i = 1; i <= mc->count; i++) {
        const struct mc_node *node = &mc->nodes[i];
        if (mc->empty[i] || node->level > mc->block.level)
            continue;
        of[i] = node->level == mc->leaf ? leaf_distance(node, mc->leaf, axis, from_end)
                                        : nearest(node->child, node->level - 1, axis, from_end, of);
    }
    return nearest(mc->block.at, mc->block.level, axis, from_end, of);
}

static int refuse_span(const struct text_file *text, const struct mc *mc)
{
    return text_file_error(
        text,
        "the live cells span more than 2^%u cells along an axis, in a square of 2^%u x 2^%u; the limit "
        "is 2^48 cells; cut out the part that you need with Golly",
        mc->block.level - 1, mc->highest, mc->highest);
}

/* Finds the smallest grid that contains the live cells, and its position in Golly's coordinates. The middle of the root
 * is between the rows 0 and 1 and the columns -1 and 0. An empty pattern is one dead cell. */
static int measure(const struct text_file *text, struct mc *mc, struct rle_prologue *prologue)
{
    struct mc_block *block = &mc->block;
    *block = (struct mc_block){.level = mc->leaf};
    prologue->width = prologue->height = 1;
    if (mc->count == 0 || mc->empty[mc->count]) {
        pattern_remark_empty(&prologue->header);
        return 0;
    }
    *block = (struct mc_block){.level = mc->highest - 1, .near = true};
    memcpy(block->at, mc->nodes[mc->count].child, sizeof block->at);
    while (block->level > mc->leaf && shrink(mc, block))
        ;
    if (block->level > MEASURED_MAX)
        return refuse_span(text, mc);
    uint64_t to[2];
    mc->top = io_new(text->file, (mc->count + 1) * sizeof *mc->top);
    if (mc->top == NULL)
        return ENGINE_NO_MEMORY;
    for (int axis = 0; axis < 2; axis++) {
        to[axis] = (UINT64_C(2) << block->level) - distance_in_block(mc, axis, true, mc->top);
        mc->from[axis] = distance_in_block(mc, axis, false, mc->top);
        prologue->position[axis] =
            block->middle[axis] - ((int64_t) 1 << block->level) + (int64_t) mc->from[axis] + axis;
    }
    prologue->width = to[0] - mc->from[0];
    prologue->height = to[1] - mc->from[1];
    prologue->positioned = block->near;
    if (!block->near && prologue->header.place.grid[0] != 0)
        return text_file_error(text, "the live cells are outside the grid: more than 2^%d cells from its middle",
                               MEASURED_MAX);
    return 0;
}

/* Refuses to read cells of an array that does not exist. */
static int refuse_wide(const struct engine_file *file, const struct mc *mc)
{
    return ENGINE_FAIL_FILE(file,
                            "the live cells span %llu x %llu; the limit is 2^48 cells, except in a run that keeps the "
                            "pattern in a tree; cut out the part that you need with Golly",
                            (unsigned long long) mc->span[0], (unsigned long long) mc->span[1]);
}

/* ---- Reading ------------------------------------------------------------------------------------------------ */

/* A part of a row of the block. */
struct strip {
    const struct mc *mc;
    uint64_t begin, end; /* columns */
    uint8_t *out;        /* of column `begin` */
};

static void fill_leaf(const struct strip *strip, const struct mc_node *node, uint64_t x, unsigned y)
{
    const unsigned side = 1u << strip->mc->leaf;
    for (unsigned i = 0; i < side; i++) {
        const uint32_t state = side == 8 ? node->child[y / 4] >> (y % 4 * 8 + i) & 1 : node->child[2 * y + i];
        if (state != 0 && x + i >= strip->begin && x + i < strip->end)
            strip->out[x + i - strip->begin] = (uint8_t) state;
    }
}

/* Fills in row y of a square whose first column is x. */
static void fill_square(const struct strip *strip, uint32_t number, uint32_t level, uint64_t x, uint64_t y)
{
    const uint64_t side = UINT64_C(1) << level, half = side / 2;
    if (number == 0 || x >= strip->end || x + side <= strip->begin)
        return;
    const struct mc_node *node = &strip->mc->nodes[number];
    if (level == strip->mc->leaf) {
        fill_leaf(strip, node, x, (unsigned) y);
        return;
    }
    const uint32_t *row = &node->child[y < half ? 0 : 2];
    fill_square(strip, row[0], level - 1, x, y % half);
    fill_square(strip, row[1], level - 1, x + half, y % half);
}

static int read_cells(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                      uint64_t count, void *out)
{
    (void) number;
    (void) array;
    const struct mc *mc = self;
    const struct mc_block *block = &mc->block;
    if (mc->wide)
        return refuse_wide(file, mc);
    const uint64_t width = mc->pattern.array.shape.extent[0], side = UINT64_C(1) << block->level;
    memset(out, 0, count);
    for (uint64_t done = 0; done < count;) {
        const uint64_t x = (begin + done) % width, y = (begin + done) / width + mc->from[1];
        const uint64_t cells = width - x < count - done ? width - x : count - done;
        const struct strip strip = {mc, mc->from[0] + x, mc->from[0] + x + cells, (uint8_t *) out + done};
        const uint32_t *row = &block->at[y < side ? 0 : 2];
        fill_square(&strip, row[0], block->level, 0, y % side);
        fill_square(&strip, row[1], block->level, side, y % side);
        done += cells;
    }
    return 0;
}

/* ---- Finding the next live cell ------------------------------------------------------------------------------- */

/* Returns the first column from `from` on that has a live cell in row y of a square whose first column is x; or
 * UINT64_MAX. */
static uint64_t column_in_square(const struct mc *mc, uint32_t number, uint32_t level, uint64_t x, uint64_t y,
                                 uint64_t from)
{
    const uint64_t side = UINT64_C(1) << level, half = side / 2;
    uint8_t cells[1 << MC_LEAF_TWO] = {0};
    if (number == 0 || x + side <= from || y < mc->top[number])
        return UINT64_MAX;
    const struct mc_node *node = &mc->nodes[number];
    if (level == mc->leaf) {
        fill_leaf(&(const struct strip){mc, x, x + side, cells}, node, x, (unsigned) y);
        uint64_t i = from > x ? from - x : 0;
        while (i < side && cells[i] == 0)
            i++;
        return i < side ? x + i : UINT64_MAX;
    }
    const uint32_t *row = &node->child[y < half ? 0 : 2];
    const uint64_t left = column_in_square(mc, row[0], level - 1, x, y % half, from);
    return left != UINT64_MAX ? left : column_in_square(mc, row[1], level - 1, x + half, y % half, from);
}

static uint64_t row_in_square(const struct mc *mc, uint32_t number, uint32_t level, uint64_t y);

/* Returns the first row from y on that has a live cell in four neighbouring squares; or UINT64_MAX. */
static uint64_t row_in_squares(const struct mc *mc, const uint32_t at[4], uint32_t level, uint64_t y)
{
    const uint64_t side = UINT64_C(1) << level;
    for (int i = 0; i < 4; i += 2) {
        const uint64_t above = i == 0 ? 0 : side, from = y > above ? y - above : 0;
        const uint64_t left = row_in_square(mc, at[i], level, from), right = row_in_square(mc, at[i + 1], level, from);
        const uint64_t least = left < right ? left : right;
        if (least != UINT64_MAX)
            return above + least;
    }
    return UINT64_MAX;
}

static uint64_t row_in_square(const struct mc *mc, uint32_t number, uint32_t level, uint64_t y)
{
    const uint64_t side = UINT64_C(1) << level;
    if (number == 0 || y >= side)
        return UINT64_MAX;
    if (y <= mc->top[number])
        return mc->top[number];
    if (level > mc->leaf)
        return row_in_squares(mc, mc->nodes[number].child, level - 1, y);
    while (y < side && column_in_square(mc, number, level, 0, y, 0) == UINT64_MAX)
        y++;
    return y < side ? y : UINT64_MAX;
}

static int seek_cell(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                     uint64_t *at)
{
    (void) number;
    (void) array;
    const struct mc *mc = self;
    const struct mc_block *block = &mc->block;
    if (mc->wide)
        return refuse_wide(file, mc);
    const uint64_t *extent = mc->pattern.array.shape.extent, side = UINT64_C(1) << block->level;
    const uint64_t end[2] = {mc->from[0] + extent[0], mc->from[1] + extent[1]};
    uint64_t x = mc->from[0] + begin % extent[0], y = mc->from[1] + begin / extent[0];
    while (y < end[1]) {
        const uint32_t *row = &block->at[y < side ? 0 : 2];
        const uint64_t left = column_in_square(mc, row[0], block->level, 0, y % side, x);
        x = left != UINT64_MAX ? left : column_in_square(mc, row[1], block->level, side, y % side, x);
        if (x < end[0])
            break;
        x = mc->from[0];
        y = row_in_squares(mc, block->at, block->level, y + 1);
    }
    *at = y < end[1] ? (y - mc->from[1]) * extent[0] + x - mc->from[0] : UINT64_MAX;
    return 0;
}

/* Takes the part of the pattern that is inside its grid. */
static void take_part(struct mc *mc, const struct rle_prologue *prologue, const uint64_t before[2])
{
    for (int axis = 0; axis < 2; axis++) {
        mc->placed =
            mc->placed && prologue->from[axis] == 0 && before[axis] == (axis == 0 ? prologue->width : prologue->height);
        if (prologue->from[axis] < 0 || (uint64_t) prologue->from[axis] >= before[axis])
            memset(mc->block.at, 0, sizeof mc->block.at);
        else
            mc->from[axis] += (uint64_t) prologue->from[axis];
    }
}

static int parse(struct text_file *text, struct mc *mc, struct engine_file_content *content)
{
    struct rle_prologue prologue = {0};
    int code = mc_parse(text, mc, &prologue.header);
    if (code == 0)
        code = measure(text, mc, &prologue);
    const uint64_t before[2] = {prologue.width, prologue.height};
    memcpy(mc->position, prologue.position, sizeof mc->position);
    mc->placed = prologue.positioned;
    if (code == 0)
        code = rle_place(text, &prologue);
    take_part(mc, &prologue, before);
    mc->span[0] = prologue.width;
    mc->span[1] = prologue.height;
    mc->wide = code == 0 && !io_size_fits(prologue.width, prologue.height);
    if (mc->wide)
        prologue.width = prologue.height = 1;
    mc->pattern.header = prologue.header;
    if (code == 0)
        pattern_describe(&mc->pattern, (uint64_t[3]){prologue.width, prologue.height, 0},
                         mc->largest > 1 ? mc->largest + 1u : 2, content);
    return code;
}

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    struct text_file *text;
    struct mc *mc = *self = io_new(file, sizeof *mc);
    if (mc == NULL)
        return ENGINE_NO_MEMORY;
    const int code = text_file_open(&text, file);
    return code == 0 ? parse(text, mc, content) : code;
}

static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    (void) name;
    (void) bytes;
    return text_file_begins(begin, count, "[M2]");
}

const struct engine_file_format mc_file_format = {
    ENGINE_FILE_FORMAT("mc", "1.0", "macrocell pattern of Golly, for grids of up to 256 states and two axes",
                       ".mc .mc.gz"),
    .flags = ENGINE_FORMAT_PACKED | ENGINE_FORMAT_RANGES | ENGINE_FORMAT_NOTES | ENGINE_FORMAT_SPARSE,
    .keeps = ENGINE_HAS_STEP | ENGINE_HAS_RULE | ENGINE_HAS_PLACE | ENGINE_HAS_GRID,
    .probe = probe,
    .open = open_file,
    .frame = pattern_frame,
    .read = read_cells,
    .seek = seek_cell,
    .create = io_keep_nothing,
    .write = mc_write,
    .holds = pattern_holds,
    .bytes = ENGINE_SIZE_TREE,
};
