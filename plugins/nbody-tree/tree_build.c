/* Cells over sorted bodies. The cells at the top are made one after another; each subtree below them is a task with its own
 * range of cells, which follows from its range of bodies. */
#include "tree.h"

#include <string.h>

/* A cell to be made: its bodies, and how often they got keys of their own. */
struct range {
    uint32_t cell, rounds;
    uint64_t begin, end;
};

uint64_t tree_cells_max(uint64_t count)
{
    return 2 * TREE_PARTS_MAX + 2 * (count / TREE_LEAST) + 2;
}

/* ---- Halves ----------------------------------------------------------------------------------------------------- */

/* The first key of [begin, end) that has a bit, which the first lacks and the last has. */
static uint64_t first_with(const struct tree_key *keys, uint64_t begin, uint64_t end, uint64_t bit)
{
    uint64_t without = begin, with = end - 1;
    while (with - without > 1) {
        const uint64_t middle = without + (with - without) / 2;
        if (keys[middle].key & bit)
            with = middle;
        else
            without = middle;
    }
    return with;
}

/* Where a range is divided. A half gets bodies of the other if it has too few. */
static uint64_t divide(const struct tree *tree, struct range *range)
{
    const uint64_t begin = range->begin, end = range->end;
    uint64_t middle = begin + (end - begin) / 2;
    while (tree->keys[begin].key == tree->keys[end - 1].key && range->rounds < TREE_ROUNDS) {
        range->rounds++;
        if (!tree_sort_again(tree, begin, end))
            range->rounds = TREE_ROUNDS;
    }
    const uint64_t differ = tree->keys[begin].key ^ tree->keys[end - 1].key;
    if (differ)
        middle = first_with(tree->keys, begin, end, (uint64_t) 1 << (63 - __builtin_clzll(differ)));
    if (middle < begin + TREE_LEAST)
        return begin + TREE_LEAST;
    return middle > end - TREE_LEAST ? end - TREE_LEAST : middle;
}

/* ---- Moments ---------------------------------------------------------------------------------------------------- */

static void sort_body(const struct tree *tree, uint64_t i)
{
    const uint64_t body = tree->keys[i].body;
    for (int c = 0; c < 4; c++) {
        const void *from = c < 3 ? tree->position[c] : tree->mass;
        if (tree->precision == NBODY_DOUBLE)
            ((double *) tree->sorted[c])[i] = ((const double *) from)[body];
        else
            ((float *) tree->sorted[c])[i] = ((const float *) from)[body];
    }
}

static double sorted_number(const struct tree *tree, int c, uint64_t i)
{
    return tree->precision == NBODY_DOUBLE ? ((const double *) tree->sorted[c])[i]
                                           : (double) ((const float *) tree->sorted[c])[i];
}

/* The centre of mass, or that of the box if nothing has a mass, from sums of m and m x. */
static void set_centre(struct tree_cell *cell, double mass, const double sums[3], const struct tree_box *box)
{
    cell->mass = mass;
    for (int c = 0; c < 3; c++)
        cell->centre[c] = mass > 0 ? sums[c] / mass : box->low[c] + (box->high[c] - box->low[c]) / 2;
}

