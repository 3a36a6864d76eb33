/* Typed parameters: a text of the configuration, checked against a table, becomes a value.
 *
 * The engine's own sections and those of plugins use the same tables (struct engine_param of the interface) and the
 * same code. Numbers are read strictly: decimal digits, no leading zeros, nothing after them, in range, finite. */
#ifndef CORE_CONFIG_PARAM_H
#define CORE_CONFIG_PARAM_H

#include "config/config.h"

/* Calls the function `check` of a plugin's parameter. Returns NULL where the value is accepted, else the reason why it
 * is refused, which lives until the next call. */
struct param_checker {
    const char *(*check)(void *context, const struct engine_param *param, const struct engine_value *value);
    void *context;
};

/* Reads one value from a text. Messages say what was given and what was expected; the caller puts the place in front.
 * checker NULL: functions `check` are not called. ENGINE_STATUS_USAGE. */
int param_parse(const struct engine_param *param, const char *text, const struct param_checker *checker,
                struct engine_value *value, struct engine_error *error);

/* Reads a section. Every parameter of the table gets its value, from the configuration or the default; `values` has one
 * entry for each. A key of no parameter is refused, with the nearest name, unless it belongs to `others`, another table
 * of keys for the same section, or NULL. Texts in the values live as long as config. ENGINE_STATUS_USAGE. */
int param_read_section(const struct config *config, const char *section, const struct engine_param_array *params,
                       const struct engine_param_array *others, const struct param_checker *checker,
                       struct engine_value *values, struct engine_error *error);

/* Reads sizes as a person writes them: "512 384", 1 to `most` whole numbers separated by spaces, from 1 up, or with
 * `zeros` from 0 up. Returns how many there are, or 0 where the text is anything else. */
uint32_t param_parse_sizes(const char *text, bool zeros, uint64_t *numbers, uint32_t most);

#endif
