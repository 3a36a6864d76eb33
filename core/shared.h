/* What was installed beside the program, or lies in the source tree it was built in: configurations to start from. */
#ifndef CORE_SHARED_H
#define CORE_SHARED_H

#include <stdbool.h>
#include <stdint.h>

enum { SHARED_PATH = 8192 };

/* Joins the folder of the program's own file and `below`, as in "../share"; false: the system does not say where it is.
 */
bool beside_program(const char *below, char path[SHARED_PATH]);

/* The path of the configuration of that name, "gosper-gun.ini"; false: none came with the engine. */
bool shared_config(const char *name, char path[SHARED_PATH]);

/* Their names, sorted, NULL after the last; `list` is not used. They stay until the program ends. */
const char *shared_config_at(const void *list, uint32_t index);

#endif
