/* Writes H5MD files, see h5md.h. The number of frames is known, so each data set is one block of the file. */
#include "h5md.h"

#include "common/hdf5_output.h"
#include "common/integers.h"

#include <math.h>

enum { PIECE = 1 << 16 };

struct element {
    struct hdf5_set set;
    uint32_t array, type, components; /* in the document; the type of its elements */
    bool fixed;                       /* the same in all frames; then whole numbers of 64 bits in the file */
    hid_t memory;                     /* the type of what is written */
};

struct writer {
    bool reads; /* false, as in struct reader */
    struct hdf5_output output;
    hid_t group;
    uint64_t particles, frames, frame;
    struct element elements[H5MD_ELEMENTS];
    uint32_t count;
    struct hdf5_set step, time, edges;
    bool has_box;
    uint32_t length;
    unsigned char piece[PIECE * 8], before[PIECE * 8];
};

static const char *unit_name(uint32_t length)
{
    return length == ENGINE_NANOMETRE ? "nm" : length == ENGINE_ANGSTROM ? "Angstrom" : NULL;
}

/* ---- What does not change ---------------------------------------------------------------------------------------- */

static int put_head(const struct engine_file *file, hid_t id)
{
    static const int version[2] = {1, 1};
    const hid_t head = hdf5_make_group(file, id, "h5md");
    const hid_t author = head >= 0 ? hdf5_make_group(file, head, "author") : -1;
    const hid_t creator = author >= 0 ? hdf5_make_group(file, head, "creator") : -1;
    if (creator < 0)
        return ENGINE_INVALID;
    int code = hdf5_put_numbers(file, head, "version", H5T_NATIVE_INT, version, 2);
    if (code == 0)
        code = hdf5_put_text(file, author, "name", "engine");
    if (code == 0)
        code = hdf5_put_text(file, creator, "name", "engine");
    return code == 0 ? hdf5_put_text(file, creator, "version", "0.1.0") : code;
}

/* The names of species are those of an enumeration, which programs that want numbers read as numbers. */
static hid_t species_type(const struct engine_file_content *content)
{
    bool good = content->label_count > 0;
    const hid_t type = good ? H5Tenum_create(H5T_NATIVE_INT64) : -1;
    for (uint32_t i = 0; good && i < content->label_count; i++) {
        const int64_t number = i;
        good = content->labels[i][0] != '\0' && H5Tenum_insert(type, content->labels[i], &number) >= 0;
    }
    if (!good && type >= 0)
        H5Tclose(type);
    return good ? type : H5Tcopy(H5T_NATIVE_INT64);
}

/* ---- Elements ---------------------------------------------------------------------------------------------------- */

static int make_element(const struct engine_file *file, struct writer *writer,
                        const struct engine_file_content *content, struct element *element,
                        const struct h5md_element *about)
{
    char path[HDF5_TEXT];
    const bool species = strcmp(about->name, "species") == 0;
    const hid_t numbers = element->fixed ? H5T_NATIVE_INT64 : hdf5_type_of(element->type);
    const hid_t type = species ? species_type(content) : H5Tcopy(numbers);
    const hsize_t extent[HDF5_RANK] = {writer->frames, writer->particles, 3};
    const int rank = about->components > 1 ? 3 : 2;
    int code = 0;
    snprintf(path, sizeof path, element->fixed ? "%s" : "%s/value", about->name);
    const hid_t group = element->fixed ? 0 : hdf5_make_group(file, writer->group, about->name);
    if (group < 0)
        code = ENGINE_INVALID;
    if (code == 0)
        code = hdf5_make_set(file, writer->group, path, type, element->fixed ? rank - 1 : rank,
                             element->fixed ? extent + 1 : extent, NULL, &element->set);
    const char *unit = unit_name(writer->length);
    if (code == 0 && unit && about->lengths == 1 && strcmp(about->name, "position") == 0)
        code = hdf5_put_string(file, element->set.id, "unit", unit);
    element->memory = type; /* until the file is closed */
    return code;
}

static int make_elements(const struct engine_file *file, struct writer *writer,
                         const struct engine_file_content *content)
{
    for (int k = 0; k < H5MD_ELEMENTS; k++)
        for (uint32_t i = 0; i < content->arrays.count; i++) {
            const struct engine_file_array *array = &content->arrays.at[i];
            if (strcmp(array->name, h5md_elements[k].name) != 0)
                continue;
            struct element *element = &writer->elements[writer->count++];
            element->array = i;
            element->components = h5md_elements[k].components;
            element->type = array->shape.type;
            element->fixed = h5md_elements[k].integer;
            if (make_element(file, writer, content, element, &h5md_elements[k]) != 0)
                return ENGINE_INVALID;
        }
    return 0;
}

