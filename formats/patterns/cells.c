/* Plaintext patterns (.cells): '!' begins a comment, '.' is dead, 'O' or '*' is alive. A line is a row; dead cells
 * complete short rows. The file does not state its size, so it is read twice: first for the size and for errors, then
 * for the cells. */
#include "files/text_file.h"
#include "formats/patterns/pattern.h"

#include <string.h>

struct plain {
    struct pattern pattern;
    struct text_file *text;
    uint64_t width;
    uint64_t x, y; /* of the next cell */
    uint64_t next; /* index of the live cell that was parsed last */
    bool measured; /* the comments were taken */
    bool done;
    int code; /* of taking them */
};

/* A comment may give the pattern its name and its author, `!Name: Glider`. */
static void take_comment(struct plain *plain)
{
    static const char *const words[] = {[PATTERN_NAME] = "Name: ", [PATTERN_AUTHOR] = "Author: "};
    char line[4096];
    int note = PATTERN_COMMENT;
    size_t begin = 0;
    text_file_line(plain->text, line, sizeof line);
    for (int i = 0; i < PATTERN_COMMENT; i++)
        if (strncmp(line, words[i], strlen(words[i])) == 0) {
            begin = strlen(words[i]);
            note = i;
        }
    if (!plain->measured && plain->code == 0)
        plain->code = pattern_take_note(plain->text, note, line + begin, &plain->pattern.header);
}

/* Moves to the next live cell and returns '*', or to the end of the row ('\n'), or to the end of the file (-1). */
static int next_of_row(struct plain *plain)
{
    for (;;) {
        bool first = plain->text->line_begins;
        int byte = text_file_get(plain->text);
        if (first && byte == '!')
            take_comment(plain);
        else if (byte == '.')
            plain->x++;
        else if (byte != ' ' && byte != '\t')
            return byte == 'O' ? '*' : byte;
    }
}

static int refuse(const struct text_file *text, int byte)
{
    if (byte > ' ' && byte < 127)
        return text_file_error(text, "'%c' is not a cell; expected '.', 'O' or '*', or '!' before a comment", byte);
    return text_file_error(text, "byte 0x%02X is not a cell; expected '.', 'O' or '*'", (unsigned) byte);
}

/* Finds the size. Blank lines are rows of dead cells, except at the end of the file. */
static int measure(struct plain *plain, uint64_t *height)
{
    int byte;
    *height = 0;
    do {
        byte = next_of_row(plain);
        plain->x += byte == '*';
        if (byte != '*' && byte != '\n' && byte != -1)
            return refuse(plain->text, byte);
        if (plain->x > plain->width)
            plain->width = plain->x;
        if (plain->x > 0)
            *height = plain->y + 1;
        if (byte == '\n') {
            plain->x = 0;
            plain->y++;
        }
    } while (byte != -1);
    int status = text_file_check(plain->text);
    plain->measured = true;
    if (status == 0 && plain->width == 0) {
        pattern_remark_empty(&plain->pattern.header);
        plain->width = *height = 1;
    }
    if (status == 0 && !io_size_fits(plain->width, *height))
        return text_file_error(plain->text, "the pattern spans more than 2^48 cells");
    return status;
}

static int next_live(struct plain *plain)
{
    for (;;) {
        int byte = next_of_row(plain);
        if (byte == '*') {
            plain->next = plain->y * plain->width + plain->x++;
            return 0;
        }
        if (byte == -1) {
            plain->done = true;
            return text_file_check(plain->text);
        }
        if (byte != '\n' || plain->x > plain->width)
            return text_file_error(plain->text, "the file changed while it was read");
        plain->x = 0;
        plain->y++;
    }
}

static int read_cells(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                      uint64_t count, void *out)
{
    (void) number;
    (void) array;
    struct plain *plain = self;
    plain->text->file = file;
    memset(out, 0, count);
    for (;;) {
        if (plain->done || plain->next >= begin + count)
            return 0;
        if (plain->next >= begin)
            ((uint8_t *) out)[plain->next - begin] = 1;
        const int code = next_live(plain);
        if (code != 0)
            return code;
    }
}

static int prepare(struct plain *plain, struct engine_file_content *content)
{
    uint64_t size[3] = {0};
    int code = measure(plain, &size[1]);
    size[0] = plain->width;
    if (code == 0)
        code = text_file_rewind(plain->text);
    plain->x = plain->y = 0;
    if (code == 0)
        code = next_live(plain);
    if (code == 0)
        code = plain->code;
    if (code == 0)
        pattern_describe(&plain->pattern, size, 2, content);
    return code;
}

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    struct plain *plain = io_new(file, sizeof *plain);
    if (plain == NULL)
        return ENGINE_NO_MEMORY;
    *self = plain;
    const int code = text_file_open(&plain->text, file);
    return code == 0 ? prepare(plain, content) : code;
}

static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    (void) name;
    (void) bytes;
    return text_file_begins(begin, count, "!");
}

const struct engine_file_format cells_file_format = {
    ENGINE_FILE_FORMAT("cells", "1.0", "plaintext pattern of '.' and 'O'", ".cells .cells.gz"),
    .flags = ENGINE_FORMAT_PACKED | ENGINE_FORMAT_RANGES | ENGINE_FORMAT_NOTES,
    .probe = probe,
    .open = open_file,
    .frame = pattern_frame,
    .read = read_cells,
    .create = io_keep_nothing,
    .write = cells_write_frame,
    .holds = pattern_holds_two,
    .bytes = ENGINE_SIZE_TREE,
};
