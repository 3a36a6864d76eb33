/* Durations as people and batch systems write them, counted by hand, and the effect of signals on a run. */
#include "cli/stop.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void times_in_units_and_as_clocks(void **state)
{
    (void) state;
    static const struct {
        const char *text;
        double seconds;
    } times[] = {{"90s", 90},    {"3h50m", 13800},       {"1d12h", 129600},    {"1d1h1m1s", 90061}, {"3:50:00", 13800},
                 {"0:00:01", 1}, {"1-12:00:00", 129600}, {"36:00:00", 129600}, {"120m", 7200}};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        struct engine_error error;
        double seconds = -1;
        assert_int_equal(stop_parse_duration(times[i].text, &seconds, &error), 0);
        assert_true(seconds == times[i].seconds);
    }
}

static void what_is_no_time_is_refused(void **state)
{
    (void) state;
    static const char *const texts[] = {"",        "3",           "h",        "3x",          "1h1h",    "3m2h",
                                        "-3s",     "3 h",         "1.5h",     "0s",          "0:00:00", "1:2",
                                        "1:60:00", "1:0:60",      "1:2:3:4",  "1-2-3:00:00", "1-5",     "3h 5m",
                                        "1:00:0x", "9999999999s", "1d1:00:00"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct engine_error error;
        double seconds;
        if (stop_parse_duration(texts[i], &seconds, &error) == 0)
            fail_msg("'%s' was taken for %g seconds", texts[i], seconds);
        assert_int_equal(error.status, ENGINE_STATUS_USAGE);
    }
}

/* How a process ends that gets these signals one after the other: -N killed by N; else the signal that asked it to
 * stop.
 */
static int end_after(int chosen, const int *signals, int count)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        stop_catch_signals(chosen);
        for (int i = 0; i < count; i++)
            raise(signals[i]);
        _exit(stop_signal(NULL));
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

#define END_AFTER(chosen, ...) end_after(chosen, (int[]){__VA_ARGS__}, sizeof((int[]){__VA_ARGS__}) / sizeof(int))

static void the_first_signal_asks_and_the_second_interrupt_ends(void **state)
{
    (void) state;
    assert_int_equal(END_AFTER(0, SIGINT), SIGINT);
    assert_int_equal(END_AFTER(0, SIGTERM), SIGTERM);
    assert_int_equal(END_AFTER(0, SIGINT, SIGINT), -SIGINT);
    assert_int_equal(END_AFTER(0, SIGTERM, SIGINT), -SIGINT);
}

static void batch_systems_may_repeat_theirs(void **state)
{
    (void) state;
    assert_int_equal(END_AFTER(0, SIGTERM, SIGTERM, SIGTERM), SIGTERM);
    assert_int_equal(END_AFTER(SIGUSR1, SIGUSR1, SIGTERM), SIGUSR1);
    assert_int_equal(END_AFTER(0, SIGUSR1), -SIGUSR1);
}

static void nothing_is_caught_before_and_after(void **state)
{
    (void) state;
    stop_catch_signals(SIGUSR1);
    assert_int_equal(stop_signal(NULL), 0);
    stop_release_signals(SIGUSR1);
    struct sigaction now;
    sigaction(SIGUSR1, NULL, &now);
    assert_true(now.sa_handler == SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_in_units_and_as_clocks),
        cmocka_unit_test(what_is_no_time_is_refused),
        cmocka_unit_test(the_first_signal_asks_and_the_second_interrupt_ends),
        cmocka_unit_test(batch_systems_may_repeat_theirs),
        cmocka_unit_test(nothing_is_caught_before_and_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
