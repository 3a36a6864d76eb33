/* The smallest squares of the trees of HashLife. Whoever includes these files chooses one of two kinds: cells that are
 * bits, or, with HASHLIFE_BYTES, cells that are bytes. The Makefile compiles a source with HASHLIFE_BYTES if its object
 * is named x.bytes.o. */
#ifndef HASHLIFE_LEAF_H
#define HASHLIFE_LEAF_H

#include <stdint.h>
#include <string.h>

#ifdef HASHLIFE_BYTES

enum { STORE_LEAF_LEVEL = 2, LEAF_HAS_WALLS = 0 };

struct store_leaf {
    uint8_t row[4][4];
};

static inline uint32_t leaf_value(const struct store_leaf *leaf)
{
    return leaf->row[0][0];
}

static inline struct store_leaf leaf_plain(uint32_t value)
{
    struct store_leaf leaf;
    memset(&leaf, (int) value, sizeof leaf);
    return leaf;
}

/* The middle of four leaves side by side. */
static inline struct store_leaf leaf_middle(const struct store_leaf *const four[4])
{
    struct store_leaf middle;
    for (int y = 0; y < 2; y++) {
        memcpy(middle.row[y], four[0]->row[y + 2] + 2, 2);
        memcpy(middle.row[y] + 2, four[1]->row[y + 2], 2);
        memcpy(middle.row[y + 2], four[2]->row[y] + 2, 2);
        memcpy(middle.row[y + 2] + 2, four[3]->row[y], 2);
    }
    return middle;
}

#else

enum { STORE_LEAF_LEVEL = 4, LEAF_HAS_WALLS = 1 };

struct store_leaf {
    uint16_t row[16]; /* bit x of row[y] */
};

/* The value of the cells of a plain leaf. */
static inline uint32_t leaf_value(const struct store_leaf *leaf)
{
    return leaf->row[0] & 1;
}

static inline struct store_leaf leaf_plain(uint32_t value)
{
    struct store_leaf leaf;
    memset(&leaf, value ? 0xff : 0, sizeof leaf);
    return leaf;
}

/* The middle of four leaves side by side. */
static inline struct store_leaf leaf_middle(const struct store_leaf *const four[4])
{
    struct store_leaf middle;
    for (int y = 0; y < 8; y++) {
        middle.row[y] = (uint16_t) (four[0]->row[y + 8] >> 8 | four[1]->row[y + 8] << 8);
        middle.row[y + 8] = (uint16_t) (four[2]->row[y] >> 8 | four[3]->row[y] << 8);
    }
    return middle;
}

#endif

#endif
