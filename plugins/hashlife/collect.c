/* Free entries of the store: threads claim them, and one of them collects those that are no longer needed while the
 * others wait. */
#include "table.h"

enum {
    SCARCE = 16,  /* there is no memory if a collection frees less than this part of it */
    EACH = 2048,  /* nor if it frees fewer entries for each thread: they would soon collect again */
    CLAIM = 8192, /* entries that a thread claims at a time */
    INSERTED = 32 /* entries that are put into the table at a time */
};

/* ---- Collecting ----------------------------------------------------------------------------------------------- */

/* Puts entries into the first lines from their own on that have room. Fetches these lines at the same time. */
static void insert(struct store *store, const uint32_t *ids, uint32_t count)
{
    struct place places[INSERTED];
    for (uint32_t i = 0; i < count; i++) {
        const union store_entry *entry = &store->table.entries[ids[i]];
        places[i] = bit_of(store->is_leaf, ids[i])
                        ? place_of_leaf(store->table, &entry->leaf, store_walls_of(store->table, ids[i]))
                        : place_of_node(store->table, entry->node.child);
        __builtin_prefetch(&store->table.lines[places[i].line]);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = places[i].line;
        while (store->table.lines[at].count == LINE_ENTRIES)
            at = line_after(store->table, at);
        add_to_line(&store->table.lines[at], store->table.lines[at].count, places[i].tag, ids[i]);
    }
    store->hashed += count;
}

/* Makes the table anew, with `lines` lines, from the entries that are in use: they were claimed or kept. */
static void fill_table(struct store *store, uint64_t lines)
{
    uint32_t ids[INSERTED], count = 0;
    clear_lines(store, lines);
    for (uint64_t id = 1; id < store->claimed || id < store->end; id++) {
        if ((id >= store->claimed && !bit_of(store->is_kept, id)) ||
            (!bit_of(store->is_leaf, id) && store->table.entries[id].node.is_memo))
            continue;
        ids[count++] = (uint32_t) id;
        if (count == INSERTED) {
            insert(store, ids, count);
            count = 0;
        }
    }
    insert(store, ids, count);
}

/* The entries of a range that were claimed but not made look like memos, which are not in the table. */
static void hide_range(struct store *store, struct store_range range)
{
    for (; range.next < range.end; range.next++)
        if (!bit_of(store->is_kept, range.next)) {
            store->table.entries[range.next].memo = (struct store_memo){.is_memo = 1};
            set_bit(store->is_leaf, range.next, false);
        }
}

static void grow_table(struct store *store)
{
    uint64_t spare = 0;
    for (uint32_t i = 0; i < store->worker_count; i++) {
        hide_range(store, store->workers[i].now);
        hide_range(store, store->workers[i].later);
        spare += store->workers[i].spare;
        store->workers[i].memos = 0;
    }
    fill_table(store, least(4 * store->table.line_count, store->line_most));
    store->hashed += spare;
}

/* Keeps an entry and what it consists of; with `results`, also what the results of nodes consist of. A child and a
 * result are one level below their node, so the depth of the recursion is bounded. */
static void keep(struct store *store, uint32_t id, bool results)
{
    if (!id || bit_of(store->is_kept, id))
        return;
    set_bit(store->is_kept, id, true);
    store->used++;
    if (bit_of(store->is_leaf, id))
        return;
    const struct store_node node = store->table.entries[id].node;
    for (int i = 0; i < 4; i++)
        keep(store, node.child[i], results);
    if (results)
        keep(store, node.result, true);
}

static void keep_reachable(struct store *store, bool results)
{
    memset(store->is_kept, 0, (store->end + 63) / 64 * 8);
    store->is_kept[0] = store->used = 1; /* entry 0 means none */
    for (uint32_t w = 0; w < store->worker_count; w++)
        for (uint32_t i = 0; i < store->workers[w].root_count; i++)
            keep(store, store->workers[w].roots[i], results);
}

/* Clears a result that was not kept. */
static void forget(const struct store *store, uint32_t *result)
{
    if (!bit_of(store->is_kept, *result))
        *result = 0;
}

/* Keeps the memos of a node that was kept, as far as the results were kept. */
static void keep_memos(struct store *store, uint32_t memo)
{
    for (; memo; memo = store->table.entries[memo].memo.next) {
        for (int i = 0; i < STORE_MEMO_SIZES; i++)
            forget(store, &store->table.entries[memo].memo.result[i]);
        set_bit(store->is_kept, memo, true);
        store->used++;
    }
}

/* Clears what kept nodes know of entries that were not kept. Drops their memos where `memos` is false. */
static void prune(struct store *store, bool memos)
{
    for (uint64_t id = 1; id < store->end; id++) {
        struct store_node *node = &store->table.entries[id].node;
        if (!bit_of(store->is_kept, id) || bit_of(store->is_leaf, id) || node->is_memo)
            continue;
        forget(store, &node->result);
        if (!memos)
            node->memo = 0;
        keep_memos(store, node->memo);
    }
}

