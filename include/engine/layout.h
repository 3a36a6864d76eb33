/* engine/layout.h - how an implementation wants a field in memory. See engine_impl.layout.
 *
 * The engine fills in the default layout, and the function `layout` of the implementation changes it. The default has
 * elements as in the canonical array, rows without padding, and ghosts as deep as the field's reach on every axis, so
 * that each call takes one step. For an input that is bound to another plugin's state of the same type, the default is
 * that state's layout. The function must not change this layout, because the engine copies nothing. It may return an
 * error instead.
 *
 * Rows run along x. Ghost cells lie on both sides of every axis: on a torus, cell x = -1 holds the value of cell width
 * - 1, and cell x = width holds that of cell 0; see engine/edges.h for other grids. Ghost cells at corners follow the
 * same rule, and so do ghost cells of packed bits if the width is not a multiple of a word. The engine fills the ghosts
 * before every call of advance. Memory beyond the ghosts has no defined values. */
#ifndef ENGINE_LAYOUT_H
#define ENGINE_LAYOUT_H

#include <engine/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    ENGINE_ORDER_LINEAR = 0,   /* n bits a word: cell x is bit x mod n of word x / n; bit 0 is the lowest */
    ENGINE_ORDER_REVERSED = 1, /* the same, but bit 0 is the highest: a word's leftmost cell is its top bit */
    ENGINE_ORDER_STRIPED = 2   /* in a group of g words, the group's cell x is bit x / g of word x mod g */
};

enum { ENGINE_AXIS_X = 1u << 0, ENGINE_AXIS_Y = 1u << 1, ENGINE_AXIS_Z = 1u << 2 };

struct engine_layout {
    uint32_t size;
    uint32_t cell_bits;        /* 0: canonical elements; 1: one bit a cell, for fields of two values */
    uint32_t word_bytes;       /* cell_bits = 1: bytes in a word, 1, 2, 4 or 8, in the machine's byte order */
    uint32_t order;            /* cell_bits = 1: ENGINE_ORDER_… */
    uint32_t group_words;      /* STRIPED: words in a group; the first group begins at the row's first word */
    uint32_t row_align;        /* bytes, a power of two: alignment of the word that holds each row's first cell; 0: that
                                  of a word */
    uint32_t component_stride; /* elements from a cell or particle to the next: 4 makes float4 of 3; 0: components */
    uint32_t planar;           /* 1: each component is an array of its own; the arrays follow each other */
    uint32_t ghost[3];         /* cells on each side along x, y, z; a call takes at most ghost / reach steps */
    uint32_t wraps;            /* ENGINE_AXIS_… of the axes that the implementation wraps itself: these axes have no
                                  ghosts and do not limit the steps of a call. See engine/edges.h */

    /* Not for new plugins: an order of memory that only the plugin knows; docs/reference/plugin-interface.md explains it */
    uint64_t own_bytes;
    void (*pack)(const struct engine_shape *shape, uint64_t begin, uint64_t count, const void *canonical, void *buffer);
    void (*unpack)(const struct engine_shape *shape, uint64_t begin, uint64_t count, const void *buffer,
                   void *canonical);

    /* 1: the distance between rows is an odd multiple of row_align, and row_align is at least the size of a word, group
     * or element. At distances that are powers of two, rows share few memory channels and few sets of a cache. */
    uint32_t ENGINE_SINCE_1_2(row_odd);
    uint32_t reserved; /* 0 */
};

#ifdef __cplusplus
}
#endif

#endif
