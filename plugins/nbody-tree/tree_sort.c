/* Morton keys of 21 bits an axis, and their radix sort. A digit is counted and moved in blocks of bodies, whose number
 * follows from the number of bodies alone; a block's bodies go behind those of earlier blocks, so that the sort is
 * stable. */
#include "tree.h"

#include <common/divide.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, KEY_BITS = 63, AXIS_BITS = 21, BLOCK = 16384, BLOCKS_MAX = 64 };

static uint64_t block_count(uint64_t count)
{
    const uint64_t blocks = divide_up(count, BLOCK);
    return blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX;
}

uint64_t tree_digits_bytes(uint64_t count)
{
    return block_count(count) * DIGITS * sizeof(uint64_t);
}

/* ---- Keys ------------------------------------------------------------------------------------------------------- */

static struct tree_box box_of(const struct tree *tree, uint64_t begin, uint64_t end, int sorted)
{
    struct tree_box box = TREE_NO_BOX;
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t body = sorted ? tree->keys[i].body : i;
        tree_box_add(&box, (const double[3]){tree_coordinate(tree, 0, body), tree_coordinate(tree, 1, body),
                                             tree_coordinate(tree, 2, body)});
    }
    return box;
}

static double edge_of(const struct tree_box *box)
{
    double edge = 0;
    for (int c = 0; c < 3; c++)
        edge = fmax(edge, box->high[c] - box->low[c]);
    return edge;
}

/* Spreads 21 bits: bit b moves to bit 3 b. */
static uint64_t spread(uint64_t bits)
{
    bits = (bits | bits << 32) & 0x1f00000000ffff;
    bits = (bits | bits << 16) & 0x1f0000ff0000ff;
    bits = (bits | bits << 8) & 0x100f00f00f00f00f;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
    return (bits | bits << 2) & 0x1249249249249249;
}

static uint64_t place(double x, double low, double scale)
{
    const double at = (x - low) * scale, last = (1 << AXIS_BITS) - 1;
    return at >= last ? (uint64_t) last : at > 0 ? (uint64_t) at : 0;
}

static uint64_t key_of(const struct tree *tree, const struct tree_box *box, double scale, uint64_t body)
{
    uint64_t key = 0;
    for (int c = 0; c < 3; c++)
        key |= spread(place(tree_coordinate(tree, c, body), box->low[c], scale)) << (2 - c);
    return key;
}

/* ---- Sorting ---------------------------------------------------------------------------------------------------- */

static uint64_t digit_of(const struct tree_key *key, int shift)
{
    return key->key >> shift & (DIGITS - 1);
}

/* Turns counts of digits into the places of the first: `blocks` rows of counts, digit after digit. Returns 0 if one
 * digit is that of all. */
static int places_of(uint64_t *digits, uint64_t blocks, uint64_t count)
{
    uint64_t place = 0;
    for (uint64_t d = 0; d < DIGITS; d++) {
        const uint64_t before = place;
        for (uint64_t b = 0; b < blocks; b++) {
            const uint64_t here = digits[b * DIGITS + d];
            digits[b * DIGITS + d] = place;
            place += here;
        }
        if (place - before == count)
            return 0;
    }
    return 1;
}

static void count_digits(const struct tree_key *keys, uint64_t count, int shift, uint64_t *digits)
{
    memset(digits, 0, DIGITS * sizeof *digits);
    for (uint64_t i = 0; i < count; i++)
        digits[digit_of(&keys[i], shift)]++;
}

static void move_keys(const struct tree_key *keys, uint64_t count, int shift, uint64_t *places, struct tree_key *to)
{
    for (uint64_t i = 0; i < count; i++)
        to[places[digit_of(&keys[i], shift)]++] = keys[i];
}

