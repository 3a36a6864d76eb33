/* The results of nodes (R. W. Gosper, "Exploiting regularities in large cellular spaces", Physica 10D, 1984). The
 * result of a node is its middle, half as wide, some steps later. It consists of results of smaller nodes:
 *
 *     . . . . . . . .     A node of level n, in squares of level n - 3. Nine nodes of level n - 1 overlap by half;
 *     . a a b b c c .     their results are the squares a to i of level n - 2.
 *     . a a b b c c .
 *     . d d e e f f .     Two ways lead to the middle: the four nodes abde, bcef, degh and efhi have results too, after
 *     . d d e e f f .     twice as many steps in all; or the middles of the four are taken as they are.
 *     . g g h h i i .
 *     . g g h h i i .     A node remembers its results. Equal nodes are the same entry of the store, so what happens at
 *     . . . . . . . .     many places or again and again is computed once.
 *
 * Results take 2^exponent steps, and those of nodes that are too small for that as many as they can, a fourth of their
 * width. The kernel computes results of nodes of four leaves.
 *
 * A thread computes the results of up to sixteen nodes side by side, level by level: it looks up the nine nodes of all of
 * them, replaces these by their results, and so on. So many look-ups wait for memory at the same time.
 *
 * Several threads compute the result of one node. Each goes through all parts, so a thread needs none of the others,
 * and what one thread has computed the others find in the store. */
#include "hashlife.h"

#include <common/vector.h>

enum {
    SHARED_LEVEL = 7,      /* threads tell each other which nodes of this level and above they compute */
    CLAIMS_ALONE = 1,      /* of entries, by one thread; after about a millisecond, others help */
    MOST = STORE_BATCH / 5 /* nodes whose results a thread computes side by side: each has five look-ups at a time */
};

/* A level holds nine nodes, a result and its quarters of each of MOST nodes. */
_Static_assert((ENGINE_TREE_MOST + 2) * 14 * MOST + HASHLIFE_KEPT + 256 <= STORE_ROOTS, "the stack is large enough");

/* What a thread needs. */
struct walk {
    struct store *store;
    struct store_worker *worker;
    const struct hashlife_kernel *kernel;
    void *rule;
    unsigned exponent;
    unsigned memo;            /* where nodes keep results of fewer steps than they could take */
    uint32_t most;            /* nodes whose results it computes side by side */
    uint32_t number, threads; /* of the thread; of all */
};

static bool compute_results(const struct walk *walk, uint32_t *nodes, uint32_t count, unsigned level);

static bool takes_all_it_can(const struct walk *walk, unsigned level)
{
    return level - 2 <= walk->exponent;
}

/* The walls of the middle of four leaves side by side. */
static store_walls middle_of_walls(const struct store *store, const uint32_t four[4])
{
    unsigned walls = 0;
    for (int i = 0; i < 4; i++)
        walls |= (store_walls_of(store->table, four[i]) >> (3 - i) & 1u) << i;
    return (store_walls) walls;
}

/* The leaf that is the result of a node of four leaves. Returns its walls. */
static store_walls run_kernel(const struct walk *walk, uint32_t id, struct store_leaf *result)
{
    const union store_entry *entries = walk->store->table.entries;
    const uint32_t *child = entries[id].node.child;
    const struct store_leaf *quarters[4];
    store_walls walls[4];
    for (int i = 0; i < 4; i++) {
        quarters[i] = &entries[child[i]].leaf;
        walls[i] = store_walls_of(walk->store->table, child[i]);
    }
    walk->kernel->advance(walk->rule, quarters, walls,
                          1u << (takes_all_it_can(walk, STORE_LEAF_LEVEL + 1) ? STORE_LEAF_LEVEL - 1 : walk->exponent),
                          result);
    return middle_of_walls(walk->store, child);
}

