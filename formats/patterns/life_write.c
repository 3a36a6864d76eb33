/* Writes Life 1.05 as one block, whose rule has the bounded grid in Golly's notation, and Life 1.06. Both have the
 * places of the cells in Golly's coordinates. */
#include "formats/patterns/rle.h"

#include <string.h>

/* ---- Life 1.05 -------------------------------------------------------------------------------------------------- */

static int put_note(void *stream, const char *key, const char *line, int length)
{
    return pattern_put_marked(stream, "#D ", key, line, length);
}

/* "#N" is Conway's rule. */
static int put_rule(FILE *stream, const struct engine_file_content *content)
{
    const bool bounded = content->pattern != NULL && content->pattern->grid[0] != 0;
    if (content->rule == NULL)
        return 1;
    if (strcmp(content->rule, "B3/S23") == 0 && !bounded)
        return fprintf(stream, "#N\n");
    return fprintf(stream, "#R ") > 0 && pattern_put_survivals(stream, content->rule) > 0 &&
           rle_put_bounded(stream, content) > 0 && fprintf(stream, "\n") > 0;
}

static int put_head_105(FILE *stream, const struct engine_file_frame *frame)
{
    const struct engine_file_content *content = frame->content;
    return fprintf(stream, "#Life 1.05\n") > 0 && pattern_put_notes(content, stream, put_note) > 0 &&
           put_rule(stream, content) > 0 &&
           fprintf(stream, "#P %lld %lld\n", rle_position(content, 0), rle_position(content, 1)) > 0;
}

static int put_cell_105(FILE *stream, const struct engine_file_content *content, uint64_t x, uint64_t y, uint8_t state)
{
    (void) y;
    return pattern_put_cell(stream, content, x, state, '*');
}

int life105_write_frame(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    (void) self;
    return pattern_write(file, frame, false, put_head_105, put_cell_105);
}

/* ---- Life 1.06 -------------------------------------------------------------------------------------------------- */

static int put_head_106(FILE *stream, const struct engine_file_frame *frame)
{
    (void) frame;
    return fprintf(stream, "#Life 1.06\n");
}

static int put_cell_106(FILE *stream, const struct engine_file_content *content, uint64_t x, uint64_t y, uint8_t state)
{
    if (state == 0)
        return 1;
    return fprintf(stream, "%lld %lld\n", rle_position(content, 0) + (long long) x,
                   rle_position(content, 1) + (long long) y);
}

int life106_write_frame(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    (void) self;
    return pattern_write(file, frame, true, put_head_106, put_cell_106);
}
