/* Expands bits to bytes. The hash of a grid of bits and most of its files need all cells as bytes. */
#ifndef CORE_MEMORY_EXPAND_BITS_H
#define CORE_MEMORY_EXPAND_BITS_H

#include <stdint.h>

/* Expands 64 cells, cell 0 in the lowest bit: byte i of `out` becomes 0 or 1. */
void expand_bits_word(uint64_t cells, uint8_t out[64]);

/* Expands `bytes` bytes: bit i of byte k becomes byte 8 k + i of `out`. */
void expand_bits_bytes(const uint8_t *bits, uint64_t bytes, uint8_t *out);

#endif
