/* VTK ImageData files: cell data of a grid of 1 to 3 axes, for ParaView and other programs that read VTK's XML formats
 * (https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html). They are written and not read. The elements
 * follow the XML as a table of 64-bit words, and blocks that zlib compresses:
 *
 *     number of blocks | bytes of a block | bytes of the last block; 0: as the others | compressed bytes of each
 *     | blocks
 *
 * Each thread compresses one block at a time, and no more of the grid is in memory. */
#include "io/bytes.h"
#include "io/format.h"
#include "io/plot.h"

#include <errno.h>
#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are written as they lie in memory");

enum {
    BLOCK = 1 << 20, /* bytes */
    TABLE_HEAD = 3,  /* words before the compressed sizes */
    COMPRESSION = 1  /* level of zlib: level 4 makes files of random cells a fifth smaller in twice the time */
};

/* VTK's names; complex numbers are two components. */
static const struct {
    const char *name;
    uint32_t parts;
} vtk_types[TYPE_COUNT] = {
    [ENGINE_U8] = {"UInt8", 1},    [ENGINE_I8] = {"Int8", 1},     [ENGINE_U16] = {"UInt16", 1},
    [ENGINE_I16] = {"Int16", 1},   [ENGINE_U32] = {"UInt32", 1},  [ENGINE_I32] = {"Int32", 1},
    [ENGINE_U64] = {"UInt64", 1},  [ENGINE_I64] = {"Int64", 1},   [ENGINE_F32] = {"Float32", 1},
    [ENGINE_F64] = {"Float64", 1}, [ENGINE_C64] = {"Float32", 2}, [ENGINE_C128] = {"Float64", 2},
};

struct vti {
    struct io_document *document;
    const struct io_array *array;
    FILE *file;
    uint64_t block;    /* elements */
    uint64_t elements; /* of the array */
    uint64_t blocks;
    uint64_t *table; /* as in the file */
    int threads;
    uint8_t *plain;  /* a block per thread */
    uint8_t *packed; /* the compressed blocks, `bound` bytes apart */
    uint64_t bound;
    struct engine_error *error;
};

/* VTK counts cells along an axis with 32 bits. Particles are points and no cells. */
static bool writes(const struct io_array *array)
{
    const struct engine_shape *shape = &array->shape;
    return !array->particles && type_bytes(shape->type) != 0 && shape->rank >= 1 && shape->rank <= 3 &&
           shape->extent[0] <= INT_MAX && shape->extent[1] <= INT_MAX && shape->extent[2] <= INT_MAX;
}

static int write_error(const struct vti *vti)
{
    return error_set(vti->error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno != 0 ? errno : EIO));
}

/* ---- XML ---------------------------------------------------------------------------------------------------- */

/* Cells 0 … n - 1 of an axis lie between points 0 and n. An axis that the grid does not have has one point. */
static void make_extent(const struct engine_shape *shape, char *out, size_t size)
{
    unsigned long long last[3] = {0};
    for (uint32_t axis = 0; axis < shape->rank; axis++)
        last[axis] = shape->extent[axis];
    snprintf(out, size, "0 %llu 0 %llu 0 %llu", last[0], last[1], last[2]);
}

/* An XML comment must not contain "--", and XML no control characters. */
static int put_note(void *context, const char *key, const char *line, int length)
{
    FILE *file = context;
    fprintf(file, "  %s: ", key);
    for (int i = 0; i < length; i++) {
        const bool dash = line[i] == '-' && (i + 1 == length || line[i + 1] == '-');
        const bool control = (unsigned char) line[i] < ' ' && line[i] != '\t';
        fputs(dash ? "- " : (const char[]){control ? '?' : line[i], '\0'}, file);
    }
    return fputc('\n', file) == EOF ? -1 : 1;
}

static int put_notes(const struct vti *vti)
{
    const struct io_header *header = &vti->document->header;
    if (header->notes == 0)
        return 1;
    fputs("<!--\n", vti->file);
    return io_put_notes(header, vti->file, put_note) > 0 && fputs("-->\n", vti->file) >= 0;
}

