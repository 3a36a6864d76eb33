/* The encoding of elements of a field in messages: cells of two values as bits, eight in a byte, and all others as they
 * are. So a grid of Life needs an eighth of the bytes. */
#ifndef LIB_PARTS_ENCODING_H
#define LIB_PARTS_ENCODING_H

#include "plan/plan.h"

/* Are elements of the field encoded as bits? */
bool encoding_is_bits(const struct plan *plan, uint32_t field);

/* The bytes of `count` encoded elements. */
uint64_t encoding_bytes(const struct plan *plan, uint32_t field, uint64_t count);

/* Encode elements as bits, and decode them. */
void encoding_pack(const uint8_t *elements, uint64_t count, uint8_t *encoded);
void encoding_unpack(const uint8_t *encoded, uint64_t count, uint8_t *elements);

#endif
