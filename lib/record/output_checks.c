/* Checks what [output] asks of the fields. */
#include "base/context.h"
#include "base/nearest.h"
#include "base/text.h"
#include "files/particles.h"
#include "formats/patterns/golly.h"
#include "plan/edges.h"
#include "record/edge.h"
#include "record/probes.h"
#include "record/section_analyse.h"
#include "record/section_output.h"
#include "record/state_document.h"
#include "tiles/tiling.h"

#include <stdio.h>
#include <string.h>

static const struct engine_plugin *about(const struct plan *plan)
{
    return &plan->plugin->about;
}

struct engine_file_array plan_written_array(const struct plan *plan, uint32_t index)
{
    struct engine_file_array array = plan_array(plan, index);
    struct engine_file_look look = {.colours = NULL}; /* not used */
    struct engine_error ignored;                      /* output_check_plans reports it */
    struct region region;
    if (plan_is_selected(plan, &about(plan)->fields.at[index]) &&
        selection_find(&output_settings(plan)->selection, &about(plan)->fields.at[index], &array.shape,
                       plan_is_unbounded(plan), &region, &ignored) == 0)
        selection_describe(&region, &array, &look);
    return array;
}

static bool field_is_written(const struct plan *plan, const struct io_format *format)
{
    for (uint32_t i = 0; i < about(plan)->fields.count; i++) {
        const struct engine_file_array array = plan_written_array(plan, i);
        if (plan_is_written(plan, &about(plan)->fields.at[i]) && io_writes(format, &array, &output_settings(plan)->how))
            return true;
    }
    return false;
}

/* Does the format write a field of the plan or, for an analysis, of the run? */
static bool is_written(const struct plan *plan, const struct io_format *format)
{
    return io_is_written(format) &&
           (field_is_written(plan, format) || (plan->run && field_is_written(plan->run, format)));
}

/* The type of a field that the format could hold if [output] reduce did not change it, or NULL. */
static const char *reduced_type(const struct plan *plan, const struct io_format *format)
{
    for (const struct plan *of = plan; of; of = of->run)
        for (uint32_t i = 0; i < about(of)->fields.count; i++) {
            const struct engine_file_array array = plan_array(of, i), reduced = plan_written_array(of, i);
            if (plan_is_written(of, &about(of)->fields.at[i]) && array.shape.type != reduced.shape.type &&
                io_writes(format, &array, &output_settings(of)->how))
                return type_name(reduced.shape.type);
        }
    return NULL;
}

/* Are there positions in a plane or on a line? */
static bool lacks_component(const struct plan *plan)
{
    for (uint32_t i = 0; i < about(plan)->fields.count; i++)
        if (about(plan)->fields.at[i].kind == ENGINE_PARTICLES && plan->shapes[i].components < 3 &&
            strcmp(about(plan)->fields.at[i].name, "position") == 0)
            return true;
    return false;
}

static int refuse_format(const struct plan *plan, const struct io_format *refused, struct engine_error *error)
{
    const struct io_format *format;
    const char *type = reduced_type(plan, refused);
    if (type)
        error_set(error, ENGINE_STATUS_USAGE,
                  "%s: [output] formats: %s cannot hold the %s numbers that reduce = %s makes of the cells; expected "
                  "some of",
                  config_place(plan->config, "output", "formats"), refused->about->name, type,
                  selection_word(output_settings(plan)->selection.reduce));
    else
        error_set(error, ENGINE_STATUS_USAGE,
                  "%s: [output] formats: %s cannot hold any field of %s%s%s%s; expected some of",
                  config_place(plan->config, "output", "formats"), refused->about->name,
                  plan_is_batch(plan) ? "a batch of " : "", about(plan)->name,
                  *output_settings(plan)->fields ? " that [output] fields lists: " : "", output_settings(plan)->fields);
    for (uint32_t i = 0; (format = io_format_at(i)); i++) {
        const size_t length = strlen(error->text);
        if (is_written(plan, format))
            snprintf(error->text + length, sizeof error->text - length, " %s", format->about->name);
    }
    const size_t length = strlen(error->text);
    if (lacks_component(plan))
        snprintf(error->text + length, sizeof error->text - length,
                 "; files and pictures of particles need positions of three components: give the field a third one, "
                 "which may stay 0");
    return error->status;
}

/* An array of an unbounded grid has all dead cells of the smallest box, and a pattern has none. A macrocell file keeps
 * equal squares once, as a tree does. */
static void choose_formats(const struct plan *plan)
{
    struct output_settings *settings = output_settings(plan);
    const char *name = plan->tiling && plan->tiling->tree ? "mc" : plan->shapes[0].rank == 3 ? "rle3" : "rle";
    if (plan_is_unbounded(plan) && !config_get(plan->config, "output", "formats") &&
        is_written(plan, io_format_named(name)))
        settings->formats[0] = io_format_named(name);
}

