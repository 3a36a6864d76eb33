#include "files/source_files.h"
#include "base/context.h"
#include "base/nearest.h"
#include "base/text.h"
#include "files/formats.h"
#include "files/frames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct engine_field_array *fields_of(const struct plan *plan)
{
    return &plan->plugin->about.fields;
}

/* ---- Opening ------------------------------------------------------------------------------------------------ */

/* Returns the field that a file of particles or matrices must give: the first state of such a kind, or else the first
 * input; -1: there is none. */
static int leading_field(const struct plan *plan)
{
    const struct engine_field_array *fields = fields_of(plan);
    for (uint32_t role = ENGINE_STATE; role <= ENGINE_INPUT; role++)
        for (uint32_t i = 0; i < fields->count; i++) {
            const struct engine_field *field = &fields->at[i];
            if (field->role == role && (field->kind == ENGINE_PARTICLES || field->kind == ENGINE_MATRIX))
                return (int) i;
        }
    return -1;
}

bool source_is_arrays(const struct plan *plan)
{
    const struct engine_field *first = &fields_of(plan)->at[0];
    const bool pattern = first->role == ENGINE_STATE && first->kind == ENGINE_GRID;
    if (plan->settings.source != INIT_FILE)
        return false;
    return pattern ? source_files_of(plan)->pattern->count > 1 : leading_field(plan) >= 0;
}

/* ---- Frames ------------------------------------------------------------------------------------------------- */

/* Does the plugin read particles and keep no state? Then each step reads one frame of a trajectory. */
static bool takes_frames(const struct plan *plan)
{
    const struct engine_field_array *fields = fields_of(plan);
    const int leading = leading_field(plan);
    bool state = false;
    for (uint32_t i = 0; i < fields->count; i++)
        state = state || fields->at[i].role == ENGINE_STATE;
    return !state && leading >= 0 && fields->at[leading].kind == ENGINE_PARTICLES;
}

/* Moves a file that was just opened to the first frame that [init] frames selects. */
static int begin_frames(struct plan *plan, struct io_document *document, const char *path, struct engine_error *error)
{
    const uint64_t *frames = plan->settings.frames, there = document->frames > 1 ? document->frames : 1;
    const uint64_t wanted = io_count_frames(frames, there);
    char count[64];
    if (document->frames <= 1 && (frames[0] == 0 || plan->settings.source == INIT_ARRAYS))
        return 0; /* a file of one frame is the same for all frames of the others */
    if (wanted == 0)
        return error_set(error, ENGINE_STATUS_INPUT,
                         "%s: has %s, but %s: [init] frames starts at frame %llu; frame 0 is the first", path,
                         text_count(there, "frame", count), config_place(plan->config, "init", "frames"),
                         (unsigned long long) frames[0]);
    if (plan->frames > 1 && document->frames > 1 && wanted != plan->frames)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: has %s, expected %llu, as many as in the other files", path,
                         text_count(wanted, "frame", count), (unsigned long long) plan->frames);
    plan->frames = wanted > plan->frames ? wanted : plan->frames;
    return frames[0] == 0 ? 0 : document->next(document, frames[0], error);
}

/* Refuses a missing file. A person who names a file on the command line may mean one in the working folder. */
static int refuse_absent(const struct plan *plan, const char *key, const char *path, struct engine_error *error)
{
    char hint[128] = "";
    const char *named = config_get(plan->config, "init", key);
    const bool is_here = named && access(named, F_OK) == 0;
    return error_set(
        error, ENGINE_STATUS_INPUT, "%s: [init] %s: there is no file %s%s", config_place(plan->config, "init", key),
        key, path,
        is_here
            ? "; paths are relative to the folder of the configuration; to use the file in the working folder, give "
              "its absolute path"
            : nearest_file_hint(hint, path));
}

