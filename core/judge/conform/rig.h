/* Rigs: sizes worth trying, and everything between a size and a running instance. */
#ifndef CORE_JUDGE_CONFORM_RIG_H
#define CORE_JUDGE_CONFORM_RIG_H

#include "judge/conform/test.h"
#include "run/instance.h"

struct setup {
    uint64_t extent[3]; /* of grids; particles: the product of all; matrices: columns, rows, batch */
    uint32_t threads;   /* 0: 2 */
    const char *set;    /* one more section.key=value, or NULL */
};

/* Sizes worth trying for this plugin's rank; the last one is {0}. */
const struct setup *rig_sizes(const struct test *test);

/* A size in the middle that the implementation and the oracle take, odd where they can. Skips the property where there
 * is none. */
struct setup rig_middle(struct test *test);

/* The last of rig_sizes() that the implementation takes: enough work for several threads. */
struct setup rig_large(struct test *test);

/* "512x37x1". Returns text. */
enum { SIZE_TEXT_MAX = 80 };
const char *rig_size_text(const struct setup *setup, char text[SIZE_TEXT_MAX]);
#define SIZE_TEXT(setup) rig_size_text(setup, (char[SIZE_TEXT_MAX]){0})

/* A configuration with its plan, state and instance. */
struct rig {
    struct test *test;
    struct config *config;
    struct plan *plan;
    struct state *state;
    struct instance *instance; /* after rig_start */
};

/* Opens a rig with poisoned buffers. NULL where the plugin or the implementation refuses this size and gives a
 * reason. */
struct rig *rig_open(struct test *test, const struct engine_impl *impl, struct setup setup);

/* Creates the instance. */
void rig_start(struct rig *rig);

/* Takes steps in as few calls as the implementation allows, and checks the guards of memory. */
void rig_advance(struct rig *rig, uint64_t steps);
void rig_close(struct rig *rig);

/* The most steps that a call of this rig takes, and not more than `limit`. */
uint64_t rig_most(const struct rig *rig, uint64_t limit);

#endif
