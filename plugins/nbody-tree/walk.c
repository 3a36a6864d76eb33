/* The walk goes down from a cell that is attracted, the target. A target has a list of cells whose attraction on it is
 * not yet known. Each of them, the source,
 *
 *     is far enough        its expansion is added to the target's polynomial
 *     is larger            or the target is a leaf, and the source is not: its children take its place
 *     otherwise            goes into the list of the target's children; for a leaf, its bodies attract
 *
 * The polynomial is shifted to the children. All lists have a fixed length: when one is full, the walk goes down with
 * it, and comes back for the rest. So the order of all sums follows from the tree alone. */
#include "walk.h"

#include <string.h>

enum { LIST = 256 };

struct list {
    uint32_t count;
    uint32_t cells[LIST];
};

/* Cells that a polynomial gets, and the square of the nearest one's distance. */
struct far {
    struct list list;
    double square;
};

/* A target on the way down. */
struct target {
    const struct walk *walk;
    uint32_t cell;
    struct far far;   /* sources for the polynomial */
    struct list rest; /* sources for the children or, for a leaf, those whose bodies attract */
    struct list wide; /* for a leaf: sources for each body on its own */
    double local[TREE_TERMS_MAX];
};

/* Appends a cell if a condition holds. */
static void append_if(struct list *list, uint32_t cell, int condition)
{
    list->cells[list->count] = cell;
    list->count += (uint32_t) condition;
}

/* Appends a cell, whose distance has a square, if a condition holds. */
static void append_far(struct far *far, uint32_t cell, double square, int condition)
{
    append_if(&far->list, cell, condition);
    far->square = condition && square < far->square ? square : far->square;
}

static void clear_far(struct far *far)
{
    far->list.count = 0;
    far->square = HUGE_VAL;
}

/* Adds the potential of the cells to a polynomial about a point, up to an order. */
static void add_far(const struct walk *walk, const double centre[3], int order, struct far *far, double *local)
{
    const struct tree *tree = walk->tree;
    const struct tree_job job = {far->list.cells,
                                 far->list.count,
                                 {centre[0], centre[1], centre[2]},
                                 sqrt(far->square + tree->softening * tree->softening),
                                 order,
                                 local};
    if (job.count > 0 && tree->cells[0].mass > 0)
        walk->kernel->far[tree->narrow ? 0 : 1](tree, &job);
    clear_far(far);
}

/* May a target of a radius, and with an attraction of a strength, interact with a cell as a whole? With
 * s = d^2 + softening^2, the cell attracts with m / s, and the error is about m / s ((r + q)^2 / s)^(order / 2). All is
 * squared. */
static int interact(const struct walk *walk, double radius, double strength, const struct tree_cell *other,
                    double square)
{
    const double reach = radius + other->radius, s = square + walk->tree->softening * walk->tree->softening;
    const double ratio = reach * reach / s, bound = walk->error * strength * s;
    double error = other->mass * other->mass;
    for (int order = 0; order < walk->tree->terms.order; order++)
        error *= ratio;
    return (reach * reach < TREE_OPENING * TREE_OPENING * square) & (error <= bound * bound);
}

static double square_to(const struct tree_cell *cell, const double at[3])
{
    const double x = cell->centre[0] - at[0], y = cell->centre[1] - at[1], z = cell->centre[2] - at[2];
    return x * x + y * y + z * z;
}

/* ---- Leaves ----------------------------------------------------------------------------------------------------- */

/* Appends the bodies of a cell. */
static void append(const struct tree *tree, const struct tree_cell *cell, struct tree_near *near)
{
    const uint64_t count = cell->end - cell->begin, size = tree->precision == NBODY_DOUBLE ? 8 : 4;
    for (int c = 0; c < 4; c++)
        memcpy((char *) near->numbers[c] + near->count * size, (const char *) tree->sorted[c] + cell->begin * size,
               count * size);
    near->count += count;
}

/* Bodies without mass at the first one's position fill up a vector. */
static void fill(const struct tree *tree, struct tree_near *near)
{
    const uint64_t size = tree->precision == NBODY_DOUBLE ? 8 : 4;
    const double nothing = 0;
    for (; near->count % TREE_LANES_MAX; near->count++)
        for (int c = 0; c < 4; c++)
            memcpy((char *) near->numbers[c] + near->count * size, c < 3 ? near->numbers[c] : &nothing, size);
}

