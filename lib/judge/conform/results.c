/* Properties of results: they equal the reference's for any number of steps in a call, any size, any number of threads,
 * any content of the memory besides the cells, and beside other instances. */
#include "judge/conform/calls.h"
#include "judge/conform/cells.h"
#include "judge/conform/memory.h"
#include "judge/conform/outside.h"
#include "judge/conform/properties.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST = 100, /* steps of a call, where nothing limits them */
    INTERVAL = 37, /* steps between two comparisons of a long run */
    INTERVALS = 16,
    ASKED = 6 /* times that a size is asked for again */
};

/* The result of `steps` steps from a seed, by calls of `call` steps. Empty where the size is refused. */
static struct cells result_of(struct test *test, const struct engine_impl *impl, struct setup setup, uint64_t seed,
                              uint64_t steps, uint64_t call)
{
    struct fixture *fixture = cells_run(test, impl, setup, seed);
    if (!fixture)
        return (struct cells){0};
    for (uint64_t done = 0; done < steps; done += call)
        fixture_advance(fixture, steps - done < call ? steps - done : call);
    struct cells cells = cells_read(fixture);
    fixture_close(fixture);
    return cells;
}

/* Numbers of steps worth trying: 1, 2, odd ones, those around the batch, and the most. */
static uint32_t step_counts(struct test *test, struct setup setup, uint64_t counts[16])
{
    struct fixture *fixture = fixture_open(test, test->impl, setup);
    const uint64_t most = fixture_most(fixture, LONGEST), batch = test->impl->batch;
    const uint64_t tried[] = {1, 2, 3, 5, 7, 8, 15, 16, 33, batch - 1, batch, batch + 1, 2 * batch + 1, most};
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++)
        if (tried[i] >= 1 && tried[i] <= most)
            counts[count++] = tried[i];
    fixture_close(fixture);
    return count;
}

/* A tolerance is a promise about one step. The last step is compared, from the state that the steps before it made. */
static void compare_last_step(struct test *test, struct setup setup, uint64_t seed, uint64_t steps)
{
    struct fixture *fixture = cells_run(test, test->impl, setup, seed);
    if (steps > 1)
        fixture_advance(fixture, steps - 1);
    struct cells start = cells_read(fixture);
    fixture_advance(fixture, 1);
    struct cells is = cells_read(fixture);
    struct cells should = cells_after(test, test->promise.oracle, setup, &start, steps - 1, 1);
    cells_compare(&is, &should, test->promise.tolerance, "%s, the last of %llu step%s", SIZE_TEXT(test, &setup),
                  (unsigned long long) steps, steps == 1 ? "" : "s");
    cells_free(&is), cells_free(&should), cells_free(&start);
    fixture_close(fixture);
}

/* Compares one call with the reference's calls of one step. The reference itself is compared with its own calls of one
 * step. */
static void compare_with_reference(struct test *test, struct setup setup, uint64_t seed, uint64_t steps)
{
    if (test->promise.tolerance > 0 && test->promise.oracle) {
        compare_last_step(test, setup, seed, steps);
        return;
    }
    struct cells is = result_of(test, test->impl, setup, seed, steps, steps);
    struct cells should =
        result_of(test, test->promise.oracle ? test->promise.oracle : test->impl, setup, seed, steps, 1);
    cells_compare(&is, &should, test->promise.tolerance, "%s after %llu step%s in one call", SIZE_TEXT(test, &setup),
                  (unsigned long long) steps, steps == 1 ? "" : "s");
    cells_free(&is), cells_free(&should);
}

/* Something may go wrong in one step alone, or late. */
static void compare_long(struct test *test)
{
    const struct setup setup = fixture_small(test);
    struct fixture *fixture = cells_run(test, test->impl, setup, 53),
                   *oracle = cells_run(test, test->promise.oracle, setup, 53);
    for (int i = 0; i < INTERVALS && test->promise.tolerance == 0; i++) {
        fixture_advance(fixture, INTERVAL);
        fixture_advance(oracle, INTERVAL);
        struct cells is = cells_read(fixture), should = cells_read(oracle);
        cells_compare(&is, &should, 0, "size %s at step %llu", SIZE_TEXT(test, &setup),
                      (unsigned long long) engine_run_step(fixture->run));
        cells_free(&is), cells_free(&should);
    }
    fixture_close(fixture), fixture_close(oracle);
}

