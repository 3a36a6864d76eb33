#include "record/settled.h"
#include "objects/place_hash.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = -1, BACKGROUND = 256 };

/* A cube of cells in which some are alive. Blocks that lie near each other belong to the same cluster. */
struct block {
    int64_t at[3];
    int64_t cluster; /* while clusters are found: the index of another block of it, or of this one */
};

struct cluster {
    uint64_t place, count; /* of its cells: their hash, their number */
    int64_t low[3], high[3];
    int64_t move[3]; /* in a period */
    bool moves;
};

struct settled {
    uint32_t rank;
    uint64_t reach, period;
    struct block *blocks;
    int64_t *table; /* of `slots` entries: the index of a block, or NONE */
    uint64_t block_count, slots;
    struct cluster *clusters;
    uint64_t cluster_count;
    uint64_t *stays;  /* for each phase: the hash of the clusters that do not move, and of the background */
    uint64_t **moves; /* for each cluster that moves its hash in each phase; NULL: others */
};

/* ---- Hashes ------------------------------------------------------------------------------------------------------ */

static uint64_t hash_of_cell(const struct live_cell *cell)
{
    const uint64_t place = place_factor(cell->at[0], cell->at[1], cell->at[2]);
    return cell->value == 1 ? place : place_multiply(place, place_state(cell->value));
}