/* Opens a file, which then gives its lengths in the unit of [init] length_unit. */
static int read_file(struct plan *plan, const char *path, bool frames, struct io_document **document,
                     struct engine_error *error)
{
    const struct io_format *format = NULL;
    const struct formats_range range = {plan->settings.frames, "set [init] frames ="};
    if (formats_read_range(plan->context, path, frames ? &range : NULL, document, &format, error) != 0)
        return error->status;
    (*document)->threads = plan->settings.threads;
    if ((*document)->arrays[0].kind == ENGINE_PARTICLES && !plan->found.lengths.format) {
        plan->found.lengths.format = format->about->name;
        plan->found.lengths.stated = (*document)->header.length;
    }
    if ((*document)->arrays[0].kind == ENGINE_PARTICLES && *(*document)->remarks)
        context_message(plan->context, ENGINE_LOG_WARNING, "%s: %s", path, (*document)->remarks);
    if (plan->settings.length && (*document)->set_length)
        (*document)->set_length(*document, plan->settings.length);
    return frames_apply(plan, path, document, error);
}

/* Opens a file. `key` is the key of [init] that names it. */
static int open_file(struct plan *plan, const char *key, const char *path, struct io_document **document,
                     struct engine_error *error)
{
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return refuse_absent(plan, key, path, error);
    if (!takes_frames(plan))
        return read_file(plan, path, false, document, error);
    if (read_file(plan, path, true, document, error) != 0)
        return error->status;
    const int status = begin_frames(plan, *document, path, error);
    if (status != 0) {
        (*document)->close(*document);
        *document = NULL;
    }
    return status;
}

bool source_has_frames(const struct plan *plan, uint32_t field)
{
    const struct io_document *document = source_files_of(plan)->of[field].document;
    return plan->frames > 1 && document && document->frames > 1;
}

int source_next_frame(const struct plan *plan, uint64_t by, struct engine_error *error)
{
    const uint64_t stride = plan->settings.frames[2] ? plan->settings.frames[2] : 1;
    for (uint32_t i = 0; i < fields_of(plan)->count; i++) {
        struct io_document *document = source_files_of(plan)->of[i].document;
        bool seen = !source_has_frames(plan, i);
        for (uint32_t k = 0; k < i; k++)
            seen = seen || source_files_of(plan)->of[k].document == document;
        if (!seen && document->next(document, by * stride, error) != 0)
            return error->status;
    }
    return 0;
}

/* ---- Fields and their arrays -------------------------------------------------------------------------------- */

/* Returns the array of that name, or -1. */
static int array_named(const struct io_document *document, const char *name)
{
    for (uint32_t i = 0; i < document->count; i++)
        if (strcmp(document->arrays[i].name, name) == 0)
            return (int) i;
    return -1;
}

static int set_source(struct plan *plan, uint32_t field, struct io_document *document, int array, const char *path,
                      struct engine_error *error)
{
    struct source_file *source = &source_files_of(plan)->of[field];
    if (array < 0)
        return 0;
    *source = (struct source_file){.document = document, .array = (uint32_t) array, .path = strdup(path)};
    return source->path ? 0 : error_memory(error, strlen(path), "a file's name");
}

static int refuse_missing(const struct io_document *document, const char *path, const struct engine_field *field,
                          struct engine_error *error)
{
    error_set(error, ENGINE_STATUS_INPUT, "%s: has no array named %s; it contains", path, field->name);
    for (uint32_t i = 0; i < document->count; i++) {
        const size_t length = strlen(error->text);
        const char *held = document->arrays[i].name;
        snprintf(error->text + length, sizeof error->text - length, " %s", *held ? held : "one without a name");
    }
    const size_t length = strlen(error->text);
    snprintf(error->text + length, sizeof error->text - length, "; expected %s", source_file_for(field));
    return error->status;
}

static int match_arrays(struct plan *plan, struct engine_error *error)
{
    struct io_document *document = source_files_of(plan)->pattern;
    const char *path = plan->settings.file;
    const uint32_t leading =
        leading_field(plan) < 0 ? 0 : (uint32_t) leading_field(plan); /* for grids the first field */
    for (uint32_t i = 0; i < fields_of(plan)->count; i++) {
        const struct engine_field *field = &fields_of(plan)->at[i];
        int array = field->role == ENGINE_OUTPUT ? -1 : array_named(document, field->name);
        if (array < 0 && i == leading && document->count == 1 && !*document->arrays[0].name)
            array = 0;
        if (set_source(plan, i, document, array, path, error) != 0)
            return error->status;
    }
    return source_files_of(plan)->of[leading].document
               ? 0
               : refuse_missing(document, path, &fields_of(plan)->at[leading], error);
}