static void collect(struct store *store, bool results)
{
    store->end = store->end > store->claimed ? store->end : store->claimed;
    store->claimed = 0;
    keep_reachable(store, results);
    prune(store, results);
    while (store->end > 1 && !bit_of(store->is_kept, store->end - 1))
        store->end--;
    store->collections++;
}

static bool has_little_room(const struct store *store)
{
    const uint64_t left = store->capacity - store->used;
    return left < store->capacity / SCARCE || (store->active > 1 && left < EACH * (uint64_t) store->active);
}

void store_collect(struct store *store)
{
    collect(store, true);
    if (store->used > store->capacity / 2)
        collect(store, false);
    fill_table(store, store->table.line_count);
    for (uint32_t i = 0; i < store->worker_count; i++) {
        store->workers[i].now = store->workers[i].later = (struct store_range){0, 0};
        store->workers[i].spare = store->workers[i].memos = 0;
    }
}

static void make_room(struct store *store)
{
    const bool is_used_up = store->capacity - store->used < STORE_RESERVE;
    store->is_full = is_used_up && store->never_collects;
    if (is_used_up && !store->is_full) {
        store_collect(store);
        store->is_full = has_little_room(store);
    }
    while (!store->is_full && room(store) < STORE_RESERVE && store->table.line_count < store->line_most)
        grow_table(store);
}

/* ---- Claims --------------------------------------------------------------------------------------------------- */

/* The free entries among the next 64 that nobody has claimed, and claims them. */
static uint32_t claim_word(struct store *store)
{
    const uint64_t word = store->claimed / 64;
    if (store->claimed >= store->end)
        store->is_kept[word] = 0;
    store->claimed += 64;
    return 64 - (uint32_t) __builtin_popcountll(store->is_kept[word]);
}

/* A quarter of the room is left for each of the other threads. */
static uint64_t size_of_claim(const struct store *store)
{
    const uint64_t share = room(store) / (store->active > 1 ? 4 * (uint64_t) store->active : 1);
    return share < STORE_RESERVE ? STORE_RESERVE : least(share, CLAIM);
}

/* A worker with too few spare entries has them all in one range, because each claim has at least STORE_RESERVE. */
static bool claim(struct store_worker *worker)
{
    struct store *store = worker->store;
    store->hashed -= worker->memos;
    worker->memos = 0;
    if (room(store) < STORE_RESERVE)
        return false;
    store_next_range(worker);
    const uint64_t wanted = size_of_claim(store), begin = store->claimed;
    uint64_t found = 0;
    while (found < wanted)
        found += claim_word(store);
    worker->later = (struct store_range){begin, store->claimed};
    worker->spare += found;
    store->used += found;
    store->hashed += found;
    return true;
}

/* Waits until all active threads wait. One of them then makes room. */
static void meet(struct store *store)
{
    const uint64_t round = store->round;
    store->waiting++;
    while (store->round == round && store->waiting < store->active && !store->is_done)
        pthread_cond_wait(&store->changed, &store->mutex);
    if (store->round != round || store->is_done)
        return;
    make_room(store);
    store->waiting = 0;
    store->round++;
    pthread_cond_broadcast(&store->changed);
}

static bool may_go_on_alone(struct store *store)
{
    if (store->is_shared || store->alone == UINT64_MAX)
        return true;
    store->asks_for_others = store->alone == 0;
    store->alone -= !store->asks_for_others;
    return !store->asks_for_others;
}

bool store_refill(struct store_worker *worker)
{
    struct store *store = worker->store;
    bool claimed = false;
    pthread_mutex_lock(&store->mutex);
    if (may_go_on_alone(store))
        while (!store->is_full && !store->is_done && !(claimed = claim(worker)))
            meet(store);
    pthread_mutex_unlock(&store->mutex);
    return claimed;
}

/* ---- Threads -------------------------------------------------------------------------------------------------- */

void store_share(struct store *store)
{
    store->is_shared = true;
    store->is_done = false;
    store->active = store->waiting = 0;
}

void store_unshare(struct store *store)
{
    store->is_shared = store->is_done = false;
    store->active = store->waiting = 0;
}

bool store_enter(struct store *store)
{
    pthread_mutex_lock(&store->mutex);
    const bool enters = !store->is_done && !store->is_full;
    store->active += enters;
    pthread_mutex_unlock(&store->mutex);
    return enters;
}

void store_leave(struct store *store, bool has_result)
{
    pthread_mutex_lock(&store->mutex);
    store->active--;
    store->is_done |= has_result;
    pthread_cond_broadcast(&store->changed);
    pthread_mutex_unlock(&store->mutex);
}