int tree_sort_again(const struct tree *tree, uint64_t begin, uint64_t end)
{
    struct tree_key *keys = tree->keys + begin, *spare = tree->spare + begin;
    const uint64_t count = end - begin;
    const struct tree_box box = box_of(tree, begin, end, 1);
    const double edge = edge_of(&box);
    uint64_t digits[DIGITS];
    if (!(edge > 0) || !(edge < HUGE_VAL))
        return 0;
    for (uint64_t i = 0; i < count; i++)
        keys[i].key = key_of(tree, &box, (1 << AXIS_BITS) / edge, keys[i].body);
    for (int shift = 0; shift < KEY_BITS; shift += DIGIT_BITS) {
        count_digits(keys, count, shift, digits);
        if (places_of(digits, 1, count)) {
            move_keys(keys, count, shift, digits, spare);
            memcpy(keys, spare, count * sizeof *keys);
        }
    }
    return 1;
}

/* A sort on all threads. */
struct sort {
    const struct tree *tree;
    uint64_t blocks;
    struct tree_key *from, *to;
    int shift;
    struct tree_box box;
    struct tree_box boxes[BLOCKS_MAX];
    int finite[BLOCKS_MAX];
    double scale;
};

static uint64_t block_begin(const struct sort *sort, uint64_t block)
{
    return engine_share_begin((uint32_t) block, (uint32_t) sort->blocks, sort->tree->count);
}

static void box_task(void *argument, uint64_t block)
{
    struct sort *sort = (struct sort *) argument;
    const uint64_t begin = block_begin(sort, block), end = block_begin(sort, block + 1);
    sort->boxes[block] = box_of(sort->tree, begin, end, 0);
    sort->finite[block] = 1;
    for (int c = 0; c < 3; c++)
        for (uint64_t i = begin; i < end; i++)
            sort->finite[block] &= isfinite(tree_coordinate(sort->tree, c, i)) != 0;
}

static void key_task(void *argument, uint64_t block)
{
    const struct sort *sort = (const struct sort *) argument;
    for (uint64_t i = block_begin(sort, block); i < block_begin(sort, block + 1); i++)
        sort->from[i] = (struct tree_key){key_of(sort->tree, &sort->box, sort->scale, i), i};
}

static void count_task(void *argument, uint64_t block)
{
    const struct sort *sort = (const struct sort *) argument;
    const uint64_t begin = block_begin(sort, block);
    count_digits(sort->from + begin, block_begin(sort, block + 1) - begin, sort->shift,
                 sort->tree->digits + block * DIGITS);
}

static void move_task(void *argument, uint64_t block)
{
    const struct sort *sort = (const struct sort *) argument;
    const uint64_t begin = block_begin(sort, block);
    move_keys(sort->from + begin, block_begin(sort, block + 1) - begin, sort->shift,
              sort->tree->digits + block * DIGITS, sort->to);
}

static void for_blocks(struct sort *sort, void (*task)(void *argument, uint64_t block))
{
    sort->tree->host->parallel(sort->tree->host, sort->blocks, task, sort);
}

int tree_sort(struct tree *tree)
{
    struct sort sort = {.tree = tree, .blocks = block_count(tree->count), .from = tree->keys, .to = tree->spare};
    for_blocks(&sort, box_task);
    sort.box = sort.boxes[0];
    for (uint64_t block = 0; block < sort.blocks; block++) {
        if (!sort.finite[block])
            return 0;
        tree_box_add(&sort.box, sort.boxes[block].low);
        tree_box_add(&sort.box, sort.boxes[block].high);
    }
    const double edge = edge_of(&sort.box);
    sort.scale = edge > 0 && edge < HUGE_VAL ? (1 << AXIS_BITS) / edge : 0;
    for_blocks(&sort, key_task);
    for (sort.shift = 0; sort.shift < KEY_BITS; sort.shift += DIGIT_BITS) {
        for_blocks(&sort, count_task);
        if (!places_of(tree->digits, sort.blocks, tree->count))
            continue;
        for_blocks(&sort, move_task);
        struct tree_key *from = sort.from;
        sort.from = sort.to;
        sort.to = from;
    }
    tree->keys = sort.from;
    tree->spare = sort.to;
    return 1;
}