/* Nothing is promised about the bits of what is not a number. */
static void compare_extremes(struct test *test, struct setup setup, uint64_t seed)
{
    struct cells should = result_of(test, test->promise.oracle, setup, seed, 3, 1);
    const bool finite = cells_are_finite(&should);
    cells_free(&should);
    for (uint64_t steps = 1; finite && steps <= 3; steps += 2)
        compare_with_reference(test, setup, seed, steps);
}

void equals_reference(struct test *test)
{
    SKIP_UNLESS(test, test->promise.oracle, "this is the reference");
    const struct setup setup = fixture_middle(test);
    uint64_t counts[16];
    for (uint32_t i = step_counts(test, setup, counts); i-- > 0;)
        compare_with_reference(test, setup, i, counts[i]);
    compare_long(test);
    compare_extremes(test, setup, CELLS_FULL);
    compare_extremes(test, setup, CELLS_EXTREME);
}

/* Is the number among those before it? From the same seed, the same steps would be compared again. */
static bool is_repeated(const uint64_t *counts, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (counts[k] == counts[i])
            return true;
    return false;
}

/* One run by calls of one step passes all the numbers of steps. The last number is the largest. */
void calls_of_one_step_add_up(struct test *test)
{
    const struct setup setup = fixture_middle(test);
    uint64_t counts[16];
    const uint32_t count = step_counts(test, setup, counts);
    struct fixture *ones = cells_run(test, test->impl, setup, 99);
    for (uint64_t step = 1; step <= counts[count - 1]; step++) {
        uint32_t i = 0;
        fixture_advance(ones, 1);
        while (i < count && counts[i] != step)
            i++;
        if (i == count)
            continue;
        struct cells is = result_of(test, test->impl, setup, 99, step, step), should = cells_read(ones);
        cells_compare(&is, &should, test->impl->tolerance, "%llu steps in one call and %llu calls of one",
                      (unsigned long long) step, (unsigned long long) step);
        cells_free(&is), cells_free(&should);
    }
    fixture_close(ones);
}

/* Something may go wrong at one width alone. The widths are many, so each is opened no more often than it is run. */
static void compare_widths(struct test *test)
{
    const struct engine_impl *oracle = test->promise.oracle ? test->promise.oracle : test->impl;
    struct setup setup;
    for (uint32_t width = 1; fixture_narrow(test, width, &setup); width++) {
        struct cells is = result_of(test, test->impl, setup, 7, 1, 1);
        struct cells should = is.count ? result_of(test, oracle, setup, 7, 1, 1) : (struct cells){0};
        if (should.count)
            cells_compare(&is, &should, test->promise.tolerance, "%s after 1 step in one call",
                          SIZE_TEXT(test, &setup));
        cells_free(&is), cells_free(&should);
    }
}

/* Tries 1, 3 and the most steps of a call with each size. */
void every_size_is_right(struct test *test)
{
    uint32_t compared = 0;
    for (const struct setup *setup = fixture_sizes(test); setup->extent[0]; setup++) {
        struct fixture *fixture = fixture_open(test, test->impl, *setup);
        if (!fixture)
            continue;
        const uint64_t counts[] = {1, fixture_most(fixture, 3), fixture_most(fixture, 40)};
        fixture_close(fixture);
        if (test->promise.oracle && !fixture_takes(test, test->promise.oracle, *setup))
            continue;
        compared++;
        for (uint32_t i = 0; i < 3; i++)
            if (!is_repeated(counts, i))
                compare_with_reference(test, *setup, 7, counts[i]);
    }
    compare_widths(test);
    SKIP_UNLESS(test, compared, "%s takes none of its sizes: %s",
                test->promise.oracle ? test->promise.oracle->name : test->impl->name, test->refusal);
}

