/* The configurations and the documentation that come with the engine. They are installed with the program, or lie in
 * the source tree in which it was built. */
#ifndef CLI_INSTALLED_H
#define CLI_INSTALLED_H

#include <stdbool.h>
#include <stdint.h>

enum { INSTALLED_PATH = 8192 };

/* Finds the path of a file relative to the program's folder. Returns false if it does not exist. */
bool installed_beside(const char *below, char path[INSTALLED_PATH]);

/* Finds the path of a module or of another program of the engine. They lie beside the program, or are installed in the
 * folder of libraries. Returns false if there is none of that name. */
bool installed_part(const char *name, char path[INSTALLED_PATH]);

/* Finds the path of a configuration by its name, such as "gosper-gun.ini" or "bench/life3d.ini", with or without
 * "configs/" in front. Returns false if there is no such configuration. */
bool installed_config(const char *name, char path[INSTALLED_PATH]);

/* Finds the path of a pattern by its name, such as "glider.rle", with or without "patterns/" in front. Returns false if
 * there is no such pattern. */
bool installed_pattern(const char *name, char path[INSTALLED_PATH]);

/* Suggests the installed pattern with the nearest name, as engine_nearest does. */
const char *installed_pattern_hint(char hint[128], const char *name);

/* Finds the path of a page by its path in the source tree, such as "plugins/nbody/README.md". Returns false if it is
 * not installed. */
bool installed_page(const char *below, char path[INSTALLED_PATH]);

/* Finds the folder with the pages of docs/. Returns false if they are not installed. */
bool installed_docs(char path[INSTALLED_PATH]);

/* The names of the configurations, sorted, those in bench/ and ladder/ last; NULL after the last. They are valid until the program
 * ends. `list` is not used. */
const char *installed_config_at(const void *list, uint32_t index);

#endif