static int open_array(struct plan *plan, uint32_t index, struct engine_error *error)
{
    const struct engine_field *field = &fields_of(plan)->at[index];
    const char *name = field->name;
    char path[SETTINGS_PATH_MAX];
    struct io_document *document = NULL;
    if (open_file(plan, name, config_resolve(plan->config, plan->settings.arrays[index], path, sizeof path), &document,
                  error) != 0)
        return error->status;
    int array = array_named(document, name);
    if (array < 0 && document->count == 1)
        array = 0;
    const int status = array < 0 ? refuse_missing(document, path, field, error)
                                 : set_source(plan, index, document, array, path, error);
    if (!source_files_of(plan)->of[index].document)
        document->close(document);
    return status;
}

/* Refuses [init] frames where no file of frames is read. */
static int check_frames(const struct plan *plan, struct engine_error *error)
{
    const struct settings *settings = &plan->settings;
    const bool files = settings->source == INIT_FILE || settings->source == INIT_ARRAYS;
    if (settings->frames[2] == 0 || (files && takes_frames(plan)))
        return 0;
    const char *place = config_place(plan->config, "init", "frames");
    if (takes_frames(plan))
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%s: [init] frames: no file is read; give [init] file, as in file = trajectory.dcd", place);
    return error_set(error, ENGINE_STATUS_USAGE,
                     "%s: [init] frames can be used only with plugins that read particles and have no state; "
                     "leave it out; %s starts from one state, of particles from the last frame",
                     place, plan->plugin->about.name);
}

static int open_files(struct plan *plan, struct engine_error *error)
{
    const struct settings *settings = &plan->settings;
    if (settings->source == INIT_FILE) {
        if (open_file(plan, "file", settings->file, &source_files_of(plan)->pattern, error) != 0)
            return error->status;
        return source_is_arrays(plan) ? match_arrays(plan, error) : 0;
    }
    for (uint32_t i = 0; settings->source == INIT_ARRAYS && i < fields_of(plan)->count; i++)
        if (*settings->arrays[i] && fields_of(plan)->at[i].role != ENGINE_OUTPUT && open_array(plan, i, error) != 0)
            return error->status;
    return 0;
}

/* Asks the plugin for a box if nobody gives one. */
static int choose_box(struct plan *plan, struct engine_error *error)
{
    const struct engine_plugin *about = &plan->plugin->about;
    const struct engine_chosen_box *chosen = about->extension ? about->extension(ENGINE_BOX, 1) : NULL;
    const uint64_t count = plan->found.particles ? plan->found.particles : plan->settings.particles;
    if (!chosen || plan->settings.box_given || source_box(plan))
        return 0;
    host_enter(&plan->host, "box");
    const int code =
        chosen->box(&plan->host.table, &plan->for_plugin, count, plan_starts_from_files(plan), plan->found.box);
    host_leave(&plan->host);
    return code == 0 ? 0 : host_error(&plan->host, code, about->name, error);
}

int source_files_open(struct plan *plan, struct engine_error *error)
{
    if (check_frames(plan, error) != 0)
        return error->status;
    plan->source_own = calloc(1, sizeof(struct source_files));
    if (!plan->source_own)
        return error_memory(error, sizeof(struct source_files), "the files of the initial state");
    if (open_files(plan, error) != 0)
        return error->status;
    plan->found.pattern = source_files_of(plan)->pattern && !source_is_arrays(plan);
    source_find(plan);
    return choose_box(plan, error);
}

void source_files_close(struct plan *plan)
{
    struct source_files *files = source_files_of(plan);
    if (!files)
        return;
    for (uint32_t i = 0; i < PLAN_FIELDS_MAX; i++) {
        struct io_document *document = files->of[i].document;
        if (document && document != files->pattern)
            document->close(document);
        free(files->of[i].path);
    }
    if (files->pattern)
        files->pattern->close(files->pattern);
    free(files);
}

const char *source_files_text(const struct plan *plan, const char *file_key)
{
    const struct io_document *pattern = source_files_of(plan)->pattern;
    return pattern ? io_header_value(&pattern->header, file_key) : "";
}
