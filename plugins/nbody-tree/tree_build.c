/* Cells over sorted bodies. The cells at the top are made one after another; each subtree below them is a task with its
 * own range of cells, which follows from its range of bodies. */
#include "tree.h"

#include <string.h>

/* A cell to be made: its bodies, and how often they got keys of their own. */
struct range {
    uint32_t cell, rounds;
    uint64_t begin, end;
};

uint64_t tree_cells_max(uint64_t count)
{
    return TREE_TOP_MAX + 2 * (count / TREE_LEAST) + 2;
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

/* Keeps the moments of a cell in units of its mass and radius. */
static void keep(const struct tree *tree, uint32_t index, const double *moments)
{
    const struct tree_terms *terms = &tree->terms;
    const struct tree_cell *cell = tree->cells + index;
    const size_t first = (size_t) index * (size_t) terms->padded;
    double unit = cell->mass > 0 ? 1 / cell->mass : 0;
    for (int order = 0, t = 0; order <= terms->order; order++) {
        for (; t < terms->end[order]; t++)
            if (tree->narrow)
                ((float *) tree->moments)[first + (size_t) t] = (float) (moments[t] * unit);
            else
                ((double *) tree->moments)[first + (size_t) t] = moments[t] * unit;
        unit = cell->radius > 0 ? unit / cell->radius : 0;
    }
}

/* Sorts the bodies of a leaf, and sets its mass and centre. */
static void set_bodies(const struct tree *tree, struct tree_cell *cell, struct tree_box *box)
{
    double mass = 0, sums[3] = {0, 0, 0};
    for (uint64_t i = cell->begin; i < cell->end; i++) {
        double x[3];
        sort_body(tree, i);
        mass += tree_sorted(tree, 3, i);
        for (int c = 0; c < 3; c++) {
            x[c] = tree_sorted(tree, c, i);
            sums[c] += tree_sorted(tree, 3, i) * x[c];
        }
        tree_box_add(box, x);
    }
    set_centre(cell, mass, sums, box);
}

static void make_leaf(const struct tree *tree, uint32_t index, struct tree_sum *sum)
{
    struct tree_cell *cell = tree->cells + index;
    *sum = (struct tree_sum){.box = TREE_NO_BOX};
    set_bodies(tree, cell, &sum->box);
    cell->radius = 0;
    for (uint64_t i = cell->begin; i < cell->end; i++) {
        double d[3];
        for (int c = 0; c < 3; c++)
            d[c] = cell->centre[c] - tree_sorted(tree, c, i);
        cell->radius = fmax(cell->radius, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
        add_body(&tree->terms, tree_sorted(tree, 3, i), d, sum->moments);
    }
    for (int t = 0; t < tree->terms.count; t++)
        sum->moments[t] *= tree->terms.inverse[t];
    keep(tree, index, sum->moments);
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

/* The radius of a cell: its children's reach, or its box's farthest corner. */
static double radius_of(const struct tree *tree, const struct tree_cell *cell, const struct tree_box *box)
{
    const struct tree_cell *children[2] = {tree->cells + cell->first, tree->cells + cell->second};
    double farthest = 0, corner[3];
    for (int k = 0; k < 2; k++)
        farthest = fmax(farthest, distance(cell->centre, children[k]->centre) + children[k]->radius);
    for (int c = 0; c < 3; c++)
        corner[c] = cell->centre[c] + fmax(cell->centre[c] - box->low[c], box->high[c] - cell->centre[c]);
    return fmin(farthest, distance(cell->centre, corner));
}

/* Makes a cell of its children, whose sums are given. */
static void join(const struct tree *tree, uint32_t index, const struct tree_sum *const halves[2], struct tree_sum *sum)
{
    struct tree_cell *cell = tree->cells + index;
    const struct tree_cell *children[2] = {tree->cells + cell->first, tree->cells + cell->second};
    double sums[3];
    *sum = (struct tree_sum){.box = halves[0]->box};
    tree_box_add(&sum->box, halves[1]->box.low);
    tree_box_add(&sum->box, halves[1]->box.high);
    for (int c = 0; c < 3; c++)
        sums[c] = children[0]->mass * children[0]->centre[c] + children[1]->mass * children[1]->centre[c];
    set_centre(cell, children[0]->mass + children[1]->mass, sums, &sum->box);
    for (int k = 0; k < 2; k++) {
        double d[3];
        for (int c = 0; c < 3; c++)
            d[c] = cell->centre[c] - children[k]->centre[c];
        add_moments(&tree->terms, halves[k]->moments, d, sum->moments);
    }
    cell->radius = radius_of(tree, cell, &sum->box);
    keep(tree, index, sum->moments);
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
static void make_cells(const struct tree *tree, struct range range, uint32_t *next, struct tree_sum *sum)
{
    struct range halves[2];
    struct tree_sum sums[2];
    set_range(tree, &range);
    if (is_leaf(&range)) {
        make_leaf(tree, range.cell, sum);
        return;
    }
    divide_cell(tree, &range, *next, halves);
    *next += 2;
    make_cells(tree, halves[0], next, &sums[0]);
    make_cells(tree, halves[1], next, &sums[1]);
    join(tree, range.cell, (const struct tree_sum *const[2]){&sums[0], &sums[1]}, sum);
}

/* The subtrees that are tasks. */
struct top {
    const struct tree *tree;
    struct range parts[TREE_PARTS_MAX];
};

static void part_task(void *argument, uint64_t part)
{
    const struct top *top = (const struct top *) argument;
    const struct range *range = &top->parts[part];
    uint32_t next = (uint32_t) (TREE_TOP_MAX + 2 * range->begin / TREE_LEAST);
    make_cells(top->tree, *range, &next, top->tree->top + range->cell);
}

/* Divides the widest cells first, into so many parts that threads find enough to do. Returns the number of cells. */
static uint32_t make_parts(struct tree *tree, struct top *top)
{
    const uint64_t most = tree->count / (TREE_PARTS_MAX / 4);
    struct range queue[TREE_TOP_MAX];
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
static void join_top(const struct tree *tree, uint32_t cells)
{
    uint32_t part = tree->part_count;
    for (uint32_t cell = cells; cell-- > 0;) {
        const struct tree_cell *at = tree->cells + cell;
        if (part > 0 && tree->parts[part - 1] == cell)
            part--;
        else
            join(tree, cell, (const struct tree_sum *const[2]){tree->top + at->first, tree->top + at->second},
                 tree->top + cell);
    }
}

int tree_make(struct tree *tree)
{
    struct top top = {.tree = tree};
    if (!tree_sort(tree))
        return 0;
    const uint32_t cells = make_parts(tree, &top);
    tree->host->parallel(tree->host, tree->part_count, part_task, &top);
    join_top(tree, cells);
    tree->host->parallel(tree->host, tree->part_count, strength_task, tree);
    return 1;
}
