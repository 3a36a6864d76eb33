#include "formats/patterns/pattern.h"
#include "files/file_stream.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

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

int pattern_holds_two(const struct engine_file_array *array)
{
    return pattern_holds(array) && array->values <= 2;
}

int pattern_put_cell(FILE *stream, const struct engine_file_content *content, uint64_t x, uint8_t state, char live)
{
    const bool last = x + 1 == content->arrays.at[0].shape.extent[0];
    return putc(state != 0 ? live : '.', stream) != EOF && (!last || putc('\n', stream) != EOF);
}

int pattern_put_survivals(FILE *stream, const char *rule)
{
    static const char digits[] = "012345678";
    const char *births = rule + 1, *survivals;
    const int born = *rule == 'B' || *rule == 'b' ? (int) strspn(births, digits) : 0;
    survivals = births + born + 2;
    if ((*rule != 'B' && *rule != 'b') || strncasecmp(births + born, "/S", 2) != 0 ||
        survivals[strspn(survivals, digits)] != '\0')
        return fprintf(stream, "%s", rule);
    return fprintf(stream, "%s/%.*s", survivals, born, births);
}

/* A frame that is written. */
struct pattern_writer {
    const struct engine_file *file;
    const struct engine_file_content *content;
    FILE *stream;
    int (*cell)(FILE *stream, const struct engine_file_content *content, uint64_t x, uint64_t y, uint8_t state);
};

static int write_error(const struct engine_file *file)
{
    return ENGINE_FAIL_FILE(file, "cannot be written: %s", strerror(errno != 0 ? errno : EIO));
}

static int put_range(const struct pattern_writer *writer, uint64_t begin, const uint8_t *cells, uint64_t count)
{
    const uint64_t width = writer->content->arrays.at[0].shape.extent[0];
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t x = (begin + i) % width, y = (begin + i) / width;
        if (cells[i] > 1)
            return ENGINE_FAIL_FILE(writer->file, "cell %llu %llu is %u; the format holds only 0 and 1",
                                    (unsigned long long) x, (unsigned long long) y, cells[i]);
        if (writer->cell(writer->stream, writer->content, x, y, cells[i]) <= 0)
            return write_error(writer->file);
    }
    return 0;
}

static int put_array(const struct pattern_writer *writer)
{
    enum { CHUNK = 1 << 16 };
    const struct engine_file *file = writer->file;
    uint64_t total;
    if (!shape_cells(&writer->content->arrays.at[0].shape, &total))
        return ENGINE_FAIL_FILE(file, "the grid has more than 2^63 cells");
    uint8_t *cells = file->allocate(file, CHUNK);
    int code = cells != NULL ? 0 : ENGINE_NO_MEMORY;
    for (uint64_t begin = 0; code == 0 && begin < total; begin += CHUNK) {
        const uint64_t count = total - begin < CHUNK ? total - begin : CHUNK;
        code = file->get(file, 0, begin, count, cells);
        if (code == 0)
            code = put_range(writer, begin, cells, count);
    }
    file->release(file, cells);
    return code;
}

int pattern_write(const struct engine_file *file, const struct engine_file_frame *frame,
                  int (*head)(FILE *stream, const struct engine_file_frame *frame),
                  int (*cell)(FILE *stream, const struct engine_file_content *content, uint64_t x, uint64_t y,
                              uint8_t state))
{
    const struct pattern_writer writer = {file, frame->content, file_stream_open(file), cell};
    if (writer.stream == NULL)
        return ENGINE_NO_MEMORY;
    const int code = head(writer.stream, frame) > 0 ? put_array(&writer) : write_error(file);
    return file_stream_close(file, writer.stream, code);
}