/* The nine nodes that overlap by half in each of `count` nodes, row by row. */
static void find_nine(struct store_worker *worker, const uint32_t *nodes, uint32_t count, uint32_t (*nine)[9])
{
    const union store_entry *entries = worker->store->table.entries;
    uint32_t between[MOST][5][4], found[MOST][5];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *child = entries[nodes[i]].node.child, *nw = entries[child[0]].node.child,
                       *ne = entries[child[1]].node.child, *sw = entries[child[2]].node.child,
                       *se = entries[child[3]].node.child;
        const uint32_t pairs[5][4] = {
            {nw[1], ne[0], nw[3], ne[2]}, /* north */
            {nw[2], nw[3], sw[0], sw[1]}, /* west */
            {nw[3], ne[2], sw[1], se[0]}, /* middle */
            {ne[2], ne[3], se[0], se[1]}, /* east */
            {sw[1], se[0], sw[3], se[2]}, /* south */
        };
        memcpy(between[i], pairs, sizeof pairs);
    }
    store_nodes(worker, 5 * count, between[0][0], found[0]);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *child = entries[nodes[i]].node.child, *f = found[i];
        const uint32_t ids[9] = {child[0], f[0], child[1], f[1], f[2], f[3], child[2], f[4], child[3]};
        memcpy(nine[i], ids, sizeof ids);
    }
}

static struct store_leaf middle_of_leaves(const union store_entry *entries, const uint32_t four[4])
{
    return leaf_middle((const struct store_leaf *const[]){&entries[four[0]].leaf, &entries[four[1]].leaf,
                                                          &entries[four[2]].leaf, &entries[four[3]].leaf});
}

/* The middles of four groups of four entries of `level` each. */
static void find_middles(struct store_worker *worker, uint32_t four[4][4], unsigned level, uint32_t middles[4])
{
    const union store_entry *entries = worker->store->table.entries;
    if (level == STORE_LEAF_LEVEL) {
        struct store_leaf leaves[4];
        store_walls walls[4];
        for (int i = 0; i < 4; i++) {
            leaves[i] = middle_of_leaves(entries, four[i]);
            walls[i] = middle_of_walls(worker->store, four[i]);
        }
        store_leaves(worker, 4, leaves, walls, middles);
        return;
    }
    uint32_t inner[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            inner[i][j] = entries[four[i][j]].node.child[3 - j];
    store_nodes(worker, 4, inner[0], middles);
}

static uint32_t known_result(const struct walk *walk, uint32_t id, unsigned level)
{
    return takes_all_it_can(walk, level) ? store_result(walk->store, id) : store_memo(walk->store, id, walk->memo);
}

/* The quarters of the results of nodes above the smallest. The caller keeps the nodes and `quarters` on the stack. */
static bool compute_quarters(const struct walk *walk, const uint32_t *nodes, uint32_t count, unsigned level,
                             uint32_t (*quarters)[4])
{
    struct store_worker *worker = walk->worker;
    if (!store_reserve(worker))
        return false;
    uint32_t(*nine)[9] = (uint32_t(*)[9]) hashlife_push(worker, 9 * count);
    find_nine(worker, nodes, count, nine);
    bool made = compute_results(walk, nine[0], 9 * count, level - 1) && store_reserve(worker);
    if (made) {
        uint32_t four[MOST][4][4];
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t *n = nine[i];
            const uint32_t ids[4][4] = {
                {n[0], n[1], n[3], n[4]}, {n[1], n[2], n[4], n[5]}, {n[3], n[4], n[6], n[7]}, {n[4], n[5], n[7], n[8]}};
            memcpy(four[i], ids, sizeof ids);
        }
        if (takes_all_it_can(walk, level)) {
            store_nodes(worker, 4 * count, four[0][0], quarters[0]);
            made = compute_results(walk, quarters[0], 4 * count, level - 1);
        } else {
            for (uint32_t i = 0; i < count && made; i++)
                find_middles(worker, four[i], level - 2, quarters[i]);
        }
    }
    hashlife_pop(worker, 9 * count);
    return made;
}

/* Remembers the result of a node. */
static bool set_result(const struct walk *walk, uint32_t id, unsigned level, uint32_t result)
{
    if (takes_all_it_can(walk, level)) {
        store_set_result(walk->store, id, result);
        return true;
    }
    if (!store_reserve(walk->worker))
        return false;
    store_set_memo(walk->worker, id, walk->memo, result);
    return true;
}

/* Finds the entries of `count` results: of those of nodes of four leaves by the kernel, and of others from their
 * quarters. The look-ups wait for memory at the same time. */
