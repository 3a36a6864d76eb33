#include "judge/conform/test.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

/* Two threads may find something wrong at the same time: the first one counts. */
static void tell(const struct test *test, int outcome, const char *format, va_list arguments)
{
    struct told *told = test->told;
    int running = TEST_RUNNING;
    if (!atomic_compare_exchange_strong(&told->outcome, &running, TEST_ENDING))
        for (;;)
            pause();
    vsnprintf(told->reason, sizeof told->reason, format, arguments);
    told->outcome = outcome;
}

void test_fails(const struct test *test, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(test, ENGINE_BROKEN, format, arguments);
    va_end(arguments);
    _exit(0);
}

void test_skips(const struct test *test, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(test, ENGINE_NOT_APPLICABLE, format, arguments);
    va_end(arguments);
    _exit(0);
}

static _Noreturn void refuse(const struct test *test, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(test, TEST_REFUSED, format, arguments);
    va_end(arguments);
    _exit(0);
}

void test_refuses(const struct test *test, const struct engine_error *error)
{
    test->told->status = error->status;
    refuse(test, "%s", error->text);
}
