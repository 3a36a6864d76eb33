#include "formats/patterns/pattern.h"
#include "base/text.h"
#include "files/file_stream.h"
#include "formats/patterns/golly.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SAID_MAX = 1 << 16 };

static const struct {
    const char *key;
    char letter;
} said_as[PATTERN_NOTES] = {{"Name", 'N'}, {"Author", 'O'}, {"Comment", 'C'}};

int pattern_take_rule(const struct text_file *text, const char *rule, size_t length, struct pattern_header *header)
{
    if (length >= sizeof header->rule)
        return text_file_error(text, "the rule has %zu characters; the limit is %zu", length, sizeof header->rule - 1);
    memcpy(header->rule, rule, length);
    header->rule[length] = '\0';
    return text_file_check_printable(text, header->rule, "the rule");
}

/* Adds a line to the text of a note. */
static int add_line(const struct text_file *text, const char *line, char **said)
{
    const size_t old = *said != NULL ? strlen(*said) : 0, length = strlen(line);
    char *grown = text->file->allocate(text->file, old + length + 2);
    if (grown == NULL)
        return ENGINE_NO_MEMORY;
    snprintf(grown, old + length + 2, "%s%s\n", *said != NULL ? *said : "", line);
    text->file->release(text->file, *said);
    *said = grown;
    return 0;
}

int pattern_take_note(const struct text_file *text, int note, const char *line, struct pattern_header *header)
{
    char **said = &header->said[note];
    if (text->cut)
        io_note_skipped(header->skipped, "a part of the comments");
    if ((*said != NULL ? strlen(*said) : 0) + strlen(line) > SAID_MAX) {
        io_note_skipped(header->skipped, "a part of the comments");
        return 0;
    }
    char *clean = text_to_utf8(line, strlen(line));
    for (char *at = clean; at != NULL && *at != '\0'; at++)
        if ((unsigned char) *at < ' ')
            *at = ' ';
    const int code = clean != NULL ? add_line(text, clean, said) : ENGINE_NO_MEMORY;
    free(clean);
    return code;
}

int pattern_take_comment(const struct text_file *text, const char *line, struct pattern_header *header)
{
    const char *words = line + 2 + (line[1] != '\0' && line[2] == ' ');
    for (int note = 0; note < PATTERN_NOTES && line[1] != '\0'; note++)
        if ((line[1] == said_as[note].letter || (line[1] == 'c' && note == PATTERN_COMMENT)) &&
            strchr(" \t", line[2]) != NULL)
            return pattern_take_note(text, note, words, header);
    io_note_skipped(header->skipped, "the comments");
    return 0;
}

void pattern_remark_empty(struct pattern_header *header)
{
    io_remark(header->remarks, "the file has no live cells; it is read as one dead cell");
}

/* Lists the notes of the author. */
static void describe_notes(struct pattern *pattern, struct engine_file_content *content)
{
    content->notes = pattern->notes;
    for (int note = 0; note < PATTERN_NOTES; note++)
        if (pattern->header.said[note] != NULL)
            pattern->notes[content->note_count++] =
                (struct engine_file_note){said_as[note].key, pattern->header.said[note]};
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
    const char *difference = size[2] == 0 ? golly_difference(header->rule, header->step % 2 == 1) : NULL;
    if (difference != NULL)
        io_remark(pattern->header.remarks, "%s", difference);
    content->remarks = header->remarks[0] != '\0' ? header->remarks : NULL;
    content->pattern = &header->place;
    describe_notes(pattern, content);
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

static int put_range(void *context, uint64_t begin, const uint8_t *cells, uint64_t count)
{
    const struct pattern_writer *writer = context;
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

/* Behind a gap a few cells are read, and then more and more, because another gap may follow. */
int pattern_each(const struct engine_file *file, const struct engine_shape *shape, bool sparse,
                 int (*take)(void *context, uint64_t begin, const uint8_t *cells, uint64_t count), void *context)
{
    enum { LEAST = 1 << 9, MOST = 1 << 18 };
    uint64_t total, most = MOST / 2;
    if (!shape_cells(shape, &total))
        return ENGINE_FAIL_FILE(file, "the grid has more than 2^63 cells");
    uint8_t *cells = file->allocate(file, MOST);
    int code = cells != NULL ? 0 : ENGINE_NO_MEMORY;
    for (uint64_t begin = 0, at, count; code == 0 && begin < total; begin = at + count) {
        at = begin;
        code = sparse ? file->find(file, 0, begin, &at) : 0;
        if (code != 0 || at >= total)
            break;
        most = at > begin ? LEAST : most < MOST ? 2 * most : MOST;
        count = total - at < most ? total - at : most;
        code = file->get(file, 0, at, count, cells);
        if (code == 0)
            code = take(context, at, cells, count);
    }
    file->release(file, cells);
    return code;
}

int pattern_write(const struct engine_file *file, const struct engine_file_frame *frame, bool sparse,
                  int (*head)(FILE *stream, const struct engine_file_frame *frame),
                  int (*cell)(FILE *stream, const struct engine_file_content *content, uint64_t x, uint64_t y,
                              uint8_t state))
{
    struct pattern_writer writer = {file, frame->content, file_stream_open(file), cell};
    if (writer.stream == NULL)
        return ENGINE_NO_MEMORY;
    const int code = head(writer.stream, frame) > 0
                         ? pattern_each(file, &frame->content->arrays.at[0].shape, sparse, put_range, &writer)
                         : write_error(file);
    return file_stream_close(file, writer.stream, code);
}

int pattern_note_of(const char *key)
{
    for (int note = 0; note < PATTERN_NOTES; note++)
        if (strcmp(key, said_as[note].key) == 0)
            return note;
    return -1;
}

int pattern_put_marked(FILE *stream, const char *mark, const char *key, const char *line, int length)
{
    const bool comment = pattern_note_of(key) == PATTERN_COMMENT;
    return fprintf(stream, "%s%s%s%.*s\n", mark, comment ? "" : key, comment ? "" : ": ", length, line);
}

int pattern_put_comment(void *stream, const char *key, const char *line, int length)
{
    const int note = pattern_note_of(key);
    return note >= 0 ? fprintf(stream, "#%c %.*s\n", said_as[note].letter, length, line)
                     : fprintf(stream, "#C %s: %.*s\n", key, length, line);
}
