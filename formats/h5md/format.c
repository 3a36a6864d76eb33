/* Reads H5MD files, see h5md.h. */
#include "reader.h"

#include <math.h>

static void skip(struct reader *reader, const char *what)
{
    const size_t length = strlen(reader->skipped);
    if (length + strlen(what) + 2 < SKIPPED)
        snprintf(reader->skipped + length, SKIPPED - length, "%s%s", length > 0 ? ", " : "", what);
}

/* ---- The group of particles -------------------------------------------------------------------------------------- */

/* A file may have several groups of particles. The engine does not choose one. */
static int find_group(const struct engine_file *file, struct reader *reader)
{
    H5G_info_t about;
    if (H5Lexists(reader->file, "h5md", H5P_DEFAULT) < 0)
        return hdf5_fail(file, "cannot read the groups of the file", "");
    if (!hdf5_has(reader->file, "h5md") || !hdf5_has(reader->file, "particles"))
        return ENGINE_FAIL_FILE(file, "has no groups h5md and particles; this is not an H5MD file with particles");
    const hid_t particles = H5Gopen2(reader->file, "particles", H5P_DEFAULT);
    if (particles < 0 || H5Gget_info(particles, &about) < 0)
        return hdf5_fail(file, "cannot open ", "particles");
    if (about.nlinks != 1)
        return ENGINE_FAIL_FILE(file,
                                "has %llu groups of particles; expected one: copy it to a file of its own with h5copy",
                                (unsigned long long) about.nlinks);
    const ssize_t length = H5Lget_name_by_idx(particles, ".", H5_INDEX_NAME, H5_ITER_INC, 0, reader->name,
                                              sizeof reader->name, H5P_DEFAULT);
    if (length < 1 || (size_t) length >= sizeof reader->name)
        return hdf5_fail(file, "cannot read the name of a group of ", "particles");
    reader->group = H5Gopen2(particles, reader->name, H5P_DEFAULT);
    return reader->group >= 0 ? 0 : hdf5_fail(file, "cannot open ", reader->name);
}

int h5md_open_element(const struct engine_file *file, struct reader *reader, const char *name, struct hdf5_set *set,
                      bool *changes)
{
    char path[HDF5_TEXT];
    snprintf(path, sizeof path, "%s/value", name);
    *changes = hdf5_has(reader->group, path);
    return hdf5_open_set(file, reader->group, *changes ? path : name, set);
}

static int open_positions(const struct engine_file *file, struct reader *reader)
{
    struct hdf5_set *set = &reader->sets[0];
    if (!hdf5_has(reader->group, "position"))
        return ENGINE_FAIL_FILE(file, "the group %s has no positions", reader->name);
    if (h5md_open_element(file, reader, "position", set, &reader->changes[0]) != 0)
        return ENGINE_INVALID;
    const int axis = reader->changes[0] ? 1 : 0;
    if (set->rank != axis + 2 || set->extent[axis + 1] < 2 || set->extent[axis + 1] > 3 || set->kind != H5T_FLOAT)
        return ENGINE_FAIL_FILE(file, "%s is not an array of three or two real numbers for each particle", set->name);
    reader->dimension = (int) set->extent[axis + 1];
    reader->particles = set->extent[axis];
    reader->frames = axis == 1 ? set->extent[0] : 1;
    if (reader->particles < 1 || reader->frames < 1)
        return ENGINE_FAIL_FILE(file, "%s is empty", set->name);
    return 0;
}

/* Is this the shape of an element of the particles? */
static bool fits(const struct reader *reader, const struct h5md_element *about, const struct hdf5_set *set,
                 bool changes)
{
    const int axis = changes ? 1 : 0;
    const bool whole = set->kind == H5T_INTEGER || set->kind == H5T_ENUM, real = set->kind == H5T_FLOAT;
    const bool numbers = real || (about->integer && whole); /* some writers store species as real numbers */
    return numbers && set->rank == axis + (about->components > 1 ? 2 : 1) && set->extent[axis] == reader->particles &&
           (about->components == 1 || set->extent[axis + 1] == (hsize_t) reader->dimension) &&
           (!changes || set->extent[0] == reader->frames);
}

static void add_array(struct reader *reader, const struct h5md_element *about)
{
    const struct hdf5_set *set = &reader->sets[reader->count];
    const uint32_t type = about->integer ? ENGINE_I64 : set->bytes <= sizeof(float) ? ENGINE_F32 : ENGINE_F64;
    reader->arrays[reader->count++] = (struct engine_file_array){
        .name = about->name,
        .kind = ENGINE_PARTICLES,
        .lengths = about->lengths,
        .shape = {sizeof(struct engine_shape), type, about->components, 1, {reader->particles, 1, 1}},
    };
}

