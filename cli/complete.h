/* Completion of command lines, from the program's own tables. */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include "options.h"

/* Prints candidates for the last of the words that follow `engine`, one in each line: the whole word, a tab, and an
 * explanation. The lines ":files .ini", ":files" and ":folders" ask the shell to list files or folders. The function
 * reads the configuration that the words name, and loads plugins; it does not report errors in them. */
void complete(int count, char **words);

#endif
