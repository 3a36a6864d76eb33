/* Whether the files that a page shows are whole. */
#ifndef LIB_REPORT_REPORT_DAMAGE_H
#define LIB_REPORT_REPORT_DAMAGE_H

#include <stddef.h>

/* Returns what is wrong with the bytes of a picture of this type, "png" or "svg+xml", or NULL. A zero byte follows
 * them. */
const char *report_damage(const char *type, const char *bytes, size_t count);

#endif
