#include "record/probes.h"
#include "base/nearest.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static int refuse(const struct plan *plan, struct engine_error *error)
{
    return error_prefix(error, "%s: [output] probes: ", config_place(plan->config, "output", "probes"));
}

/* The names that a probe may have: results of the plan, then those of the run that it analyses. */
static const char *result_at(const void *list, uint32_t index)
{
    for (const struct plan *plan = list; plan; plan = plan->run)
        for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++)
            if (plan_is_result(&plan->plugin->about.fields.at[i]) && index-- == 0)
                return plan->plugin->about.fields.at[i].name;
    return NULL;
}

/* The result of the plan that has the name which begins the word, or -1. */
static int field_of(const struct plan *plan, const char *word)
{
    const size_t length = strcspn(word, ":");
    for (uint32_t i = 0; plan && i < plan->plugin->about.fields.count; i++) {
        const struct engine_field *field = &plan->plugin->about.fields.at[i];
        if (plan_is_result(field) && strlen(field->name) == length && strncmp(field->name, word, length) == 0)
            return (int) i;
    }
    return -1;
}

static const char *noun_of(const struct engine_field *field)
{
    return field->kind == ENGINE_PARTICLES ? "particle" : field->kind == ENGINE_BINS ? "bin" : "cell";
}

/* Reads the numbers behind the name of the field. Returns how many there are; 0 for any other text. */
static uint32_t read_place(const char *word, uint64_t place[3])
{
    const char *at = word + strcspn(word, ":");
    uint32_t count = 0;
    for (int64_t number; *at == ':' && count < 3; place[count++] = (uint64_t) number)
        if (*++at < '0' || *at > '9' || !text_number(&at, &number))
            return 0;
    return *at == '\0' ? count : 0;
}

/* Finds the cell of a probe. The error comes without its place. */
static int find_cell(const struct plan *plan, const char *word, struct probe *probe, struct engine_error *error)
{
    const struct engine_field *field = &plan->plugin->about.fields.at[probe->field];
    const struct engine_shape *shape = &plan->shapes[probe->field];
    uint64_t place[3];
    const uint32_t count = read_place(word, place);
    char size[SHAPE_TEXT];
    probe->cell = (struct region){{0, 0, 0}, {1, 1, 1}, {1, 1, 1}, REGION_FIRST};
    snprintf(probe->name, sizeof probe->name, "%s", word);
    if (field->kind == ENGINE_MATRIX || shape->type > ENGINE_F64)
        return error_set(error, ENGINE_STATUS_USAGE, "'%s': %s; expected a grid, particles or bins of real numbers",
                         probe->name,
                         field->kind == ENGINE_MATRIX ? "the field is a matrix" : "the numbers are complex");
    if (count != shape->rank)
        return error_set(error, ENGINE_STATUS_USAGE, "'%.100s' is not a %s of %s; expected %s:%s, counted from 0", word,
                         noun_of(field), field->name, field->name,
                         field->kind != ENGINE_GRID ? "index"
                         : shape->rank == 1         ? "x"
                         : shape->rank == 2         ? "x:y"
                                                    : "x:y:z");
    for (uint32_t axis = 0; axis < count; axis++) {
        if (place[axis] >= shape->extent[axis])
            return error_set(error, ENGINE_STATUS_USAGE, "there is no %s '%s': %s has %s %ss, counted from 0",
                             noun_of(field), probe->name, field->name, shape_text(field, shape, size), noun_of(field));
        probe->cell.begin[axis] = place[axis];
        probe->cell.end[axis] = place[axis] + 1;
    }
    return 0;
}

/* Adds the probe of a word, unless its field is not one of the plan's. */
static int add_probe(const struct plan *plan, const char *word, struct probes *probes, struct engine_error *error)
{
    const int field = field_of(plan, word);
    if (field < 0 || field_of(plan->run, word) >= 0)
        return 0;
    struct probe *more = realloc(probes->at, (probes->count + 1) * sizeof *more);
    if (!more)
        return error_memory(error, sizeof *more, "probes");
    probes->at = more;
    more[probes->count].field = (uint32_t) field;
    if (find_cell(plan, word, &more[probes->count], error) != 0)
        return error->status;
    for (uint32_t i = 0; i < probes->count; i++)
        if (strcmp(more[i].name, word) == 0)
            return error_set(error, ENGINE_STATUS_USAGE, "'%s' is listed twice", word);
    probes->count++;
    return 0;
}

/* Calls a function for each word of the key, until one returns an error. */
static int each_word(const struct plan *plan, struct probes *probes,
                     int (*visit)(const struct plan *plan, const char *word, struct probes *probes,
                                  struct engine_error *error),
                     struct engine_error *error)
{
    char *words = strdup(output_settings(plan)->probes), *rest = NULL;
    if (!words)
        return error_memory(error, 1, "probes");
    int status = 0;
    for (char *word = strtok_r(words, " \t", &rest); status == 0 && word; word = strtok_r(NULL, " \t", &rest))
        status = visit(plan, word, probes, error);
    free(words);
    return status == ENGINE_STATUS_USAGE ? refuse(plan, error) : status;
}

int probes_find(const struct plan *plan, struct probes *probes, struct engine_error *error)
{
    *probes = (struct probes){0};
    return each_word(plan, probes, add_probe, error);
}

/* Refuses a word that names no result of the plan and of its run. */
static int check_word(const struct plan *plan, const char *word, struct probes *probes, struct engine_error *error)
{
    (void) probes;
    char name[128], hint[128];
    snprintf(name, sizeof name, "%.*s", (int) strcspn(word, ":"), word);
    if (field_of(plan, word) >= 0 || field_of(plan->run, word) >= 0)
        return 0;
    return error_set(error, ENGINE_STATUS_USAGE,
                     "'%.100s': '%s' is not a state or an output%s; expected a field and a place, such as %s:%s", word,
                     name, nearest_hint(hint, name, result_at, plan), result_at(plan, 0) ? result_at(plan, 0) : "cells",
                     plan->plugin->about.fields.at[0].kind == ENGINE_GRID ? "10:20" : "10");
}

int probes_check(const struct plan *plan, struct engine_error *error)
{
    if (each_word(plan, NULL, check_word, error) != 0)
        return error->status;
    for (const struct plan *of = plan; of; of = of->run) {
        struct probes probes;
        const int status = probes_find(of, &probes, error);
        free(probes.at);
        if (status != 0)
            return status;
    }
    return 0;
}

const char *probe_column(const struct plan *plan, const struct probe *probe, uint32_t component,
                         char text[PROBE_COLUMN])
{
    const uint32_t components = plan->shapes[probe->field].components;
    if (components == 1)
        snprintf(text, PROBE_COLUMN, "%s", probe->name);
    else if (components <= 3)
        snprintf(text, PROBE_COLUMN, "%s.%c", probe->name, "xyz"[component]);
    else
        snprintf(text, PROBE_COLUMN, "%s.%u", probe->name, component);
    return text;
}