/* The names of an enumeration are those of the species, if its numbers count from 0. */
static void take_labels(struct reader *reader, const struct hdf5_set *set)
{
    const hid_t type = H5Dget_type(set->id);
    const int count = type >= 0 && set->kind == H5T_ENUM ? H5Tget_nmembers(type) : 0;
    bool good = count > 0 && count <= LABELS_MAX;
    for (int i = 0; good && i < count; i++) {
        int64_t number = i;
        char *name = H5Tget_member_name(type, (unsigned) i);
        const hid_t base = H5Tget_super(type);
        unsigned char value[16] = {0};
        good = name && base >= 0 && H5Tget_size(base) <= sizeof value &&
               H5Tget_member_value(type, (unsigned) i, value) >= 0 &&
               H5Tconvert(base, H5T_NATIVE_INT64, 1, value, NULL, H5P_DEFAULT) >= 0;
        memcpy(&number, value, sizeof number);
        good = good && number >= 0 && number < count && strlen(name) < LABEL && reader->labels[number] == NULL;
        for (const char *c = name; good && *c; c++)
            good = *c >= ' ' && *c < 127;
        if (good) {
            snprintf(reader->label[number], LABEL, "%s", name);
            reader->labels[number] = reader->label[number];
        }
        if (base >= 0)
            H5Tclose(base);
        H5free_memory(name);
    }
    reader->label_count = good ? (uint32_t) count : 0;
    if (count > 0 && !good)
        skip(reader, "the names of species");
    if (type >= 0)
        H5Tclose(type);
}

static int open_elements(const struct engine_file *file, struct reader *reader)
{
    if (open_positions(file, reader) != 0)
        return ENGINE_INVALID;
    add_array(reader, &h5md_elements[H5MD_POSITION]);
    for (int k = H5MD_POSITION + 1; k < H5MD_ELEMENTS; k++) {
        const struct h5md_element *about = &h5md_elements[k];
        struct hdf5_set *set = &reader->sets[reader->count];
        if (!hdf5_has(reader->group, about->name))
            continue;
        if (h5md_open_element(file, reader, about->name, set, &reader->changes[reader->count]) != 0)
            return ENGINE_INVALID;
        if (!fits(reader, about, set, reader->changes[reader->count])) {
            skip(reader, about->name); /* as many frames as it has, or another shape */
            hdf5_close_set(set);
            continue;
        }
        if (k == H5MD_SPECIES)
            take_labels(reader, set);
        add_array(reader, about);
    }
    return 0;
}

/* ---- Steps, times, boxes and units ------------------------------------------------------------------------------- */

/* One for each frame, or one number: the distance of frames. */
static int open_moments(const struct engine_file *file, struct reader *reader, const char *name, struct hdf5_set *set,
                        bool *has)
{
    *has = reader->changes[0] && hdf5_has(reader->group, name);
    if (!*has)
        return 0;
    if (hdf5_open_set(file, reader->group, name, set) != 0)
        return ENGINE_INVALID;
    const bool unfinished = (file->flags & ENGINE_FILE_UNFINISHED) != 0 && set->rank == 1 && set->extent[0] > 0;
    if (unfinished && set->extent[0] < reader->frames)
        reader->frames = set->extent[0];
    if ((set->kind == H5T_INTEGER || set->kind == H5T_FLOAT) && set->rank <= 1 &&
        (set->rank == 0 || set->extent[0] == reader->frames || unfinished))
        return 0;
    return ENGINE_FAIL_FILE(file, "%s does not have one number for each of %llu frames", name,
                            (unsigned long long) reader->frames);
}

static int read_unit(const struct engine_file *file, struct reader *reader)
{
    static const struct {
        const char *name;
        uint32_t length;
    } units[] = {{"nm", ENGINE_NANOMETRE}, {"Angstrom", ENGINE_ANGSTROM}, {"angstrom", ENGINE_ANGSTROM}};
    char unit[HDF5_TEXT], of_box[HDF5_TEXT], what[2 * HDF5_TEXT];
    hdf5_get_text(reader->sets[0].id, "unit", unit);
    of_box[0] = '\0';
    if (reader->has_edges)
        hdf5_get_text(reader->edges.id, "unit", of_box);
    if (*unit && *of_box && strcmp(unit, of_box) != 0)
        return ENGINE_FAIL_FILE(file, "the positions have the unit '%s' and the box '%s'; expected the same", unit,
                                of_box);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(unit, units[i].name) == 0)
            reader->length = units[i].length;
    for (char *c = unit; *c; c++)
        *c = *c >= ' ' && *c < 127 ? *c : '?';
    snprintf(what, sizeof what, "the unit of lengths '%s'", unit);
    if (*unit && reader->length == ENGINE_LENGTH_UNKNOWN)
        skip(reader, what);
    return 0;
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

