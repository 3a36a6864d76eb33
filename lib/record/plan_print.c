#include "record/plan_print.h"
#include "base/context.h"
#include "base/text.h"
#include "files/file.h"
#include "files/frames.h"
#include "files/json.h"
#include "files/plan_use.h"
#include "files/source_files.h"
#include "parts/link.h"
#include "parts/parts.h"
#include "plan/edges.h"
#include "record/estimate.h"
#include "record/section_analyse.h"
#include "record/section_output.h"
#include "tiles/tiling.h"

#include <stdio.h>
#include <string.h>

/* ---- For people ------------------------------------------------------------------------------------------------ */

static void print_fields(FILE *to, const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++) {
        const struct plan_field *field = &plan->fields[i];
        const struct engine_shape *shape = &plan->shapes[i];
        char sizes[SHAPE_TEXT], number[64], bytes[32];
        fprintf(to, "field           %s: %s %s", field->about->name, plan_size_text(plan, i, sizes),
                type_name(shape->type));
        if (shape->components > 1)
            fprintf(to, " of %s", text_count(shape->components, "component", number));
        if (field->converted)
            fprintf(to, ", converted from %s of the run for each frame, with a buffer of %sB\n",
                    type_name(plan->sources[i].bound->geometry[0].shape.type), text_si((double) field->bytes, bytes));
        else if (plan->sources[i].bound)
            fprintf(to, " of the run, read without a copy\n");
        else if (field->absent)
            fprintf(to, ", absent\n");
        else if (plan->tiling && plan->tiling->tree)
            fprintf(to, ", in a tree of squares\n");
        else if (plan->tiling)
            fprintf(to, ", in tiles of %sB\n", text_si((double) field->bytes, bytes));
        else
            fprintf(to, ", %s of %sB%s\n", text_count(field->buffers, "buffer", number),
                    text_si((double) field->bytes, bytes),
                    field->geometry[0].layout.cell_bits == 1 ? ", one bit per cell" : "");
    }
}

/* Lists the arrays of [init] file that no field takes. */
static void print_unused(FILE *to, const struct plan *plan)
{
    const struct source_files *files = source_files_of(plan);
    for (uint32_t a = 0; files && source_is_arrays(plan) && a < files->pattern->count; a++) {
        bool used = false;
        for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++)
            used = used || (files->of[i].document && files->of[i].array == a);
        if (!used)
            fprintf(to, "%-15s %s is in the file too, but not used\n", "", files->pattern->arrays[a].name);
    }
}

/* Lists the fields that start from files. */
static void print_sources(FILE *to, const struct plan *plan)
{
    const char *title = "start";
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++) {
        if (plan->sources[i].given) {
            fprintf(to, "%-15s %s from %s", title, plan->fields[i].about->name, source_files_of(plan)->of[i].path);
            if (source_has_frames(plan, i))
                fprintf(to, ", %llu frames", (unsigned long long) plan->frames);
            fprintf(to, "\n");
            title = "";
        }
    }
    if (!plan->run && plan_is_empty(plan))
        fprintf(to, "%-15s every value is 0, because [init] source is missing\n", title);
    print_unused(to, plan);
}

/* Tells the unit of the lengths in files of particles, and how it is known. */
static void print_lengths(FILE *to, const struct plan *plan)
{
    const char *format = plan->found.lengths.format, *stated = length_name(plan->found.lengths.stated);
    const char *wanted = length_name(plan->settings.length);
    if (!format)
        return;
    fprintf(to, "lengths         ");
    if (stated && wanted && plan->found.lengths.stated != plan->settings.length)
        fprintf(to, "%s, as [init] length_unit asks; converted from %s, the unit of %s files\n", wanted, stated,
                format);
    else if (stated)
        fprintf(to, "%s, the unit of %s files\n", stated, format);
    else if (wanted)
        fprintf(to, "%s, as [init] length_unit says; %s files state no unit, and their numbers are taken as they are\n",
                wanted, format);
    else
        fprintf(to, "in the unit of the file; %s files state none. [init] length_unit may state it\n", format);
}

static const struct engine_field *particles_of(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++)
        if (plan->fields[i].about->kind == ENGINE_PARTICLES)
            return plan->fields[i].about;
    return NULL;
}

