/* The functions of engine.h that save, restore and draw the state of a run. */
#include "api/handles.h"
#include "files/formats.h"
#include "files/plan_config.h"
#include "record/provenance.h"
#include "record/section_checkpoint.h"
#include "record/section_output.h"
#include "record/snapshot.h"
#include "record/state_document.h"

#include <stdlib.h>
#include <string.h>

/* ---- Files ----------------------------------------------------------------------------------------------------- */

int engine_config_print(const struct engine_config *config, char **text, struct engine_error *error)
{
    API_NUMBERS;
    return plan_config_text(config->config, text, error);
}

int engine_run_save(struct engine_run *run, const char *path, struct engine_error *error)
{
    API_NUMBERS;
    struct snapshot_writing *writing;
    struct folder *folder;
    const char *name;
    if (run_check_state(run->run, error) != 0 || folder_open_around(path, &folder, &name, error) != 0)
        return error->status;
    int status = snapshot_start(run->run->instance, NULL, folder, name, checkpoint_settings(run->run->plan)->compressed,
                                &writing, error);
    if (status == 0)
        status = snapshot_finish(writing, error);
    folder_close(folder);
    return status;
}

/* Frames are read one after the other, so a run that reads them cannot go to another step. */
static int check_frame(const struct state *state, uint64_t step, struct engine_error *error)
{
    if (state->plan->frames == 1 || step == state->step)
        return 0;
    return error_set(error, ENGINE_STATUS_USAGE,
                     "a run that reads a trajectory cannot go from step %llu to step %llu of the snapshot",
                     (unsigned long long) state->step, (unsigned long long) step);
}

static bool has_inputs(const struct engine_run *run)
{
    const struct engine_field_array *fields = &run->run->plan->plugin->about.fields;
    for (uint32_t i = 0; i < fields->count; i++)
        if (fields->at[i].role == ENGINE_INPUT)
            return true;
    return false;
}

int engine_run_restore(struct engine_run *run, const char *path, struct engine_error *error)
{
    API_NUMBERS;
    struct snapshot *snapshot;
    if (run_check_started(run->run, error) != 0 || snapshot_open(path, &snapshot, error) != 0)
        return error->status;
    int status = check_frame(run->run->state, snapshot_header(snapshot)->step, error);
    if (status == 0) {
        status = snapshot_restore(snapshot, run->run->state, NULL, error);
        engine_run_changed(run);
        if (has_inputs(run))
            instance_input_written(run->run->instance);
    }
    snapshot_close(snapshot);
    return status;
}

int engine_run_write_file(struct engine_run *run, const char *path, struct engine_error *error)
{
    API_NUMBERS;
    const struct io_format *format = NULL;
    struct provenance provenance = {.config = NULL};
    struct io_document *document;
    if (run_check_state(run->run, error) != 0 ||
        formats_find_ending(run->run->plan->context, path, &format, error) != 0)
        return error->status;
    if (!format || !io_is_written(format))
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%s: its ending names no format that can be written; expected one such as .npy or .png", path);
    if (io_is_whole(format))
        return engine_run_save(run, path, error);
    if (state_document_open(run->run->state, &document, error) != 0)
        return error->status;
    int status = io_has(format, ENGINE_FORMAT_NOTES) ? provenance_open(run->run->state, &provenance, error) : 0;
    if (provenance.config)
        provenance_note(&provenance, &document->header);
    if (status == 0)
        status = io_write(format, path, document, &output_settings(run->run->plan)->how, error);
    document->close(document);
    provenance_close(&provenance);
    return status;
}
