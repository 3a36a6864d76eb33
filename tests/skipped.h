/* Skips a test of cmocka with a reason, which cmocka itself does not print; tests/run shows it. For tests alone, after
 * <cmocka.h>. */
#ifndef TESTS_SKIPPED_H
#define TESTS_SKIPPED_H

#include <stdio.h>

#define SKIP(reason) \
    do { \
        printf("# because: %s\n", reason); \
        fflush(stdout); \
        skip(); \
    } while (0)

#endif
