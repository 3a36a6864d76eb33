/* Help texts: the verbs, their options, the configurations that come with the engine. tools/man makes the manual pages
 * from these texts. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "verbs.h"

#include <stdbool.h>
#include <stdio.h>

/* Prints all of `engine VERB --help` on stdout. */
void help_print(const struct verb *verb);

/* Prints a line for each file format, and whether the engine reads and writes it. */
void help_print_formats(void);

/* Prints the version and one line for each verb. */
void help_print_verbs(FILE *to);

/* Prints the configurations that come with the engine, with one sentence about each: those in bench/ and ladder/, for
 * which `engine bench` prints tables, or the others. */
void help_print_configs(bool tables);

/* The column at which the explanation of an option, a key or a configuration begins. */
enum { HELP_COLUMN = 28 };

/* Prints paragraphs of text in lines of at most 80 columns. Each line is indented by `indent` spaces, except the first
 * one, which the caller has begun. Lines of `text` that start with a space are printed as they are. */
void help_print_text(FILE *to, const char *text, int indent);

#endif
