/* How elements of a field travel between processes: cells of two values as bits, eight in a byte, and all others as
 * they are. So a grid of Life needs an eighth of the messages. */
#ifndef LIB_PARTS_WIRE_H
#define LIB_PARTS_WIRE_H

#include "plan/plan.h"

/* Do elements of the field travel as bits? */
bool wire_has_bits(const struct plan *plan, uint32_t field);

/* The bytes in which `count` elements travel. */
uint64_t wire_bytes(const struct plan *plan, uint32_t field, uint64_t count);

/* Convert elements that travel as bits. */
void wire_pack(const uint8_t *elements, uint64_t count, uint8_t *wire);
void wire_unpack(const uint8_t *wire, uint64_t count, uint8_t *elements);

#endif