/* Prints the box of particles, the axes along which it is periodic, and who gives it. */
static void print_box(FILE *to, const struct plan *plan)
{
    const double *box = plan->for_plugin.box;
    if (plan->run || !particles_of(plan))
        return;
    if (!(box[0] > 0 || box[1] > 0 || box[2] > 0)) {
        fprintf(to, "box             none: open along x y z\n");
        return;
    }
    fprintf(to, "box             %.9g %.9g %.9g", box[0], box[1], box[2]);
    if (box[3] != 0 || box[4] != 0 || box[5] != 0)
        fprintf(to, " with the tilts %.9g %.9g %.9g", box[3], box[4], box[5]);
    fprintf(to, ", periodic along");
    for (int axis = 0; axis < 3; axis++)
        if (box[axis] > 0)
            fprintf(to, " %c", "xyz"[axis]);
    fprintf(to, ", from %s\n",
            plan->settings.box_given ? "[particles] box"
            : source_box(plan)       ? "the file"
                                     : plan->plugin->about.name);
}

/* Tells what [frames] makes of the particles of files. */
static void print_frames(FILE *to, const struct plan *plan)
{
    const struct frames_settings *frames = settings_section(&plan->settings, &frames_section);
    const char *title = "frames",
               *centre = frames && frames->by_mass ? "at its centre of mass" : "at the mean of its positions";
    if (!frames || plan->run)
        return;
    if (*frames->molecules || frames->molecule_size > 0) {
        fprintf(to, "%-15s each ", title);
        if (*frames->molecules)
            fprintf(to, "molecule of %s", frames->molecules);
        else
            fprintf(to, "group of %llu particles", (unsigned long long) frames->molecule_size);
        fprintf(to, " becomes one particle, %s\n", centre);
        title = "";
    }
    if (frames->repeat[0] > 1 || frames->repeat[1] > 1 || frames->repeat[2] > 1) {
        fprintf(to, "%-15s %u x %u x %u copies of the box\n", title, frames->repeat[0], frames->repeat[1],
                frames->repeat[2]);
        title = "";
    }
    if (frames->most > 0)
        fprintf(to, "%-15s at most %llu particles in a frame\n", title, (unsigned long long) frames->most);
}

static const char *judgement(const struct plan *plan, const struct engine_impl *impl,
                             const struct plan_verdict *verdict)
{
    return impl == plan->impl ? "chosen" : verdict->usable ? "usable" : verdict->reason;
}

/* One line tells a reason for all implementations that follow each other and have it. */
static void print_implementations(FILE *to, struct plan *plan)
{
    const struct engine_impl_array *impls = &plan->plugin->about.impls;
    const char *title = "candidates";
    struct plan_verdict next = plan_judge(plan, impls->at);
    for (uint32_t i = 0; i < impls->count;) {
        const struct plan_verdict verdict = next;
        const char *advice = plan->advice ? plan->advice[i] : "", *said = judgement(plan, &impls->at[i], &verdict);
        fprintf(to, "%-15s %s", title, impls->at[i].name);
        while (++i < impls->count && (next = plan_judge(plan, &impls->at[i]), !verdict.usable) &&
               strcmp(said, judgement(plan, &impls->at[i], &next)) == 0)
            fprintf(to, ", %s", impls->at[i].name);
        fprintf(to, ": %s%s%s\n", said, *advice ? "; " : "", advice);
        title = "";
    }
}

/* Leaves out parameters that change no result and have their defaults. */
static void print_parameters(FILE *to, const struct plan *plan)
{
    const struct engine_plugin *about = &plan->plugin->about;
    const char *title = "parameters";
    uint32_t left_out = 0;
    for (uint32_t i = 0; i < about->params.count; i++) {
        const struct engine_param *param = &about->params.at[i];
        const bool usual = param->flags & ENGINE_PARAM_TUNING && !config_get(plan->config, about->name, param->name);
        left_out += usual;
        if (usual)
            continue;
        fprintf(to, "%-15s %s = %s\n", title, param->name, plan->values[i].text);
        title = "";
    }
    if (left_out > 0)
        fprintf(to, "%-15s %u that tune the speed have their defaults\n", title, left_out);
}

