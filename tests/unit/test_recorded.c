/* Recordings of what a stepper enqueues, with a device and a stepper that only count. */
#include "parts/stepper_recorded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct counts {
    int begun, ended, replayed, forgotten, calls;
    uint64_t steps, kept_up;
    bool fails;
} seen;

/* ---- A device ------------------------------------------------------------------------------------------------- */

static int begin(struct device *device, struct engine_error *error)
{
    (void) device, (void) error;
    seen.begun++;
    return 0;
}

static int end(struct device *device, void **recording, struct engine_error *error)
{
    (void) device, (void) error;
    *recording = &seen;
    seen.ended++;
    return 0;
}

static int replay(struct device *device, void *recording, struct engine_error *error)
{
    (void) device, (void) error;
    assert_ptr_equal(recording, &seen);
    seen.replayed++;
    return 0;
}

static void forget(struct device *device, void *recording)
{
    (void) device, (void) recording;
    seen.forgotten++;
}

/* ---- A stepper ------------------------------------------------------------------------------------------------ */

static int advance(struct stepper *stepper, uint64_t steps, bool *lost, struct engine_error *error)
{
    (void) lost;
    seen.calls++;
    if (seen.fails)
        return error_set(error, ENGINE_STATUS_PLUGIN, "no");
    seen.steps += steps;
    stepper->state->step += steps;
    stepper->state->current ^= steps & 1;
    stepper->state->fresh = false;
    return 0;
}

static bool possible(const struct stepper *stepper)
{
    (void) stepper;
    return true;
}

static void size(const struct stepper *stepper, uint64_t *launches, uint64_t *multiple)
{
    (void) stepper;
    *launches = 1, *multiple = 100;
}

static struct stepper_place find_place(const struct stepper *stepper)
{
    return (struct stepper_place){.buffers = stepper->state->current};
}

static void go(struct stepper *stepper, struct stepper_place place)
{
    stepper->state->current = (uint32_t) place.buffers;
}

static void keep_up(struct stepper *stepper, uint64_t steps)
{
    (void) stepper;
    seen.kept_up += steps;
}

static void nothing(struct stepper *stepper)
{
    (void) stepper;
}

static const struct stepper_recording recording = {
    .possible = possible, .size = size, .place = find_place, .go = go, .keep_up = keep_up};
static const struct stepper_table table = {
    .advance = advance, .destroy = nothing, .close = nothing, .recording = &recording};

/* ---- Tests ---------------------------------------------------------------------------------------------------- */

static struct device device = {.record_begin = begin, .record_end = end, .replay = replay, .forget = forget};
static const struct engine_impl impl = {.flags = ENGINE_ENQUEUES};
static struct plan plan = {.impl = &impl, .device = &device};
static struct state state;
static struct stepper inner, *stepper;

static int open_all(void **unused)
{
    struct engine_error error;
    (void) unused;
    seen = (struct counts){0};
    state = (struct state){.plan = &plan, .fresh = true};
    inner = (struct stepper){.table = &table, .state = &state};
    return stepper_recorded_open(&inner, &stepper, &error);
}

static int close_all(void **unused)
{
    (void) unused;
    stepper_close(stepper);
    return 0;
}

static int take(uint64_t steps)
{
    struct engine_error error;
    bool lost = false;
    return stepper->table->advance(stepper, steps, &lost, &error);
}

/* The first call is made, the second one recorded and replayed, and others only replayed. */
static void test_third_call_is_replayed(void **unused)
{
    (void) unused;
    for (int i = 0; i < 5; i++)
        assert_int_equal(take(10), 0);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(seen.begun, 1);
    assert_int_equal(seen.replayed, 4);
    assert_int_equal(state.step, 50);
}

/* Calls of another parity, from another buffer, or of other numbers of steps have recordings of their own. */
static void test_places_differ(void **unused)
{
    (void) unused;
    for (int i = 0; i < 6; i++)
        assert_int_equal(take(3), 0);
    assert_int_equal(seen.calls, 4);
    assert_int_equal(seen.replayed, 4);
    assert_int_equal(state.step, 18);
    assert_int_equal(state.current, 0);
}

static void test_change_forgets(void **unused)
{
    (void) unused;
    for (int i = 0; i < 3; i++)
        assert_int_equal(take(10), 0);
    state.fresh = true;
    assert_int_equal(take(10), 0);
    assert_int_equal(seen.forgotten, 1);
    assert_int_equal(seen.calls, 3);
}

/* 256 launches, and a multiple of what the stepper asks for. */
static void test_long_calls_are_cut(void **unused)
{
    (void) unused;
    assert_int_equal(take(600), 0);
    assert_int_equal(seen.calls, 2); /* 200, 200 recorded and replayed, 200 replayed */
    assert_int_equal(seen.replayed, 2);
    assert_int_equal(state.step, 600);
}

static void test_error_goes_back(void **unused)
{
    (void) unused;
    assert_int_equal(take(200), 0);
    seen.fails = true;
    assert_int_equal(take(500), ENGINE_STATUS_PLUGIN);
    assert_int_equal(state.step, 200);
    assert_int_equal(state.current, 0);
    assert_int_equal(seen.ended, 1);
    assert_int_equal(seen.replayed, 0);
    assert_int_equal(seen.kept_up, 500); /* 200 of the recording, and the 300 after it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_third_call_is_replayed, open_all, close_all),
        cmocka_unit_test_setup_teardown(test_places_differ, open_all, close_all),
        cmocka_unit_test_setup_teardown(test_change_forgets, open_all, close_all),
        cmocka_unit_test_setup_teardown(test_long_calls_are_cut, open_all, close_all),
        cmocka_unit_test_setup_teardown(test_error_goes_back, open_all, close_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
