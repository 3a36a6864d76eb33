/* What was installed beside the program, or lies in the source tree it was built in: configurations to start from, and
 * documentation. */
#ifndef CLI_INSTALLED_H
#define CLI_INSTALLED_H

#include <stdbool.h>
#include <stdint.h>

enum { SHARED_PATH = 8192 };

/* Joins the folder of the program's own file and `below`, as in "../share"; false: the system does not say where it is.
 */
bool beside_program(const char *below, char path[SHARED_PATH]);

/* The path of the configuration of that name, "gosper-gun.ini" or "bench/life3d.ini", with or without "configs/" in
 * front; false: none came with the engine. */
bool shared_config(const char *name, char path[SHARED_PATH]);

/* The path of a page by its place in the source tree, "plugins/nbody/README.md"; false: it did not come with it. */
bool shared_page(const char *below, char path[SHARED_PATH]);

/* The folder of the pages that docs/ has; false: they did not come with it. */
bool shared_documents(char path[SHARED_PATH]);

/* Names of configurations, sorted, those of "bench/" last, NULL after them; `list` is not used. They stay until the
 * program ends. */
const char *shared_config_at(const void *list, uint32_t index);

#endif