static void print_edges(FILE *to, const struct plan *plan)
{
    char text[EDGES_TEXT], more[EDGES_TEXT];
    if (edges_are_usual(plan))
        return;
    fprintf(to, "edges           %s", edges_text(plan, text));
    if (*edges_shift_text(plan, more))
        fprintf(to, ", shifted by %s", more);
    if (*edges_value_text(plan, more))
        fprintf(to, ", value beyond a fixed edge %s", more);
    fputc('\n', to);
}

static void print_plugin(FILE *to, struct plan *plan)
{
    fprintf(to, "plugin          %s %s (%s)\n", plan->plugin->about.name, plan->plugin->about.version,
            plan->plugin->path);
    fprintf(to, "implementation  %s, requested: %s\n", plan->impl->name, plan->settings.implementation);
    print_implementations(to, plan);
    print_parameters(to, plan);
    print_fields(to, plan);
    print_edges(to, plan);
    print_box(to, plan);
    print_sources(to, plan);
    print_frames(to, plan);
    print_lengths(to, plan);
}

static void print_analysis(FILE *to, struct plan *plan)
{
    const struct settings *settings = &plan->settings;
    const uint64_t frames = analyse_frames(plan, settings->steps);
    char number[32], count[64];
    fprintf(to, "\nanalysis        %s", text_count(frames, "frame", count));
    if (analyse_settings(plan)->every)
        fprintf(to, ", every %s from %llu on", text_count(analyse_settings(plan)->every, "step", count),
                (unsigned long long) analyse_settings(plan)->from);
    fprintf(to, "\n");
    print_plugin(to, plan);
    fprintf(to, "memory          %sB\n", text_si((double) plan->bytes, number));
    fprintf(to, "work            %s%s\n", text_si(plan->work.per_step * (double) frames, number), plan->work.unit);
}

/* Prints "3.2 GB", or "unknown". */
static const char *bytes_text(uint64_t bytes, char text[40])
{
    char number[32];
    if (bytes == UINT64_MAX)
        snprintf(text, 40, "unknown");
    else
        snprintf(text, 40, "%sB", text_si((double) bytes, number));
    return text;
}

/* The copy that a checkpoint is written from, or why there is none, see copy_bytes in estimate.c. */
static void print_copy(FILE *to, const struct plan *plan, const struct estimate *estimate)
{
    char number[32], available[40];
    text_si((double) estimate->saved, number);
    bytes_text(estimate->host_available, available);
    if (estimate->checkpoint)
        fprintf(to, "%-15s %sB of host memory while a checkpoint is written, %s free\n", "", number, available);
    else if (parts_ranks(plan) > 1)
        fprintf(to, "%-15s the run waits while its processes write a checkpoint of %sB\n", "", number);
    else
        fprintf(to,
                "%-15s the run waits while a checkpoint is written, because a copy of the state, %sB, does not fit "
                "into host memory, %s free\n",
                "", number, available);
}

static void print_memory(FILE *to, const struct plan *plan, const struct estimate *estimate)
{
    char number[32], available[40];
    fprintf(to, "memory          %sB of buffers on %s%s, %s free\n", text_si((double) estimate->buffers, number),
            plan->settings.devices > 1 ? "each " : "", plan->device->name,
            bytes_text(estimate->device_available, available));
    if (plan->tiling && plan->tiling->memory > 0)
        fprintf(to, "%-15s %sB for the %s at most\n", "", text_si((double) plan->tiling->memory, number),
                plan->tiling->tree ? "tree" : "tiles");
    if (estimate->saved)
        print_copy(to, plan, estimate);
}

static void print_disk(FILE *to, const struct plan *plan, const struct estimate *estimate)
{
    char least[32], most[32], each[32], available[40], count[64];
    if (estimate->each > 0)
        fprintf(to, "output          %s: %s, at most %sB each\n", plan->settings.output,
                text_count(estimate->outputs, "time", count), text_si(estimate->each, each));
    else
        fprintf(to, "output          %s: the metrics, no states\n", plan->settings.output);
    fprintf(to, "disk            %sB to %sB%s, depending on compression; %s free%s\n",
            text_si(estimate->disk_least, least), text_si(estimate->disk_most, most),
            estimate->saved ? " with checkpoints" : "", bytes_text(estimate->disk_available, available),
            estimate->disk_most > (double) estimate->disk_available ? ", which may not be enough" : "");
}

