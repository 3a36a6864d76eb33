/* What the engine says of itself: --help of its verbs, and the keys of a configuration. Manual pages are made of it. */
#ifndef CORE_HELP_H
#define CORE_HELP_H

#include "options.h"
#include <stdio.h>

/* All of `engine VERB --help`, on stdout. */
void help_print(const struct verb *verb);

/* The version and a line a verb. */
void help_print_verbs(FILE *to);

/* Paragraphs of text, with lines no longer than 80 columns, each behind `indent` blanks but for the first, which the
 * caller began. Lines of `text` that start with blanks stay as they are. */
void help_print_text(FILE *to, const char *text, int indent);

#endif
