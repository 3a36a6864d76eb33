/* Writes plaintext patterns: the rule and the notes as comments, and every cell, so that the size is kept. */
#include "formats/patterns/pattern.h"

static int put_note(void *stream, const char *key, const char *line, int length)
{
    return pattern_put_marked(stream, "!", key, line, length);
}

static int put_head(FILE *stream, const struct engine_file_frame *frame)
{
    const struct engine_file_content *content = frame->content;
    int written = 1; /* the first line is a comment, by which the format is recognised */
    if (content->rule != NULL || content->note_count == 0)
        written = fprintf(stream, "!%s%s\n", content->rule != NULL ? "Rule: " : "",
                          content->rule != NULL ? content->rule : "");
    return written > 0 ? pattern_put_notes(content, stream, put_note) : written;
}

static int put_cell(FILE *stream, const struct engine_file_content *content, uint64_t x, uint64_t y, uint8_t state)
{
    (void) y;
    return pattern_put_cell(stream, content, x, state, 'O');
}

int cells_write_frame(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    (void) self;
    return pattern_write(file, frame, false, put_head, put_cell);
}
