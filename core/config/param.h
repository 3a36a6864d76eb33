/* Typed parameters: text from a configuration, checked against a table, becomes values.
 *
 * The engine's own sections and the plugins' use the same tables (struct engine_param of the interface) and the same
 * code. Numbers are read strictly: decimal digits, no leading zeros, nothing after them, in range, finite. */
#ifndef CORE_CONFIG_PARAM_H
#define CORE_CONFIG_PARAM_H

#include "base/nearest.h"
#include "config/config.h"

/* Reads one value from text. Messages say what was given and what was expected; the caller puts the place in front. The
 * table's `check` is called with host, and not called where host is NULL. ENGINE_STATUS_USAGE. */
int param_parse(const struct engine_param *param, const char *text, const struct engine_host *host,
                struct engine_value *value, struct engine_error *error);

/* Reads a whole section: every parameter of the table gets its value, from the configuration or the default; a key that
 * is no parameter is refused, with the nearest name. values has one entry a parameter; texts in it live as long as
 * config. */
int param_read_section(const struct config *config, const char *section, const struct engine_param_array *params,
                       const struct engine_host *host, struct engine_value *values, struct engine_error *error);

/* Reads a section that has keys of another table, too, which are passed over; NULL: none. */
int param_read_shared(const struct config *config, const char *section, const struct engine_param_array *params,
                      const struct engine_param_array *others, const struct engine_host *host,
                      struct engine_value *values, struct engine_error *error);

/* Whole numbers as a person writes them: "512 384", 1 to `most` of them separated by spaces. Returns how many, or 0
 * where the text is anything else. Each is at least 1. */
uint32_t param_parse_sizes(const char *text, uint64_t *numbers, uint32_t most);

#endif