uint64_t settled_hash(const struct live_cells *cells)
{
    uint64_t sum = place_state(BACKGROUND + cells->background);
    for (uint64_t i = 0; i < cells->count; i++)
        sum = place_add(sum, hash_of_cell(&cells->at[i]));
    return sum;
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

/* A block is so large that whatever reaches a cell in a period is in the same block or beside it. */
static void block_of(const struct settled *settled, const struct live_cell *cell, int64_t at[3])
{
    const int64_t size = (int64_t) settled->reach + 1;
    for (int axis = 0; axis < 3; axis++)
        at[axis] = (cell->at[axis] - (cell->at[axis] < 0 ? size - 1 : 0)) / size;
}

static uint64_t slot_of(const struct settled *settled, const int64_t at[3])
{
    uint64_t hash = (uint64_t) at[0] * 0x9e3779b97f4a7c15u ^ (uint64_t) at[1] * 0xc2b2ae3d27d4eb4fu ^
                    (uint64_t) at[2] * 0x165667b19e3779f9u;
    uint64_t slot = (hash ^ hash >> 29) & (settled->slots - 1);
    while (settled->table[slot] != NONE &&
           memcmp(settled->blocks[settled->table[slot]].at, at, sizeof settled->blocks[0].at) != 0)
        slot = (slot + 1) & (settled->slots - 1);
    return slot;
}

static int make_blocks(struct settled *settled, const struct live_cells *cells)
{
    settled->slots = 16;
    while (settled->slots < 2 * cells->count)
        settled->slots *= 2;
    settled->blocks = malloc((cells->count + 1) * sizeof *settled->blocks);
    settled->table = malloc(settled->slots * sizeof *settled->table);
    if (!settled->blocks || !settled->table)
        return -1;
    for (uint64_t i = 0; i < settled->slots; i++)
        settled->table[i] = NONE;
    for (uint64_t i = 0; i < cells->count; i++) {
        int64_t at[3];
        block_of(settled, &cells->at[i], at);
        const uint64_t slot = slot_of(settled, at);
        if (settled->table[slot] != NONE)
            continue;
        settled->table[slot] = (int64_t) settled->block_count;
        settled->blocks[settled->block_count] = (struct block){{at[0], at[1], at[2]}, (int64_t) settled->block_count};
        settled->block_count++;
    }
    return 0;
}

/* Calls visit for each block within `far` blocks of a place, until it returns false. */
static void visit_near(struct settled *settled, const int64_t at[3], int far,
                       bool (*visit)(struct settled *settled, int64_t block, int64_t *self), int64_t *self)
{
    const int deep = settled->rank > 2 ? far : 0, high = settled->rank > 1 ? far : 0;
    for (int z = -deep; z <= deep; z++)
        for (int y = -high; y <= high; y++)
            for (int x = -far; x <= far; x++) {
                const int64_t near[3] = {at[0] + x, at[1] + y, at[2] + z};
                const int64_t block = settled->table[slot_of(settled, near)];
                if (block != NONE && !visit(settled, block, self))
                    return;
            }
}

/* ---- Clusters ---------------------------------------------------------------------------------------------------- */

static int64_t root_of(struct settled *settled, int64_t block)
{
    struct block *blocks = settled->blocks;
    while (blocks[block].cluster != block)
        block = blocks[block].cluster = blocks[blocks[block].cluster].cluster;
    return block;
}

/* The smaller index becomes the root, so that a root comes before all others of its cluster. */
static bool join(struct settled *settled, int64_t block, int64_t *other)
{
    const int64_t a = root_of(settled, block), b = root_of(settled, *other);
    settled->blocks[a < b ? b : a].cluster = a < b ? a : b;
    return true;
}

/* Joins blocks between which there is at most one other, so that each place is beside blocks of one cluster alone. */
static int make_clusters(struct settled *settled)
{
    for (int64_t i = 0; i < (int64_t) settled->block_count; i++)
        visit_near(settled, settled->blocks[i].at, 2, join, &i);
    for (int64_t i = 0; i < (int64_t) settled->block_count; i++)
        settled->blocks[i].cluster = root_of(settled, i);
    for (int64_t i = 0; i < (int64_t) settled->block_count; i++)
        settled->blocks[i].cluster = settled->blocks[i].cluster == i
                                         ? (int64_t) settled->cluster_count++
                                         : settled->blocks[settled->blocks[i].cluster].cluster;
    settled->clusters = calloc(settled->cluster_count + 1, sizeof *settled->clusters);
    return settled->clusters ? 0 : -1;
}

static bool take_cluster(struct settled *settled, int64_t block, int64_t *cluster)
{
    *cluster = settled->blocks[block].cluster;
    return false;
}

/* The cluster to which a cell belongs that has come from it within a period. */
static int64_t cluster_of(struct settled *settled, const struct live_cell *cell)
{
    int64_t at[3], cluster = NONE;
    block_of(settled, cell, at);
    visit_near(settled, at, 0, take_cluster, &cluster);
    if (cluster == NONE)
        visit_near(settled, at, 1, take_cluster, &cluster);
    return cluster;
}

static void add_cell(struct cluster *cluster, const struct live_cell *cell)
{
    for (int axis = 0; axis < 3; axis++) {
        const bool fresh = cluster->count == 0;
        cluster->low[axis] = fresh || cell->at[axis] < cluster->low[axis] ? cell->at[axis] : cluster->low[axis];
        cluster->high[axis] = fresh || cell->at[axis] >= cluster->high[axis] ? cell->at[axis] + 1 : cluster->high[axis];
    }
    cluster->place = place_add(cluster->place, hash_of_cell(cell));
    cluster->count++;
}

/* Adds cells to the clusters from which they have come. Returns false if there is a cell that has come from none. */
static bool add_cells(struct settled *settled, const struct live_cells *cells, struct cluster *clusters)
{
    for (uint64_t i = 0; i < cells->count; i++) {
        const int64_t cluster = cluster_of(settled, &cells->at[i]);
        if (cluster == NONE)
            return false;
        add_cell(&clusters[cluster], &cells->at[i]);
    }
    return true;
}

/* ---- Comparing --------------------------------------------------------------------------------------------------- */

/* Is the cluster there again? Finds how far it has moved. */
static bool comes_again(struct cluster *now, const struct cluster *later)
{
    if (now->count != later->count)
        return false;
    for (int axis = 0; axis < 3; axis++) {
        now->move[axis] = later->low[axis] - now->low[axis];
        now->moves = now->moves || now->move[axis] != 0;
        if (later->high[axis] - now->high[axis] != now->move[axis])
            return false;
    }
    return place_multiply(now->place, place_factor(now->move[0], now->move[1], now->move[2])) == later->place;
}

/* Will two clusters ever be so near to each other along all axes? */
static bool will_meet(const struct settled *settled, const struct cluster *a, const struct cluster *b)
{
    const double near = 2 * (double) settled->reach;
    double from = 0, to = 1e18;
    bool alike = true;
    for (uint32_t axis = 0; axis < settled->rank; axis++) {
        const double speed = (double) (a->move[axis] - b->move[axis]);
        const double first = (double) (b->low[axis] - a->high[axis]) - near;
        const double last = (double) (b->high[axis] - a->low[axis]) + near;
        alike = alike && speed == 0;
        if (speed == 0 && (first > 0 || last < 0))
            return false;
        if (speed == 0)
            continue;
        const double early = speed > 0 ? first / speed : last / speed, late = speed > 0 ? last / speed : first / speed;
        from = early > from ? early : from;
        to = late < to ? late : to;
    }
    return !alike && from <= to;
}

static bool fly_apart(const struct settled *settled)
{
    for (uint64_t i = 0; i < settled->cluster_count; i++)
        for (uint64_t k = 0; settled->clusters[i].moves && k < settled->cluster_count; k++)
            if (k != i && will_meet(settled, &settled->clusters[i], &settled->clusters[k]))
                return false;
    return true;
}

/* Sets *same to whether all clusters are there again and will not meet. */
static int compare(struct settled *settled, const struct live_cells *now, const struct live_cells *later, bool *same)
{
    if (make_blocks(settled, now) != 0 || make_clusters(settled) != 0)
        return -1;
    struct cluster *clusters = calloc(settled->cluster_count + 1, sizeof *clusters);
    if (!clusters)
        return -1;
    *same = add_cells(settled, now, settled->clusters) && add_cells(settled, later, clusters);
    for (uint64_t i = 0; *same && i < settled->cluster_count; i++)
        *same = comes_again(&settled->clusters[i], &clusters[i]);
    *same = *same && fly_apart(settled);
    free(clusters);
    return 0;
}

/* Makes room for the hashes of all phases. */
static int make_phases(struct settled *settled)
{
    settled->stays = calloc(settled->period, sizeof *settled->stays);
    settled->moves = calloc(settled->cluster_count + 1, sizeof *settled->moves);
    bool made = settled->stays && settled->moves;
    for (uint64_t i = 0; made && i < settled->cluster_count; i++)
        if (settled->clusters[i].moves)
            made = (settled->moves[i] = calloc(settled->period, sizeof *settled->moves[i])) != NULL;
    return made ? 0 : -1;
}

int settled_compare(const struct live_cells *now, const struct live_cells *later, uint32_t rank, uint64_t reach,
                    uint64_t period, struct settled **out, struct engine_error *error)
{
    bool same = false;
    *out = NULL;
    if (now->count != later->count || now->background != later->background)
        return 0;
    struct settled *settled = calloc(1, sizeof *settled);
    if (settled)
        *settled = (struct settled){.rank = rank, .reach = reach, .period = period};
    int status = settled ? compare(settled, now, later, &same) : -1;
    if (status == 0 && same)
        status = make_phases(settled);
    if (status == 0 && same)
        *out = settled;
    else
        settled_close(settled);
    return status == 0 ? 0 : error_memory(error, now->count * sizeof(struct block), "the clusters of live cells");
}

void settled_close(struct settled *settled)
{
    if (!settled)
        return;
    for (uint64_t i = 0; settled->moves && i < settled->cluster_count; i++)
        free(settled->moves[i]);
    free(settled->moves);
    free(settled->stays);
    free(settled->clusters);
    free(settled->table);
    free(settled->blocks);
    free(settled);
}

/* ---- What it was before ------------------------------------------------------------------------------------------ */

void settled_take(struct settled *settled, uint64_t phase, const struct live_cells *cells)
{
    settled->stays[phase] = place_state(BACKGROUND + cells->background);
    for (uint64_t i = 0; i < cells->count; i++) {
        const int64_t cluster = cluster_of(settled, &cells->at[i]);
        uint64_t *sum =
            cluster != NONE && settled->moves[cluster] ? &settled->moves[cluster][phase] : &settled->stays[phase];
        *sum = place_add(*sum, hash_of_cell(&cells->at[i]));
    }
}

uint64_t settled_before(const struct settled *settled, uint64_t steps)
{
    static const int64_t still[3] = {0};
    uint64_t sum = place_past(settled->stays, settled->period, still, steps);
    for (uint64_t i = 0; i < settled->cluster_count; i++)
        if (settled->moves[i])
            sum = place_add(sum, place_past(settled->moves[i], settled->period, settled->clusters[i].move, steps));
    return sum;
}

bool settled_has_spaceships(const struct settled *settled)
{
    for (uint64_t i = 0; i < settled->cluster_count; i++)
        if (settled->moves[i])
            return true;
    return false;
}

uint64_t settled_period(const struct settled *settled)
{
    const uint64_t period = settled->period;
    bool stays = false;
    for (uint64_t i = 0; i < settled->cluster_count; i++)
        stays = stays || !settled->moves[i];
    for (uint64_t n = 1; stays && n < period; n++) {
        uint64_t i = 0;
        while (i < period && settled->stays[i] == settled->stays[(i + n) % period])
            i++;
        if (i == period)
            return n;
    }
    return settled->cluster_count > 0 ? period : 1;
}
