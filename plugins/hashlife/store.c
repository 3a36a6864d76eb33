/* The store of quadtrees: an array of entries, and a hash table that finds them. collect.c gives its threads
 * free entries. */
#include "table.h"

#include <stdlib.h>
#include <sys/mman.h>

enum {
    FIRST_LINES = 1024, /* lines of a new table */
    HUGE_PAGE = 2 << 20
};

/* ---- Opening and closing -------------------------------------------------------------------------------------- */

static uint64_t pages(uint64_t bytes)
{
    return (bytes + 4095) / 4096 * 4096;
}

static void open_workers(struct store *store, struct store_worker *workers, uint32_t count)
{
    store->workers = workers;
    store->worker_count = count;
    for (uint32_t i = 0; i < count; i++) {
        workers[i].store = store;
        workers[i].now = workers[i].later = (struct store_range){0, 0};
        workers[i].spare = workers[i].memos = 0;
        workers[i].root_count = 0;
    }
}

/* Small trees take small pages, because the system clears each page before its first use. For speed only; a refusal does
 * not matter. */
static void use_huge_pages(void *array, uint64_t bytes)
{
    if (bytes > HUGE_PAGE)
        madvise((char *) array + HUGE_PAGE, bytes - HUGE_PAGE, MADV_HUGEPAGE);
}

