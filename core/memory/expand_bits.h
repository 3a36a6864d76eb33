/* Bits to bytes: what every hash of a grid of bits waits for, and most of its files. */
#ifndef CORE_MEMORY_EXPAND_BITS_H
#define CORE_MEMORY_EXPAND_BITS_H

#include <stdint.h>

/* Cell i of `cells` is bit i: byte i of `out` becomes 0 or 1. */
void spread_word(uint64_t cells, uint8_t out[64]);

/* Bit i of byte k of `bits` becomes byte 8 k + i of `out`, for `bytes` bytes. */
void spread_bytes(const uint8_t *bits, uint64_t bytes, uint8_t *out);

#endif
