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

enum { ORBITS_MOST = 8 }; /* universes of the run that finds cycles: a CPU has vectors for as many */

/* An orbit whose last state equals the one of number `again`, and what is found. */
struct search {
    const struct orbit *orbit;
    uint32_t again;
    struct cycle cycle;    /* period 0: the steps depend on more than the state */
    XXH128_hash_t *hashes; /* of the states after the last one, up to a period later */
};

/* Finds the cycles of up to ORBITS_MOST orbits, by steps of the universes of a run. The caller releases the searches,
 * also after an error. */
int orbits_find_cycles(struct search *searches, uint32_t count, struct states *some, struct engine_error *error);
void orbits_release(struct search *searches, uint32_t count);

/* How many steps after the last state of an orbit the state of a step of its cycle comes, and the hash of that state. */
uint64_t orbit_steps_to(const struct search *search, uint64_t step);
XXH128_hash_t orbit_hash(const struct search *search, uint64_t step);

/* The step at which a run that looks every `every` steps notices that its state repeats, and the one at which it notices
 * that its state does not change; UINT64_MAX: never. */
uint64_t cycle_repeats_at(const struct cycle *cycle, uint64_t every);
uint64_t cycle_unchanged_at(const struct cycle *cycle, uint64_t every);

#endif
