/* Writes particles as lines of text. */
#include "base/type.h"
#include "files/file_stream.h"
#include "files/particles.h"

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
static bool shape_of(const struct engine_file_array *array, uint64_t *count, uint32_t *components)
{
    const struct engine_shape *shape = &array->shape;
    const bool plain = shape->rank == 1, columns = shape->rank == 2 && shape->components == 1;
    *count = shape->extent[shape->rank - 1];
    *components = plain ? shape->components : (uint32_t) shape->extent[0];
    return plain || (columns && shape->extent[0] <= UINT32_MAX);
}

bool particles_are_positions(const struct engine_file_array *array)
{
    uint64_t count;
    uint32_t components;
    const bool real = array->shape.type == ENGINE_F32 || array->shape.type == ENGINE_F64;
    const bool named = array->name[0] == '\0' || strcmp(array->name, "position") == 0;
    return real && named && shape_of(array, &count, &components) && components == 3;
}

bool particles_takes(const struct engine_file_array *array)
{
    uint64_t count;
    uint32_t components;
    return array->name[0] != '\0' && array->shape.type <= ENGINE_F64 && array->kind != ENGINE_BINS &&
           shape_of(array, &count, &components);
}

static bool is_integer(const struct engine_file_array *array, const char *name)
{
    return strcmp(array->name, name) == 0 && array->shape.type < ENGINE_F32 && array->shape.components == 1;
}

