/* Configurations as bytes, for other processes. */
#ifndef LIB_ENSEMBLE_CONFIG_PACK_H
#define LIB_ENSEMBLE_CONFIG_PACK_H

#include "config/config.h"

#include <stdio.h>

/* Prints a configuration with all its places, as bytes for another process, and reads them there: `count` bytes. The
 * caller of config_unpack closes *config. */
void config_pack(FILE *to, const struct config *config);
int config_unpack(const char *bytes, uint64_t count, struct config **config, struct engine_error *error);

#endif
