/* Configurations as bytes, for other processes. */
#ifndef LIB_PARTS_CONFIG_PACK_H
#define LIB_PARTS_CONFIG_PACK_H

#include <engine/engine.h>

#include <stdio.h>

/* Prints a configuration with all its places, as bytes for another process, and opens it there in a context: `count`
 * bytes. */
void config_pack(FILE *to, const struct engine_config *config);
int config_unpack(struct engine_context *context, const char *bytes, uint64_t count, struct engine_config **config,
                  struct engine_error *error);

#endif