static bool find_results(const struct walk *walk, const uint32_t *nodes, uint32_t count, unsigned level,
                         uint32_t (*quarters)[4], uint32_t *results)
{
    struct store_leaf leaves[MOST];
    store_walls walls[MOST];
    if (level == STORE_LEAF_LEVEL + 1)
        for (uint32_t i = 0; i < count; i++)
            walls[i] = run_kernel(walk, nodes[i], &leaves[i]);
    else if (!compute_quarters(walk, nodes, count, level, quarters))
        return false;
    if (!store_reserve(walk->worker))
        return false;
    if (level == STORE_LEAF_LEVEL + 1)
        store_leaves(walk->worker, count, leaves, walls, results);
    else
        store_nodes(walk->worker, count, quarters[0], results);
    return true;
}

/* Different nodes whose results are computed side by side, and where they stand in a list. */
struct group {
    uint32_t size, node[MOST];
    uint8_t place[9 * MOST]; /* in `node`; or NOWHERE, or LATER */
};
enum { NOWHERE = MOST, LATER };

/* Do threads tell each other which nodes of this level they compute? */
static bool is_shown(const struct walk *walk, unsigned level)
{
    return walk->store->is_shared && level >= SHARED_LEVEL;
}

/* The place of a node in the group, which it joins. NOWHERE: the group is full. */
INLINE uint32_t join(const struct walk *walk, struct group *group, uint32_t node)
{
    uint32_t place = 0;
    while (place < group->size && group->node[place] != node)
        place++;
    if (place == walk->most)
        return NOWHERE;
    group->node[place] = node;
    group->size += place == group->size;
    return place;
}

/* Replaces listed nodes on the stack by their results, as far as these are known, and makes a group of the others.
 * `polite`: leaves those that another thread computes for later. Returns where it stops, because the group is full or
 * the list ends. */
INLINE uint32_t gather(const struct walk *walk, uint32_t *nodes, const uint8_t *list, uint32_t count, unsigned level,
                       bool polite, struct group *group)
{
    group->size = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node = nodes[list[i]], known = known_result(walk, node, level);
        group->place[i] = NOWHERE;
        if (known) {
            nodes[list[i]] = known;
        } else if (polite && store_is_busy(walk->store, node)) {
            group->place[i] = LATER;
        } else {
            const uint32_t place = join(walk, group, node);
            if (place == NOWHERE)
                return i;
            group->place[i] = (uint8_t) place;
        }
    }
    return count;
}

/* Replaces the listed nodes on the stack that are in the group. */
static bool compute_group(const struct walk *walk, const struct group *group, uint32_t *nodes, const uint8_t *list,
                          uint32_t count, unsigned level)
{
    const bool shown = is_shown(walk, level);
    uint32_t *results = hashlife_push(walk->worker, 5 * group->size);
    for (uint32_t i = 0; i < group->size && shown; i++)
        store_set_busy(walk->store, group->node[i], true);
    bool made = find_results(walk, group->node, group->size, level, (uint32_t(*)[4])(results + group->size), results);
    for (uint32_t i = 0; i < group->size && made; i++)
        made = set_result(walk, group->node[i], level, results[i]);
    for (uint32_t i = 0; i < group->size && shown; i++)
        store_set_busy(walk->store, group->node[i], false);
    for (uint32_t i = 0; i < count && made; i++)
        if (group->place[i] < NOWHERE)
            nodes[list[i]] = results[group->place[i]];
    hashlife_pop(walk->worker, 5 * group->size);
    return made;
}

/* Replaces listed nodes on the stack by their results, but for those that are left for later. These become the list. */
static bool compute_list(const struct walk *walk, uint32_t *nodes, uint8_t *list, uint32_t *count, unsigned level,
                         bool polite)
{
    struct group group;
    uint32_t later = 0;
    for (uint32_t begin = 0, end; begin < *count; begin = end) {
        end = begin + gather(walk, nodes, list + begin, *count - begin, level, polite, &group);
        if (group.size > 0 && !compute_group(walk, &group, nodes, list + begin, end - begin, level))
            return false;
        for (uint32_t i = begin; i < end && polite; i++)
            if (group.place[i - begin] == LATER)
                list[later++] = list[i];
    }
    *count = later;
    return true;
}

