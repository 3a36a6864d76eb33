#include "formats/patterns/pattern.h"
#include "formats/patterns/golly.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int pattern_note_of(const char *key)
{
    for (int note = 0; note < PATTERN_NOTES; note++)
        if (strcmp(key, said_as[note].key) == 0)
            return note;
    return -1;
}

int pattern_put_comment(void *stream, const char *key, const char *line, int length)
{
    const int note = pattern_note_of(key);
    return note >= 0 ? fprintf(stream, "#%c %.*s\n", said_as[note].letter, length, line)
                     : fprintf(stream, "#C %s: %.*s\n", key, length, line);
}