static bool declares_values(const struct fixture *fixture)
{
    const struct engine_field_array *fields = &fixture->test->plugin->fields;
    for (uint32_t i = 0; i < fields->count; i++)
        if (fields->at[i].role != ENGINE_INPUT && fields->at[i].values > 0)
            return true;
    return false;
}

/* A hash refuses other values, as files do. */
void values_are_declared(struct test *test)
{
    struct fixture *fixture = cells_run(test, test->impl, fixture_middle(test), 61);
    SKIP_UNLESS(test, declares_values(fixture), "its results may have every value of their types");
    for (uint64_t steps = 1; steps <= 16; steps *= 2) {
        char hash[ENGINE_HASH_SIZE];
        struct engine_error error;
        fixture_advance(fixture, fixture_most(fixture, steps));
        REQUIRE(test, engine_run_hash(fixture->run, hash, &error) == 0, "at step %llu: %s",
                (unsigned long long) engine_run_step(fixture->run), error.text);
    }
    fixture_close(fixture);
}

/* An implementation that declares that it uses one thread is tried with one other number of threads. */
static void compare_threads(struct test *test, struct setup setup, const uint32_t *counts, uint64_t steps,
                            uint64_t call)
{
    const int tried = test->impl->flags & ENGINE_SERIAL ? 1 : 4;
    setup.threads = 1;
    struct cells should = result_of(test, test->impl, setup, 5, steps, call);
    for (int i = 0; i < tried; i++) {
        setup.threads = counts[i];
        struct cells is = result_of(test, test->impl, setup, 5, steps, call);
        cells_compare(&is, &should, test->impl->tolerance, "%u threads and one, size %s, calls of %llu steps",
                      setup.threads, SIZE_TEXT(test, &setup), (unsigned long long) call);
        cells_free(&is);
    }
    cells_free(&should);
}

void threads_change_nothing(struct test *test)
{
    static const uint32_t few[] = {7, 4, 3, 2}, many[] = {9, 17, 40, 130};
    compare_threads(test, fixture_middle(test), few, 35, 5);
    compare_threads(test, fixture_middle(test), many, 5, 5);
    if (!(test->impl->flags & ENGINE_SERIAL)) /* it has no work for several threads */
        compare_threads(test, fixture_large(test), few, 35, 35);
}

void memory_beside_the_cells_changes_nothing(struct test *test)
{
    static const uint8_t bytes[] = {0x00, 0x5a, 0xff, 0x01};
    static const struct setup more[] = {{.extent = {65, 7, 1}},
                                        {.extent = {3, 3, 1}},
                                        {.extent = {130, 2, 1}},
                                        {.extent = {64, 5, 1}},
                                        {.extent = {256, 3, 1}}};
    const int sizes = test->given[0].extent[0] ? 0 : (int) (sizeof more / sizeof more[0]);
    for (int s = -1; s < sizes; s++) {
        const struct setup setup = s < 0 ? fixture_middle(test) : more[s];
        memory_poison(test, 0xa5);
        struct cells should = result_of(test, test->impl, setup, 11, 9, 3);
        for (size_t i = 0; i < sizeof bytes && should.count; i++) {
            memory_poison(test, bytes[i]);
            struct cells is = result_of(test, test->impl, setup, 11, 9, 3);
            cells_compare(&is, &should, test->impl->tolerance, "%s in memory full of 0x%02x and of 0xa5",
                          SIZE_TEXT(test, &setup), bytes[i]);
            cells_free(&is);
        }
        cells_free(&should);
    }
}

static void compare_again(struct test *test, struct setup setup, const struct cells *should, const char *how)
{
    for (int i = 0; i < ASKED; i++)
        REQUIRE(test, fixture_takes(test, test->impl, setup), "the same run again%s: size %s is refused: %s", how,
                SIZE_TEXT(test, &setup), test->refusal);
    struct cells is = result_of(test, test->impl, setup, 3, 20, 20);
    cells_compare(&is, should, test->impl->tolerance, "the same run again%s", how);
    cells_free(&is);
}

