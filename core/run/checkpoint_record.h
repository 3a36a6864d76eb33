/* What a run carries from a checkpoint to the run that goes on from it, besides its state: what it has written, what
 * its analysis has seen, and what it was about. Kept as JSON in the checkpoint's header. */
#ifndef CORE_RUN_CHECKPOINT_RECORD_H
#define CORE_RUN_CHECKPOINT_RECORD_H

#include "run/output.h"

struct checkpoint_record {
    struct output_past output; /* its series are the structure's own */
    uint64_t analysis_frames, analysis_last;
    struct json_object *subject; /* of record_subject */
};

/* What a run is about, and what must be the same when it is resumed: plugins, parameters that are no tuning, shapes,
 * seed, frames, box; texts by name. `analysis` may be NULL. The caller puts it. ENGINE_STATUS_DEVICE. */
int record_subject(const struct plan *plan, const struct plan *analysis, struct json_object **subject,
                   struct engine_error *error);

/* Refuses another subject, and names the difference. ENGINE_STATUS_USAGE. */
int record_check(struct json_object *then, struct json_object *now, struct engine_error *error);

/* The text for a checkpoint's header of the run as it stands. The caller frees it. */
int record_text(const struct output *output, struct json_object *subject, char **text, struct engine_error *error);

/* Reads it. ENGINE_STATUS_INPUT. What is read is released whatever this returns. */
int record_read(const char *text, struct checkpoint_record *record, struct engine_error *error);
void record_release(struct checkpoint_record *record);

#endif
