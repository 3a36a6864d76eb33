/* The results of a run, its states and outputs, as bytes: those of one universe after the other. */
#ifndef LIB_ENSEMBLE_STATES_H
#define LIB_ENSEMBLE_STATES_H

#include "base/xxh.h"

#include <engine/engine.h>
#include <stdbool.h>
#include <stdint.h>

enum { STATES_FIELDS_MAX = 16 };

struct states {
    struct engine_run *run; /* it has been started */
    uint32_t count;         /* of fields */
    struct {
        uint32_t field;
        uint64_t elements, bytes; /* of one universe */
    } at[STATES_FIELDS_MAX];
    uint64_t bytes; /* of one universe */
};

/* Describes the results of a run of so many universes. Returns false if they are too many. */
bool states_open(struct states *states, struct engine_run *run, uint64_t universes);

/* Copies the bytes of universes [first, first + count) out of the run, or into it. */
int states_read(const struct states *states, uint64_t first, uint64_t count, char *out, struct engine_error *error);
int states_write(struct states *states, uint64_t first, uint64_t count, const char *in, struct engine_error *error);

/* The hash of the bytes of a universe, which is that of a run of its own. */
XXH128_hash_t states_hash(const struct states *states, const char *bytes);
void states_hash_text(XXH128_hash_t hash, char text[ENGINE_HASH_SIZE]);

#endif
