/* The record of a checkpoint: all that a resumed run needs besides the state. It holds the progress of the outputs, the
 * number of frames that the analysis has taken, the identity of the run, and what has computed it. It is JSON in the
 * checkpoint's header. */
#ifndef LIB_RECORD_CHECKPOINT_RECORD_H
#define LIB_RECORD_CHECKPOINT_RECORD_H

#include "record/identity.h"
#include "record/output.h"
#include "record/until.h"

struct checkpoint_record {
    struct output_past output; /* its series are the structure's own */
    uint64_t analysis_frames, analysis_last;
    bool has_until; /* the run had conditions that end it */
    struct until_memory until;
    struct json_object *identity; /* of identity_make */
    struct json_object *computed; /* of record_computed; NULL in checkpoints of older engines */
    struct json_object *earlier;  /* of record_add_earlier; NULL: one computation from the beginning */
};

/* Describes what decides the last bits of the results, as texts under the names of the keys that choose it. An exact
 * implementation has a text that says only that it is exact. Any other implementation has its name, the GPU, and its
 * choices for parameters such as `instructions`, which it notes when it is created. `analysis` may be NULL. The caller
 * frees it by json_object_put. ENGINE_STATUS_DEVICE. */
int record_computed(const struct instance *instance, const struct analysis *analysis, struct json_object **computed,
                    struct engine_error *error);

/* Refuses to continue if the two compute different bits, and names the difference. It does not compare a text that
 * only one of them has, because the engine does not know the other. ENGINE_STATUS_USAGE. */
int record_check_bits(struct json_object *then, struct json_object *now, struct engine_error *error);

/* Lists what computed the steps before this one, if it gave other bits. The list is that of the record, with one entry
 * more: its `computed`, with this step as the member `until`. The caller frees *earlier by json_object_put.
 * ENGINE_STATUS_DEVICE. */
int record_add_earlier(const struct checkpoint_record *record, uint64_t step, struct json_object **earlier,
                       struct engine_error *error);

/* The record of the run at its present step, as text for a checkpoint's header. `earlier` is that of
 * record_add_earlier, or NULL; so may `until` be. The caller frees the text. */
int record_text(const struct output *output, struct json_object *identity, struct json_object *earlier,
                const struct until_memory *until, char **text, struct engine_error *error);

/* Reads the record of a checkpoint at that step. The caller calls record_release, also after an error.
 * The context knows the formats and may be NULL. ENGINE_STATUS_INPUT. */
int record_read(const struct context *context, const char *text, uint64_t step, struct checkpoint_record *record,
                struct engine_error *error);
void record_release(struct checkpoint_record *record);

#endif
