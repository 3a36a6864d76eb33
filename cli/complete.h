/* Completion of command lines: everything that may be typed comes from the program's own tables. */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include "options.h"

/* Prints candidates for the last of the words behind `engine`, a line each: the whole word, a tab, what it means; or
 * ":files .ini", ":files", ":folders" for the shell to look for. A configuration that is named before is read, and
 * plugins are loaded, without a word about what is wrong with them. */
void complete(int count, char **words);

#endif