/* The corner of the first cell, and the sides of a cell: cells of a part of a grid are where they are in the grid. */
static void make_places(const struct io_array *array, char *origin, char *spacing, size_t size)
{
    unsigned long long first[3] = {0}, side[3] = {1, 1, 1};
    for (uint32_t axis = 0; axis < array->shape.rank; axis++) {
        first[axis] = array->first[axis];
        side[axis] = array->stride[axis] > 0 ? array->stride[axis] : 1;
    }
    snprintf(origin, size, "%llu %llu %llu", first[0], first[1], first[2]);
    snprintf(spacing, size, "%llu %llu %llu", side[0], side[1], side[2]);
}

static int put_head(const struct vti *vti)
{
    const struct engine_shape *shape = &vti->array->shape;
    const char *name = vti->array->name[0] != '\0' ? vti->array->name : "cells";
    char extent[96], origin[96], spacing[96];
    make_extent(shape, extent, sizeof extent);
    make_places(vti->array, origin, spacing, sizeof origin);
    if (fputs("<?xml version=\"1.0\"?>\n", vti->file) < 0 || put_notes(vti) <= 0)
        return write_error(vti);
    fprintf(
        vti->file,
        "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
        "compressor=\"vtkZLibDataCompressor\">\n"
        "  <ImageData WholeExtent=\"%s\" Origin=\"%s\" Spacing=\"%s\">\n"
        "    <FieldData>\n"
        "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%llu</DataArray>\n"
        "    </FieldData>\n"
        "    <Piece Extent=\"%s\">\n"
        "      <CellData Scalars=\"",
        extent, origin, spacing, (unsigned long long) vti->document->header.step, extent);
    plot_escape(vti->file, name, (int) strlen(name));
    fprintf(vti->file, "\">\n        <DataArray type=\"%s\" Name=\"", vtk_types[shape->type].name);
    plot_escape(vti->file, name, (int) strlen(name));
    const int written = fprintf(vti->file,
                                "\" NumberOfComponents=\"%llu\" format=\"appended\" offset=\"0\"/>\n"
                                "      </CellData>\n"
                                "    </Piece>\n"
                                "  </ImageData>\n"
                                "  <AppendedData encoding=\"raw\">\n"
                                "_",
                                (unsigned long long) shape->components * vtk_types[shape->type].parts);
    return written > 0 && ferror(vti->file) == 0 ? 0 : write_error(vti);
}

/* ---- Blocks ------------------------------------------------------------------------------------------------- */

static uint64_t block_bytes(const struct vti *vti, uint64_t block)
{
    const uint64_t rest = vti->elements - block * vti->block;
    return (rest < vti->block ? rest : vti->block) * type_bytes(vti->array->shape.type);
}

/* Reads blocks [first, first + count), at most one per thread, into adjacent memory. */
static int read_blocks(const struct vti *vti, uint64_t first, uint64_t count)
{
    const uint64_t begin = first * vti->block, most = count * vti->block;
    const uint64_t elements = vti->elements - begin < most ? vti->elements - begin : most;
    return vti->document->read(vti->document, (uint32_t) (vti->array - vti->document->arrays), begin, elements,
                               vti->plain, vti->error);
}

static int compress_blocks(const struct vti *vti, uint64_t first, uint64_t count)
{
    bool failed = false;
#pragma omp parallel for num_threads(vti->threads) schedule(static, 1) reduction(|| : failed)
    for (uint64_t i = 0; i < count; i++) {
        uLongf size = vti->bound;
        failed = compress2(vti->packed + i * vti->bound, &size, vti->plain + i * BLOCK, block_bytes(vti, first + i),
                           COMPRESSION) != Z_OK ||
                 failed;
        vti->table[TABLE_HEAD + first + i] = size;
    }
    return failed ? error_memory(vti->error, BLOCK, "compressing a block") : 0;
}

static int put_blocks(const struct vti *vti, uint64_t first, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t size = vti->table[TABLE_HEAD + first + i];
        if (fwrite(vti->packed + i * vti->bound, 1, size, vti->file) != size)
            return write_error(vti);
    }
    return 0;
}

static int put_table(const struct vti *vti)
{
    const uint64_t words = TABLE_HEAD + vti->blocks;
    return fwrite(vti->table, sizeof *vti->table, words, vti->file) == words ? 0 : write_error(vti);
}

