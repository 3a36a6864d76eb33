#include "record/asked.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct engine_outputs *outputs_of(const struct plan *plan)
{
    const struct engine_plugin *about = &plan->plugin->about;
    return about->extension ? about->extension(ENGINE_OUTPUTS, 1) : NULL;
}

bool plan_is_asked(const struct plan *plan, const struct engine_field *field)
{
    const struct engine_outputs *outputs = outputs_of(plan);
    uint32_t index = 0;
    if (!outputs || !outputs->is_asked || field->role != ENGINE_OUTPUT)
        return true;
    while (strcmp(plan->plugin->about.fields.at[index].name, field->name) != 0)
        index++;
    return outputs->is_asked(&plan->for_plugin, index) != 0;
}

void plan_describe_plot(const struct plan *plan, uint32_t field, struct engine_plot *plot)
{
    const struct engine_plugin *about = &plan->plugin->about;
    const struct engine_plots *plots = about->extension ? about->extension(ENGINE_PLOTS, 1) : NULL;
    *plot = (struct engine_plot){.size = sizeof *plot};
    if (plots && plots->size >= sizeof *plots)
        plots->plot(&plan->for_plugin, field, plot);
}

/* The first output that has several rows of bins; NULL: there is none. */
static const struct engine_field *field_of_rows(const struct plan *plan, uint32_t *count)
{
    const struct engine_field_array *fields = &plan->plugin->about.fields;
    for (uint32_t i = 0; i < fields->count; i++) {
        *count = (uint32_t) plan->shapes[i].extent[1];
        if (fields->at[i].kind == ENGINE_BINS && plan->shapes[i].rank == 2 && plan_is_asked(plan, &fields->at[i]))
            return &fields->at[i];
    }
    *count = 0;
    return NULL;
}

char (*plan_row_names(const struct plan *plan, uint32_t *count))[IO_ROW_SIZE]
{
    const struct engine_outputs *outputs = outputs_of(plan);
    char(*names)[IO_ROW_SIZE] = NULL;
    if (field_of_rows(plan, count) && outputs && outputs->name_row)
        names = calloc(*count, sizeof *names);
    for (uint32_t row = 0; names && row < *count; row++)
        outputs->name_row(&plan->for_plugin, row, names[row], sizeof names[row]);
    return names;
}

char *plan_row_text(const struct plan *plan)
{
    uint32_t count;
    size_t bytes = 0;
    char *text = NULL, (*names)[IO_ROW_SIZE] = plan_row_names(plan, &count);
    FILE *out = names ? open_memstream(&text, &bytes) : NULL;
    for (uint32_t row = 0; out && row < count; row++)
        fprintf(out, "%s%s_%u = %s", row ? ", " : "", field_of_rows(plan, &count)->name, row, names[row]);
    free(names);
    return out && text_stream_close(out, &text) ? text : NULL;
}
