/* Writes particles as lines of text. */
#include "io/gzip.h"
#include "io/particles.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 4096, NUMBER_SIZE = 32, ROW_START = 64 }; /* rows at a time; characters */

/* ---- Which arrays ------------------------------------------------------------------------------------------- */

/* Gives the number of particles and of components of an array: (n) with components, or (n, components). Returns false
 * for other shapes. */
static bool shape_of(const struct io_array *array, uint64_t *count, uint32_t *components)
{
    const struct engine_shape *shape = &array->shape;
    const bool plain = shape->rank == 1, columns = shape->rank == 2 && shape->components == 1;
    *count = shape->extent[shape->rank - 1];
    *components = plain ? shape->components : (uint32_t) shape->extent[0];
    return plain || (columns && shape->extent[0] <= UINT32_MAX);
}

bool particles_are_positions(const struct io_array *array)
{
    uint64_t count;
    uint32_t components;
    const bool real = array->shape.type == ENGINE_F32 || array->shape.type == ENGINE_F64;
    const bool named = array->name[0] == '\0' || strcmp(array->name, "position") == 0;
    return real && named && shape_of(array, &count, &components) && components == 3;
}

static void add_column(struct particles_output *output, uint32_t array, uint32_t components)
{
    output->column[output->columns].array = array;
    output->column[output->columns].type = output->document->arrays[array].shape.type;
    output->column[output->columns].components = components;
    output->columns++;
}

bool particles_takes(const struct io_array *array)
{
    uint64_t count;
    uint32_t components;
    return array->name[0] != '\0' && array->shape.type <= ENGINE_F64 && !array->bins &&
           shape_of(array, &count, &components);
}

static bool is_integer(const struct io_array *array, const char *name, uint32_t components)
{
    return strcmp(array->name, name) == 0 && array->shape.type < ENGINE_F32 && components == 1;
}

static void choose_columns(struct particles_output *output, const struct particles_text *text)
{
    const struct io_document *document = output->document;
    uint32_t position = 0, components;
    uint64_t count;
    while (!particles_are_positions(&document->arrays[position]))
        position++;
    shape_of(&document->arrays[position], &output->count, &components);
    output->columns = 0;
    add_column(output, position, components);
    output->species = output->id = -1;
    for (uint32_t i = 0; i < document->count; i++) {
        const struct io_array *array = &document->arrays[i];
        if (i == position || !particles_takes(array) || !shape_of(array, &count, &components) || count != output->count)
            continue;
        if (is_integer(array, "species", components))
            output->species = (int) i;
        else if (text->ids && is_integer(array, "id", components))
            output->id = (int) i;
        else
            add_column(output, i, components);
    }
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

static int write_error(struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno ? errno : ENOMEM));
}

static int put(struct particles_output *output, const char *text, int length, struct engine_error *error)
{
    return fwrite(text, 1, (size_t) length, output->file) == (size_t) length ? 0 : write_error(error);
}

int particles_print(struct particles_output *output, struct engine_error *error, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return put(output, text, length < (int) sizeof text ? length : (int) sizeof text - 1, error);
}

const char *particles_symbol(const struct io_document *document, int64_t species)
{
    const bool known = species >= 0 && species < document->symbols && document->symbol[species][0] != '\0';
    return known ? document->symbol[species] : "X";
}

/* 9 digits distinguish all floats, 17 digits all doubles. */
static int print_number(char out[NUMBER_SIZE], uint32_t type, const void *elements, uint64_t i)
{
    if (type == ENGINE_F32)
        return snprintf(out, NUMBER_SIZE, " %.9g", (double) ((const float *) elements)[i]);
    if (type == ENGINE_F64)
        return snprintf(out, NUMBER_SIZE, " %.17g", ((const double *) elements)[i]);
    if (type == ENGINE_U64)
        return snprintf(out, NUMBER_SIZE, " %llu", (unsigned long long) integer_at(type, elements, i));
    return snprintf(out, NUMBER_SIZE, " %lld", (long long) integer_at(type, elements, i));
}

/* Rows in memory: a buffer for each column, for the species and the ids, and for the line of text. */
struct piece {
    void *elements[IO_ARRAYS_MAX];
    void *species, *ids;
    char *line;
};

/* Allocates the buffers. The caller frees them, also after an error. */
static int make_piece(const struct particles_output *output, struct piece *piece, struct engine_error *error)
{
    uint64_t numbers = 0;
    bool made = true;
    *piece = (struct piece){0};
    for (uint32_t i = 0; made && i < output->columns; i++) {
        const uint64_t components = output->column[i].components;
        made = (piece->elements[i] = malloc(PIECE * components * type_bytes(output->column[i].type))) != NULL;
        numbers += components;
    }
    if (made)
        made = (piece->species = malloc((size_t) PIECE * 8)) != NULL &&
               (piece->ids = malloc((size_t) PIECE * 8)) != NULL &&
               (piece->line = malloc(ROW_START + (numbers + 1) * NUMBER_SIZE + 1)) != NULL;
    return made ? 0 : error_memory(error, PIECE * numbers, "writing particles");
}