static void add_near(const struct walk *walk, struct tree_near *near, const struct tree_targets *targets)
{
    const uint32_t precision = walk->tree->precision;
    if (near->count == 0)
        return;
    fill(walk->tree, near);
    (walk->potentials ? walk->kernel->potential : walk->kernel->near)[precision](near, targets);
    near->count = 0;
}

/* The potential of a leaf's own bodies, without that of a body at its own place. */
static void add_own(const struct walk *walk, const struct tree_targets *targets)
{
    for (uint64_t i = targets->begin; i < targets->end; i++)
        for (uint64_t j = targets->begin; j < targets->end; j++) {
            double s = walk->tree->softening * walk->tree->softening;
            for (int c = 0; c < 3; c++) {
                const double d = tree_sorted(walk->tree, c, j) - tree_sorted(walk->tree, c, i);
                s += d * d;
            }
            if (j != i && s > 0)
                targets->sums[3][i - targets->begin] += tree_sorted(walk->tree, 3, j) / sqrt(s);
        }
}

/* Sources for one body, which are small beside the leaf. */
struct single {
    const struct walk *walk;
    struct tree_targets targets; /* the body alone */
    double at[3];
    double strength;
    double local[4];
    struct far far;
    struct tree_near near;
};

static void add_single(struct single *single)
{
    add_far(single->walk, single->at, 1, &single->far, single->local);
}

static void consider_single(struct single *single, uint32_t source)
{
    const struct walk *walk = single->walk;
    uint32_t stack[TREE_DEPTH + 2], depth = 0;
    stack[depth++] = source;
    while (depth > 0) {
        const uint32_t index = stack[--depth];
        const struct tree_cell *other = walk->tree->cells + index;
        const double square = square_to(other, single->at);
        if (interact(walk, 0, single->strength, other, square)) {
            append_far(&single->far, index, square, 1);
            if (single->far.list.count == LIST)
                add_single(single);
        } else if (other->first) {
            stack[depth++] = other->second;
            stack[depth++] = other->first;
        } else {
            if (single->near.count + (other->end - other->begin) > TREE_NEAR_MAX)
                add_near(walk, &single->near, &single->targets);
            append(walk->tree, other, &single->near);
        }
    }
}

/* Adds the attraction of the sources that each body meets on its own. */
static void sum_singles(const struct target *target, const struct tree_targets *targets)
{
    const struct walk *walk = target->walk;
    struct single single;
    single.walk = walk;
    single.strength = walk->tree->cells[target->cell].strength;
    single.near.softening = walk->tree->softening;
    single.near.count = 0;
    clear_far(&single.far);
    for (uint64_t i = targets->begin; i < targets->end; i++) {
        double sums[4][TREE_LEAF + TREE_LANES_MAX] = {{0}};
        memset(single.local, 0, sizeof single.local);
        single.targets = (struct tree_targets){i, i + 1, targets->sorted, sums};
        for (int c = 0; c < 3; c++)
            single.at[c] = tree_sorted(walk->tree, c, i);
        for (uint32_t n = 0; n < target->wide.count; n++)
            consider_single(&single, target->wide.cells[n]);
        add_near(walk, &single.near, &single.targets);
        add_single(&single);
        for (int c = 0; c < 4; c++)
            targets->sums[c][i - targets->begin] +=
                sums[c][0] * (c < 3 ? walk->kernel->scale[walk->tree->precision] : 1) + single.local[(c + 1) % 4];
    }
}

static void sum_leaf(const struct target *target)
{
    const struct walk *walk = target->walk;
    const struct tree *tree = walk->tree;
    const struct tree_cell *leaf = tree->cells + target->cell;
    double sums[4][TREE_LEAF + TREE_LANES_MAX] = {{0}};
    const struct tree_targets targets = {leaf->begin, leaf->end, (const void *const *) tree->sorted, sums};
    struct tree_near near;
    near.count = 0;
    near.softening = walk->tree->softening;
    for (uint32_t i = 0; i < target->rest.count; i++) {
        const struct tree_cell *source = tree->cells + target->rest.cells[i];
        if (near.count + (source->end - source->begin) > TREE_NEAR_MAX)
            add_near(walk, &near, &targets);
        if (walk->potentials && source == leaf)
            add_own(walk, &targets);
        else
            append(tree, source, &near);
    }
    add_near(walk, &near, &targets);
    for (int c = 0; c < 3; c++)
        for (uint64_t i = 0; i < TREE_LEAF; i++)
            sums[c][i] *= walk->kernel->scale[tree->precision];
    if (target->wide.count > 0)
        sum_singles(target, &targets);
    walk->kernel->evaluate(&tree->terms, tree->precision, leaf->centre, target->local, &targets);
    walk->take(walk, &targets);
}