/* How a divided run is cut or shared. */
static void print_parts(FILE *to, const struct plan *plan)
{
    const struct plan_slab *slab = &plan->parts[0]->slab;
    const uint32_t ranks = parts_ranks(plan);
    char number[32];
    if (plan->settings.devices > 1)
        fprintf(to, "devices         %u\n", plan->settings.devices);
    fprintf(to, "parts           %u", plan->settings.parts);
    if (plan_has_copies(plan))
        fprintf(to, " that share the work");
    else if (plan_is_batch(plan))
        fprintf(to, " of the universes");
    else
        fprintf(to, " along %c", "xyz"[slab->axis]);
    if (slab->margin > 0)
        fprintf(to, ", with %llu cells of the neighbours on each side", (unsigned long long) slab->margin);
    if (slab->efficiency > 0)
        fprintf(to, "; predicted efficiency %.0f %% at the rates that the driver declares%s", 100 * slab->efficiency,
                plan->settings.parts * slab->efficiency < 1 ? ", so one device is faster" : "");
    fputc('\n', to);
    if (ranks > 1)
        fprintf(to, "processes       %u, joined by %s; rank 0 needs %sB for the buffers of its parts\n", ranks,
                link_name(plan->context->link), text_si((double) plan->bytes, number));
}

/* `analysis` is NULL where there is none. */
static void print_plan(FILE *to, struct plan *plan, struct plan *analysis, const struct estimate *estimate)
{
    const struct settings *settings = &plan->settings;
    char number[32], count[64];
    print_plugin(to, plan);
    print_memory(to, plan, estimate);
    fprintf(to, "steps           %llu", (unsigned long long) settings->steps);
    if (plan->most_steps != UINT64_MAX)
        fprintf(to, ", at most %llu in a call", (unsigned long long) plan->most_steps);
    const struct until_conditions *until = &output_settings(plan)->until;
    for (uint32_t i = 0; i < until->count; i++)
        fprintf(to, "%s%s", i ? " or " : "\nuntil           ", until->at[i].text);
    if (until->count > 0)
        fprintf(to, ", every %s", text_count(output_until_every(plan), "step", count));
    fprintf(to, "\nwork            %s%s\n", text_si(plan->work.per_step * (double) settings->steps, number),
            plan->work.unit);
    fprintf(to, "threads         %u\n", plan_threads(plan));
    if (plan->parts)
        print_parts(to, plan);
    print_disk(to, plan, estimate);
    if (analysis)
        print_analysis(to, analysis);
}

/* Describes what the plans of a run and of its analysis have in common. */
static struct json_object *plugin_json(const struct plan *plan)
{
    struct json_object *json = json_new_object(), *params = json_new_object();
    for (uint32_t i = 0; i < plan->plugin->about.params.count; i++)
        json_add(params, plan->plugin->about.params.at[i].name, json_new_text(plan->values[i].text));
    json_add(json, "plugin", json_new_text(plan->plugin->about.name));
    json_add(json, "implementation", json_new_text(plan->impl->name));
    json_add(json, "parameters", params);
    json_add(json, "memory_bytes", json_new_count(plan->bytes));
    if (plan->found.lengths.format) {
        const char *unit = length_name(plan->settings.length ? plan->settings.length : plan->found.lengths.stated);
        json_add(json, "length_unit", unit ? json_new_text(unit) : NULL);
        json_add(json, "length_unit_of_file",
                 plan->found.lengths.stated ? json_new_text(length_name(plan->found.lengths.stated)) : NULL);
    }
    return json;
}

/* What the implementations say about the initial state. */
static struct json_object *advice_json(const struct plan *plan)
{
    struct json_object *json = json_new_object();
    for (uint32_t i = 0; i < plan->plugin->about.impls.count; i++)
        if (*plan->advice[i])
            json_add(json, plan->plugin->about.impls.at[i].name, json_new_text(plan->advice[i]));
    return json;
}