/* Replaces nodes on the stack by their results, at most 9 * MOST. Of several threads, each first leaves out the nodes that
 * another one computes. When it comes back to them, their results are mostly known, or it helps to compute them. Threads
 * begin at different nodes, and every other one goes backwards. */
static bool compute_results(const struct walk *walk, uint32_t *nodes, uint32_t count, unsigned level)
{
    const bool shown = is_shown(walk, level);
    const uint32_t first = shown ? walk->number * count / walk->threads : 0;
    uint8_t list[9 * MOST];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = first + i < count ? first + i : first + i - count;
        list[i] = (uint8_t) (shown && walk->number % 2 ? count - 1 - at : at);
    }
    return (!shown || compute_list(walk, nodes, list, &count, level, true)) &&
           compute_list(walk, nodes, list, &count, level, false);
}

/* The result of a node, or 0 if there is no memory. The caller keeps the node on the stack of the store. */
static uint32_t result_of(const struct walk *walk, uint32_t id, unsigned level)
{
    uint32_t *node = hashlife_push(walk->worker, 1);
    *node = id;
    const uint32_t result = compute_results(walk, node, 1, level) ? *node : 0;
    hashlife_pop(walk->worker, 1);
    return result;
}

/* ---- Threads -------------------------------------------------------------------------------------------------- */

/* Single steps of several kinds have the first places for results of fewer steps. */
static unsigned memo_of(const struct hashlife *life)
{
    return life->kinds == 0 ? life->exponent : life->exponent > 0 ? life->exponent + life->kinds - 1 : life->kind;
}

static struct walk walk_of(struct hashlife *life, uint32_t thread)
{
    return (struct walk){.store = &life->store,
                         .worker = &life->workers[thread],
                         .kernel = life->kernel,
                         .rule = (char *) life->rules + thread * life->rule_bytes,
                         .exponent = life->exponent,
                         .memo = memo_of(life),
                         .most = life->resting > 0 ? 1 : MOST,
                         .number = thread,
                         .threads = life->threads};
}

struct shared_result {
    struct hashlife *life;
    uint32_t node;
    unsigned level;
    uint32_t result;
};

/* All threads compute the same result, in different orders. */
static void compute_shared(void *argument, uint64_t thread)
{
    struct shared_result *shared = (struct shared_result *) argument;
    const struct walk walk = walk_of(shared->life, (uint32_t) thread);
    if (!store_enter(walk.store))
        return;
    *hashlife_push(walk.worker, 1) = shared->node;
    const uint32_t result = result_of(&walk, shared->node, shared->level);
    hashlife_pop(walk.worker, 1);
    if (result)
        __atomic_store_n(&shared->result, result, __ATOMIC_RELAXED);
    store_leave(walk.store, result);
}

static uint32_t compute_by_threads(struct hashlife *life, uint32_t node, unsigned level)
{
    struct shared_result shared = {.life = life, .node = node, .level = level};
    store_share(&life->store);
    life->host->parallel(life->host, life->threads, compute_shared, &shared);
    store_unshare(&life->store);
    return shared.result;
}

/* Several threads, and results that are computed side by side, hold more entries than one node at a time. If the memory
 * is too small for them, one thread takes one node at a time until the end of this call, or of more calls if this happens
 * again and again. */
static uint32_t go_on_alone(struct hashlife *life, uint32_t node, unsigned level)
{
    life->rest = 2 * life->rest + 1;
    life->resting = life->rest;
    life->lone_calls += life->has_shared;
    life->store.is_full = false;
    const struct walk walk = walk_of(life, 0);
    return result_of(&walk, node, level);
}

/* One thread begins, because most results are known soon. */
uint32_t hashlife_result(struct hashlife *life, uint32_t node, unsigned level)
{
    const struct walk walk = walk_of(life, 0);
    struct store *store = &life->store;
    store->asks_for_others = false;
    store->alone = life->threads > 1 && !life->resting ? CLAIMS_ALONE : UINT64_MAX;
    uint32_t result = result_of(&walk, node, level);
    store->alone = UINT64_MAX;
    if (!result && store->asks_for_others) {
        life->has_shared = true;
        result = compute_by_threads(life, node, level);
    }
    if (result && !life->resting && (life->threads == 1 || store->asks_for_others))
        life->rest /= 2;
    return result || life->resting > 0 ? result : go_on_alone(life, node, level);
}
