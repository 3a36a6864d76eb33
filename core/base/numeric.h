/* How a thread computes, prints and reads numbers. The library needs the default floating-point environment (round to
 * nearest, subnormal numbers, no traps) and the locale "C", because otherwise results and files would depend on the
 * program that calls it. Both belong to a thread; what setlocale does to the process has no effect on a thread with a
 * locale of its own. */
#ifndef CORE_BASE_NUMERIC_H
#define CORE_BASE_NUMERIC_H

#include <fenv.h>
#include <locale.h>
#include <stdbool.h>

struct numeric {
    bool changed; /* the thread did not have the default environment, but this one: */
    fenv_t environment;
    locale_t locale, own; /* the thread's, and the one that replaces it */
};

/* Gives the calling thread what the library needs, and returns what it had. */
struct numeric numeric_begin(void);

/* Gives the calling thread the default floating-point environment again, after code that may have changed it. */
void numeric_reset(void);

/* Gives the calling thread back what it had. */
void numeric_end(const struct numeric *before);

/* Begins a function of engine.h that computes, prints or reads numbers, or calls a plugin. Until the function returns,
 * its thread has these numbers. */
#define API_NUMBERS const struct numeric numbers_before __attribute__((cleanup(numeric_end), unused)) = numeric_begin()

#endif
