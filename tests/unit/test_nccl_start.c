/* The start of NCCL, with a stand-in for the library (tests/stand-in): it starts, it fails, or it waits without end,
 * and then the process loses patience. So it does when messages wait without end. The engine finds the stand-in because this program has loaded it before. */
#include "parts/device_transport.h"
#include "parts/device_transport_kind.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- The stand-in ---------------------------------------------------------------------------------------------- */

enum { STARTS, FAILS, WAITS };
static int *how, *destroyed;
static _Atomic int *recordings, *aborted;

static int load(void **state)
{
    char path[4096];
    (void) state;
    snprintf(path, sizeof path, "%s/tests/stand-in/libnccl.so.2", getenv("BUILD") ? getenv("BUILD") : "build");
    void *library = dlopen(path, RTLD_NOW);
    if (!library)
        return 1;
    how = dlsym(library, "stand_in_how");
    destroyed = dlsym(library, "stand_in_destroyed");
    recordings = dlsym(library, "stand_in_recordings");
    aborted = dlsym(library, "stand_in_aborted");
    return how && destroyed && recordings && aborted ? 0 : 1;
}

/* ---- A process ------------------------------------------------------------------------------------------------- */

static int used;

static int use(struct device *device, struct engine_error *error)
{
    used++;
    return 0;
}

static int synchronise(struct device *device, struct engine_error *error)
{
    return 0;
}

static struct device device = {.use = use, .synchronise = synchronise};
static const struct engine_transport transport = {
    .size = sizeof transport, .major = ENGINE_TRANSPORT_MAJOR, .ranks = 2}; /* no message is sent */

/* Opens a transport in the one process of a communicator, whose patience is short. */
static int open_one(struct link **link, struct device_transport **opened, struct engine_error *error)
{
    assert_int_equal(link_open(&transport, link, error), 0);
    const struct communicator comm = {.link = *link, .device = &device, .patience = 0.2, .rank = 0, .count = 1};
    *opened = NULL;
    return nccl_open(&comm, NULL, 0, opened, error);
}

static void given_a_start_then_there_is_a_transport(void **state)
{
    struct engine_error error;
    struct device_transport *opened;
    struct link *link;
    *how = STARTS;
    assert_int_equal(open_one(&link, &opened, &error), 0);
    assert_string_equal(device_transport_name(opened), "nccl");
    assert_true(used > 0);
    device_transport_close(opened);
    assert_int_equal(*destroyed, 1);
    link_close(link);
}

static void given_a_failure_then_its_reason_is_told(void **state)
{
    struct engine_error error;
    struct device_transport *opened;
    struct link *link;
    *how = FAILS;
    assert_int_equal(open_one(&link, &opened, &error), ENGINE_STATUS_DEVICE);
    assert_null(opened);
    assert_non_null(strstr(error.text, "NCCL: unhandled system error: init"));
    assert_false(link_is_broken(link));
    link_close(link);
}

/* ncclCommAbort waits for the recordings, which the same thread forgets later. */
static void given_recordings_when_it_is_stopped_then_nothing_waits_for_them(void **state)
{
    struct engine_error error;
    struct device_transport *opened;
    struct link *link;
    *how = STARTS;
    assert_int_equal(open_one(&link, &opened, &error), 0);
    const int before = *destroyed;
    *recordings = 1;
    alarm(20);
    opened->kind->stop(opened);
    *recordings = 0;
    link_break(link);
    device_transport_close(opened);
    alarm(0);
    assert_int_equal(*aborted, 1);
    assert_int_equal(*destroyed, before);
    link_close(link);
    *aborted = 0;
}

static void given_messages_that_wait_without_end_then_patience_ends_the_wait(void **state)
{
    struct engine_error error;
    struct device_transport *opened;
    struct link *link;
    *how = STARTS;
    assert_int_equal(open_one(&link, &opened, &error), 0);
    alarm(20);
    usleep(500000); /* in no call */
    assert_false(device_transport_watch(opened, true));
    assert_int_equal(*aborted, 0);
    assert_int_equal(device_transport_exchange(opened, NULL, 0, &error), ENGINE_STATUS_DEVICE);
    assert_true(device_transport_watch(opened, false));
    assert_int_equal(*aborted, 1);
    assert_non_null(strstr(error.text, "this process has waited for 0.2 seconds"));
    assert_true(link_is_broken(link));
    device_transport_close(opened);
    alarm(0);
    link_close(link);
    *aborted = 0;
}

/* Runs last: the thread of the stand-in is still there when the program ends. */
static void given_a_start_that_never_ends_then_patience_ends_the_wait(void **state)
{
    struct engine_error error;
    struct device_transport *opened;
    struct link *link;
    *how = WAITS;
    assert_int_equal(open_one(&link, &opened, &error), ENGINE_STATUS_DEVICE);
    assert_null(opened);
    assert_non_null(strstr(error.text, "the start of NCCL: this process has waited for 0.2 seconds"));
    assert_true(link_is_broken(link));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_start_then_there_is_a_transport),
        cmocka_unit_test(given_a_failure_then_its_reason_is_told),
        cmocka_unit_test(given_recordings_when_it_is_stopped_then_nothing_waits_for_them),
        cmocka_unit_test(given_messages_that_wait_without_end_then_patience_ends_the_wait),
        cmocka_unit_test(given_a_start_that_never_ends_then_patience_ends_the_wait),
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
