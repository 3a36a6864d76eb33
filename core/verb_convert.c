/* engine convert: one file format into another. */
#include "options.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "usage: engine convert IN OUT [options]\n"
    "\n"
    "Reads a file of any known format, told by its content, and writes it in the format that OUT's ending names.\n"
    "\n"
    "  --force                   writes over OUT if it is there\n"
    "  --scale N                 png: pixels a cell\n"
    "  --axis x|y|z              png of three axes: the one looked along, z where not given\n"
    "  --slice N                 png of three axes: that plane alone, -1: the middle one; otherwise live cells are\n"
    "                            added up along the axis\n"
    "  --quiet, --verbose\n"
    "\n"
    "Formats:\n";

static void print_formats(void)
{
    const struct io_format *format;
    for (uint32_t i = 0; (format = io_format_at(i)); i++)
        printf("  %-8s %s (%s)\n", format->name, format->help,
               format->open && format->write ? "read and written"
               : format->open                ? "read"
                                             : "written");
}

/* Files of plain bytes do not say how many values a cell takes: the highest there is tells, so that 0 and 1 become a
 * pattern and a black-and-white picture. Reads a document of its own. */
static int count_values(const char *in, uint32_t *values, struct error *error)
{
    enum { PIECE = 1 << 16 };
    struct io_document *document;
    uint8_t cells[PIECE], highest = 1;
    uint64_t count;
    if (io_open(in, &document, error) != 0)
        return error->status;
    *values = document->arrays[0].values;
    bool unknown = *values == 0 && document->arrays[0].shape.type == ENGINE_U8;
    int status = 0;
    if (!unknown || !shape_elements(&document->arrays[0].shape, &count))
        count = 0;
    for (uint64_t begin = 0; status == 0 && begin < count; begin += PIECE) {
        uint64_t n = count - begin < PIECE ? count - begin : PIECE;
        status = document->read(document, 0, begin, n, cells, error);
        for (uint64_t i = 0; status == 0 && i < n; i++)
            highest = cells[i] > highest ? cells[i] : highest;
    }
    document->close(document);
    if (unknown)
        *values = highest + 1u;
    return status;
}

/* Every cell is looked at, and a few bytes of a pattern may state hours of them; arrays hold what they state. */
static int check_size(const char *in, const struct io_document *document, struct error *error)
{
    const struct io_array *cells = &document->arrays[0];
    uint64_t count;
    if (cells->values != 2 || (shape_elements(&cells->shape, &count) && count <= (uint64_t) 1 << 38))
        return 0;
    return error_set(error, STATUS_INPUT,
                     "%s: states a grid of %llu x %llu x %llu cells: patterns of at most 2^38 are converted", in,
                     (unsigned long long) cells->shape.extent[0], (unsigned long long) cells->shape.extent[1],
                     (unsigned long long) cells->shape.extent[2]);
}

static int convert_files(const struct options *options, struct error *error)
{
    const char *in = options->words[0], *out = options->words[1];
    const struct io_format *format = io_format_of_path(out);
    struct io_document *document;
    struct stat there;
    uint32_t values = 0;
    if (!format || !format->write)
        return error_set(error, STATUS_USAGE, "%s: %s; `engine convert --help` lists the formats that can be written",
                         out, format ? "this format is only read" : "its ending names no format");
    if (!options->force && stat(out, &there) == 0)
        return error_set(error, STATUS_OUTPUT, "%s: is there already; give another name, or --force", out);
    if (count_values(in, &values, error) != 0 || io_open(in, &document, error) != 0)
        return error->status;
    int status = check_size(in, document, error);
    document->arrays[0].values = values;
    if (status == 0)
        status = io_write(format, out, document, &options->picture, error);
    document->close(document);
    return status;
}

static int convert(int count, char **words)
{
    struct options options;
    struct error error;
    if (options_read(&verb_convert, count, words, OPTION_FORCE | OPTION_PICTURE, 2, 2, &options, &error) != 0)
        return report(&error);
    if (options.help) {
        print_formats();
        return finish_stdout(STATUS_DONE);
    }
    return convert_files(&options, &error) != 0 ? report(&error) : STATUS_DONE;
}

const struct verb verb_convert = {"convert", "turns one file format into another", help, convert};
