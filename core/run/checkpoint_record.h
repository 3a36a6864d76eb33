/* The record of a checkpoint: all that a resumed run needs besides the state. It holds the progress of the outputs, the
 * number of frames that the analysis has taken, and the identity of the run. It is JSON in the checkpoint's header. */
#ifndef CORE_RUN_CHECKPOINT_RECORD_H
#define CORE_RUN_CHECKPOINT_RECORD_H

#include "run/output.h"

struct checkpoint_record {
    struct output_past output; /* its series are the structure's own */
    uint64_t analysis_frames, analysis_last;
    struct json_object *identity; /* of record_identity */
};

/* Makes the identity of a run: all that must be the same when it is resumed. It holds texts by name: plugins,
 * parameters other than tuning parameters, shapes, seed, frames, box. `analysis` may be NULL. The caller frees it by
 * json_object_put. ENGINE_STATUS_DEVICE. */
int record_identity(const struct plan *plan, const struct plan *analysis, struct json_object **identity,
                    struct engine_error *error);

/* Refuses another identity and names the difference. ENGINE_STATUS_USAGE. */
int record_check(struct json_object *then, struct json_object *now, struct engine_error *error);

/* The record of the run at its present step, as text for a checkpoint's header. The caller frees it. */
int record_text(const struct output *output, struct json_object *identity, char **text, struct engine_error *error);

/* Reads a record. The caller calls record_release, also after an error. ENGINE_STATUS_INPUT. */
int record_read(const char *text, struct checkpoint_record *record, struct engine_error *error);
void record_release(struct checkpoint_record *record);

#endif