static double distance(const double a[3], const double b[3])
{
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

/* Adds a body at d = c - x. */
static void add_body(const struct tree_terms *terms, double mass, const double d[3], double *moments)
{
    double term[TREE_TERMS_MAX];
    term[0] = mass;
    moments[0] += mass;
    for (int t = 1; t < terms->count; t++) {
        term[t] = term[terms->lower[t]] * d[terms->axis[t]];
        moments[t] += term[t];
    }
}

static struct tree_box make_leaf(const struct tree *tree, struct tree_cell *cell, double *moments)
{
    const struct tree_terms *terms = &tree->terms;
    struct tree_box box = TREE_NO_BOX;
    double mass = 0, sums[3] = {0, 0, 0};
    for (uint64_t i = cell->begin; i < cell->end; i++) {
        double x[3];
        sort_body(tree, i);
        mass += sorted_number(tree, 3, i);
        for (int c = 0; c < 3; c++) {
            x[c] = sorted_number(tree, c, i);
            sums[c] += sorted_number(tree, 3, i) * x[c];
        }
        tree_box_add(&box, x);
    }
    set_centre(cell, mass, sums, &box);
    cell->radius = 0;
    memset(moments, 0, (size_t) terms->padded * sizeof *moments);
    for (uint64_t i = cell->begin; i < cell->end; i++) {
        double d[3];
        for (int c = 0; c < 3; c++)
            d[c] = cell->centre[c] - sorted_number(tree, c, i);
        cell->radius = fmax(cell->radius, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
        add_body(terms, sorted_number(tree, 3, i), d, moments);
    }
    for (int t = 0; t < terms->count; t++)
        moments[t] *= terms->inverse[t];
    return box;
}

/* Adds moments about a point to those about a point that is d away: M'_n = sum of M_(n-j) d^j / j!, axis after axis. */
static void add_moments(const struct tree_terms *terms, const double *from, const double d[3], double *to)
{
    double cube[(TREE_ORDER_MAX + 1) * (TREE_ORDER_MAX + 1) * (TREE_ORDER_MAX + 1)], powers[TREE_ORDER_MAX + 1];
    const int stride[3] = {(terms->order + 1) * (terms->order + 1), terms->order + 1, 1};
    for (int t = 0; t < terms->count; t++)
        cube[terms->offset[t]] = from[t];
    for (int c = 0; c < 3; c++) {
        powers[0] = 1;
        for (int j = 1; j <= terms->order; j++)
            powers[j] = powers[j - 1] * d[c] / j;
        for (int t = terms->count - 1; t > 0; t--)
            for (int j = 1; j <= terms->power[t][c]; j++)
                cube[terms->offset[t]] += cube[terms->offset[t] - j * stride[c]] * powers[j];
    }
    for (int t = 0; t < terms->count; t++)
        to[t] += cube[terms->offset[t]];
}

static struct tree_box join(const struct tree *tree, uint32_t index, const struct tree_box boxes[2])
{
    struct tree_cell *cell = tree->cells + index;
    const struct tree_cell *children[2] = {tree->cells + cell->first, tree->cells + cell->second};
    double *moments = tree->moments + (size_t) index * (size_t) tree->terms.padded;
    struct tree_box box = boxes[0];
    double sums[3], farthest = 0, corner[3];
    tree_box_add(&box, boxes[1].low);
    tree_box_add(&box, boxes[1].high);
    for (int c = 0; c < 3; c++)
        sums[c] = children[0]->mass * children[0]->centre[c] + children[1]->mass * children[1]->centre[c];
    set_centre(cell, children[0]->mass + children[1]->mass, sums, &box);
    memset(moments, 0, (size_t) tree->terms.padded * sizeof *moments);
    for (int k = 0; k < 2; k++) {
        const double *from = tree->moments + (size_t) (k ? cell->second : cell->first) * (size_t) tree->terms.padded;
        double d[3];
        for (int c = 0; c < 3; c++)
            d[c] = cell->centre[c] - children[k]->centre[c];
        add_moments(&tree->terms, from, d, moments);
        farthest = fmax(farthest, distance(cell->centre, children[k]->centre) + children[k]->radius);
    }
    for (int c = 0; c < 3; c++)
        corner[c] = cell->centre[c] + fmax(cell->centre[c] - box.low[c], box.high[c] - cell->centre[c]);
    cell->radius = fmin(farthest, distance(cell->centre, corner));
    return box;
}

/* ---- Cells ------------------------------------------------------------------------------------------------------ */

static int is_leaf(const struct range *range)
{
    return range->end - range->begin <= TREE_LEAF;
}

/* Divides the bodies of a cell among two, numbers `next` and next + 1. */
static void divide_cell(const struct tree *tree, struct range *range, uint32_t next, struct range halves[2])
{
    const uint64_t middle = divide(tree, range);
    struct tree_cell *cell = tree->cells + range->cell;
    cell->first = next;
    cell->second = next + 1;
    halves[0] = (struct range){next, range->rounds, range->begin, middle};
    halves[1] = (struct range){next + 1, range->rounds, middle, range->end};
}

static void set_range(const struct tree *tree, const struct range *range)
{
    tree->cells[range->cell].begin = (uint32_t) range->begin;
    tree->cells[range->cell].end = (uint32_t) range->end;
    tree->cells[range->cell].first = 0;
}

/* Makes a cell and those below it; *next is the next number. */
static struct tree_box make_cells(const struct tree *tree, struct range range, uint32_t *next)
{
    struct range halves[2];
    struct tree_box boxes[2];
    set_range(tree, &range);
    if (is_leaf(&range))
        return make_leaf(tree, tree->cells + range.cell,
                         tree->moments + (size_t) range.cell * (size_t) tree->terms.padded);
    divide_cell(tree, &range, *next, halves);
    *next += 2;
    boxes[0] = make_cells(tree, halves[0], next);
    boxes[1] = make_cells(tree, halves[1], next);
    return join(tree, range.cell, boxes);
}

/* The cells that are not below a part. */
struct top {
    const struct tree *tree;
    struct range parts[TREE_PARTS_MAX];
    struct tree_box boxes[2 * TREE_PARTS_MAX]; /* of the first cells */
};

static void part_task(void *argument, uint64_t part)
{
    struct top *top = (struct top *) argument;
    const struct range *range = &top->parts[part];
    uint32_t next = (uint32_t) (2 * TREE_PARTS_MAX + 2 * range->begin / TREE_LEAST);
    top->boxes[range->cell] = make_cells(top->tree, *range, &next);
}

/* Divides the widest cells first, into so many parts that threads find enough to do. Returns the number of cells. */
static uint32_t make_parts(struct tree *tree, struct top *top)
{
    const uint64_t most = tree->count / (TREE_PARTS_MAX / 4);
    struct range queue[2 * TREE_PARTS_MAX];
    uint32_t cells = 1;
    tree->part_count = 0;
    queue[0] = (struct range){0, 0, 0, tree->count};
    for (uint32_t q = 0; q < cells; q++) {
        const uint32_t waiting = cells - q;
        set_range(tree, &queue[q]);
        if (is_leaf(&queue[q]) || queue[q].end - queue[q].begin <= most ||
            tree->part_count + waiting >= TREE_PARTS_MAX) {
            tree->parts[tree->part_count] = q;
            top->parts[tree->part_count++] = queue[q];
            continue;
        }
        divide_cell(tree, &queue[q], cells, queue + cells);
        cells += 2;
    }
    return cells;
}

static void strength_task(void *argument, uint64_t part)
{
    const struct tree *tree = (const struct tree *) argument;
    tree_set_strengths(tree, tree->parts[part]);
}

/* Joins the cells that are not below a part, the last ones first. */
static void join_top(const struct tree *tree, struct top *top, uint32_t cells)
{
    uint32_t part = tree->part_count;
    for (uint32_t cell = cells; cell-- > 0;) {
        const struct tree_cell *at = tree->cells + cell;
        if (part > 0 && tree->parts[part - 1] == cell)
            part--;
        else
            top->boxes[cell] = join(tree, cell, (struct tree_box[2]){top->boxes[at->first], top->boxes[at->second]});
    }
}

int tree_make(struct tree *tree)
{
    struct top top = {.tree = tree};
    if (!tree_sort(tree))
        return 0;
    const uint32_t cells = make_parts(tree, &top);
    tree->host->parallel(tree->host, tree->part_count, part_task, &top);
    join_top(tree, &top, cells);
    tree->host->parallel(tree->host, tree->part_count, strength_task, tree);
    return 1;
}
