/* Inside the conformance suite: what its properties share.
 *
 * Every property runs in a process of its own: one that crashes or hangs fails alone, and a helper that finds something
 * wrong ends the process with REQUIRE or SKIP_UNLESS. All memory of that process, buffers and scratch, lies
 * between guards and is poisoned, since the interface promises cells, ghosts and outputs, and nothing about other
 * bytes. */
#ifndef CORE_JUDGE_CONFORM_CONFORM_H
#define CORE_JUDGE_CONFORM_CONFORM_H

#include "plugin/registry.h"
#include "run/instance.h"

/* ---- The plugin under test ---------------------------------------------------------------------------------- */

struct subject {
    struct registry *registry;
    const struct plugin *plugin;
    const struct engine_impl *impl;   /* of the property that runs */
    const struct engine_impl *oracle; /* what it is held against; NULL: nothing, it is the reference itself */
    const char *const *settings;      /* section.key=value of every configuration */
    uint32_t setting_count;
    bool position; /* the rule depends on where a cell lies */
};
extern struct subject subject;

struct property {
    const char *name;
    void (*check)(void);
};
extern const struct property plugin_properties[], impl_properties[]; /* ended by a NULL name */

/* End the process of a property: it failed, or it has no meaning here. */
_Noreturn void property_fails(const char *format, ...) ENGINE_PRINTF(1, 2);
_Noreturn void property_skips(const char *format, ...) ENGINE_PRINTF(1, 2);

#define REQUIRE(condition, ...)     ((condition) ? (void) 0 : property_fails(__VA_ARGS__))
#define SKIP_UNLESS(condition, ...) ((condition) ? (void) 0 : property_skips(__VA_ARGS__))

/* ---- Memory (memory.c) -------------------------------------------------------------------------------------- */

void memory_guard(void);           /* all memory from here on */
void memory_poison(uint8_t byte);  /* of what is allocated from here on */
void memory_fail(uint64_t nth);    /* the nth allocation from here on fails; 0: none */
uint64_t memory_allocations(void); /* since memory_fail */
void memory_check(void);           /* fails the property where a guard was written */
void memory_check_released(void);  /* and where memory is still held */

/* ---- Rigs: a plan, a state and an instance (rig.c) ---------------------------------------------------------- */

struct setup {
    uint64_t extent[3]; /* of grids; particles: the product of all; matrices: columns, rows, batch */
    uint32_t threads;   /* 0: 2 */
    const char *set;    /* one more section.key=value, or NULL */
};

struct rig {
    struct config *config;
    struct plan *plan;
    struct state *state;
    struct instance *instance; /* after rig_start */
};

/* Sizes worth trying for this plugin's rank, the last one {0}. */
const struct setup *sizes(void);
/* One of middling size that the implementation and the oracle take, odd where they can; skips the property if none. */
struct setup middling(void);
struct setup large(void); /* the last of sizes() that it takes: enough work for several threads */
const char *size_text(const struct setup *setup);

/* A rig with poisoned buffers; NULL where the plugin or the implementation refuses this size, with a reason. */
struct rig *rig_open(const struct engine_impl *impl, struct setup setup);
void rig_start(struct rig *rig);                   /* makes the instance */
void rig_advance(struct rig *rig, uint64_t steps); /* in as few calls as the implementation allows */
void rig_close(struct rig *rig);

/* rig_open, filled from a seed, and started. */
struct rig *rig_run(const struct engine_impl *impl, struct setup setup, uint64_t seed);

/* The most steps that a call of this rig takes, and not more than `limit`. */
uint64_t rig_most(const struct rig *rig, uint64_t limit);

/* ---- Cells (cells.c) ---------------------------------------------------------------------------------------- */

/* The canonical arrays of all fields, and the metrics where the implementation measures. */
struct cells {
    uint32_t count;
    void *at[PLAN_FIELDS_MAX]; /* NULL: the field is absent */
    struct engine_shape shape[PLAN_FIELDS_MAX];
};

/* Values from a seed: those of a field and element are the same for every rig of that shape. Outputs are zero. */
struct cells cells_random(const struct rig *rig, uint64_t seed);
struct cells cells_read(const struct rig *rig);
void cells_write(struct rig *rig, const struct cells *cells);
void cells_free(struct cells *cells);

/* Fails the property where states or outputs differ by more than the tolerance, relative to the largest value; 0: in
 * any bit. The text says of what. */
void cells_compare(const struct cells *is, const struct cells *should, double tolerance, const char *format, ...)
    ENGINE_PRINTF(4, 5);

/* What the implementation promises: 0 for bits. */
double tolerance_of(const struct engine_impl *impl);

/* An element as a number; complex ones by their parts, twice as many. */
double element_value(const void *array, uint32_t type, uint64_t index);
void element_set(void *array, uint32_t type, uint64_t index, double value);

/* A hash of two numbers (SplitMix64). */
uint64_t mix(uint64_t a, uint64_t b);

#endif
