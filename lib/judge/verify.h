/* Verifies the promise of every implementation of a plugin: the bits of the oracle, or an error within a tolerance,
 * from the same initial state and for any number of steps in a call. */
#ifndef LIB_JUDGE_VERIFY_H
#define LIB_JUDGE_VERIFY_H

#include "judge/compare.h"
#include "judge/promise.h"

enum {
    VERIFY_STEPS = 100,  /* the most steps taken, unless asked otherwise */
    VERIFY_COUNTS = 4,   /* numbers of steps an implementation is tried with, at most */
    VERIFY_UNIVERSES = 8 /* of a batch, compared with their runs alone, at most */
};

/* One field after one number of steps. */
struct verify_check {
    const struct engine_field *field;
    uint64_t steps;
    bool split;        /* compared with its own run in calls of one step; else with the oracle */
    uint64_t universe; /* 1 + the number of the universe of a batch, compared with its run alone; 0: all */
    bool holds;
    uint64_t elements, differing;
    char place[96], is[64], should[64]; /* of the first that differs */
    struct deviation deviation;         /* where the promise is a tolerance */
};

struct verify_result {
    const struct engine_impl *impl;
    struct promise promise;
    bool usable;
    bool began;      /* it was started once, so an error came later */
    int status;      /* of an error while it ran; 0 */
    char text[2048]; /* that error, or the reason why it is not usable */
    uint32_t count_count;
    uint64_t counts[VERIFY_COUNTS]; /* ascending */
    uint32_t check_count;
    struct verify_check *checks; /* of each field: one after each of these numbers, one after the split and, of the
                                    reference, one for each universe that is compared with its run alone */
};

struct verification {
    struct engine_run *plan; /* of the configuration; it never starts */
    const struct engine_plugin *about;
    const struct engine_impl *reference;
    uint32_t parts; /* into which the configuration divides the run */
    bool began;     /* the reference was started, so an error of verify_all came later */
    uint32_t count;
    struct verify_result *results; /* in the plugin's order, or that of the names */
};

/* Verifies one configuration. names: implementations, as values of [run] implementation; count 0: all. `steps` is the
 * most steps to take, at least 1. A failure of an implementation is a result. An error means that nothing could be
 * tried. The caller calls verify_release, also after an error. */
int verify_all(const struct engine_config *config, char *const *names, uint32_t count, uint64_t steps,
               struct verification *verification, struct engine_error *error);
void verify_release(struct verification *verification);

/* The first check that does not hold; NULL: everything that was tried keeps its promise. */
const struct verify_check *verify_broken(const struct verify_result *result);

/* The result that decides the status of all: the first that breaks its promise (ENGINE_STATUS_UNVERIFIED), else the
 * first that failed (its status) or, where implementations were asked for by name, that cannot run
 * (ENGINE_STATUS_PLUGIN). NULL, and *status 0, where there is none. */
const struct verify_result *verify_worst(const struct verification *verification, bool named, int *status);

#endif
