/* What Golly does otherwise with the rule of a file than the engine. */
#ifndef FORMATS_PATTERNS_GOLLY_H
#define FORMATS_PATTERNS_GOLLY_H

#include <stdbool.h>

/* Is the rule, or NULL, one of Golly's two-state algorithms, as B3/S23, 23/3 or MAP...? The others have macrocell files
 * of many states, also if a rule has two. */
bool golly_is_life(const char *rule);

/* Returns why Golly finds other cells in a file of this rule than the engine, or NULL. `odd`: the generation of the
 * file, or of one of several, is odd. */
const char *golly_difference(const char *rule, bool odd);

/* The same for a file that the engine writes in this format. Golly does not open some files at all. */
const char *golly_difference_of(const char *format, const char *rule, bool odd);

#endif
