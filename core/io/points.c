#include "io/points.h"
#include "io/format.h"

#include <stdlib.h>
#include <string.h>

/* Beyond every pattern, and so small that differences of coordinates fit into 64 bits. */
#define COORDINATE_MAX (INT64_C(1) << 60)

int points_add(struct points *points, const struct text_file *text, int64_t x, int64_t y, struct engine_error *error)
{
    if (x < -COORDINATE_MAX || x > COORDINATE_MAX || y < -COORDINATE_MAX || y > COORDINATE_MAX)
        return text_file_error(text, error, "a coordinate is further than 2^60 from 0");
    if (points->count == points->capacity) {
        uint64_t capacity = points->capacity != 0 ? points->capacity * 2 : 256;
        struct point *grown = realloc(points->at, capacity * sizeof *grown);
        if (grown == NULL)
            return error_memory(error, capacity * sizeof *grown, "a pattern's cells");
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
static int arrange(struct points *points, const struct text_file *text, uint64_t *height, struct engine_error *error)
{
    if (points->count == 0)
        return text_file_error(text, error, "the file ends without a live cell");
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
        return error_set(error, ENGINE_STATUS_INPUT, "%s: the cells span %llu x %llu; the limit is 2^48 cells",
                         text->path, (unsigned long long) points->width, (unsigned long long) *height);
    return 0;
}

static int read_cells(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                      struct engine_error *error)
{
    (void) array;
    (void) error;
    struct points *points = document->context;
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

static void close_document(struct io_document *document)
{
    struct points *points = document->context;
    free(points->at);
    free(points);
    free(document);
}

static int make_document(struct points *points, const struct text_file *text, struct io_document **document,
                         struct engine_error *error)
{
    uint64_t height = 0;
    int status = arrange(points, text, &height, error);
    if (status != 0)
        return status;
    struct io_document *made = io_new_grid(points->width, height, error);
    if (made == NULL)
        return error->status;
    memcpy(made->header.rule, points->rule, sizeof points->rule);
    if (points->comments)
        io_note_skipped(&made->header, "the comments");
    made->read = read_cells;
    made->close = close_document;
    made->context = points;
    *document = made;
    return 0;
}

int points_open(const char *path,
                int (*parse)(struct text_file *text, struct points *points, struct engine_error *error),
                struct io_document **document, struct engine_error *error)
{
    *document = NULL;
    struct text_file *text;
    int status = text_file_open(&text, path, error);
    if (status != 0)
        return status;
    struct points *points = calloc(1, sizeof *points);
    status = points != NULL ? parse(text, points, error) : error_memory(error, sizeof *points, "reading a pattern");
    if (status == 0)
        status = text_file_check(text, error);
    if (status == 0)
        status = make_document(points, text, document, error);
    text_file_close(text);
    if (status != 0 && points != NULL) {
        free(points->at);
        free(points);
    }
    return status;
}