/* ---- Cells ------------------------------------------------------------------------------------------------------ */

/* Moves the origin of a polynomial by d: along each axis, Horner's scheme on each line of coefficients. */
static void shift(const struct tree_terms *terms, const double *from, const double d[3], double *to)
{
    const int side = terms->order + 1, stride[3] = {side * side, side, 1};
    double cube[(TREE_ORDER_MAX + 1) * (TREE_ORDER_MAX + 1) * (TREE_ORDER_MAX + 1)];
    for (int t = 0; t < terms->count; t++)
        cube[terms->offset[t]] = from[t];
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < side; i++)
            for (int j = 0; j < side - i; j++) {
                double *line = cube + i * stride[(c + 1) % 3] + j * stride[(c + 2) % 3];
                const int degree = terms->order - i - j;
                for (int a = 0; a < degree; a++)
                    for (int b = degree - 1; b >= a; b--)
                        line[b * stride[c]] += d[c] * line[(b + 1) * stride[c]];
            }
    for (int t = 0; t < terms->count; t++)
        to[t] = cube[terms->offset[t]];
}

/* Bodies at one place need no more than the gradient. */
static void add_target(struct target *target)
{
    const struct tree_cell *cell = target->walk->tree->cells + target->cell;
    add_far(target->walk, cell->centre, cell->radius > 0 ? target->walk->tree->terms.order : 1, &target->far,
            target->local);
}

static void visit(const struct walk *walk, uint32_t cell, const struct target *parent);

/* Goes down with the polynomial and the list, which are then empty. */
static void descend(struct target *target)
{
    const struct tree_cell *cell = target->walk->tree->cells + target->cell;
    add_target(target);
    if (!cell->first) {
        sum_leaf(target);
    } else {
        visit(target->walk, cell->first, target);
        visit(target->walk, cell->second, target);
    }
    memset(target->local, 0, sizeof target->local);
    target->rest.count = target->wide.count = 0;
}

/* Finds out about a source and those below it. */
static void consider(struct target *target, uint32_t source)
{
    const struct walk *walk = target->walk;
    const struct tree_cell *cells = walk->tree->cells, *cell = cells + target->cell;
    const int leaf = !cell->first;
    uint32_t stack[TREE_DEPTH + 2], depth = 0;
    stack[depth++] = source;
    while (depth > 0) {
        const uint32_t index = stack[--depth];
        const struct tree_cell *other = cells + index;
        const double square = square_to(other, cell->centre);
        const int is_far = interact(walk, cell->radius, cell->strength, other, square);
        const int inner = !is_far & (other->first != 0),
                  split = inner & (other->radius >= (leaf ? TREE_WIDE : 1) * cell->radius);
        const int wide = inner & !split & leaf;
        append_far(&target->far, index, square, is_far);
        append_if(&target->wide, index, wide);
        append_if(&target->rest, index, !is_far & !split & !wide);
        stack[depth] = other->second;
        stack[depth + 1] = other->first;
        depth += split ? 2 : 0;
        if (target->far.list.count == LIST)
            add_target(target);
        if (target->rest.count == LIST || target->wide.count == LIST)
            descend(target);
    }
}

static void visit(const struct walk *walk, uint32_t cell, const struct target *parent)
{
    struct target target;
    target.walk = walk;
    target.cell = cell;
    target.rest.count = target.wide.count = 0;
    clear_far(&target.far);
    memset(target.local, 0, sizeof target.local);
    if (parent) {
        const double *to = walk->tree->cells[cell].centre, *from = walk->tree->cells[parent->cell].centre;
        shift(&walk->tree->terms, parent->local, (const double[3]){to[0] - from[0], to[1] - from[1], to[2] - from[2]},
              target.local);
        for (uint32_t i = 0; i < parent->rest.count; i++)
            consider(&target, parent->rest.cells[i]);
    } else {
        consider(&target, 0);
    }
    descend(&target);
}

void walk_cell(const struct walk *walk, uint32_t cell)
{
    visit(walk, cell, NULL);
}
