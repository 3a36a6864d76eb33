/* Rows of one bit a cell, in every order that a layout can ask for: 64 cells at a time, cell i of them at bit i. */
#ifndef CORE_BITS_H
#define CORE_BITS_H

#include <engine/plugin.h>

/* Cells [x, x + count) of a row, count 1 … 64; `row` is the address of the word with cell 0, x may be negative. */
uint64_t bits_get(const struct engine_layout *layout, const void *row, int64_t x, uint32_t count);

/* Sets them; no other cell is touched. */
void bits_put(const struct engine_layout *layout, void *row, int64_t x, uint32_t count, uint64_t cells);

/* Between `count` bytes of 0 and 1 and bits; count 1 … 64. */
void bits_to_bytes(uint64_t cells, uint32_t count, uint8_t *bytes);
uint64_t bits_from_bytes(const uint8_t *bytes, uint32_t count);

#endif