/* Writes the table before the sizes are known, to reserve its place, and again at the end. */
static int put_array(const struct vti *vti)
{
    const off_t place = ftello(vti->file);
    const uint64_t threads = (uint64_t) vti->threads;
    int status = put_table(vti);
    for (uint64_t first = 0; status == 0 && first < vti->blocks; first += threads) {
        uint64_t count = vti->blocks - first < threads ? vti->blocks - first : threads;
        status = read_blocks(vti, first, count);
        if (status == 0)
            status = compress_blocks(vti, first, count);
        if (status == 0)
            status = put_blocks(vti, first, count);
    }
    if (status == 0 && fputs("\n  </AppendedData>\n</VTKFile>\n", vti->file) < 0)
        status = write_error(vti);
    if (status == 0 && (place < 0 || fseeko(vti->file, place, SEEK_SET) != 0))
        status = write_error(vti);
    return status != 0 ? status : put_table(vti);
}

/* ---- Files -------------------------------------------------------------------------------------------------- */

static int plan_blocks(struct vti *vti, uint32_t threads)
{
    const struct engine_shape *shape = &vti->array->shape;
    if (!shape_elements(shape, &vti->elements))
        return error_set(vti->error, ENGINE_STATUS_OUTPUT, "the grid has more than 2^63 elements");
    vti->block = BLOCK / type_bytes(shape->type);
    vti->blocks = (vti->elements + vti->block - 1) / vti->block;
    vti->threads = threads != 0 ? (int) threads : omp_get_num_procs();
    if ((uint64_t) vti->threads > vti->blocks)
        vti->threads = (int) vti->blocks;
    vti->bound = compressBound(BLOCK);
    vti->table = calloc(TABLE_HEAD + vti->blocks, sizeof *vti->table);
    vti->plain = malloc((uint64_t) vti->threads * BLOCK);
    vti->packed = malloc((uint64_t) vti->threads * vti->bound);
    if (vti->table == NULL || vti->plain == NULL || vti->packed == NULL)
        return error_memory(vti->error, (uint64_t) vti->threads * (BLOCK + vti->bound), "the blocks of a .vti file");
    const uint64_t last = block_bytes(vti, vti->blocks - 1);
    vti->table[0] = vti->blocks;
    vti->table[1] = BLOCK;
    vti->table[2] = last < BLOCK ? last : 0;
    return 0;
}

static int write_file(struct vti *vti, int file)
{
    vti->file = bytes_stream(file);
    if (vti->file == NULL)
        return error_set(vti->error, ENGINE_STATUS_OUTPUT, "cannot be created: %s", strerror(errno));
    errno = 0;
    int status = put_head(vti);
    if (status == 0)
        status = put_array(vti);
    if (fclose(vti->file) != 0 && status == 0)
        status = write_error(vti);
    return status;
}

static int write_vti(int file, struct io_document *document, const struct io_options *options,
                     struct engine_error *error)
{
    struct vti vti = {.document = document, .array = io_first_written(document, writes), .error = error};
    int status = plan_blocks(&vti, options->threads);
    if (status == 0)
        status = write_file(&vti, file);
    free(vti.table);
    free(vti.plain);
    free(vti.packed);
    return status;
}

/* ---- .pvd: ParaView's list of the files of a series ----------------------------------------------------------- */

static const struct engine_file_index pvd = {
    .ending = "pvd",
    .head = "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
            "  <Collection>\n",
    .tail = "  </Collection>\n</VTKFile>\n",
    .part = {"    <DataSet timestep=\"", "\" group=\"\" part=\"0\" file=\"", "\"/>\n"},
};

static const struct engine_file_format about = {
    ENGINE_FILE_FORMAT("vti", "1.0", "VTK ImageData, for ParaView: grid of 1 to 3 axes", ".vti"),
    .flags = ENGINE_FORMAT_NOTES,
    .keeps = ENGINE_HAS_STEP,
    .bytes = ENGINE_SIZE_COMPRESSED,
    .index = &pvd,
};

static const struct io_own own = {
    .writes = writes,
    .write = write_vti,
};

const struct io_format io_vti = {.about = &about, .own = &own};