bool store_open(struct store *store, uint64_t bytes, struct store_worker *workers, uint32_t worker_count)
{
    *store = (struct store){.alone = UINT64_MAX};
    const double entry = sizeof(union store_entry) + (double) sizeof(struct store_line) / LINE_LOAD +
                         LEAF_HAS_WALLS * sizeof(store_walls) + 2.0 / 8;
    store->line_most = (uint64_t) ((double) bytes / entry / LINE_LOAD);
    store->capacity = least(store->line_most * LINE_LOAD, UINT32_MAX) / 64 * 64;
    if (store->capacity <= STORE_RESERVE)
        return false;
    const uint64_t table = pages(store->line_most * sizeof(struct store_line)),
                   array = pages(store->capacity * sizeof(union store_entry)), bits = pages(store->capacity / 8),
                   walls = pages(LEAF_HAS_WALLS * store->capacity * sizeof(store_walls)),
                   all = (array + table + 2 * bits + walls + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    char *memory = aligned_alloc(HUGE_PAGE, all);
    if (!memory)
        return false;
    pthread_mutex_init(&store->mutex, NULL);
    pthread_cond_init(&store->changed, NULL);
    store->memory = memory;
    store->table.entries = (union store_entry *) (void *) memory;
    store->table.lines = (struct store_line *) (void *) (memory + array);
    store->is_leaf = (uint64_t *) (void *) (memory + array + table);
    store->is_kept = (uint64_t *) (void *) (memory + array + table + bits);
    store->table.walls = (store_walls *) (void *) (memory + array + table + 2 * bits);
    use_huge_pages(store->table.entries, array);
    use_huge_pages(store->table.lines, table);
    use_huge_pages(store->table.walls, walls);
    memset(&store->table.entries[0], 0, sizeof store->table.entries[0]);
    store->end = store->used = 1; /* entry 0 means none */
    store->is_kept[0] = 1;
    open_workers(store, workers, worker_count);
    clear_lines(store, least(FIRST_LINES, store->line_most));
    return true;
}

void store_close(struct store *store)
{
    if (!store->memory)
        return;
    pthread_mutex_destroy(&store->mutex);
    pthread_cond_destroy(&store->changed);
    free(store->memory);
    store->memory = NULL;
}

uint64_t store_used(const struct store *store)
{
    uint64_t used = store->used;
    for (uint32_t i = 0; i < store->worker_count; i++)
        used -= store->workers[i].spare;
    return used;
}

/* ---- Making entries ------------------------------------------------------------------------------------------- */

/* The bytes of the content of an entry. */
INLINE size_t bytes_of(bool leaf)
{
    return leaf ? sizeof(struct store_leaf) : 4 * sizeof(uint32_t);
}

/* Are these the same? `size` is 16 or 32. */
INLINE bool same_content(const void *entry, const void *content, size_t size)
{
    uint64_t a[4], b[4], difference = 0;
    memcpy(a, entry, size);
    memcpy(b, content, size);
    for (size_t i = 0; i < size / 8; i++)
        difference |= a[i] ^ b[i];
    return difference == 0;
}

/* The entry of a line with this tag and content; 0: none. `walls` are those of a leaf. */
INLINE uint32_t line_find(struct store_table table, const struct store_line *line, uint8_t tag, const void *content,
                          bool leaf, store_walls walls)
{
    for (uint32_t found = candidates(line, tag); found; found &= found - 1) {
        const uint32_t id = entry_in_line(line, (unsigned) __builtin_ctz(found));
        if (same_content(&table.entries[id], content, bytes_of(leaf)) && (!leaf || store_walls_of(table, id) == walls))
            return id;
    }
    return 0;
}

/* An entry that is free; its content is what it was. */
static inline uint32_t new_entry(struct store_worker *worker)
{
    uint64_t id;
    do {
        store_next_range(worker);
        id = worker->now.next++;
    } while (bit_of(worker->store->is_kept, id));
    worker->spare--;
    return (uint32_t) id;
}

/* A new entry with this content. The bytes after it become 0. */
INLINE uint32_t make_entry(struct store_worker *worker, const void *content, bool leaf, store_walls walls)
{
    struct store *store = worker->store;
    const uint32_t id = new_entry(worker);
    union store_entry *entry = &store->table.entries[id];
    memcpy(entry, content, bytes_of(leaf));
    memset((char *) entry + bytes_of(leaf), 0, sizeof *entry - bytes_of(leaf));
    set_bit(store->is_leaf, id, leaf);
    if (LEAF_HAS_WALLS)
        store->table.walls[id] = walls;
    return id;
}

static void lock_line(struct store_line *line)
{
    for (;;) {
        uint32_t count = __atomic_load_n(&line->count, __ATOMIC_RELAXED);
        if (!(count & LINE_LOCKED) && __atomic_compare_exchange_n(&line->count, &count, count | LINE_LOCKED, true,
                                                                  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return;
    }
}

/* Inserts an entry with this content into the first line from `at` on that has room, unless another thread has done so
 * in the meantime. */
static __attribute__((noinline)) uint32_t insert_shared(struct store_worker *worker, struct place place,
                                                        const void *content, bool leaf, store_walls walls)
{
    const struct store_table table = worker->store->table;
    for (uint64_t at = place.line;; at = line_after(table, at)) {
        struct store_line *line = &table.lines[at];
        lock_line(line);
        const uint32_t count = __atomic_load_n(&line->count, __ATOMIC_RELAXED) & ~LINE_LOCKED;
        uint32_t id = line_find(table, line, place.tag, content, leaf, walls);
        if (!id && count < LINE_ENTRIES)
            add_to_line(line, count, place.tag, id = make_entry(worker, content, leaf, walls));
        else
            __atomic_store_n(&line->count, count, __ATOMIC_RELEASE);
        if (id)
            return id;
    }
}

/* Finds the entry with this content, or makes it. */
INLINE uint32_t entry_of(struct store_worker *worker, struct store_table table, struct place place, const void *content,
                         bool leaf, store_walls walls)
{
    uint32_t count;
    for (;; place.line = line_after(table, place.line)) {
        const struct store_line *line = &table.lines[place.line];
        count = __atomic_load_n(&line->count, __ATOMIC_ACQUIRE); /* first: if the line is full, all of it is searched */
        const uint32_t id = line_find(table, line, place.tag, content, leaf, walls);
        if (id)
            return id;
        if ((count & ~LINE_LOCKED) < LINE_ENTRIES)
            break;
    }
    if (worker->store->is_shared)
        return insert_shared(worker, place, content, leaf, walls);
    const uint32_t id = make_entry(worker, content, leaf, walls);
    add_to_line(&table.lines[place.line], count, place.tag, id);
    return id;
}

INLINE uint32_t node_of(struct store_worker *worker, struct store_table table, struct place place,
                        const uint32_t child[4])
{
    return entry_of(worker, table, place, child, false, 0);
}

INLINE uint32_t leaf_of(struct store_worker *worker, struct store_table table, struct place place,
                        const struct store_leaf *leaf, store_walls walls)
{
    return entry_of(worker, table, place, leaf, true, walls);
}

uint32_t store_leaf(struct store_worker *worker, const struct store_leaf *leaf, store_walls walls)
{
    const struct store_table table = worker->store->table;
    return leaf_of(worker, table, place_of_leaf(table, leaf, walls), leaf, walls);
}

uint32_t store_node(struct store_worker *worker, const uint32_t child[4])
{
    const struct store_table table = worker->store->table;
    return node_of(worker, table, place_of_node(table, child), child);
}

/* Fetches the first entry with the tag, which is mostly the one that is looked for. */
INLINE void prefetch_entry(struct store_table table, struct place place)
{
    const struct store_line *line = &table.lines[place.line];
    const uint32_t found = candidates(line, place.tag);
    if (found)
        __builtin_prefetch(&table.entries[entry_in_line(line, (unsigned) __builtin_ctz(found))]);
}

void store_nodes(struct store_worker *worker, uint32_t count, const uint32_t *child, uint32_t *ids)
{
    const struct store_table table = worker->store->table;
    struct place places[STORE_BATCH];
    for (uint32_t i = 0; i < count; i++) {
        places[i] = place_of_node(table, child + 4 * (size_t) i);
        __builtin_prefetch(&table.lines[places[i].line]);
    }
    for (uint32_t i = 0; i < count; i++)
        prefetch_entry(table, places[i]);
    for (uint32_t i = 0; i < count; i++)
        ids[i] = node_of(worker, table, places[i], child + 4 * (size_t) i);
}

void store_leaves(struct store_worker *worker, uint32_t count, const struct store_leaf *leaf, const store_walls *walls,
                  uint32_t *ids)
{
    const struct store_table table = worker->store->table;
    struct place places[STORE_BATCH];
    for (uint32_t i = 0; i < count; i++) {
        places[i] = place_of_leaf(table, &leaf[i], walls[i]);
        __builtin_prefetch(&table.lines[places[i].line]);
    }
    for (uint32_t i = 0; i < count; i++)
        prefetch_entry(table, places[i]);
    for (uint32_t i = 0; i < count; i++)
        ids[i] = leaf_of(worker, table, places[i], &leaf[i], walls[i]);
}

/* ---- Memos ---------------------------------------------------------------------------------------------------- */

uint32_t store_memo(const struct store *store, uint32_t node, unsigned k)
{
    uint32_t memo = __atomic_load_n(&store->table.entries[node].node.memo, __ATOMIC_ACQUIRE);
    for (; memo && k >= STORE_MEMO_SIZES; k -= STORE_MEMO_SIZES)
        memo = __atomic_load_n(&store->table.entries[memo].memo.next, __ATOMIC_ACQUIRE);
    return memo ? __atomic_load_n(&store->table.entries[memo].memo.result[k], __ATOMIC_ACQUIRE) : 0;
}

/* The memo at `place`, if there is one; else a new one without results. If another thread adds one at the same time,
 * the other one counts. */
static uint32_t memo_or_new(struct store_worker *worker, uint32_t *place)
{
    uint32_t memo = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (memo)
        return memo;
    const uint32_t id = new_entry(worker);
    worker->store->table.entries[id].memo = (struct store_memo){.is_memo = 1};
    set_bit(worker->store->is_leaf, id, false);
    worker->memos++;
    return __atomic_compare_exchange_n(place, &memo, id, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ? id : memo;
}

void store_set_memo(struct store_worker *worker, uint32_t node, unsigned k, uint32_t result)
{
    union store_entry *entries = worker->store->table.entries;
    uint32_t memo = memo_or_new(worker, &entries[node].node.memo);
    for (; k >= STORE_MEMO_SIZES; k -= STORE_MEMO_SIZES)
        memo = memo_or_new(worker, &entries[memo].memo.next);
    __atomic_store_n(&entries[memo].memo.result[k], result, __ATOMIC_RELEASE);
}
