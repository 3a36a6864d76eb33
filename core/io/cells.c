/* Plaintext patterns (.cells): '!' begins a comment, '.' is dead, 'O' or '*' is alive. A line is a row; dead cells
 * complete short rows. The file does not state its size, so it is read twice: first for the size and for errors, then
 * for the cells. */
#include "io/format.h"
#include "io/text_file.h"

#include <stdlib.h>
#include <string.h>

struct plain {
    struct text_file *text;
    uint64_t width;
    uint64_t x, y; /* of the next cell */
    uint64_t next; /* index of the live cell that was parsed last */
    bool comments; /* the file has comments */
    bool done;
};

/* Moves to the next live cell and returns '*', or to the end of the row ('\n'), or to the end of the file (-1). */
static int next_of_row(struct plain *plain)
{
    for (;;) {
        bool first = plain->text->line_begins;
        int byte = text_file_get(plain->text);
        if (first && byte == '!') {
            plain->comments = true;
            text_file_skip_line(plain->text);
        } else if (byte == '.')
            plain->x++;
        else if (byte != ' ' && byte != '\t')
            return byte == 'O' ? '*' : byte;
    }
}

static int refuse(const struct text_file *text, int byte, struct engine_error *error)
{
    if (byte > ' ' && byte < 127)
        return text_file_error(text, error, "'%c' is not a cell; expected '.', 'O' or '*', or '!' before a comment",
                               byte);
    return text_file_error(text, error, "byte 0x%02X is not a cell; expected '.', 'O' or '*'", (unsigned) byte);
}

/* Finds the size. Blank lines are rows of dead cells, except at the end of the file. */
static int measure(struct plain *plain, uint64_t *height, struct engine_error *error)
{
    int byte;
    *height = 0;
    do {
        byte = next_of_row(plain);
        plain->x += byte == '*';
        if (byte != '*' && byte != '\n' && byte != -1)
            return refuse(plain->text, byte, error);
        if (plain->x > plain->width)
            plain->width = plain->x;
        if (plain->x > 0)
            *height = plain->y + 1;
        if (byte == '\n') {
            plain->x = 0;
            plain->y++;
        }
    } while (byte != -1);
    int status = text_file_check(plain->text, error);
    if (status == 0 && plain->width == 0)
        return text_file_error(plain->text, error, "the file contains no cell; expected rows of '.' and 'O'");
    if (status == 0 && !io_size_fits(plain->width, *height))
        return text_file_error(plain->text, error, "the pattern spans more than 2^48 cells");
    return status;
}

static int next_live(struct plain *plain, struct engine_error *error)
{
    for (;;) {
        int byte = next_of_row(plain);
        if (byte == '*') {
            plain->next = plain->y * plain->width + plain->x++;
            return 0;
        }
        if (byte == -1) {
            plain->done = true;
            return text_file_check(plain->text, error);
        }
        if (byte != '\n' || plain->x > plain->width)
            return text_file_error(plain->text, error, "the file changed while it was read");
        plain->x = 0;
        plain->y++;
    }
}

static int read_cells(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                      struct engine_error *error)
{
    (void) array;
    struct plain *plain = document->context;
    memset(out, 0, count);
    for (;;) {
        if (plain->done || plain->next >= begin + count)
            return 0;
        if (plain->next >= begin)
            ((uint8_t *) out)[plain->next - begin] = 1;
        int status = next_live(plain, error);
        if (status != 0)
            return status;
    }
}

static void close_document(struct io_document *document)
{
    struct plain *plain = document->context;
    text_file_close(plain->text);
    free(plain);
    free(document);
}

static int prepare(struct plain *plain, struct io_document **document, struct engine_error *error)
{
    uint64_t height;
    int status = measure(plain, &height, error);
    if (status == 0)
        status = text_file_rewind(plain->text, error);
    plain->x = plain->y = 0;
    if (status == 0)
        status = next_live(plain, error);
    if (status != 0)
        return status;
    *document = io_new_grid(plain->width, height, error);
    if (*document == NULL)
        return error->status;
    if (plain->comments)
        io_note_skipped(&(*document)->header, "the comments");
    (*document)->read = read_cells;
    (*document)->close = close_document;
    (*document)->context = plain;
    return 0;
}

static int open_cells(const char *path, struct io_document **document, struct engine_error *error)
{
    *document = NULL;
    struct plain *plain = calloc(1, sizeof *plain);
    if (plain == NULL)
        return error_memory(error, sizeof *plain, "reading a pattern");
    int status = text_file_open(&plain->text, path, error);
    if (status == 0)
        status = prepare(plain, document, error);
    if (status != 0) {
        text_file_close(plain->text);
        free(plain);
    }
    return status;
}

static const struct engine_file_format about = {
    ENGINE_FILE_FORMAT("cells", "1.0", "plaintext pattern of '.' and 'O'", ".cells .cells.gz"),
};

static const struct io_own own = {
    .open = open_cells,
};

const struct io_format io_cells = {.about = &about, .own = &own};