/* Only an implementation that states it may use the seed of a run, which is 42 unless the configuration gives another
 * one. Before 1.4, no implementation could state it. */
static void compare_seeds(struct test *test, struct setup setup)
{
    static const char *const seeds[] = {"init.seed=43", "init.seed=7777777776"};
    if (test->impl->flags & ENGINE_SEEDED || test->plugin->abi.minor < 4)
        return;
    struct fixture *first = cells_run(test, test->impl, setup, 3);
    struct cells start = cells_read(first);
    fixture_advance(first, 20);
    struct cells should = cells_read(first);
    fixture_close(first);
    setup.set = fixture_has_init(test) ? NULL : "init.source=random";
    for (int i = 0; i < 2; i++) {
        setup.also = seeds[i];
        if (!fixture_takes(test, test->impl, setup)) /* nothing else uses a seed */
            continue;
        struct cells is = cells_after(test, test->impl, setup, &start, 0, 20);
        cells_compare(&is, &should, test->impl->tolerance, "the same run with %s, and ENGINE_SEEDED is not declared",
                      seeds[i]);
        cells_free(&is);
    }
    cells_free(&start), cells_free(&should);
}

void runs_repeat(struct test *test)
{
    const struct setup setup = fixture_middle(test);
    struct cells should = result_of(test, test->impl, setup, 3, 20, 20);
    compare_again(test, setup, &should, "");
    compare_seeds(test, setup);
    for (int i = 0; i < 4; i++) {
        outside_change(test, i % 2);
        compare_again(test, setup, &should,
                      " with another clock, other random numbers of the C library and another environment");
    }
    cells_free(&should);
}

/* ---- Two instances ------------------------------------------------------------------------------------------ */

enum { ROUNDS = 6 };

/* Each instance has its own seed and, unless the configuration gives it, its own size, so that anything they share
 * makes a difference. */
static struct fixture *one_of_two(struct test *test, int which, bool beside)
{
    struct setup setup = fixture_middle(test);
    setup.beside = beside;
    if (which == 1 && !test->given[0].extent[0])
        setup.extent[0] = (setup.extent[0] + 1) / 2; /* still a multiple, where the size has to be one */
    struct fixture *fixture = cells_run(test, test->impl, setup, 40 + (uint64_t) which);
    SKIP_UNLESS(test, fixture, "takes no second size");
    return fixture;
}

static void compare_two(struct test *test, struct fixture *const two[2], const char *how)
{
    for (int i = 0; i < 2; i++) {
        struct fixture *alone = one_of_two(test, i, false);
        for (int r = 0; r < ROUNDS; r++)
            fixture_advance(alone, (uint64_t) r + 1);
        struct cells is = cells_read(two[i]), should = cells_read(alone);
        cells_compare(&is, &should, test->impl->tolerance, "two instances %s, the %s one", how, i ? "second" : "first");
        cells_free(&is), cells_free(&should);
        fixture_close(alone);
    }
    fixture_close(two[0]), fixture_close(two[1]);
}

void instances_take_turns(struct test *test)
{
    struct fixture *two[2] = {one_of_two(test, 0, false), one_of_two(test, 1, false)};
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < 2; i++)
            fixture_advance(two[i], (uint64_t) r + 1);
    compare_two(test, two, "in turns");
}

static void *advance_rounds(void *argument)
{
    const struct fixture *fixture = argument;
    calls_enter_thread(fixture->test);
    for (int r = 0; r < ROUNDS; r++)
        fixture_advance(argument, (uint64_t) r + 1);
    return NULL;
}

void instances_run_at_the_same_time(struct test *test)
{
    SKIP_UNLESS(test, test->impl->memory == ENGINE_HOST_MEMORY, "instances on a device share its stream");
    struct fixture *two[2] = {one_of_two(test, 0, false), one_of_two(test, 1, true)};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        REQUIRE(test, pthread_create(&threads[i], NULL, advance_rounds, two[i]) == 0, "no thread can be started");
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    compare_two(test, two, "at the same time");
}
