/* What a run carries from a checkpoint to the run that goes on from it, besides its state: what it has written, what
 * its analysis has seen, and what it was about. Kept as JSON in the checkpoint's header. */
#ifndef CORE_CARRIED_H
#define CORE_CARRIED_H

#include "output.h"

struct carried {
    struct output_past output; /* its series are the structure's own */
    uint64_t analysis_frames, analysis_last;
    struct json_object *subject; /* of carried_subject */
};

/* What a run is about, and what must be the same when it is resumed: plugins, parameters that are no tuning, shapes,
 * seed, frames, box; texts by name. `analysis` may be NULL. The caller puts it. STATUS_DEVICE. */
int carried_subject(const struct plan *plan, const struct plan *analysis, struct json_object **subject,
                    struct error *error);

/* Refuses another subject, and names the difference. STATUS_USAGE. */
int carried_check(struct json_object *then, struct json_object *now, struct error *error);

/* The text for a checkpoint's header of the run as it stands. The caller frees it. */
int carried_text(const struct output *output, struct json_object *subject, char **text, struct error *error);

/* Reads it. STATUS_INPUT. What is read is released whatever this returns. */
int carried_read(const char *text, struct carried *carried, struct error *error);
void carried_release(struct carried *carried);

#endif
