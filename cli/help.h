/* What the engine says of itself: --help of its verbs, and the keys of a configuration. Manual pages are made of it. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "verbs.h"

#include <stdbool.h>
#include <stdio.h>

/* All of `engine VERB --help`, on stdout. */
void help_print(const struct verb *verb);

/* The version and a line a verb. */
void help_print_verbs(FILE *to);

/* The configurations that came with the engine, a line each and what it is about: those to run, or those of bench/ that
 * print a table. */
void help_print_configs(bool tables);

/* Where the explanation of an option, a key or a configuration begins. */
enum { HELP_COLUMN = 28 };

/* Paragraphs of text, with lines no longer than 80 columns, each behind `indent` blanks but for the first, which the
 * caller began. Lines of `text` that start with blanks stay as they are. */
void help_print_text(FILE *to, const char *text, int indent);

#endif