/* Reads the step or the time of a frame. One number for all frames is the distance between them. */
static int read_moment(const struct engine_file *file, const struct hdf5_set *set, uint64_t number, hid_t type,
                       size_t bytes, void *out, double *every)
{
    const hsize_t begin[HDF5_RANK] = {number}, count[HDF5_RANK] = {1};
    *every = 0;
    if (set->rank == 0)
        return hdf5_move(file, set, H5T_NATIVE_DOUBLE, begin, count, every, NULL);
    memset(out, 0, bytes);
    return hdf5_move(file, set, type, begin, count, out, NULL);
}

/* The offset of a distance. */
static double offset_of(const struct hdf5_set *set)
{
    double offset = 0;
    const hid_t id = H5Aexists(set->id, "offset") > 0 ? H5Aopen(set->id, "offset", H5P_DEFAULT) : -1;
    const hid_t space = id >= 0 ? H5Aget_space(id) : -1;
    if (space >= 0 && H5Sget_simple_extent_npoints(space) == 1 && H5Aread(id, H5T_NATIVE_DOUBLE, &offset) < 0)
        offset = 0;
    if (space >= 0)
        H5Sclose(space);
    if (id >= 0)
        H5Aclose(id);
    return offset;
}

int h5md_read_moments(const struct engine_file *file, const struct reader *reader, uint64_t number,
                      struct engine_file_frame *frame)
{
    int64_t step = 0;
    double every;
    if (reader->has_step) {
        if (read_moment(file, &reader->step, number, H5T_NATIVE_INT64, sizeof step, &step, &every) != 0)
            return ENGINE_INVALID;
        const double counted = offset_of(&reader->step) + every * (double) number;
        if (reader->step.rank == 0)
            step = counted >= 0 && counted < 9e15 ? (int64_t) counted : -1;
        if (step < 0)
            return ENGINE_FAIL_FILE(file, "frame %llu has a negative step, or one that is too large",
                                    (unsigned long long) number);
        frame->step = (uint64_t) step;
        frame->has |= ENGINE_HAS_STEP;
    }
    if (reader->has_time) {
        if (read_moment(file, &reader->time, number, H5T_NATIVE_DOUBLE, sizeof frame->time, &frame->time, &every) != 0)
            return ENGINE_INVALID;
        if (reader->time.rank == 0)
            frame->time = offset_of(&reader->time) + every * (double) number;
        if (isnan(frame->time)) /* not known */
            frame->time = 0;
        else
            frame->has |= ENGINE_HAS_TIME;
    }
    return frame->time - frame->time == 0 ? 0
                                          : ENGINE_FAIL_FILE(file, "the time of frame %llu is infinite or not a number",
                                                             (unsigned long long) number);
}

/* Vectors of two numbers become vectors of three in place, from the last to the first. */
static void add_axis(void *vectors, uint64_t rows, uint64_t bytes)
{
    unsigned char *at = vectors;
    for (uint64_t i = rows; i-- > 0;) {
        memmove(at + 3 * i * bytes, at + 2 * i * bytes, 2 * bytes);
        memset(at + (3 * i + 2) * bytes, 0, bytes);
    }
}

/* Reads rows [first, first + rows) of an array, and turns vectors with the cell. */
static int read_rows(const struct engine_file *file, struct reader *reader, uint64_t number, uint32_t array,
                     uint64_t first, uint64_t rows)
{
    const struct engine_shape *shape = &reader->arrays[array].shape;
    const uint64_t width = shape->components == 3 ? (uint64_t) reader->dimension : shape->components;
    const hsize_t from[HDF5_RANK] = {number, first, 0}, size[HDF5_RANK] = {1, rows, width};
    const int skipped = reader->changes[array] ? 0 : 1;
    struct engine_cell cell;
    int code = hdf5_move(file, &reader->sets[array], hdf5_type_of(shape->type), from + skipped, size + skipped,
                         reader->rows, NULL);
    if (code != 0 || shape->components != 3)
        return code;
    if (width == 2)
        add_axis(reader->rows, rows, hdf5_bytes_of(shape->type));
    code = h5md_read_cell(file, reader, number, &cell);
    if (code == 0)
        engine_cell_turn(&cell, shape->type, rows, reader->rows);
    return code;
}

