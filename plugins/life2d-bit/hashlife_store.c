/* The store of quadtrees: a hash table, an array of entries, and the collection of those that are no longer needed. */
#include "hashlife_store.h"

#include <common/vector.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    LINE_ENTRIES = 12,
    SCARCE = 16,        /* there is no memory if a collection frees less than this part of it */
    LINE_LOAD = 8,      /* entries for each line of the table, on average: then few lines are full */
    FIRST_LINES = 1024, /* lines of a new table */
    HUGE_PAGE = 2 << 20
};

struct store_line {
    uint8_t tag[LINE_ENTRIES]; /* 0: free */
    uint32_t count;
    uint32_t entry[LINE_ENTRIES];
};

static bool bit_of(const uint64_t *bits, uint64_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

static void set_bit(uint64_t *bits, uint64_t i, bool on)
{
    bits[i / 64] = (bits[i / 64] & ~((uint64_t) 1 << (i % 64))) | (uint64_t) on << (i % 64);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- Opening and closing -------------------------------------------------------------------------------------- */

/* Clears the table for `lines` lines. */
static void clear_lines(struct store *store, uint64_t lines)
{
    memset(store->lines, 0, lines * sizeof *store->lines);
    store->line_count = lines;
    store->hashed = 0;
}

/* How many entries can be made now: limited by the array and by the load of the table. */
static uint64_t room(const struct store *store)
{
    const uint64_t table = store->line_count * LINE_LOAD;
    return least(store->capacity - store->used, table > store->hashed ? table - store->hashed : 0);
}

static uint64_t pages(uint64_t bytes)
{
    return (bytes + 4095) / 4096 * 4096;
}

bool store_open(struct store *store, uint64_t bytes)
{
    *store = (struct store){0};
    const double entry =
        sizeof(union store_entry) + (double) sizeof(struct store_line) / LINE_LOAD + sizeof(store_walls) + 2.0 / 8;
    store->line_most = (uint64_t) ((double) bytes / entry / LINE_LOAD);
    store->capacity = least(store->line_most * LINE_LOAD, UINT32_MAX);
    if (store->capacity <= STORE_RESERVE)
        return false;
    const uint64_t table = pages(store->line_most * sizeof(struct store_line)),
                   array = pages(store->capacity * sizeof(union store_entry)), bits = pages(store->capacity / 8 + 8),
                   walls = pages(store->capacity * sizeof(store_walls)),
                   all = (array + table + 2 * bits + walls + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    char *memory = aligned_alloc(HUGE_PAGE, all);
    if (!memory)
        return false;
    madvise(memory, all, MADV_HUGEPAGE); /* for speed only; a refusal does not matter */
    store->memory = memory;
    store->entries = (union store_entry *) (void *) memory;
    store->lines = (struct store_line *) (void *) (memory + array);
    store->is_leaf = (uint64_t *) (void *) (memory + array + table);
    store->is_kept = (uint64_t *) (void *) (memory + array + table + bits);
    store->walls = (store_walls *) (void *) (memory + array + table + 2 * bits);
    memset(&store->entries[0], 0, sizeof store->entries[0]);
    store->end = store->next = store->used = 1; /* entry 0 means none */
    clear_lines(store, least(FIRST_LINES, store->line_most));
    store->spare = room(store);
    return true;
}

void store_close(struct store *store)
{
    free(store->memory);
}

/* ---- The table ------------------------------------------------------------------------------------------------ */

/* The place of an entry in the table: its line, and its tag, which tells leaves from nodes and is never 0. */
struct place {
    uint64_t line;
    uint8_t tag;
};

static inline uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t hash = (a ^ a >> 31) * UINT64_C(0x9e3779b97f4a7c15) ^ (b ^ b >> 29) * UINT64_C(0xd6e8feb86659fd93);
    hash = (hash ^ hash >> 32) * UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 29;
}

static inline struct place place_of(const struct store *store, uint64_t hash, bool leaf)
{
    const uint8_t part = hash & 127;
    return (struct place){(hash >> 32) * store->line_count >> 32, (uint8_t) ((part ? part : 1) | leaf << 7)};
}

static inline struct place place_of_node(const struct store *store, const uint32_t child[4])
{
    return place_of(store, mixed(child[0] | (uint64_t) child[1] << 32, child[2] | (uint64_t) child[3] << 32), false);
}

static inline struct place place_of_leaf(const struct store *store, const struct store_leaf *leaf, store_walls walls)
{
    uint64_t word[4];
    memcpy(word, leaf, sizeof word);
    const uint64_t hash = mixed(mixed(word[0], word[1]), mixed(word[2], word[3]));
    return place_of(store, hash + walls * UINT64_C(0x9e3779b97f4a7c15), true);
}

/* The entries of a line that may have the tag, as a bit for each: all that have it, and a few others. */
static inline uint32_t candidates(const struct store_line *line, uint8_t tag)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t low;
    uint32_t high;
    memcpy(&low, line->tag, 8);
    memcpy(&high, line->tag + 8, 4);
    const uint64_t a = low ^ tag * ones, b = (high ^ tag * ones);
    /* a byte of 0 borrows from its top bit; the product gathers the top bits */
    const uint64_t first = ((a - ones) & ~a & tops) >> 7, second = ((b - ones) & ~b & tops) >> 7 & UINT32_MAX;
    const uint64_t gather = UINT64_C(0x0102040810204080);
    return (uint32_t) (first * gather >> 56 | second * gather >> 56 << 8);
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

/* The entry of a line with this tag and content, of `size` bytes; 0: none. `walls` are those of a leaf. */
INLINE uint32_t line_find(const struct store *store, const struct store_line *line, uint8_t tag, const void *content,
                          size_t size, store_walls walls)
{
    for (uint32_t found = candidates(line, tag); found; found &= found - 1) {
        const uint32_t id = line->entry[__builtin_ctz(found)];
        if (same_content(&store->entries[id], content, size) &&
            (size != sizeof(struct store_leaf) || store->walls[id] == walls))
            return id;
    }
    return 0;
}

static inline uint64_t line_after(const struct store *store, uint64_t line)
{
    return line + 1 < store->line_count ? line + 1 : 0;
}

/* Puts an entry into the first line from its own on that has room. */
static inline void insert(struct store *store, struct place place, uint32_t id)
{
    uint64_t at = place.line;
    while (store->lines[at].count == LINE_ENTRIES)
        at = line_after(store, at);
    struct store_line *line = &store->lines[at];
    line->tag[line->count] = place.tag;
    line->entry[line->count++] = id;
    store->hashed++;
}

/* ---- Making entries ------------------------------------------------------------------------------------------- */

/* An entry that is free; its content is what it was. */
static inline uint32_t new_entry(struct store *store)
{
    while (store->next < store->end && bit_of(store->is_kept, store->next))
        store->next++;
    const uint64_t id = store->next++;
    store->end = store->next > store->end ? store->next : store->end;
    store->used++;
    store->spare--;
    return (uint32_t) id;
}

/* Finds the entry with this content, or makes it. Its first `size` bytes are the content; the others become 0. All bytes
 * of a leaf are content. */
INLINE uint32_t entry_of(struct store *store, struct place place, const void *content, size_t size, store_walls walls)
{
    for (uint64_t at = place.line;; at = line_after(store, at)) {
        const struct store_line *line = &store->lines[at];
        const uint32_t id = line_find(store, line, place.tag, content, size, walls);
        if (id)
            return id;
        if (line->count < LINE_ENTRIES)
            break;
    }
    const uint32_t id = new_entry(store);
    union store_entry *entry = &store->entries[id];
    memcpy(entry, content, size);
    memset((char *) entry + size, 0, sizeof *entry - size);
    set_bit(store->is_leaf, id, size == sizeof(struct store_leaf));
    store->walls[id] = walls;
    insert(store, place, id);
    return id;
}

uint32_t store_leaf(struct store *store, const struct store_leaf *leaf, store_walls walls)
{
    return entry_of(store, place_of_leaf(store, leaf, walls), leaf, sizeof *leaf, walls);
}

uint32_t store_node(struct store *store, const uint32_t child[4])
{
    return entry_of(store, place_of_node(store, child), child, 4 * sizeof child[0], 0);
}

/* Fetches the entries of a line that have the tag. */
static inline void fetch_entries(const struct store *store, struct place place)
{
    const struct store_line *line = &store->lines[place.line];
    const uint32_t found = candidates(line, place.tag);
    if (found)
        __builtin_prefetch(&store->entries[line->entry[__builtin_ctz(found)]]);
}

void store_nodes(struct store *store, uint32_t count, const uint32_t *child, uint32_t *ids)
{
    struct place places[16];
    for (uint32_t i = 0; i < count; i++) {
        places[i] = place_of_node(store, child + 4 * (size_t) i);
        __builtin_prefetch(&store->lines[places[i].line]);
    }
    for (uint32_t i = 0; i < count; i++)
        fetch_entries(store, places[i]);
    for (uint32_t i = 0; i < count; i++)
        ids[i] = entry_of(store, places[i], child + 4 * (size_t) i, 4 * sizeof child[0], 0);
}

void store_leaves(struct store *store, uint32_t count, const struct store_leaf *leaf, const store_walls *walls,
                  uint32_t *ids)
{
    struct place places[16];
    for (uint32_t i = 0; i < count; i++) {
        places[i] = place_of_leaf(store, &leaf[i], walls[i]);
        __builtin_prefetch(&store->lines[places[i].line]);
    }
    for (uint32_t i = 0; i < count; i++)
        fetch_entries(store, places[i]);
    for (uint32_t i = 0; i < count; i++)
        ids[i] = entry_of(store, places[i], &leaf[i], sizeof leaf[i], walls[i]);
}

/* ---- Memos ---------------------------------------------------------------------------------------------------- */

uint32_t store_memo(const struct store *store, uint32_t node, unsigned k)
{
    uint32_t memo = store->entries[node].node.memo;
    for (; memo && k >= STORE_MEMO_SIZES; k -= STORE_MEMO_SIZES)
        memo = store->entries[memo].memo.next;
    return memo ? store->entries[memo].memo.result[k] : 0;
}

/* The memo itself, if there is one; else a new one without results. */
static uint32_t memo_or_new(struct store *store, uint32_t memo)
{
    if (memo)
        return memo;
    memo = new_entry(store);
    store->entries[memo].memo = (struct store_memo){.is_memo = 1};
    set_bit(store->is_leaf, memo, false);
    return memo;
}

void store_set_memo(struct store *store, uint32_t node, unsigned k, uint32_t result)
{
    uint32_t memo = store->entries[node].node.memo = memo_or_new(store, store->entries[node].node.memo);
    for (; k >= STORE_MEMO_SIZES; k -= STORE_MEMO_SIZES)
        memo = store->entries[memo].memo.next = memo_or_new(store, store->entries[memo].memo.next);
    store->entries[memo].memo.result[k] = result;
}

/* ---- Collecting ----------------------------------------------------------------------------------------------- */

static bool is_in_use(const struct store *store, uint64_t id)
{
    return id < store->next || bit_of(store->is_kept, id);
}

/* Makes the table anew, with `lines` lines, from the entries in use. */
static void fill_table(struct store *store, uint64_t lines)
{
    clear_lines(store, lines);
    for (uint64_t id = 1; id < store->end; id++) {
        const union store_entry *entry = &store->entries[id];
        if (!is_in_use(store, id))
            continue;
        if (bit_of(store->is_leaf, id))
            insert(store, place_of_leaf(store, &entry->leaf, store->walls[id]), (uint32_t) id);
        else if (!entry->node.is_memo)
            insert(store, place_of_node(store, entry->node.child), (uint32_t) id);
    }
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
    const struct store_node node = store->entries[id].node;
    for (int i = 0; i < 4; i++)
        keep(store, node.child[i], results);
    if (results)
        keep(store, node.result, true);
}

static void keep_reachable(struct store *store, bool results)
{
    memset(store->is_kept, 0, (store->end + 63) / 64 * 8);
    store->used = 1;
    for (uint32_t i = 0; i < store->root_count; i++)
        keep(store, store->roots[i], results);
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
    for (; memo; memo = store->entries[memo].memo.next) {
        for (int i = 0; i < STORE_MEMO_SIZES; i++)
            forget(store, &store->entries[memo].memo.result[i]);
        set_bit(store->is_kept, memo, true);
        store->used++;
    }
}

/* Clears what kept nodes know of entries that were not kept. Drops their memos where `memos` is false. */
static void prune(struct store *store, bool memos)
{
    for (uint64_t id = 1; id < store->end; id++) {
        struct store_node *node = &store->entries[id].node;
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
    keep_reachable(store, results);
    prune(store, results);
    while (store->end > 1 && !bit_of(store->is_kept, store->end - 1))
        store->end--;
    store->next = 1;
    store->collections++;
}

bool store_collect(struct store *store)
{
    if (store->capacity - store->used < STORE_RESERVE) {
        collect(store, true);
        if (store->used > store->capacity / 2)
            collect(store, false);
        fill_table(store, store->line_count);
        if (store->capacity - store->used < store->capacity / SCARCE)
            return false;
    }
    while (room(store) < STORE_RESERVE && store->line_count < store->line_most)
        fill_table(store, least(4 * store->line_count, store->line_most));
    store->spare = room(store);
    return store->spare >= STORE_RESERVE;
}
