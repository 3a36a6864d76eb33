/* The states that a universe of a batch has been seen in, and the cycle that they enter.
 *
 * A member of an ensemble that ends by `repeats` or `unchanged` ends where a run of its own would have noticed it: the
 * step follows from the first step of the cycle, its period, and the steps between two looks. So a batch looks rarely,
 * finds the cycle by a few steps of one universe, and need not look when a single run does. A state is known by its
 * hash, as in record/until.h. */
#ifndef LIB_ENSEMBLE_ORBIT_H
#define LIB_ENSEMBLE_ORBIT_H

#include "base/xxh.h"
#include "ensemble/states.h"

struct seen {
    uint64_t step;
    XXH128_hash_t hash;
};

struct orbit {
    uint32_t count, room;
    struct seen *at;
    uint32_t kept; /* of the last states that were seen, each `bytes` long; that of step 0 stays, too */
    uint64_t bytes;
    char *states;
};

struct cycle {
    uint64_t period, first; /* the first step whose state comes again */
    uint64_t step;          /* a step in the cycle, whose state is the last one that the orbit has seen */
};

/* `kept` is 1 at least. ENGINE_STATUS_DEVICE. */
int orbit_open(struct orbit *orbit, uint64_t bytes, uint32_t kept, struct engine_error *error);
void orbit_close(struct orbit *orbit);

/* Sees the state of step 0, or of a later step than the last one. *again is the number of the earlier state that it
 * equals, or UINT32_MAX. ENGINE_STATUS_DEVICE. */
void orbit_begin(struct orbit *orbit);
int orbit_see(struct orbit *orbit, uint64_t step, const char *state, uint32_t *again, struct engine_error *error);

/* Finds the cycle of an orbit whose last state equals the one of number `again`, by steps of the first universe of a run.
 * *found is false if the steps depend on more than the state. */
int orbit_find_cycle(const struct orbit *orbit, uint32_t again, struct states *one, struct cycle *cycle, bool *found,
                     struct engine_error *error);

/* Copies the state of a step of the cycle to the first universe of that run. */
int orbit_go_to(const struct orbit *orbit, const struct cycle *cycle, uint64_t step, struct states *one,
                struct engine_error *error);

/* The step at which a run that looks every `every` steps notices that its state repeats, and the one at which it notices
 * that its state does not change; UINT64_MAX: never. */
uint64_t cycle_repeats_at(const struct cycle *cycle, uint64_t every);
uint64_t cycle_unchanged_at(const struct cycle *cycle, uint64_t every);

#endif