/* The inputs that are converted, with the types of the run's fields. */
static struct json_object *converted_json(const struct plan *plan)
{
    struct json_object *json = json_new_object();
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++)
        if (plan->fields[i].converted)
            json_add(json, plan->fields[i].about->name,
                     json_new_text(type_name(plan->sources[i].bound->geometry[0].shape.type)));
    return json;
}

static struct json_object *analysis_json(const struct plan *plan)
{
    struct json_object *json = plugin_json(plan);
    json_add(json, "converted_from", converted_json(plan));
    json_add(json, "from", json_new_count(analyse_settings(plan)->from));
    json_add(json, "every", json_new_count(analyse_settings(plan)->every));
    json_add(json, "frames", json_new_count(analyse_frames(plan, plan->settings.steps)));
    return json;
}

/* The conditions of [run] until, as they were written. */
static struct json_object *until_json(const struct until_conditions *until)
{
    struct json_object *json = json_new_array();
    for (uint32_t i = 0; i < until->count; i++)
        json_append(json, json_new_text(until->at[i].text));
    return json;
}

static struct json_object *box_json(const double box[6])
{
    struct json_object *json = json_new_array();
    for (int i = 0; i < 6; i++)
        json_append(json, json_new_real(box[i]));
    return json;
}

/* Returns null where the number is not known. */
static struct json_object *bytes_json(uint64_t bytes)
{
    return bytes == UINT64_MAX ? NULL : json_new_count(bytes);
}

int plan_print_json(struct plan *plan, struct plan *analysis, char **text, struct engine_error *error)
{
    const struct estimate estimate = estimate_make(plan, analysis, 0);
    struct json_object *json = plugin_json(plan);
    if (plan->advice)
        json_add(json, "advice", advice_json(plan));
    json_add(json, "steps", json_new_count(plan->settings.steps));
    if (output_settings(plan)->until.count > 0) {
        json_add(json, "until", until_json(&output_settings(plan)->until));
        json_add(json, "until_every", json_new_count(output_until_every(plan)));
    }
    json_add(json, "threads", json_new_integer(plan_threads(plan)));
    char edges[EDGES_TEXT];
    if (!edges_are_usual(plan))
        json_add(json, "edges", json_new_text(edges_text(plan, edges)));
    if (particles_of(plan))
        json_add(json, "box", box_json(plan->for_plugin.box));
    if (plan->parts) {
        json_add(json, "devices", json_new_count(plan->settings.devices));
        json_add(json, "parts", json_new_count(plan->settings.parts));
        if (!plan_shares_work(plan))
            json_add(json, "margin", json_new_count(plan->parts[0]->slab.margin));
        json_add(json, "ranks", json_new_count(parts_ranks(plan)));
    }
    json_add(json, "work", json_new_real(plan->work.per_step * (double) plan->settings.steps));
    json_add(json, "work_unit", json_new_text(plan->work.unit));
    json_add(json, "output", json_new_text(plan->settings.output));
    json_add(json, "output_count", json_new_count(estimate.outputs));
    json_add(json, "output_bytes_each", json_new_real(estimate.each));
    json_add(json, "disk_bytes_least", json_new_real(estimate.disk_least));
    json_add(json, "disk_bytes_most", json_new_real(estimate.disk_most));
    json_add(json, "disk_bytes_free", bytes_json(estimate.disk_available));
    json_add(json, "memory_bytes_free", bytes_json(estimate.device_available));
    json_add(json, "checkpoint_memory_bytes", json_new_count(estimate.checkpoint));
    json_add(json, "host_memory_bytes_free", bytes_json(estimate.host_available));
    if (analysis)
        json_add(json, "analysis", analysis_json(analysis));
    return json_take_lines(json, text, error);
}

int plan_print_text(struct plan *plan, struct plan *analysis, char **text, struct engine_error *error)
{
    const struct estimate estimate = estimate_make(plan, analysis, 0);
    size_t length = 0;
    *text = NULL;
    FILE *to = open_memstream(text, &length);
    if (to)
        print_plan(to, plan, analysis, &estimate);
    return to && text_stream_close(to, text) ? 0 : error_memory(error, length, "the text of a plan");
}