static int read_piece(struct particles_output *output, struct piece *piece, uint64_t begin, uint64_t rows,
                      struct engine_error *error)
{
    struct io_document *document = output->document;
    for (uint32_t i = 0; i < output->columns; i++) {
        const uint64_t components = output->column[i].components;
        if (document->read(document, output->column[i].array, begin * components, rows * components, piece->elements[i],
                           error) != 0)
            return error->status;
    }
    if (output->species >= 0 &&
        document->read(document, (uint32_t) output->species, begin, rows, piece->species, error) != 0)
        return error->status;
    return output->id < 0 ? 0 : document->read(document, (uint32_t) output->id, begin, rows, piece->ids, error);
}

static bool is_finite(uint32_t type, const void *elements, uint64_t i)
{
    return type == ENGINE_F32   ? isfinite(((const float *) elements)[i])
           : type == ENGINE_F64 ? isfinite(((const double *) elements)[i])
                                : true;
}

int particles_refuse_number(const struct io_document *document, uint32_t array, uint64_t row,
                            struct engine_error *error)
{
    const char *name = document->arrays[array].name;
    return error_set(error, ENGINE_STATUS_OUTPUT,
                     "%s of particle %llu, counted from 0, is infinite or not a number; files of this format hold "
                     "finite numbers; write npy or snapshot instead",
                     *name != '\0' ? name : "position", (unsigned long long) row);
}

static int put_row(struct particles_output *output, const struct particles_text *text, const struct piece *piece,
                   uint64_t begin, uint64_t i, struct engine_error *error)
{
    int64_t species = -1, id = (int64_t) (begin + i) + 1;
    if (output->species >= 0)
        species = integer_at(output->document->arrays[output->species].shape.type, piece->species, i);
    if (output->id >= 0)
        id = integer_at(output->document->arrays[output->id].shape.type, piece->ids, i);
    int length = text->row(output, piece->line, id, species);
    for (uint32_t c = 0; c < output->columns; c++)
        for (uint64_t k = 0; k < output->column[c].components; k++) {
            const uint64_t element = i * output->column[c].components + k;
            if (!is_finite(output->column[c].type, piece->elements[c], element))
                return particles_refuse_number(output->document, output->column[c].array, begin + i, error);
            length += print_number(piece->line + length, output->column[c].type, piece->elements[c], element);
        }
    if (text->ends_with_type != NULL && text->ends_with_type(output))
        length += sprintf(piece->line + length, " %lld", (long long) species + 1);
    piece->line[length++] = '\n';
    return put(output, piece->line, length, error);
}

static int put_rows(struct particles_output *output, const struct particles_text *text, struct engine_error *error)
{
    struct piece piece;
    int status = make_piece(output, &piece, error);
    for (uint64_t begin = 0; status == 0 && begin < output->count; begin += PIECE) {
        const uint64_t rows = output->count - begin < PIECE ? output->count - begin : PIECE;
        status = read_piece(output, &piece, begin, rows, error);
        for (uint64_t i = 0; status == 0 && i < rows; i++)
            status = put_row(output, text, &piece, begin, i, error);
    }
    for (uint32_t i = 0; i < IO_ARRAYS_MAX; i++)
        free(piece.elements[i]);
    free(piece.species);
    free(piece.ids);
    free(piece.line);
    return status;
}

static int put_frame(struct particles_output *output, const struct particles_text *text, struct engine_error *error)
{
    choose_columns(output, text);
    return text->head(output, error) != 0 ? error->status : put_rows(output, text, error);
}

int particles_write(int file, bool gzip, struct io_document *document, const struct particles_text *text,
                    struct engine_error *error)
{
    struct particles_output output = {.document = document};
    output.file = gzip_stream(file, gzip);
    if (output.file == NULL)
        return error_set(error, ENGINE_STATUS_OUTPUT, "cannot be created: %s", strerror(errno ? errno : ENOMEM));
    int status = put_frame(&output, text, error);
    for (uint64_t frame = 1; status == 0 && frame < document->frames; frame++) {
        status = io_next_frame(document, error);
        if (status == 0)
            status = put_frame(&output, text, error);
    }
    if (fclose(output.file) != 0 && status == 0)
        status = write_error(error);
    return status;
}

/* ---- Bounds ------------------------------------------------------------------------------------------------- */

static void widen_bounds(uint32_t type, const void *elements, uint64_t rows, double least[3], double greatest[3])
{
    for (uint64_t i = 0; i < 3 * rows; i++) {
        const double x = type == ENGINE_F32 ? (double) ((const float *) elements)[i] : ((const double *) elements)[i];
        least[i % 3] = x < least[i % 3] ? x : least[i % 3];
        greatest[i % 3] = x > greatest[i % 3] ? x : greatest[i % 3];
    }
}

int particles_bounds(struct io_document *document, uint32_t array, double least[3], double greatest[3],
                     struct engine_error *error)
{
    const uint32_t type = document->arrays[array].shape.type;
    uint64_t count;
    uint32_t components;
    double *elements = malloc(sizeof *elements * 3 * PIECE);
    int status = elements != NULL ? 0 : error_memory(error, PIECE, "the bounds of particles");
    shape_of(&document->arrays[array], &count, &components);
    for (int axis = 0; axis < 3; axis++) {
        least[axis] = HUGE_VAL;
        greatest[axis] = -HUGE_VAL;
    }
    for (uint64_t begin = 0; status == 0 && begin < count; begin += PIECE) {
        const uint64_t rows = count - begin < PIECE ? count - begin : PIECE;
        status = document->read(document, array, 3 * begin, 3 * rows, elements, error);
        if (status == 0)
            widen_bounds(type, elements, rows, least, greatest);
    }
    free(elements);
    return status;
}
