/* [run] until: looks at the state every until_every steps, and finds out whether a condition ends the run.
 *
 * A state is known by the hash of its states, XXH3-128: two states with the same hash are taken for the same. A
 * repeated state is noticed by Brent's method (R. P. Brent, BIT 20, 1980), which keeps one hash. The period and the
 * first step of the cycle are then found by running again, from the present state and from the start of the run. */
#ifndef LIB_RECORD_UNTIL_H
#define LIB_RECORD_UNTIL_H

#include "base/hash.h"
#include "files/folder.h"
#include "record/section_until.h"
#include "run/observer.h"
#include "run/pace.h"

/* What is remembered between two looks, and recorded in checkpoints. */
struct until_memory {
    uint64_t start;                 /* the step of the first look */
    uint32_t metrics;               /* the number of metrics that were measured at the first look that did so */
    double first[UNTIL_ERRORS_MAX]; /* their values; infinite or NaN: not known */
    uint64_t looked;                /* the step of the last look; UINT64_MAX: none */
    char hash[HASH_TEXT];           /* of that step; "": no condition compares states */
    bool again;                     /* the state may be unchanged: the next step decides */
    uint64_t kept;                  /* Brent's method: the step with which later ones are compared */
    char kept_hash[HASH_TEXT];      /* of that step; "": none */
    uint64_t looks, limit;          /* looks since then, and the number of them after which another step is kept */
};

struct until;

/* Opens the conditions of the instance's run; *until is NULL if it has none. `past` is the memory in the checkpoint
 * from which the run goes on; NULL: it starts now. If the run waits for `repeats`, the present state is written to the
 * folder, unless it is there; with folder NULL it is kept in memory. ENGINE_STATUS_OUTPUT, ENGINE_STATUS_DEVICE. */
int until_open(struct instance *instance, const struct folder *folder, const struct until_memory *past,
               struct until **until, struct engine_error *error);
void until_close(struct until *until);

/* The next step after the state's at which a look is due; UINT64_MAX where `until` is NULL. */
uint64_t until_next(const struct until *until);

/* Looks at the present state, if a look is due and has not been taken. Afterwards until_ended tells whether the run
 * ends. While it runs again, it asks `stopped` between two calls. If that returns true, the look is abandoned: a
 * resumed run takes it. In either case the state is as before. */
int until_look(struct until *until, struct pace *pace, bool (*stopped)(void *context), void *context,
               struct engine_error *error);

/* The condition that holds, and what was found: "repeats: period 30, first seen at step 1103"; NULL: none, so far. */
const char *until_ended(const struct until *until);

/* The memory that checkpoints record, or NULL. */
const struct until_memory *until_memory(const struct until *until);

struct observer until_observer(struct until *until);

#endif
