/* Fixtures: sizes worth trying, and everything between a size and a running instance. */
#ifndef LIB_JUDGE_CONFORM_FIXTURE_H
#define LIB_JUDGE_CONFORM_FIXTURE_H

#include "judge/conform/test.h"

enum { METRICS_MAX = 64 };

/* Sizes worth trying for this plugin's rank, or the one that the configuration gives; the last one is {0}. */
const struct setup *fixture_sizes(const struct test *test);

/* Sizes in the middle, of which the first is the best, or the one that the configuration gives; the last one is {0}. */
const struct setup *fixture_middle_sizes(const struct test *test);

/* A size in the middle that the implementation and the oracle take, odd where they can; or the largest of
 * fixture_sizes() that both take. Skips the property where there is none. */
struct setup fixture_middle(struct test *test);

/* A small size for many steps, which both take, odd where they can. */
struct setup fixture_small(struct test *test);

/* The size of this width that is small in the other directions. Returns false after the last width, and where the
 * configuration gives the size. */
bool fixture_narrow(const struct test *test, uint32_t width, struct setup *setup);

/* The last of fixture_sizes() that the implementation takes: enough work for several threads. */
struct setup fixture_large(struct test *test);

/* "512x37" of a grid, "1000 particles", "512x37x1" of a matrix. Returns text. */
const char *fixture_size_text(const struct test *test, const struct setup *setup, char text[TEST_SIZE_MAX]);
#define SIZE_TEXT(test, setup) fixture_size_text(test, setup, (char[TEST_SIZE_MAX]){0})

/* Ends the process if the configuration of the test has keys or values that the engine refuses everywhere. Otherwise
 * finds the size that it gives, test->told->extent. */
void fixture_check_config(struct test *test);

/* Does the configuration describe the initial state? */
bool fixture_has_init(const struct test *test);

/* A configuration with its run. */
struct fixture {
    struct test *test;
    struct setup setup;
    const struct engine_impl *impl; /* of the plugin; the run has its guarded copy */
    struct engine_config *config;
    struct engine_run *run;
    struct engine_plugin_info guarded; /* the plugin as the engine sees it */
    const struct engine_host *host;    /* what the plugin gets */
    const struct engine_plan *plan;
    struct engine_run_info about;
};

/* Opens a fixture with poisoned buffers, in which the initial state is filled in if fixture_has_init. NULL where the
 * plugin or the implementation refuses this size and gives a reason. */
struct fixture *fixture_open(struct test *test, const struct engine_impl *impl, struct setup setup);

/* Is the size accepted by the plugin and the implementation? */
bool fixture_takes(struct test *test, const struct engine_impl *impl, struct setup setup);

/* Creates the instance. */
void fixture_start(struct fixture *fixture);

/* Measures the metrics. Returns false where the implementation measures none. */
bool fixture_measure(const struct fixture *fixture, double values[METRICS_MAX]);

/* Is a metric as it should be? Sums of real numbers may be added in any order. */
bool metrics_agree(const struct test *test, double a, double b);

/* Does the run lack the field, because it is an input for which nothing was given? */
bool fixture_lacks(const struct fixture *fixture, uint32_t field);

/* Takes steps in as few calls as the implementation allows, and checks the guards of memory. */
void fixture_advance(struct fixture *fixture, uint64_t steps);
void fixture_close(struct fixture *fixture);

/* The most steps that a call of this fixture takes, and not more than `limit`. */
uint64_t fixture_most(const struct fixture *fixture, uint64_t limit);

#endif
