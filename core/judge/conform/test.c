#include "judge/conform/test.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void end(const struct test *test, int outcome, const char *reason)
{
    const ssize_t written = write(test->report, reason, strlen(reason));
    _exit(written < 0 ? ENGINE_BROKEN : outcome);
}

void test_fails(const struct test *test, const char *format, ...)
{
    char reason[TEST_REASON_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    end(test, ENGINE_BROKEN, reason);
}

void test_skips(const struct test *test, const char *format, ...)
{
    char reason[TEST_REASON_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    end(test, ENGINE_NOT_APPLICABLE, reason);
}