/* Step and time are data sets of the position, to which all others have links. */
static int make_moments(const struct engine_file *file, struct writer *writer)
{
    const hsize_t frames[HDF5_RANK] = {writer->frames};
    int code = hdf5_make_set(file, writer->group, "position/step", H5T_NATIVE_INT64, 1, frames, NULL, &writer->step);
    if (code == 0)
        code = hdf5_make_set(file, writer->group, "position/time", H5T_NATIVE_DOUBLE, 1, frames, NULL, &writer->time);
    for (uint32_t i = 0; code == 0 && i <= writer->count; i++) {
        char step[2 * HDF5_TEXT], time[2 * HDF5_TEXT];
        const struct element *element = &writer->elements[i];
        const char *name = i == writer->count ? "box/edges/value" : element->set.name;
        const int length = (int) strlen(name) - (int) strlen("/value");
        if (i == 0 || (i < writer->count && element->fixed) || (i == writer->count && !writer->has_box))
            continue;
        snprintf(step, sizeof step, "%.*s/step", length, name);
        snprintf(time, sizeof time, "%.*s/time", length, name);
        if (H5Lcreate_hard(writer->group, "position/step", writer->group, step, H5P_DEFAULT, H5P_DEFAULT) < 0 ||
            H5Lcreate_hard(writer->group, "position/time", writer->group, time, H5P_DEFAULT, H5P_DEFAULT) < 0)
            code = hdf5_fail(file, "cannot make ", step);
    }
    return code;
}

