#include "formats/patterns/pattern.h"

#include <string.h>

int pattern_take_rule(const struct text_file *text, const char *rule, size_t length, struct pattern_header *header)
{
    if (length >= sizeof header->rule)
        return text_file_error(text, "the rule has %zu characters; the limit is %zu", length, sizeof header->rule - 1);
    memcpy(header->rule, rule, length);
    header->rule[length] = '\0';
    return text_file_check_printable(text, header->rule, "the rule");
}

void pattern_describe(struct pattern *pattern, const uint64_t size[3], uint32_t values,
                      struct engine_file_content *content)
{
    const struct pattern_header *header = &pattern->header;
    struct engine_shape *shape = &pattern->array.shape;
    pattern->array = (struct engine_file_array){.name = "", .kind = ENGINE_GRID, .values = values};
    *shape = (struct engine_shape){sizeof *shape, ENGINE_U8, 1, size[2] > 0 ? 3 : 2, {size[0], size[1], 1}};
    if (size[2] > 0)
        shape->extent[2] = size[2];
    content->arrays = (struct engine_file_array_array){&pattern->array, 1, sizeof pattern->array};
    content->rule = header->rule[0] != '\0' ? header->rule : NULL;
    content->skipped = header->skipped[0] != '\0' ? header->skipped : NULL;
    content->pattern = &header->place;
}

int pattern_frame(const struct engine_file *file, void *self, uint64_t number, struct engine_file_frame *frame)
{
    const struct pattern *pattern = self;
    (void) file;
    (void) number;
    frame->has = ENGINE_HAS_STEP;
    frame->step = pattern->header.step;
    return 0;
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

int pattern_holds(const struct engine_file_array *array)
{
    return array->shape.type == ENGINE_U8 && array->shape.components == 1 && array->shape.rank <= 2 &&
           array->shape.extent[2] == 1;
}

int pattern_put_notes(const struct engine_file_content *content, void *context,
                      int (*put)(void *context, const char *key, const char *line, int length))
{
    int written = 1;
    for (uint64_t i = 0; i < content->note_count; i++)
        for (const char *line = content->notes[i].text; written > 0 && *line != '\0';) {
            const int length = (int) strcspn(line, "\n");
            written = put(context, content->notes[i].key, line, length);
            line += length + (line[length] == '\n');
        }
    return written;
}
