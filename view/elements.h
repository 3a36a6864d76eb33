/* Elements of fields. */
#ifndef VIEW_ELEMENTS_H
#define VIEW_ELEMENTS_H

#include <engine/engine.h>

#include <stdint.h>

/* The elements of a box of a field of that shape. */
uint64_t box_elements(const struct engine_box *box, const struct engine_shape *shape);

/* The bytes of an element of a type; 0: there is no such type. */
uint32_t element_bytes(uint32_t type);

#endif
