/* VTK ImageData files: cell data of a grid of 1 to 3 axes, for ParaView and other programs that read VTK's XML formats
 * (https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html). They are written and not read. The elements
 * follow the XML as a table of 64-bit words, and blocks that zlib compresses:
 *
 *     number of blocks | bytes of a block | bytes of the last block; 0: as the others | compressed bytes of each
 *     | blocks
 *
 * Each thread compresses one block at a time, and no more of the grid is in memory. */
#include "base/text.h"
#include "base/type.h"
#include "formats/patterns/pattern.h"
#include "formats/pictures/plot.h"

#include <errno.h>
#include <limits.h>
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
    const struct engine_file *file;
    const struct engine_file_frame *frame;
    const struct engine_file_array *array;
    FILE *head;        /* the text before the elements, in memory */
    uint64_t block;    /* elements */
    uint64_t elements; /* of the array */
    uint64_t blocks;
    uint64_t *table; /* as in the file */
    int threads;
    uint8_t *plain;  /* a block per thread */
    uint8_t *packed; /* the compressed blocks, `bound` bytes apart */
    uint64_t bound;
};

/* VTK counts cells along an axis with 32 bits. Particles are points and no cells. */
static int holds(const struct engine_file_array *array)
{
    const struct engine_shape *shape = &array->shape;
    return array->kind != ENGINE_PARTICLES && type_bytes(shape->type) != 0 && shape->rank >= 1 && shape->rank <= 3 &&
           shape->extent[0] <= INT_MAX && shape->extent[1] <= INT_MAX && shape->extent[2] <= INT_MAX;
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
    const struct engine_file_content *content = vti->frame->content;
    if (content->note_count == 0)
        return 1;
    fputs("<!--\n", vti->head);
    return pattern_put_notes(content, vti->head, put_note) > 0 && fputs("-->\n", vti->head) >= 0;
}

/* The corner of the first cell, and the sides of a cell: cells of a part of a grid are where they are in the grid. */
static void make_places(const struct engine_file_array *array, char *origin, char *spacing, size_t size)
{
    unsigned long long first[3] = {0}, side[3] = {1, 1, 1};
    for (uint32_t axis = 0; axis < array->shape.rank; axis++) {
        first[axis] = array->first[axis];
        side[axis] = array->stride[axis];
    }
    snprintf(origin, size, "%llu %llu %llu", first[0], first[1], first[2]);
    snprintf(spacing, size, "%llu %llu %llu", side[0], side[1], side[2]);
}

/* Returns false where there is no memory. */
static bool print_head(const struct vti *vti)
{
    const struct engine_shape *shape = &vti->array->shape;
    const char *name = vti->array->name[0] != '\0' ? vti->array->name : "cells";
    char extent[96], origin[96], spacing[96];
    make_extent(shape, extent, sizeof extent);
    make_places(vti->array, origin, spacing, sizeof origin);
    if (fputs("<?xml version=\"1.0\"?>\n", vti->head) < 0 || put_notes(vti) <= 0)
        return false;
    fprintf(
        vti->head,
        "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
        "compressor=\"vtkZLibDataCompressor\">\n"
        "  <ImageData WholeExtent=\"%s\" Origin=\"%s\" Spacing=\"%s\">\n"
        "    <FieldData>\n"
        "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%llu</DataArray>\n"
        "    </FieldData>\n"
        "    <Piece Extent=\"%s\">\n"
        "      <CellData Scalars=\"",
        extent, origin, spacing, (unsigned long long) vti->frame->step, extent);
    plot_escape(vti->head, name, (int) strlen(name));
    fprintf(vti->head, "\">\n        <DataArray type=\"%s\" Name=\"", vtk_types[shape->type].name);
    plot_escape(vti->head, name, (int) strlen(name));
    fprintf(vti->head,
            "\" NumberOfComponents=\"%llu\" format=\"appended\" offset=\"0\"/>\n"
            "      </CellData>\n"
            "    </Piece>\n"
            "  </ImageData>\n"
            "  <AppendedData encoding=\"raw\">\n"
            "_",
            (unsigned long long) shape->components * vtk_types[shape->type].parts);
    return ferror(vti->head) == 0;
}