static int check_formats(const struct plan *plan, struct engine_error *error)
{
    for (uint32_t i = 0; i < output_settings(plan)->format_count; i++) {
        const struct io_format *format = output_settings(plan)->formats[i];
        if (!is_written(plan, format))
            return refuse_format(plan, format, error);
        if (plan_is_unbounded(plan) && io_has(format, ENGINE_FORMAT_FRAMES) &&
            io_has(format, ENGINE_FORMAT_PICTURE | ENGINE_FORMAT_GRIDS) && output_settings(plan)->selection.ranges == 0)
            return error_set(error, ENGINE_STATUS_USAGE,
                             "%s: [output] formats: the frames of a file of %s have the same size, and an unbounded "
                             "grid has none; give [output] region, as in -100:100 -100:100",
                             config_place(plan->config, "output", "formats"), format->about->name);
        if (file_check(format, error) != 0)
            return error_prefix(error, "%s: [output] formats: ", config_place(plan->config, "output", "formats"));
    }
    return 0;
}

/* The results of the plan, then those of the run that it analyses. */
static const char *result_at(const void *list, uint32_t index)
{
    for (const struct plan *plan = list; plan; plan = plan->run)
        for (uint32_t i = 0; i < about(plan)->fields.count; i++)
            if (plan_is_result(&about(plan)->fields.at[i]) && index-- == 0)
                return about(plan)->fields.at[i].name;
    return NULL;
}

/* Each word of [output] fields is the name of a state or an output. */
static int check_names(const struct plan *plan, struct engine_error *error)
{
    char words[OUTPUT_FIELDS_MAX], hint[128], clause[CONTEXT_WORDS], *rest = NULL;
    strcpy(words, output_settings(plan)->fields);
    for (char *word = strtok_r(words, " \t,", &rest); word; word = strtok_r(NULL, " \t,", &rest)) {
        const char *name;
        bool found = false;
        for (uint32_t i = 0; !found && (name = result_at(plan, i)); i++)
            found = strcmp(name, word) == 0;
        if (!found)
            return error_set(error, ENGINE_STATUS_USAGE, "%s: [output] fields: '%s' is not a state or an output%s%s",
                             config_place(plan->config, "output", "fields"), word,
                             nearest_hint(hint, word, result_at, plan),
                             context_clause(plan->context, ENGINE_WORDS_PLUGIN, about(plan)->name, clause));
    }
    return 0;
}

/* ---- Keys about pictures ---------------------------------------------------------------------------------------- */

/* What a run writes, and which file a conversion makes, if it uses a key with those attributes. NULL: the key is not
 * refused. */
static const struct picture_use {
    uint32_t attributes;
    const char *written, *made;
} uses[] = {
    {OF_GRIDS, "grid", "pictures of grids"},
    {OF_VOLUMES, "grid of three axes", "pictures of grids of three axes"},
    {OF_VOLUMES | OF_PARTICLES, "grid of three axes or particles", "pictures of grids of three axes and of particles"},
    {OF_PARTICLES, "particles", "pictures of particles"},
    {OF_MASSES, "particles that have a mass", "pictures of particles that have a mass"},
    {OF_COMPONENTS, "grid of several components", "pictures of grids of several components"},
    {OF_BATCHES, "batch of grids", "pictures of batches of grids"},
    {0, NULL, "pictures"}, /* all others */
};

static const struct picture_use *use_of(uint32_t attributes)
{
    const struct picture_use *use = uses;
    while (use->attributes != 0 && use->attributes != (attributes & OF_PICTURES))
        use++;
    return use;
}

const char *picture_name(uint32_t attributes)
{
    return use_of(attributes)->made;
}

uint32_t picture_shows(const struct engine_file_array *array)
{
    const struct io_options first = {.component = 1};
    if (particles_are_positions(array))
        return OF_PARTICLES;
    if (!io_writes(io_format_named("png"), array, &first))
        return 0;
    return OF_GRIDS | (array->shape.rank == 3 && !array->batch ? OF_VOLUMES : 0) |
           (array->shape.components > 1 ? OF_COMPONENTS : 0);
}

/* What pictures of the plan, and of the run that it analyses, can show. */
static uint32_t plan_shows(const struct plan *plan)
{
    uint32_t shown = plan_is_batch(plan) ? OF_BATCHES : 0, masses = 0;
    for (const struct plan *of = plan; of; of = of->run)
        for (uint32_t i = 0; i < about(of)->fields.count; i++) {
            const struct engine_field *field = &about(of)->fields.at[i];
            const struct engine_file_array array = plan_written_array(of, i);
            if (field->kind == ENGINE_PARTICLES && strcmp(field->name, "mass") == 0)
                masses = OF_MASSES;
            if (plan_is_result(field))
                shown |= picture_shows(&array);
        }
    return shown | (shown & OF_PARTICLES ? masses : 0);
}

