#include "io/points.h"

#include <stdlib.h>
#include <string.h>

/* Beyond every pattern, and so small that differences of coordinates fit into 64 bits. */
#define COORDINATE_MAX (INT64_C(1) << 60)

int points_add(struct points *points, const struct text_file *text, int64_t x, int64_t y)
{
    if (x < -COORDINATE_MAX || x > COORDINATE_MAX || y < -COORDINATE_MAX || y > COORDINATE_MAX)
        return text_file_error(text, "a coordinate is further than 2^60 from 0");
    if (points->count == points->capacity) {
        uint64_t capacity = points->capacity != 0 ? points->capacity * 2 : 256;
        struct point *grown = realloc(points->at, capacity * sizeof *grown);
        if (grown == NULL)
            return text_file_memory(text, capacity * sizeof *grown, "a pattern's cells");
        points->at = grown;
        points->capacity = capacity;
    }
    points->at[points->count++] = (struct point){x, y};
    return 0;
}

static int in_reading_order(const void *first, const void *second)
{
    const struct point *a = first, *b = second;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    return (a->x > b->x) - (a->x < b->x);
}

/* Sorts the cells and finds their bounding box. */
static int arrange(struct points *points, const struct text_file *text, uint64_t *height)
{
    if (points->count == 0)
        return text_file_error(text, "the file ends without a live cell");
    qsort(points->at, points->count, sizeof *points->at, in_reading_order);
    int64_t right = points->at[0].x;
    points->left = right;
    points->top = points->at[0].y;
    for (uint64_t i = 0; i < points->count; i++) {
        if (points->at[i].x < points->left)
            points->left = points->at[i].x;
        if (points->at[i].x > right)
            right = points->at[i].x;
    }
    points->width = (uint64_t) (right - points->left) + 1;
    *height = (uint64_t) (points->at[points->count - 1].y - points->top) + 1;
    if (!io_size_fits(points->width, *height))
        return ENGINE_FAIL_FILE(text->file, "the cells span %llu x %llu; the limit is 2^48 cells",
                                (unsigned long long) points->width, (unsigned long long) *height);
    return 0;
}

int points_read(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                uint64_t count, void *out)
{
    (void) file;
    (void) number;
    (void) array;
    struct points *points = self;
    memset(out, 0, count);
    for (; points->next < points->count; points->next++) {
        const struct point *point = &points->at[points->next];
        uint64_t index = (uint64_t) (point->y - points->top) * points->width + (uint64_t) (point->x - points->left);
        if (index >= begin + count)
            return 0;
        if (index >= begin)
            ((uint8_t *) out)[index - begin] = 1;
    }
    return 0;
}

void points_close(const struct engine_file *file, void *self)
{
    struct points *points = self;
    (void) file;
    free(points->at);
    free(points);
}

static int fill(struct points *points, struct text_file *text, struct engine_file_content *content,
                int (*parse)(struct text_file *text, struct points *points))
{
    uint64_t size[3] = {0};
    int code = parse(text, points);
    if (code == 0)
        code = text_file_check(text);
    if (code == 0)
        code = arrange(points, text, &size[1]);
    size[0] = points->width;
    if (points->comments)
        io_note_skipped(points->pattern.header.skipped, "the comments");
    if (code == 0)
        pattern_describe(&points->pattern, size, 2, content);
    return code;
}

int points_open(const struct engine_file *file, struct engine_file_content *content, void **self,
                int (*parse)(struct text_file *text, struct points *points))
{
    struct text_file *text;
    int code = text_file_open(&text, file);
    if (code != 0)
        return code;
    struct points *points = calloc(1, sizeof *points);
    *self = points;
    code = points != NULL ? fill(points, text, content, parse)
                          : text_file_memory(text, sizeof *points, "reading a pattern");
    text_file_close(text);
    if (code != 0 && points != NULL)
        points_close(file, points);
    return code;
}