/* Reads whole rows, and copies the numbers of them that are asked for. */
static int read_range(const struct engine_file *file, struct reader *reader, uint64_t number, uint32_t array,
                      uint64_t begin, uint64_t count, unsigned char *out)
{
    const struct engine_shape *shape = &reader->arrays[array].shape;
    const uint64_t width = shape->components, bytes = hdf5_bytes_of(shape->type), end = begin + count;
    int code = 0;
    for (uint64_t first = begin / width; code == 0 && first * width < end; first += PIECE) {
        const uint64_t last = (end + width - 1) / width, rows = last - first < PIECE ? last - first : PIECE;
        code = read_rows(file, reader, number, array, first, rows);
        const uint64_t low = first * width > begin ? first * width : begin;
        const uint64_t high = (first + rows) * width < end ? (first + rows) * width : end;
        memcpy(out + (low - begin) * bytes, (const char *) reader->rows + (low - first * width) * bytes,
               (high - low) * bytes);
    }
    return code;
}

/* ---- The functions of the descriptor ----------------------------------------------------------------------------- */

static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    (void) name, (void) bytes;
    return hdf5_is_file(begin, count) && !hdf5_mentions(begin, count, "VTKHDF") ? ENGINE_PROBE_YES : ENGINE_PROBE_NO;
}

static int open_reader(const struct engine_file *file, struct reader *reader)
{
    reader->file = hdf5_open(file);
    if (reader->file < 0)
        return ENGINE_INVALID;
    int code = find_group(file, reader);
    if (code == 0)
        code = open_elements(file, reader);
    if (code == 0)
        code = open_moments(file, reader, "position/step", &reader->step, &reader->has_step);
    if (code == 0)
        code = open_moments(file, reader, "position/time", &reader->time, &reader->has_time);
    if (code == 0)
        code = h5md_open_box(file, reader);
    struct engine_cell cell;
    if (code == 0)
        code = h5md_read_cell(file, reader, 0, &cell);
    if (code == 0 && cell.turned)
        reader->remarks = ENGINE_CELL_TURNED;
    if (code == 0 && cell.dropped)
        skip(reader, ENGINE_CELL_DROPPED);
    return code == 0 ? read_unit(file, reader) : code;
}

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    struct reader *reader = file->allocate(file, sizeof *reader);
    if (!reader)
        return ENGINE_NO_MEMORY;
    memset(reader, 0, sizeof *reader);
    reader->reads = true;
    const struct hdf5_quiet quiet = hdf5_begin();
    const int code = open_reader(file, reader);
    if (code != 0 && reader->file >= 0)
        H5Fclose(reader->file);
    hdf5_end(&quiet);
    content->length = reader->length;
    content->arrays.at = reader->arrays;
    content->arrays.count = reader->count;
    content->arrays.item_size = sizeof reader->arrays[0];
    content->frames = reader->frames;
    content->labels = reader->labels;
    content->label_count = reader->label_count;
    content->skipped = *reader->skipped ? reader->skipped : NULL;
    content->remarks = reader->remarks;
    *self = reader;
    return code;
}

static int frame_of(const struct engine_file *file, void *self, uint64_t number, struct engine_file_frame *frame)
{
    const struct reader *reader = self;
    const struct hdf5_quiet quiet = hdf5_begin();
    struct engine_cell cell;
    int code = h5md_read_moments(file, reader, number, frame);
    if (code == 0 && reader->has_edges && (code = h5md_read_cell(file, reader, number, &cell)) == 0)
        engine_cell_place(&cell, NULL, frame);
    hdf5_end(&quiet);
    return code;
}

static int read_array(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                      uint64_t count, void *out)
{
    const struct hdf5_quiet quiet = hdf5_begin();
    const int code = read_range(file, self, number, array, begin, count, out);
    hdf5_end(&quiet);
    return code;
}

static void close_file(const struct engine_file *file, void *self)
{
    const struct hdf5_quiet quiet = hdf5_begin();
    struct reader *reader = self;
    if (!reader->reads)
        h5md_close_writer(file, self);
    else if (reader->file >= 0)
        H5Fclose(reader->file);
    hdf5_end(&quiet);
}

ENGINE_EXPORT const struct engine_file_format engine_file_format = {
    ENGINE_FILE_FORMAT("h5md", "0.1.0", "particles, trajectories in HDF5 files", ".h5md"),
    .flags = ENGINE_FORMAT_FRAMES | ENGINE_FORMAT_RANGES | ENGINE_FORMAT_UNITS,
    .length = ENGINE_LENGTH_UNKNOWN,
    .keeps = ENGINE_HAS_STEP | ENGINE_HAS_TIME | ENGINE_HAS_BOX | ENGINE_HAS_LABELS,
    .arrays = "position velocity force mass charge species id",
    .probe = probe,
    .open = open_file,
    .frame = frame_of,
    .read = read_array,
    .create = h5md_create,
    .write = h5md_write,
    .finish = h5md_finish,
    .close = close_file,
};