/* Refuses keys about pictures that no field of the plan, and of the run that it analyses, can use. Which formats are
 * written does not matter, so that --set output.formats does not make an error of other keys. */
static int check_picture_keys(const struct plan *plan, struct engine_error *error)
{
    const struct engine_param_array *keys = &output_section.about.keys;
    const uint32_t shown = plan_shows(plan);
    for (uint32_t i = 0; i < keys->count; i++) {
        const uint32_t needs = keys->at[i].flags & OF_PICTURES;
        const char *name = keys->at[i].name, *given = config_get(plan->config, "output", name);
        if (given && *given && use_of(needs)->written && !(needs & shown))
            return error_set(error, ENGINE_STATUS_USAGE,
                             "%s: [output] %s: nothing uses this key, because %s writes no %s; leave it out",
                             config_place(plan->config, "output", name), name, about(plan)->name,
                             use_of(needs)->written);
    }
    if (config_get(plan->config, "output", "slice") && output_settings(plan)->how.view != IO_SLICE)
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%s: [output] slice: nothing uses this key without view = slice; add that, or leave it out",
                         config_place(plan->config, "output", "slice"));
    if (output_settings(plan)->how.deep && output_settings(plan)->how.view == IO_SLICE)
        return error_set(error, ENGINE_STATUS_USAGE, "%s: [output] depth: a slice has no depth; leave one of them out",
                         config_place(plan->config, "output", "depth"));
    return 0;
}

/* Refuses a component that no grid has here; the first picture would find it only during the run. */
static int check_component(const struct plan *plan, struct engine_error *error)
{
    const uint32_t chosen = output_settings(plan)->how.component;
    char count[64];
    uint32_t most = 0;
    for (const struct plan *of = plan; of; of = of->run)
        for (uint32_t i = 0; i < about(of)->fields.count; i++)
            if (about(of)->fields.at[i].kind == ENGINE_GRID && of->shapes[i].components > most)
                most = of->shapes[i].components;
    if (chosen <= most)
        return 0;
    return error_set(
        error, ENGINE_STATUS_USAGE, "%s: [output] component = %u: the grids have at most %s; expected 0 to %u",
        config_place(plan->config, "output", "component"), chosen - 1, text_count(most, "component", count), most - 1);
}

/* Refuses a universe that the batch does not have here; the first picture would find it only during the run. */
static int check_universe(const struct plan *plan, struct engine_error *error)
{
    const uint64_t chosen = output_settings(plan)->how.universe, there = plan->settings.universes;
    return chosen <= there
               ? 0
               : error_set(error, ENGINE_STATUS_USAGE,
                           "%s: [output] universe = %llu: the batch has %llu universes; expected 0 to %llu",
                           config_place(plan->config, "output", "universe"), (unsigned long long) chosen - 1,
                           (unsigned long long) there, (unsigned long long) there - 1);
}

/* Refuses a slice outside the grid here; the first picture would find it only during the run. */
static int check_slice(const struct plan *plan, struct engine_error *error)
{
    const struct io_options *how = &output_settings(plan)->how;
    for (uint32_t i = 0; how->view == IO_SLICE && i < about(plan)->fields.count; i++) {
        const struct engine_file_array array = plan_written_array(plan, i);
        const uint64_t there = array.shape.extent[2 - how->axis];
        if (array.shape.rank == 3 && how->slice != IO_MIDDLE && (uint64_t) how->slice >= there)
            return error_set(
                error, ENGINE_STATUS_USAGE, "%s: [output] slice = %lld: %s has %llu cells along %c; expected 0 to %llu",
                config_place(plan->config, "output", "slice"), (long long) how->slice, about(plan)->fields.at[i].name,
                (unsigned long long) there, "zyx"[how->axis], (unsigned long long) there - 1);
    }
    return 0;
}

