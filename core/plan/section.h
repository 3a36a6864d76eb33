/* The readers of sections. Those of the core fill in the settings. When these are complete, those of components make
 * settings of their own (config/keys.h). */
#ifndef CORE_PLAN_SECTION_H
#define CORE_PLAN_SECTION_H

#include "config/keys.h"
#include "config/param.h"
#include "plan/settings.h"

/* The arguments of the readers. */
struct reading {
    const struct config *config;
    const struct plugin *plugin;
    struct settings *settings;
    struct engine_error *error;
    const struct context *context; /* or NULL */
};

/* Records "place: [section] key: text" as a usage error. */
#define REFUSE(reading, section, key, ...) \
    (error_set((reading)->error, ENGINE_STATUS_USAGE, __VA_ARGS__), \
     error_prefix((reading)->error, "%s: [%s] %s: ", config_place((reading)->config, section, key), section, key))

/* Read one section of the core. ENGINE_STATUS_USAGE. */
int section_read_run(const struct reading *reading);
int section_read_grid(const struct reading *reading);
int section_read_particles(const struct reading *reading);
int section_read_matrix(const struct reading *reading);
int section_read_init(const struct reading *reading);

/* Reads the values of a section's keys; `values` has one entry for each. A plugin of the section's name may have keys
 * there too. */
int section_values(const struct reading *reading, const struct engine_section *section, struct engine_value *values);

/* Records why a batch cannot be, and returns ENGINE_STATUS_USAGE. `from` is a struct reading or a struct plan. */
#define REFUSE_BATCH(from, error, ...) \
    (error_set((error), ENGINE_STATUS_USAGE, __VA_ARGS__), section_prefix_batch((from)->config, (from)->plugin, error))
int section_prefix_batch(const struct config *config, const struct plugin *plugin, struct engine_error *error);

/* Reads finite numbers separated by blanks. Returns how many there are, at most `most`; 0 for any other text. */
uint32_t section_reals(const char *text, double *numbers, uint32_t most);

#endif