static void choose_columns(struct particles_output *output, const struct particles_text *text)
{
    const struct engine_file_array_array *arrays = &output->frame->content->arrays;
    output->count = arrays->at[0].shape.extent[0];
    output->columns = 0;
    output->species = output->id = -1;
    for (uint32_t i = 0; i < arrays->count; i++) {
        if (i > 0 && is_integer(&arrays->at[i], "species"))
            output->species = (int) i;
        else if (i > 0 && text->ids && is_integer(&arrays->at[i], "id"))
            output->id = (int) i;
        else
            output->column[output->columns++] = i;
    }
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

static int put(struct particles_output *output, const char *text, int length)
{
    if (fwrite(text, 1, (size_t) length, output->stream) == (size_t) length)
        return 0;
    return ENGINE_FAIL_FILE(output->file, "cannot be written: %s", strerror(errno ? errno : ENOMEM));
}

int particles_print(struct particles_output *output, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return put(output, text, length < (int) sizeof text ? length : (int) sizeof text - 1);
}

const char *particles_symbol(const struct engine_file_content *content, int64_t species)
{
    const bool known = species >= 0 && species < content->label_count && content->labels[species][0] != '\0';
    return known ? content->labels[species] : "X";
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
static int make_piece(const struct particles_output *output, struct piece *piece)
{
    uint64_t numbers = 0;
    bool made = true;
    *piece = (struct piece){0};
    for (uint32_t i = 0; made && i < output->columns; i++) {
        const struct engine_shape *shape = &particles_array(output, i)->shape;
        made = (piece->elements[i] = malloc(PIECE * shape->components * type_bytes(shape->type))) != NULL;
        numbers += shape->components;
    }
    if (made)
        made = (piece->species = malloc((size_t) PIECE * 8)) != NULL &&
               (piece->ids = malloc((size_t) PIECE * 8)) != NULL &&
               (piece->line = malloc(ROW_START + (numbers + 1) * NUMBER_SIZE + 1)) != NULL;
    return made ? 0
                : output->file->fail(output->file, ENGINE_NO_MEMORY, ENGINE_AT_FILE, 0,
                                     "no memory for writing particles");
}

static int read_piece(const struct particles_output *output, const struct piece *piece, uint64_t begin, uint64_t rows)
{
    const struct engine_file *file = output->file;
    int code = 0;
    for (uint32_t i = 0; code == 0 && i < output->columns; i++) {
        const uint64_t components = particles_array(output, i)->shape.components;
        code = file->get(file, output->column[i], begin * components, rows * components, piece->elements[i]);
    }
    if (code == 0 && output->species >= 0)
        code = file->get(file, (uint32_t) output->species, begin, rows, piece->species);
    if (code == 0 && output->id >= 0)
        code = file->get(file, (uint32_t) output->id, begin, rows, piece->ids);
    return code;
}

static bool is_finite(uint32_t type, const void *elements, uint64_t i)
{
    return type == ENGINE_F32   ? isfinite(((const float *) elements)[i])
           : type == ENGINE_F64 ? isfinite(((const double *) elements)[i])
                                : true;
}

int particles_refuse_number(const struct engine_file *file, const char *name, uint64_t row)
{
    return ENGINE_FAIL_FILE(file,
                            "%s of particle %llu, counted from 0, is infinite or not a number; files of this format "
                            "hold finite numbers; write npy or snapshot instead",
                            name, (unsigned long long) row);
}

static int put_row(struct particles_output *output, const struct particles_text *text, const struct piece *piece,
                   uint64_t begin, uint64_t i)
{
    const struct engine_file_array *arrays = output->frame->content->arrays.at;
    int64_t species = -1, id = (int64_t) (begin + i) + 1;
    if (output->species >= 0)
        species = integer_at(arrays[output->species].shape.type, piece->species, i);
    if (output->id >= 0)
        id = integer_at(arrays[output->id].shape.type, piece->ids, i);
    int length = text->row(output, piece->line, id, species);
    for (uint32_t c = 0; c < output->columns; c++) {
        const struct engine_shape *shape = &arrays[output->column[c]].shape;
        for (uint64_t k = 0; k < shape->components; k++) {
            const uint64_t element = i * shape->components + k;
            if (!is_finite(shape->type, piece->elements[c], element))
                return particles_refuse_number(output->file, arrays[output->column[c]].name, begin + i);
            length += print_number(piece->line + length, shape->type, piece->elements[c], element);
        }
    }
    if (text->ends_with_type != NULL && text->ends_with_type(output))
        length += sprintf(piece->line + length, " %lld", (long long) species + 1);
    piece->line[length++] = '\n';
    return put(output, piece->line, length);
}

static int put_rows(struct particles_output *output, const struct particles_text *text)
{
    struct piece piece;
    int code = make_piece(output, &piece);
    for (uint64_t begin = 0; code == 0 && begin < output->count; begin += PIECE) {
        const uint64_t rows = output->count - begin < PIECE ? output->count - begin : PIECE;
        code = read_piece(output, &piece, begin, rows);
        for (uint64_t i = 0; code == 0 && i < rows; i++)
            code = put_row(output, text, &piece, begin, i);
    }
    for (uint32_t i = 0; i < IO_ARRAYS_MAX; i++)
        free(piece.elements[i]);
    free(piece.species);
    free(piece.ids);
    free(piece.line);
    return code;
}

int particles_write(const struct engine_file *file, const struct engine_file_frame *frame,
                    const struct particles_text *text)
{
    struct particles_output output = {.file = file, .frame = frame, .stream = file_stream_open(file)};
    if (output.stream == NULL)
        return ENGINE_NO_MEMORY;
    choose_columns(&output, text);
    int code = text->head(&output);
    if (code == 0)
        code = put_rows(&output, text);
    return file_stream_close(file, output.stream, code);
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

int particles_bounds(const struct particles_output *output, double least[3], double greatest[3])
{
    const struct engine_file *file = output->file;
    const uint32_t type = particles_array(output, 0)->shape.type;
    double *elements = file->allocate(file, sizeof *elements * 3 * PIECE);
    int code = elements != NULL ? 0 : ENGINE_NO_MEMORY;
    for (int axis = 0; axis < 3; axis++) {
        least[axis] = HUGE_VAL;
        greatest[axis] = -HUGE_VAL;
    }
    for (uint64_t begin = 0; code == 0 && begin < output->count; begin += PIECE) {
        const uint64_t rows = output->count - begin < PIECE ? output->count - begin : PIECE;
        code = file->get(file, output->column[0], 3 * begin, 3 * rows, elements);
        if (code == 0)
            widen_bounds(type, elements, rows, least, greatest);
    }
    file->release(file, elements);
    for (int axis = 0; axis < 3; axis++) {
        const double *box = output->frame->box, *corner = output->frame->corner;
        const double widening = greatest[axis] > least[axis] ? 0 : 0.5;
        least[axis] = box[axis] > 0 ? corner[axis] : least[axis] - widening;
        greatest[axis] = box[axis] > 0 ? corner[axis] + box[axis] : greatest[axis] + widening;
    }
    return code;
}