/* The first frame tells along which axes the box is periodic. */
static int make_box(const struct engine_file *file, struct writer *writer, const struct engine_file_frame *frame)
{
    enum { WORD = 9 };
    static const int dimension = 3;
    char boundary[3 * WORD];
    const hid_t box = hdf5_make_group(file, writer->group, "box");
    if (box < 0)
        return ENGINE_INVALID;
    writer->has_box = frame->has & ENGINE_HAS_BOX;
    memset(boundary, 0, sizeof boundary);
    for (size_t i = 0; i < 3; i++)
        memcpy(boundary + i * WORD, writer->has_box && frame->box[i] > 0 ? "periodic" : "none\0\0\0\0", WORD - 1);
    int code = hdf5_put_numbers(file, box, "dimension", H5T_NATIVE_INT, &dimension, 0);
    if (code == 0)
        code = hdf5_put_texts(file, box, "boundary", boundary, WORD, 3);
    if (code != 0 || !writer->has_box)
        return code;
    if (hdf5_make_group(file, box, "edges") < 0)
        return ENGINE_INVALID;
    const hsize_t extent[HDF5_RANK] = {writer->frames, 3, 3};
    code = hdf5_make_set(file, writer->group, "box/edges/value", H5T_NATIVE_DOUBLE, 3, extent, NULL, &writer->edges);
    const char *unit = unit_name(writer->length);
    return code == 0 && unit ? hdf5_put_string(file, writer->edges.id, "unit", unit) : code;
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

static int put_moment(const struct engine_file *file, struct writer *writer, const struct engine_file_frame *frame)
{
    const hsize_t begin[HDF5_RANK] = {writer->frame}, count[HDF5_RANK] = {1, 3, 3};
    const double *box = frame->box, edges[9] = {box[0], 0, 0, box[3], box[1], 0, box[4], box[5], box[2]};
    const int64_t step = (int64_t) frame->step;
    const double time = frame->has & ENGINE_HAS_TIME ? frame->time : (double) NAN; /* MDAnalysis wants times */
    int code = hdf5_move(file, &writer->step, H5T_NATIVE_INT64, begin, count, NULL, &step);
    if (code == 0)
        code = hdf5_move(file, &writer->time, H5T_NATIVE_DOUBLE, begin, count, NULL, &time);
    if (!!(frame->has & ENGINE_HAS_BOX) != writer->has_box)
        return ENGINE_FAIL_FILE(file, "some frames have a box and others none, which the format cannot hold");
    return code == 0 && writer->has_box ? hdf5_move(file, &writer->edges, H5T_NATIVE_DOUBLE, begin, count, NULL, edges)
                                        : code;
}

/* Numbers of particles [first, first + count), which may only be finite. */
static int get_rows(const struct engine_file *file, struct writer *writer, const struct element *element,
                    uint64_t first, uint64_t count)
{
    const uint64_t numbers = count * element->components;
    const int code = file->get(file, element->array, first * element->components, numbers, writer->piece);
    for (uint64_t i = numbers; code == 0 && element->fixed && i-- > 0;) { /* from the last on, in place */
        const int64_t number = integer_of(element->type, writer->piece, i);
        memcpy(writer->piece + 8 * i, &number, sizeof number);
    }
    for (uint64_t i = 0; code == 0 && i < numbers; i++) {
        float narrow = 0;
        double wide = 0;
        if (element->type == ENGINE_F32)
            memcpy(&narrow, writer->piece + 4 * i, sizeof narrow);
        if (element->type == ENGINE_F64)
            memcpy(&wide, writer->piece + 8 * i, sizeof wide);
        if (!(narrow - narrow == 0) || !(wide - wide == 0))
            return ENGINE_FAIL_FILE(file, "%s of particle %llu is infinite or not a number", element->set.name,
                                    (unsigned long long) (first + i / element->components));
    }
    return code;
}

/* Compares with what the first frame had. */
static int check_fixed(const struct engine_file *file, struct writer *writer, const struct element *element,
                       const hsize_t *begin, const hsize_t *count)
{
    const uint64_t bytes = count[0] * sizeof(int64_t);
    if (hdf5_move(file, &element->set, H5T_NATIVE_INT64, begin, count, writer->before, NULL) != 0)
        return ENGINE_INVALID;
    return memcmp(writer->before, writer->piece, bytes) == 0
               ? 0
               : ENGINE_FAIL_FILE(file, "%s differs between frames, and a file of this format holds one for all frames",
                                  element->set.name);
}

static int put_element(const struct engine_file *file, struct writer *writer, const struct element *element)
{
    const uint64_t most = PIECE / 3;
    int code = 0;
    for (uint64_t first = 0; code == 0 && first < writer->particles; first += most) {
        const uint64_t left = writer->particles - first, rows = left < most ? left : most;
        const hsize_t begin[HDF5_RANK] = {writer->frame, first, 0}, count[HDF5_RANK] = {1, rows, element->components};
        const hsize_t *from = element->fixed ? begin + 1 : begin, *size = element->fixed ? count + 1 : count;
        code = get_rows(file, writer, element, first, rows);
        if (code == 0 && element->fixed && writer->frame > 0)
            code = check_fixed(file, writer, element, from, size);
        else if (code == 0)
            code = hdf5_move(file, &element->set, element->memory, from, size, NULL, writer->piece);
    }
    return code;
}

static int put_frame(const struct engine_file *file, struct writer *writer, const struct engine_file_frame *frame)
{
    int code = 0;
    if (writer->frame == 0) {
        code = make_box(file, writer, frame);
        if (code == 0)
            code = make_moments(file, writer);
    }
    if (code == 0)
        code = put_moment(file, writer, frame);
    for (uint32_t i = 0; code == 0 && i < writer->count; i++)
        code = put_element(file, writer, &writer->elements[i]);
    writer->frame++;
    return code;
}

/* ---- The functions of the descriptor ----------------------------------------------------------------------------- */

static int begin_file(const struct engine_file *file, struct writer *writer, const struct engine_file_content *content)
{
    if (hdf5_create(file, &writer->output) != 0 || put_head(file, writer->output.id) != 0)
        return ENGINE_INVALID;
    const hid_t particles = hdf5_make_group(file, writer->output.id, "particles");
    writer->group = particles >= 0 ? hdf5_make_group(file, particles, "all") : -1;
    return writer->group >= 0 ? make_elements(file, writer, content) : ENGINE_INVALID;
}

int h5md_create(const struct engine_file *file, const struct engine_file_content *content, void **self)
{
    struct writer *writer = file->allocate(file, sizeof *writer);
    if (!writer)
        return ENGINE_NO_MEMORY;
    memset(writer, 0, sizeof *writer);
    writer->particles = content->arrays.at[0].shape.extent[0];
    writer->frames = content->frames;
    writer->length = content->length;
    const struct hdf5_quiet quiet = hdf5_begin();
    const int code = hdf5_outcome(&writer->output, begin_file(file, writer, content));
    if (code != 0)
        h5md_close_writer(file, writer);
    hdf5_end(&quiet);
    *self = writer;
    return code;
}

int h5md_write(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    struct writer *writer = self;
    const struct hdf5_quiet quiet = hdf5_begin();
    writer->output.file = file;
    const int code = hdf5_outcome(&writer->output, put_frame(file, writer, frame));
    hdf5_end(&quiet);
    return code;
}

int h5md_finish(const struct engine_file *file, void *self)
{
    struct writer *writer = self;
    const struct hdf5_quiet quiet = hdf5_begin();
    const int code = hdf5_close(file, &writer->output);
    hdf5_end(&quiet);
    return code;
}

void h5md_close_writer(const struct engine_file *file, void *self)
{
    struct writer *writer = self;
    for (uint32_t i = 0; i < writer->count; i++)
        H5Tclose(writer->elements[i].memory);
    hdf5_close(file, &writer->output);
}