/* Refuses a region outside a grid that is written, and the keys about parts of grids where no grid is written. */
static int check_selection(const struct plan *plan, struct engine_error *error)
{
    static const char *const keys[] = {"region", "stride", "reduce"};
    const struct selection *selection = &output_settings(plan)->selection;
    bool used = selection_is_whole(selection);
    for (const struct plan *of = plan; of; of = of->run)
        for (uint32_t i = 0; i < about(of)->fields.count; i++) {
            const struct engine_field *field = &about(of)->fields.at[i];
            struct region region;
            if (!plan_is_selected(of, field) || !plan_is_written(of, field))
                continue;
            used = true;
            if (selection_find(selection, field, &of->shapes[i], plan_is_unbounded(of), &region, error) != 0) {
                char key[16];
                snprintf(key, sizeof key, "%.*s", (int) strcspn(error->text, ":"), error->text);
                return error_prefix(error, "%s: [output] ", config_place(plan->config, "output", key));
            }
        }
    for (size_t i = 0; !used && i < sizeof keys / sizeof keys[0]; i++)
        if (config_get(plan->config, "output", keys[i]))
            return error_set(error, ENGINE_STATUS_USAGE,
                             "%s: [output] %s: nothing uses this key, because %s writes no grid; leave it out%s",
                             config_place(plan->config, "output", keys[i]), keys[i], about(plan)->name,
                             ", or choose single particles with [output] probes");
    return 0;
}

/* Where there is an analysis, its plan checks [output] for both. */
static int check_output(const struct plan *plan, struct engine_error *error)
{
    if (!plan->run && *analyse_settings(plan)->plugin)
        return check_slice(plan, error);
    choose_formats(plan);
    if (check_selection(plan, error) != 0 || probes_check(plan, error) != 0 || check_names(plan, error) != 0 ||
        check_formats(plan, error) != 0 || check_picture_keys(plan, error) != 0 || check_component(plan, error) != 0 ||
        check_universe(plan, error) != 0)
        return error->status;
    return check_slice(plan, error);
}

int output_check_plans(const struct plan *run, const struct plan *analysis, struct engine_error *error)
{
    if (check_output(run, error) != 0)
        return error->status;
    return analysis ? check_output(analysis, error) : 0;
}

/* ---- [run] until -------------------------------------------------------------------------------------------- */

bool plan_waits_for(const struct plan *plan, enum until_kind kind)
{
    for (uint32_t i = 0; i < output_settings(plan)->until.count; i++)
        if (output_settings(plan)->until.at[i].kind == kind)
            return true;
    return false;
}

bool plan_needs_start(const struct plan *plan)
{
    return plan_waits_for(plan, UNTIL_REPEATS) || plan_waits_for(plan, UNTIL_SETTLED);
}

static bool has_state(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++)
        if (plan->plugin->about.fields.at[i].role == ENGINE_STATE)
            return true;
    return false;
}

int plan_check_until(const struct plan *run, struct engine_error *error)
{
    const char *place = config_place(run->config, "run", "until"), *name = run->plugin->about.name;
    const bool compares = plan_needs_start(run) || plan_waits_for(run, UNTIL_UNCHANGED);
    if (plan_waits_for(run, UNTIL_METRIC) && !run->impl->measure)
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%s: [run] until: %s/%s does not measure metrics; choose another [run] implementation", place,
                         name, run->impl->name);
    if (plan_waits_for(run, UNTIL_SETTLED) && (!plan_is_unbounded(run) || plan_is_strip(run)))
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%s: [run] until: spaceships depart on a grid alone that is unbounded along all axes; take "
                         "repeats instead of settled, or [grid] edges = unbounded",
                         place);
    if (plan_waits_for(run, UNTIL_EDGE) && !edge_can_be_met(run))
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%s: [run] until: edge needs one grid of states that has edges, and no [grid] batch", place);
    if (compares && !has_state(run))
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%s: [run] until: %s has no state that could repeat; compare a metric with a number, or leave "
                         "the key out",
                         place, name);
    if (compares && run->impl->flags & (ENGINE_SEEDED | ENGINE_TIMED))
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%s: [run] until: the steps of %s/%s %s, so a state that was seen before does "
                         "not repeat what followed it; compare a metric with a number, or leave the key out",
                         place, name, run->impl->name,
                         run->impl->flags & ENGINE_SEEDED ? "use random numbers" : "depend on their number");
    return 0;
}

/* ---- What other programs find ----------------------------------------------------------------------------------- */

void output_warn(const struct plan *plan)
{
    const struct output_settings *output = output_settings(plan);
    const uint64_t numbers = plan->settings.steps | output->every; /* odd: some file is of an odd step */
    char rule[PLAN_HEADER_MAX];
    if (plan->shapes[0].rank != 2)
        return;
    plan_header_text(plan, "rule", rule);
    for (uint32_t i = 0; i < output->format_count; i++) {
        const struct engine_file_format *format = output->formats[i]->about;
        const char *difference = format->keeps & ENGINE_HAS_RULE && is_written(plan, output->formats[i])
                                     ? golly_difference_of(format->name, rule, numbers % 2 == 1)
                                     : NULL;
        if (difference) {
            context_message(plan->context, ENGINE_LOG_WARNING, "[output] formats = %s: %s", format->name, difference);
            return; /* the others have the same rule */
        }
    }
}
