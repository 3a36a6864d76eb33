/* Reads the box of an H5MD file. */
#include "reader.h"

/* Reads a word for each axis, or one for all. Without words, all axes are periodic. */
static int read_boundary(const struct engine_file *file, struct reader *reader)
{
    char words[3][HDF5_TEXT];
    memset(words, 0, sizeof words);
    const hid_t box = H5Gopen2(reader->group, "box", H5P_DEFAULT);
    const hid_t id = box >= 0 && H5Aexists(box, "boundary") > 0 ? H5Aopen(box, "boundary", H5P_DEFAULT) : -1;
    const hid_t type = id >= 0 ? H5Aget_type(id) : -1, space = id >= 0 ? H5Aget_space(id) : -1;
    const hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : 0;
    const bool none = box >= 0 && H5Aexists(box, "boundary") == 0;
    bool good = type >= 0 && H5Tget_class(type) == H5T_STRING && (count == 1 || count == reader->dimension);
    if (good && H5Tis_variable_str(type) > 0) {
        char *read[3] = {NULL, NULL, NULL};
        good = H5Aread(id, type, read) >= 0;
        for (int i = 0; i < 3; i++) {
            snprintf(words[i], sizeof words[i], "%s", good && read[i] ? read[i] : "");
            H5free_memory(read[i]);
        }
    } else if (good) {
        const size_t size = H5Tget_size(type);
        char fixed[3 * HDF5_TEXT] = "";
        good = size < HDF5_TEXT && H5Aread(id, type, fixed) >= 0;
        for (int i = 0; good && i < 3; i++)
            snprintf(words[i], sizeof words[i], "%.*s", (int) size, fixed + (size_t) i * size);
    }
    for (int i = 0; (good || none) && i < reader->dimension; i++) {
        const char *word = words[count == 1 ? 0 : i];
        reader->periodic[i] = none || strcmp(word, "periodic") == 0;
        good = none || reader->periodic[i] || strcmp(word, "none") == 0;
    }
    return good ? 0 : ENGINE_FAIL_FILE(file, "the boundary of the box is not a word for each axis, periodic or none");
}

/* A box with steps of its own has those of the frames among them. */
static int open_edges(const struct engine_file *file, struct reader *reader)
{
    if (h5md_open_element(file, reader, "box/edges", &reader->edges, &reader->edges_change) != 0)
        return ENGINE_INVALID;
    reader->has_moved = reader->edges_change && reader->edges.rank > 0 && reader->edges.extent[0] != reader->frames &&
                        reader->has_step && hdf5_has(reader->group, "box/edges/step");
    if (reader->has_moved)
        return hdf5_open_set(file, reader->group, "box/edges/step", &reader->moved);
    if (reader->edges_change && (file->flags & ENGINE_FILE_UNFINISHED) && reader->edges.extent[0] > 0 &&
        reader->edges.extent[0] < reader->frames)
        reader->frames = reader->edges.extent[0];
    return 0;
}

int h5md_open_box(const struct engine_file *file, struct reader *reader)
{
    reader->has_edges = hdf5_has(reader->group, "box/edges");
    if (!reader->has_edges)
        return 0;
    if (read_boundary(file, reader) != 0 || open_edges(file, reader) != 0)
        return ENGINE_INVALID;
    const struct hdf5_set *set = &reader->edges, *moved = &reader->moved;
    const bool changes = reader->edges_change, unfinished = (file->flags & ENGINE_FILE_UNFINISHED) != 0;
    const int axis = changes ? 1 : 0;
    const bool matrix = set->rank == axis + 2;
    const hsize_t sides = (hsize_t) reader->dimension;
    if (set->kind != H5T_FLOAT || (set->rank != axis + 1 && !matrix) || set->extent[axis] != sides ||
        (matrix && set->extent[axis + 1] != sides) ||
        (changes && !reader->has_moved && set->extent[0] != reader->frames && !unfinished) ||
        (reader->has_moved && (moved->rank != 1 || moved->extent[0] != set->extent[0])))
        return ENGINE_FAIL_FILE(
            file, "%s is not %d lengths or %d x %d numbers of edges, for all frames or for each of %llu", set->name,
            reader->dimension, reader->dimension, reader->dimension, (unsigned long long) reader->frames);
    return 0;
}

/* Finds the row of the box with the step of a frame. */
static int find_edges(const struct engine_file *file, const struct reader *reader, uint64_t number, hsize_t *row)
{
    const hsize_t one[HDF5_RANK] = {1};
    struct engine_file_frame frame = {.has = 0};
    hsize_t low = 0, high = reader->moved.extent[0];
    if (h5md_read_moments(file, reader, number, &frame) != 0)
        return ENGINE_INVALID;
    while (low < high) {
        const hsize_t middle[HDF5_RANK] = {low + (high - low) / 2};
        int64_t step = 0;
        if (hdf5_move(file, &reader->moved, H5T_NATIVE_INT64, middle, one, &step, NULL) != 0)
            return ENGINE_INVALID;
        *row = middle[0];
        if (step == (int64_t) frame.step)
            return 0;
        if (step < (int64_t) frame.step)
            low = middle[0] + 1;
        else
            high = middle[0];
    }
    return ENGINE_FAIL_FILE(file, "the box has no step %llu, which is that of frame %llu",
                            (unsigned long long) frame.step, (unsigned long long) number);
}

/* Reads the numbers of the box of a frame: three vectors, or three lengths. */
static int read_edges(const struct engine_file *file, const struct reader *reader, uint64_t number, double vectors[9])
{
    const struct hdf5_set *set = &reader->edges;
    const uint64_t sides = (uint64_t) reader->dimension;
    const bool changes = reader->edges_change, matrix = set->rank == (changes ? 3 : 2);
    const hsize_t count[HDF5_RANK] = {1, sides, sides}, *size = changes ? count : count + 1;
    hsize_t begin[HDF5_RANK] = {changes ? number : 0};
    double edges[9] = {0};
    if (reader->has_moved && find_edges(file, reader, number, begin) != 0)
        return ENGINE_INVALID;
    if (hdf5_move(file, set, H5T_NATIVE_DOUBLE, begin, size, edges, NULL) != 0)
        return ENGINE_INVALID;
    for (uint64_t i = 0; i < sides; i++)
        for (uint64_t k = 0; k < sides; k++)
            vectors[3 * i + k] = matrix ? edges[sides * i + k] : i == k ? edges[i] : 0;
    return 0;
}

int h5md_read_cell(const struct engine_file *file, const struct reader *reader, uint64_t number,
                   struct engine_cell *cell)
{
    const int open[3] = {!reader->periodic[0], !reader->periodic[1], !reader->periodic[2]};
    double vectors[9] = {0};
    if (reader->has_edges && read_edges(file, reader, number, vectors) != 0)
        return ENGINE_INVALID;
    for (int i = 0; i < 9; i++)
        if (!(vectors[i] - vectors[i] == 0))
            return ENGINE_FAIL_FILE(file, "the box of frame %llu is infinite or not a number",
                                    (unsigned long long) number);
    return engine_cell_take(cell, vectors, open)
               ? 0
               : ENGINE_FAIL_FILE(file, "the edges of the box of frame %llu lie in a plane",
                                  (unsigned long long) number);
}
