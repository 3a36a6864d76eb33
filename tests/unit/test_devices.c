/* The devices of a context, with a stand-in for a kind of devices beside the host. */
#include "memory/devices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int opened, closed, used;

static int use(struct device *device, struct engine_error *error)
{
    (void) device, (void) error;
    used++;
    return 0;
}

static struct device devices[2] = {{.memory = ENGINE_CUDA_MEMORY, .use = use},
                                   {.memory = ENGINE_CUDA_MEMORY, .use = use}};

/* This machine has two of them. */
static int open_device(int32_t ordinal, struct device **device, struct engine_error *error)
{
    opened++;
    *device = ordinal < 2 ? &devices[ordinal] : NULL;
    return *device ? 0 : error_set(error, ENGINE_STATUS_DEVICE, "attempt %d fails", opened);
}

static void close_device(struct device *device)
{
    (void) device;
    closed++;
}

static const struct device_kind kind = {
    .memory = ENGINE_CUDA_MEMORY, .name = "abacus", .open = open_device, .close = close_device};

static int reset(void **state)
{
    (void) state;
    opened = closed = used = 0;
    return 0;
}

static void given_no_kind_then_there_is_the_host_alone(void **state)
{
    struct context context = {.devices = NULL};
    struct engine_error error;
    struct device *device;
    (void) state;
    assert_int_equal(devices_open(&context, NULL, &error), 0);
    assert_int_equal(devices_find(&context, ENGINE_HOST_MEMORY, 3, &device, &error), 0);
    assert_ptr_equal(device, devices_host(&context));
    assert_int_equal(devices_find(&context, ENGINE_CUDA_MEMORY, 0, &device, &error), ENGINE_STATUS_DEVICE);
    assert_null(device);
    assert_string_equal(error.text, "this program has no devices beside the host");
    devices_close(&context);
}

static void given_a_kind_then_a_device_is_opened_once_and_used_each_time(void **state)
{
    struct context context = {.devices = NULL};
    struct engine_error error;
    struct device *device;
    (void) state;
    assert_int_equal(devices_open(&context, &kind, &error), 0);
    for (int times = 1; times < 4; times++) {
        assert_int_equal(devices_find(&context, ENGINE_CUDA_MEMORY, 1, &device, &error), 0);
        assert_ptr_equal(device, &devices[1]);
        assert_int_equal(used, times);
    }
    assert_int_equal(opened, 1);
    assert_int_equal(devices_find(&context, ENGINE_CUDA_MEMORY, 0, &device, &error), 0);
    assert_ptr_equal(device, &devices[0]);
    assert_int_equal(opened, 2);
    devices_close(&context);
    assert_int_equal(closed, 2);
}

static void given_a_device_that_does_not_open_then_the_first_error_stays(void **state)
{
    struct context context = {.devices = NULL};
    struct engine_error error;
    struct device *device;
    (void) state;
    assert_int_equal(devices_open(&context, &kind, &error), 0);
    for (int times = 0; times < 3; times++) {
        assert_int_equal(devices_find(&context, ENGINE_CUDA_MEMORY, 2, &device, &error), ENGINE_STATUS_DEVICE);
        assert_null(device);
        assert_string_equal(error.text, "attempt 1 fails");
    }
    devices_close(&context);
    assert_int_equal(closed, 0);
}

static void given_a_number_out_of_range_then_it_is_refused_without_an_attempt(void **state)
{
    struct context context = {.devices = NULL};
    struct engine_error error;
    struct device *device;
    (void) state;
    assert_int_equal(devices_open(&context, &kind, &error), 0);
    assert_int_equal(devices_find(&context, ENGINE_CUDA_MEMORY, 16, &device, &error), ENGINE_STATUS_DEVICE);
    assert_string_equal(error.text, "there is no abacus 16; expected 0 to 15");
    assert_int_equal(opened, 0);
    devices_close(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(given_no_kind_then_there_is_the_host_alone, reset),
        cmocka_unit_test_setup(given_a_kind_then_a_device_is_opened_once_and_used_each_time, reset),
        cmocka_unit_test_setup(given_a_device_that_does_not_open_then_the_first_error_stays, reset),
        cmocka_unit_test_setup(given_a_number_out_of_range_then_it_is_refused_without_an_attempt, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
