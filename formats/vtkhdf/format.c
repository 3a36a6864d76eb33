/* VTKHDF, the HDF5 files of VTK and ParaView, which hold a series of frames
 * (https://docs.vtk.org/en/latest/vtk_file_formats/vtkhdf_file_format/index.html). They are written and not read.
 *
 *     ImageData    a grid: CellData/NAME (frames, z, y, x, components)
 *     PolyData     particles: Points (frames times particles, 3), a vertex for each, PointData/NAME
 *
 * The group Steps says where the numbers of each frame begin. The vertices of all frames are the same. */
#include "common/hdf5_output.h"

enum { PIECE = 1 << 20, ARRAYS = 8, COMPONENTS_MAX = PIECE / 16 }; /* a cell fits into a piece */

struct array {
    struct hdf5_set set;
    uint32_t index, components; /* in the document; real and imaginary parts are two components */
    hid_t type;
    uint64_t bytes; /* of a number */
};

struct writer {
    struct hdf5_output output;
    hid_t root;
    uint64_t frames, frame, particles; /* 0: a grid */
    uint64_t extent[3];
    uint32_t rank;
    uint32_t parts; /* of an element: 2 where it is a complex number */
    struct array arrays[ARRAYS];
    uint32_t count;
    struct hdf5_set times, steps;
    unsigned char piece[PIECE];
};

/* ---- What is the same for grids and particles -------------------------------------------------------------------- */

static int put_head(const struct engine_file *file, struct writer *writer, const char *type)
{
    static const int64_t version[2] = {2, 0};
    writer->root = hdf5_make_group(file, writer->output.id, "VTKHDF");
    if (writer->root < 0)
        return ENGINE_INVALID;
    const int code = hdf5_put_numbers(file, writer->root, "Version", H5T_NATIVE_INT64, version, 2);
    return code == 0 ? hdf5_put_text(file, writer->root, "Type", type) : code;
}

/* Makes a data set of one number, or of `columns`, for each frame: `every` times the number of the frame. */
static int put_offsets(const struct engine_file *file, const struct writer *writer, hid_t group, const char *name,
                       uint64_t every, uint64_t first, int columns)
{
    const hsize_t extent[HDF5_RANK] = {writer->frames, (hsize_t) columns};
    const uint64_t count = writer->frames * (uint64_t) columns;
    int64_t *numbers = file->allocate(file, count * sizeof *numbers);
    if (!numbers)
        return ENGINE_NO_MEMORY;
    for (uint64_t i = 0; i < count; i++)
        numbers[i] = (int64_t) (first + every * (i / (uint64_t) columns));
    const int code = hdf5_put(file, group, name, H5T_NATIVE_INT64, columns > 1 ? 2 : 1, extent, numbers);
    file->release(file, numbers);
    return code;
}

/* The group of the frames: their times, and where the numbers of the arrays begin. */
static int put_steps(const struct engine_file *file, struct writer *writer, const char *offsets, uint64_t every)
{
    const hsize_t frames[HDF5_RANK] = {writer->frames};
    const int64_t count = (int64_t) writer->frames;
    const hid_t steps = hdf5_make_group(file, writer->root, "Steps");
    const hid_t of_arrays = steps >= 0 ? hdf5_make_group(file, steps, offsets) : -1;
    if (of_arrays < 0 || hdf5_put_numbers(file, steps, "NSteps", H5T_NATIVE_INT64, &count, 0) != 0)
        return ENGINE_INVALID;
    int code = hdf5_make_set(file, steps, "Values", H5T_NATIVE_DOUBLE, 1, frames, NULL, &writer->times);
    if (code == 0) /* for other programs; VTK does not read it */
        code = hdf5_make_set(file, steps, "StepNumbers", H5T_NATIVE_INT64, 1, frames, NULL, &writer->steps);
    for (uint32_t i = writer->particles ? 1 : 0; code == 0 && i < writer->count; i++)
        code = put_offsets(file, writer, of_arrays, strrchr(writer->arrays[i].set.name, '/') + 1, every, 0, 1);
    if (code != 0 || !writer->particles)
        return code;
    static const struct {
        const char *name;
        uint64_t first;
        int columns;
    } zeros[] = {
        {"PartOffsets", 0, 1}, {"NumberOfParts", 1, 1}, {"CellOffsets", 0, 4}, {"ConnectivityIdOffsets", 0, 4}};
    for (size_t i = 0; code == 0 && i < sizeof zeros / sizeof zeros[0]; i++)
        code = put_offsets(file, writer, steps, zeros[i].name, 0, zeros[i].first, zeros[i].columns);
    return code == 0 ? put_offsets(file, writer, steps, "PointOffsets", every, 0, 1) : code;
}