static int put_head(struct vti *vti, uint64_t *bytes)
{
    char *text = NULL;
    size_t length = 0;
    vti->head = open_memstream(&text, &length);
    bool made = vti->head != NULL && print_head(vti);
    if (vti->head != NULL)
        made = text_stream_close(vti->head, &text) && made;
    const int code =
        made ? vti->file->write(vti->file, text, length)
             : vti->file->fail(vti->file, ENGINE_NO_MEMORY, ENGINE_AT_FILE, 0, "no memory for the head of a .vti file");
    free(text);
    *bytes = length;
    return code;
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
    return vti->file->get(vti->file, 0, begin, elements, vti->plain);
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
    return failed ? vti->file->fail(vti->file, ENGINE_NO_MEMORY, ENGINE_AT_FILE, 0, "no memory for compressing a block")
                  : 0;
}

static int put_blocks(const struct vti *vti, uint64_t first, uint64_t count)
{
    int code = 0;
    for (uint64_t i = 0; code == 0 && i < count; i++)
        code = vti->file->write(vti->file, vti->packed + i * vti->bound, vti->table[TABLE_HEAD + first + i]);
    return code;
}

/* Writes the table before the sizes are known, to reserve its place, and again at the end. */
static int put_array(const struct vti *vti, uint64_t place)
{
    static const char tail[] = "\n  </AppendedData>\n</VTKFile>\n";
    const struct engine_file *file = vti->file;
    const uint64_t threads = (uint64_t) vti->threads, table = (TABLE_HEAD + vti->blocks) * sizeof *vti->table;
    int code = file->write(file, vti->table, table);
    for (uint64_t first = 0; code == 0 && first < vti->blocks; first += threads) {
        uint64_t count = vti->blocks - first < threads ? vti->blocks - first : threads;
        code = read_blocks(vti, first, count);
        if (code == 0)
            code = compress_blocks(vti, first, count);
        if (code == 0)
            code = put_blocks(vti, first, count);
    }
    if (code == 0)
        code = file->write(file, tail, sizeof tail - 1);
    return code != 0 ? code : file->write_at(file, place, vti->table, table);
}

/* ---- Files -------------------------------------------------------------------------------------------------- */

static int plan_blocks(struct vti *vti)
{
    const struct engine_file *file = vti->file;
    const struct engine_shape *shape = &vti->array->shape;
    if (!shape_elements(shape, &vti->elements))
        return ENGINE_FAIL_FILE(file, "the grid has more than 2^63 elements");
    vti->block = BLOCK / type_bytes(shape->type);
    vti->blocks = (vti->elements + vti->block - 1) / vti->block;
    vti->threads = (int) (file->threads < vti->blocks ? file->threads : vti->blocks);
    vti->bound = compressBound(BLOCK);
    vti->table = file->allocate(file, (TABLE_HEAD + vti->blocks) * sizeof *vti->table);
    vti->plain = file->allocate(file, (uint64_t) vti->threads * BLOCK);
    vti->packed = file->allocate(file, (uint64_t) vti->threads * vti->bound);
    if (vti->table == NULL || vti->plain == NULL || vti->packed == NULL)
        return ENGINE_NO_MEMORY;
    memset(vti->table, 0, (TABLE_HEAD + vti->blocks) * sizeof *vti->table);
    const uint64_t last = block_bytes(vti, vti->blocks - 1);
    vti->table[0] = vti->blocks;
    vti->table[1] = BLOCK;
    vti->table[2] = last < BLOCK ? last : 0;
    return 0;
}

static int write_grid(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    struct vti vti = {.file = file, .frame = frame, .array = frame->content->arrays.at};
    uint64_t head = 0;
    (void) self;
    int code = plan_blocks(&vti);
    if (code == 0)
        code = put_head(&vti, &head);
    return code != 0 ? code : put_array(&vti, head);
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

const struct engine_file_format vti_file_format = {
    ENGINE_FILE_FORMAT("vti", "1.0", "VTK ImageData, for ParaView: grid of 1 to 3 axes", ".vti"),
    .flags = ENGINE_FORMAT_NOTES,
    .keeps = ENGINE_HAS_STEP,
    .create = io_keep_nothing,
    .write = write_grid,
    .holds = holds,
    .bytes = ENGINE_SIZE_COMPRESSED,
    .index = &pvd,
};
