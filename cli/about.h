/* What `engine list` and `engine describe` tell of a plugin, for people and for programs. */
#ifndef CLI_ABOUT_H
#define CLI_ABOUT_H

#include "plugin/plugin.h"

struct json_object;

/* Why an implementation is not there on this machine, whatever the configuration; NULL: it is. The text may lie in
 * `error`. */
const char *about_absence(const struct engine_impl *impl, struct engine_error *error);

/* " (the reference)" behind the help of the implementation that is, where that does not say it itself; or "". */
const char *about_reference(const struct plugin *plugin, const struct engine_impl *impl);

/* "grid", "particles", …; "state", …; "integer", …: names of ENGINE_… constants. */
const char *about_kind(uint32_t kind);
const char *about_role(uint32_t role);

/* "one of auto, plain, pairs": what a parameter of choices takes. */
void about_choices(const struct engine_param *param, char *text, size_t room);

/* All of a plugin as an object; the caller puts it. */
struct json_object *about_json(const struct plugin *plugin);

/* Prints a value on stdout, and puts it. The exit status: of an error, which has been reported. */
int about_print_json(struct json_object *json);

#endif
