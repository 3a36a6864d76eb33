/* Calls of code that is not the library's: the functions and constructors of plugins. */
#ifndef CORE_PLUGIN_FOREIGN_H
#define CORE_PLUGIN_FOREIGN_H

#include "base/context.h"

#include <locale.h>
#include <stdbool.h>

struct foreign {
    const struct context *context;
    locale_t locale; /* of the calling thread, before the call */
};

/* Call these before and after. foreign_begin tells the context which function of which plugin runs; both texts live as
 * long as the context, which may be NULL. foreign_end gives the thread its locale back, and the default floating-point
 * environment, so that a plugin which changes them does not change results and files. It returns whether the rounding
 * mode or the locale was changed. */
struct foreign foreign_begin(const struct context *context, const char *plugin, const char *function);
bool foreign_end(const struct foreign *call);

#endif