static int take_type(const struct engine_file *file, struct array *array, const struct engine_file_array *from)
{
    const bool complex = from->shape.type == ENGINE_C64 || from->shape.type == ENGINE_C128;
    const uint32_t type = from->shape.type == ENGINE_C64    ? ENGINE_F32
                          : from->shape.type == ENGINE_C128 ? ENGINE_F64
                                                            : from->shape.type;
    array->type = hdf5_type_of(type);
    array->bytes = hdf5_bytes_of(type);
    array->components = from->shape.components * (complex ? 2 : 1);
    if (array->bytes == 0)
        return ENGINE_FAIL_FILE(file, "'%s' has a type that VTK does not have", from->name);
    return from->shape.components <= COMPONENTS_MAX
               ? 0
               : ENGINE_FAIL_FILE(file, "'%s' has %u components; expected at most %d", from->name,
                                  from->shape.components, COMPONENTS_MAX);
}

/* ---- Grids ------------------------------------------------------------------------------------------------------- */

/* Cells of a part of a grid are where they are in the grid. An axis that the grid does not have has one point. */
static int put_place(const struct engine_file *file, const struct writer *writer, const struct engine_file_array *grid)
{
    static const double direction[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double origin[3] = {0}, spacing[3] = {1, 1, 1};
    int64_t extent[6] = {0};
    for (uint32_t axis = 0; axis < grid->shape.rank; axis++) {
        extent[2 * axis + 1] = (int64_t) grid->shape.extent[axis];
        origin[axis] = (double) grid->first[axis];
        spacing[axis] = (double) grid->stride[axis];
    }
    int code = hdf5_put_numbers(file, writer->root, "WholeExtent", H5T_NATIVE_INT64, extent, 6);
    if (code == 0)
        code = hdf5_put_numbers(file, writer->root, "Origin", H5T_NATIVE_DOUBLE, origin, 3);
    if (code == 0)
        code = hdf5_put_numbers(file, writer->root, "Spacing", H5T_NATIVE_DOUBLE, spacing, 3);
    return code == 0 ? hdf5_put_numbers(file, writer->root, "Direction", H5T_NATIVE_DOUBLE, direction, 9) : code;
}

/* The size of a piece that is written at once: rows along x, or a part of a row. */
static void piece_of(const struct writer *writer, uint64_t *cells, uint64_t *rows)
{
    /* take_type refuses arrays without bytes. NOLINTNEXTLINE(clang-analyzer-core.DivideZero) */
    const uint64_t most = PIECE / (writer->arrays[0].bytes * writer->arrays[0].components);
    *cells = writer->extent[0] < most ? writer->extent[0] : most;
    *rows = most / *cells < writer->extent[1] ? most / *cells : writer->extent[1];
}

/* Leaves out the axes that the grid does not have, of numbers for frame, z, y, x and components. VTK reads a file of
 * one frame as one without an axis of frames. */
static void take_axes(const struct writer *writer, const hsize_t from[HDF5_RANK], hsize_t to[HDF5_RANK])
{
    const uint32_t absent = 3 - writer->rank, frames = writer->frames > 1 ? 1 : 0;
    memset(to, 0, HDF5_RANK * sizeof to[0]);
    to[0] = from[0];
    memcpy(to + frames, from + 1 + absent, (HDF5_RANK - 1 - absent) * sizeof to[0]);
}

static int begin_grid(const struct engine_file *file, struct writer *writer, const struct engine_file_array *grid)
{
    char path[HDF5_TEXT];
    struct array *array = &writer->arrays[0];
    uint64_t cells, rows;
    memcpy(writer->extent, grid->shape.extent, sizeof writer->extent);
    if (take_type(file, array, grid) != 0 || put_head(file, writer, "ImageData") != 0 ||
        put_place(file, writer, grid) != 0 || hdf5_make_group(file, writer->root, "CellData") < 0)
        return ENGINE_INVALID;
    piece_of(writer, &cells, &rows);
    const hsize_t extent[HDF5_RANK] = {writer->frames, grid->shape.extent[2], grid->shape.extent[1],
                                       grid->shape.extent[0], array->components};
    const hsize_t chunk[HDF5_RANK] = {1, 1, rows, cells, array->components};
    hsize_t of_axes[HDF5_RANK], of_chunk[HDF5_RANK];
    writer->rank = grid->shape.rank;
    take_axes(writer, extent, of_axes);
    take_axes(writer, chunk, of_chunk);
    snprintf(path, sizeof path, "CellData/%s", grid->name);
    writer->count = 1;
    const int axes = (writer->frames > 1 ? 1 : 0) + (int) writer->rank + (array->components > 1 ? 1 : 0);
    const int code = hdf5_make_set(file, writer->root, path, array->type, axes, of_axes, of_chunk, &array->set);
    writer->parts = array->components / grid->shape.components;
    return code == 0 ? put_steps(file, writer, "CellDataOffsets", 1) : code;
}

static int put_grid(const struct engine_file *file, struct writer *writer)
{
    const struct array *array = &writer->arrays[0];
    const uint64_t *extent = writer->extent, components = array->components;
    uint64_t cells, rows;
    int code = 0;
    piece_of(writer, &cells, &rows);
    for (uint64_t z = 0; z < extent[2]; z++)
        for (uint64_t y = 0; y < extent[1]; y += rows)
            for (uint64_t x = 0; code == 0 && x < extent[0]; x += cells) {
                const uint64_t width = extent[0] - x < cells ? extent[0] - x : cells;
                const uint64_t height = extent[1] - y < rows ? extent[1] - y : rows;
                const hsize_t begin[HDF5_RANK] = {writer->frame, z, y, x, 0};
                const hsize_t count[HDF5_RANK] = {1, 1, height, width, components};
                hsize_t of_axes[HDF5_RANK], size[HDF5_RANK];
                take_axes(writer, begin, of_axes);
                take_axes(writer, count, size);
                const uint64_t each = components / writer->parts; /* elements of a cell */
                code = file->get(file, 0, ((z * extent[1] + y) * extent[0] + x) * each, width * height * each,
                                 writer->piece);
                if (code == 0)
                    code = hdf5_move(file, &array->set, array->type, of_axes, size, NULL, writer->piece);
            }
    return code;
}

/* ---- Particles --------------------------------------------------------------------------------------------------- */

/* A vertex at each point: `count` cells of one point. */
static int put_cells(const struct engine_file *file, const struct writer *writer, const char *name, uint64_t count)
{
    const hsize_t one[HDF5_RANK] = {1}, many[HDF5_RANK] = {count}, more[HDF5_RANK] = {count + 1};
    const int64_t number = (int64_t) count;
    const hid_t group = hdf5_make_group(file, writer->root, name);
    int64_t *points = file->allocate(file, (count + 1) * sizeof *points);
    if (!points || group < 0)
        return points ? ENGINE_INVALID : ENGINE_NO_MEMORY;
    for (uint64_t i = 0; i <= count; i++)
        points[i] = (int64_t) i;
    int code = hdf5_put(file, group, "NumberOfCells", H5T_NATIVE_INT64, 1, one, &number);
    if (code == 0)
        code = hdf5_put(file, group, "NumberOfConnectivityIds", H5T_NATIVE_INT64, 1, one, &number);
    if (code == 0)
        code = hdf5_put(file, group, "Offsets", H5T_NATIVE_INT64, 1, more, points);
    if (code == 0)
        code = hdf5_put(file, group, "Connectivity", H5T_NATIVE_INT64, 1, many, points);
    file->release(file, points);
    return code;
}

static int make_array(const struct engine_file *file, struct writer *writer, uint32_t index,
                      const struct engine_file_array *from)
{
    char path[HDF5_TEXT];
    struct array *array = &writer->arrays[writer->count];
    const hsize_t extent[HDF5_RANK] = {writer->frames * writer->particles, from->shape.components};
    array->index = index;
    if (take_type(file, array, from) != 0)
        return ENGINE_INVALID;
    snprintf(path, sizeof path, writer->count == 0 ? "Points" : "PointData/%s", from->name);
    return hdf5_make_set(file, writer->root, path, array->type, array->components > 1 ? 2 : 1, extent, NULL,
                         &writer->arrays[writer->count++].set);
}

static int begin_particles(const struct engine_file *file, struct writer *writer,
                           const struct engine_file_content *content)
{
    const hsize_t one[HDF5_RANK] = {1};
    const int64_t points = (int64_t) content->arrays.at[0].shape.extent[0];
    writer->particles = (uint64_t) points;
    if (put_head(file, writer, "PolyData") != 0 || hdf5_make_group(file, writer->root, "PointData") < 0 ||
        hdf5_put(file, writer->root, "NumberOfPoints", H5T_NATIVE_INT64, 1, one, &points) != 0)
        return ENGINE_INVALID;
    int code = put_cells(file, writer, "Vertices", writer->particles);
    static const char *const none[] = {"Lines", "Polygons", "Strips"};
    for (int i = 0; code == 0 && i < 3; i++)
        code = put_cells(file, writer, none[i], 0);
    for (uint32_t i = 0; code == 0 && i < content->arrays.count && writer->count < ARRAYS; i++)
        code = make_array(file, writer, i, &content->arrays.at[i]); /* the positions are the first */
    return code == 0 ? put_steps(file, writer, "PointDataOffsets", writer->particles) : code;
}

static int put_particles(const struct engine_file *file, struct writer *writer, const struct array *array)
{
    const uint64_t most = PIECE / (array->bytes * array->components);
    int code = 0;
    for (uint64_t first = 0; code == 0 && first < writer->particles; first += most) {
        const uint64_t left = writer->particles - first, rows = left < most ? left : most;
        const hsize_t begin[HDF5_RANK] = {writer->frame * writer->particles + first};
        const hsize_t count[HDF5_RANK] = {rows, array->components};
        code = file->get(file, array->index, first * array->components, rows * array->components, writer->piece);
        if (code == 0)
            code = hdf5_move(file, &array->set, array->type, begin, count, NULL, writer->piece);
    }
    return code;
}

/* ---- The functions of the descriptor ----------------------------------------------------------------------------- */

static int begin_file(const struct engine_file *file, struct writer *writer, const struct engine_file_content *content)
{
    if (hdf5_create(file, &writer->output) != 0)
        return ENGINE_INVALID;
    return content->arrays.at[0].kind == ENGINE_GRID ? begin_grid(file, writer, &content->arrays.at[0])
                                                     : begin_particles(file, writer, content);
}

static int create(const struct engine_file *file, const struct engine_file_content *content, void **self)
{
    struct writer *writer = file->allocate(file, sizeof *writer);
    if (!writer)
        return ENGINE_NO_MEMORY;
    memset(writer, 0, sizeof *writer);
    writer->frames = content->frames;
    const struct hdf5_quiet quiet = hdf5_begin();
    const int code = hdf5_outcome(&writer->output, begin_file(file, writer, content));
    if (code != 0)
        hdf5_close(file, &writer->output);
    hdf5_end(&quiet);
    *self = writer;
    return code;
}

/* A frame without a time has its step. */
static int write_frame(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    struct writer *writer = self;
    const struct hdf5_quiet quiet = hdf5_begin();
    const hsize_t begin[HDF5_RANK] = {writer->frame}, one[HDF5_RANK] = {1};
    const double time = frame->has & ENGINE_HAS_TIME ? frame->time : (double) frame->step;
    const int64_t step = (int64_t) frame->step;
    writer->output.file = file;
    int code = hdf5_move(file, &writer->times, H5T_NATIVE_DOUBLE, begin, one, NULL, &time);
    if (code == 0)
        code = hdf5_move(file, &writer->steps, H5T_NATIVE_INT64, begin, one, NULL, &step);
    if (code == 0 && writer->particles == 0)
        code = put_grid(file, writer);
    for (uint32_t i = 0; code == 0 && writer->particles > 0 && i < writer->count; i++)
        code = put_particles(file, writer, &writer->arrays[i]);
    writer->frame++;
    hdf5_end(&quiet);
    return hdf5_outcome(&writer->output, code);
}

static int finish(const struct engine_file *file, void *self)
{
    struct writer *writer = self;
    const struct hdf5_quiet quiet = hdf5_begin();
    const int code = hdf5_close(file, &writer->output);
    hdf5_end(&quiet);
    return code;
}

static void close_file(const struct engine_file *file, void *self)
{
    struct writer *writer = self;
    const struct hdf5_quiet quiet = hdf5_begin();
    hdf5_close(file, &writer->output);
    hdf5_end(&quiet);
}

ENGINE_EXPORT const struct engine_file_format engine_file_format = {
    ENGINE_FILE_FORMAT("vtkhdf", "0.1.0", "grids and particles for VTK and ParaView, all frames in an HDF5 file",
                       ".vtkhdf"),
    .flags = ENGINE_FORMAT_FRAMES | ENGINE_FORMAT_GRIDS,
    .length = ENGINE_LENGTH_UNKNOWN,
    .keeps = ENGINE_HAS_STEP | ENGINE_HAS_TIME,
    .arrays = "position velocity force mass charge species residue id",
    .create = create,
    .write = write_frame,
    .finish = finish,
    .close = close_file,
};
