/* Runs of nbody and nbody-tree for tests. A failure fails the test. */
#ifndef TESTS_PLUGINS_BODIES_H
#define TESTS_PLUGINS_BODIES_H

#include "run/state_hash.h"
#include "tests/candidate.h"

#include <nbody/nbody.h>

/* A configuration on one implementation. */
struct run {
    struct config *config;
    struct registry *registry;
    struct candidate candidate;
};

/* Opens a run of nbody, or of another run.plugin, on one thread; `settings` are assignments with blanks between
 * them. */
void open_run(struct run *run, const char *impl, const char *settings);
void close_run(struct run *run);
void advance(struct run *run, uint64_t steps);

uint64_t bodies(const struct run *run);

/* A field as doubles; the caller frees it. */
double *numbers(const struct run *run, uint32_t field);

void measure(struct run *run, double values[NBODY_METRICS]);
void hash(const struct run *run, char text[HASH_TEXT]);
void expect_near(const char *what, double is, double should, double error);

/* What all bodies do to body i, softening included, in long double. x has three numbers for each body. */
void attraction(const double *x, const double *mass, uint64_t count, uint64_t i, long double softening,
                long double a[3]);

/* Compares two doubles, for qsort. */
int ascending(const void *a, const void *b);

#endif
