/* XTC, the compressed trajectories of GROMACS. A file is a series of frames, all numbers big-endian:
 *
 *     offset  0  1995, or 2023 if the length of the bits takes 8 bytes
 *             4  number of atoms
 *             8  step
 *            12  time in ps, a float
 *            16  three vectors of the box in nm, floats
 *            52  number of atoms again
 *            56  at most 9 atoms: their positions in nm, floats. Else:
 *                precision, least x y z, greatest x y z, small (coordinates.h), and the length of the bits in bytes
 *            92  (96) the bits, up to a multiple of 4 bytes */
#include "common/gromacs.h"
#include "coordinates.h"

enum { MAGIC = 1995, MAGIC_LONG = 2023, HEAD = 56, HEAD_PACKED = 92, HEAD_LONG = 96, BOX = 16 };

/* GROMACS writes MAGIC_LONG for more atoms than these, because the length of the bits may exceed 2^31. */
enum { ATOMS_SHORT = 298261617 };

struct trajectory {
    uint64_t atoms;
    struct frame_index index;
    struct engine_file_array position;
};

/* The head of a frame, as far as it tells where the frame ends. */
struct head {
    unsigned char bytes[HEAD_LONG];
    uint64_t atoms, length; /* of the bits; 0: the positions are not compressed */
    uint64_t data;          /* the offset in the frame at which bits or positions begin */
    uint64_t size;          /* of the frame */
};

/* ---- The index --------------------------------------------------------------------------------------------------- */

/* Reads the head of the frame at an offset. *whole is false, without an error, if the file ends within the frame. */
static int read_head(const struct engine_file *file, uint64_t at, struct head *head, bool *whole)
{
    const uint64_t left = file->bytes - at, count = left < HEAD_LONG ? left : HEAD_LONG;
    memset(head, 0, sizeof *head);
    *whole = false;
    if (file->read(file, at, count, head->bytes) != 0)
        return ENGINE_INVALID;
    const uint32_t magic = word_at(head->bytes);
    if (count >= 4 && magic != MAGIC && magic != MAGIC_LONG)
        return ENGINE_FAIL_BYTE(file, at, "found %u where a frame begins; expected 1995 or 2023", magic);
    if (count < HEAD)
        return 0;
    head->atoms = word_at(head->bytes + 4);
    if (head->atoms < 1 || head->atoms > INT32_MAX)
        return ENGINE_FAIL_BYTE(file, at + 4, "a frame has %llu atoms; expected 1 to 2^31 - 1",
                                (unsigned long long) head->atoms);
    if (word_at(head->bytes + 52) != head->atoms)
        return ENGINE_FAIL_BYTE(file, at + 52, "a frame of %llu atoms has %u positions",
                                (unsigned long long) head->atoms, word_at(head->bytes + 52));
    head->data = head->atoms <= XTC_ATOMS_RAW ? HEAD : magic == MAGIC ? HEAD_PACKED : HEAD_LONG;
    head->size = HEAD + 12 * head->atoms;
    if (head->data != HEAD) {
        if (count < head->data)
            return 0;
        head->length = word_at(head->bytes + HEAD_PACKED - 4);
        if (magic == MAGIC_LONG)
            head->length = head->length << 32 | word_at(head->bytes + HEAD_LONG - 4);
        if (head->length > left)
            return 0;
        if (head->length < head->atoms / 8) /* an atom takes one bit or more */
            return ENGINE_FAIL_BYTE(file, at + 4, "a frame has %llu atoms in %llu bytes; expected at most 8 in a byte",
                                    (unsigned long long) head->atoms, (unsigned long long) head->length);
        head->size = head->data + (head->length + 3) / 4 * 4;
    }
    *whole = head->size <= left;
    return 0;
}

static int find_frames(const struct engine_file *file, struct trajectory *trajectory)
{
    struct head head;
    for (uint64_t at = 0; at < file->bytes; at += head.size) {
        bool whole;
        int code = read_head(file, at, &head, &whole);
        if (code == 0 && !whole)
            code = index_fail_cut(file, &trajectory->index, at);
        if (code == 0 && trajectory->index.frames > 0 && head.atoms != trajectory->atoms)
            code = ENGINE_FAIL_BYTE(file, at + 4, "frame %llu has %llu atoms; expected %llu as in the first frame",
                                    (unsigned long long) trajectory->index.frames, (unsigned long long) head.atoms,
                                    (unsigned long long) trajectory->atoms);
        if (code != 0 && index_ends(file, &trajectory->index))
            break;
        if (code != 0)
            return code;
        trajectory->atoms = head.atoms;
        if ((code = index_add(file, &trajectory->index, at + head.size)) != 0)
            return code;
    }
    return index_finish(file, &trajectory->index);
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    const bool head = count >= 8 && (word_at(begin) == MAGIC || word_at(begin) == MAGIC_LONG);
    const bool ending = strlen(name) > 4 && strcmp(name + strlen(name) - 4, ".xtc") == 0;
    if (count < HEAD || bytes < HEAD)
        return head && ending ? ENGINE_PROBE_YES : ENGINE_PROBE_NO;
    return head && (ending || word_at(begin + 4) == word_at(begin + 52)) ? ENGINE_PROBE_YES : ENGINE_PROBE_NO;
}

/* Is the cell of the first frame turned? */
static int find_turn(const struct engine_file *file, struct engine_file_content *content)
{
    struct engine_cell cell;
    unsigned char box[36];
    if (file->read(file, BOX, sizeof box, box) != 0 || take_cell(file, BOX, box, 4, &cell) != 0)
        return ENGINE_INVALID;
    content->remarks = cell.turned ? ENGINE_CELL_TURNED : NULL;
    return 0;
}

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    struct trajectory *trajectory = file->allocate(file, sizeof *trajectory);
    if (!trajectory)
        return ENGINE_NO_MEMORY;
    memset(trajectory, 0, sizeof *trajectory);
    const int code = find_frames(file, trajectory);
    if (code != 0)
        return code;
    trajectory->position = (struct engine_file_array){
        .name = "position",
        .kind = ENGINE_PARTICLES,
        .lengths = 1,
        .shape = {sizeof(struct engine_shape), ENGINE_F32, 3, 1, {trajectory->atoms, 1, 1}},
    };
    content->length = ENGINE_NANOMETRE;
    content->arrays.at = &trajectory->position;
    content->arrays.count = 1;
    content->arrays.item_size = sizeof trajectory->position;
    content->frames = trajectory->index.frames;
    *self = trajectory;
    return find_turn(file, content);
}

static int frame_of(const struct engine_file *file, void *self, uint64_t number, struct engine_file_frame *frame)
{
    const struct trajectory *trajectory = self;
    unsigned char head[HEAD];
    const uint64_t at = trajectory->index.begins[number];
    if (file->read(file, at, sizeof head, head) != 0)
        return ENGINE_INVALID;
    frame->end = trajectory->index.begins[number + 1];
    if (take_moment(file, at + 12, word_at(head + 8), (double) single_at(head + 12), frame) != 0)
        return ENGINE_INVALID;
    struct engine_cell cell;
    if (take_cell(file, at + BOX, head + BOX, 4, &cell) != 0)
        return ENGINE_INVALID;
    engine_cell_place(&cell, NULL, frame);
    return 0;
}

static int read_raw(const struct engine_file *file, const struct trajectory *trajectory, uint64_t at, float *out)
{
    unsigned char bytes[12 * XTC_ATOMS_RAW];
    if (file->read(file, at + HEAD, 12 * trajectory->atoms, bytes) != 0)
        return ENGINE_INVALID;
    for (uint64_t i = 0; i < 3 * trajectory->atoms; i++)
        out[i] = single_at(bytes + 4 * i);
    return 0;
}

static int unpack(const struct engine_file *file, uint64_t at, const struct head *head, unsigned char *bits, float *out)
{
    struct xtc_box box = {.precision = single_at(head->bytes + 56), .small = (int32_t) word_at(head->bytes + 84)};
    for (size_t i = 0; i < 3; i++) {
        box.least[i] = (int32_t) word_at(head->bytes + 60 + 4 * i);
        box.greatest[i] = (int32_t) word_at(head->bytes + 72 + 4 * i);
    }
    if (file->read(file, at + head->data, head->length, bits) != 0)
        return ENGINE_INVALID;
    memset(bits + head->length, 0, XTC_PADDING);
    const char *wrong = xtc_decode(&box, bits, head->length, head->atoms, out);
    return wrong ? ENGINE_FAIL_BYTE(file, at, "the frame that begins here is damaged: %s", wrong) : 0;
}

static int read_packed(const struct engine_file *file, uint64_t at, const struct head *head, float *out)
{
    unsigned char *bits = file->allocate(file, head->length + XTC_PADDING);
    if (!bits)
        return ENGINE_NO_MEMORY;
    const int code = unpack(file, at, head, bits, out);
    file->release(file, bits);
    return code;
}

/* The file may have changed since it was opened. */
static int read_array(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                      uint64_t count, void *out)
{
    const struct trajectory *trajectory = self;
    const uint64_t at = trajectory->index.begins[number];
    struct engine_cell cell;
    struct head head;
    bool whole;
    (void) array, (void) begin;
    if (read_head(file, at, &head, &whole) != 0)
        return ENGINE_INVALID;
    if (!whole || head.atoms != trajectory->atoms || at + head.size != trajectory->index.begins[number + 1])
        return ENGINE_FAIL_BYTE(file, at, "the frame changed while the file was read");
    int code = take_cell(file, at + BOX, head.bytes + BOX, 4, &cell);
    if (code == 0)
        code = head.data == HEAD ? read_raw(file, trajectory, at, out) : read_packed(file, at, &head, out);
    if (code == 0)
        engine_cell_turn(&cell, ENGINE_F32, count / 3, out);
    return code;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

struct writer {
    uint64_t atoms;
    bool wide; /* positions have double precision */
    float *positions;
    int32_t *numbers;
    unsigned char *packed; /* a frame */
};

static int create(const struct engine_file *file, const struct engine_file_content *content, void **self)
{
    const struct engine_shape *shape = &content->arrays.at[0].shape;
    struct writer *writer = file->allocate(file, sizeof *writer);
    if (!writer)
        return ENGINE_NO_MEMORY;
    *writer = (struct writer){.atoms = shape->extent[0], .wide = shape->type == ENGINE_F64};
    if (writer->atoms > ATOMS_SHORT)
        return ENGINE_FAIL_FILE(file, "%llu atoms are too many; at most %d can be written",
                                (unsigned long long) writer->atoms, ATOMS_SHORT);
    writer->positions = file->allocate(file, writer->atoms * 3 * sizeof(double));
    writer->numbers = file->allocate(file, writer->atoms * 3 * sizeof(int32_t));
    writer->packed = file->allocate(file, HEAD_PACKED + xtc_bytes_max(writer->atoms));
    *self = writer;
    return writer->positions && writer->numbers && writer->packed ? 0 : ENGINE_NO_MEMORY;
}

static int get_positions(const struct engine_file *file, struct writer *writer)
{
    const uint64_t count = 3 * writer->atoms;
    if (file->get(file, 0, 0, count, writer->positions) != 0)
        return ENGINE_INVALID;
    const char *wide = (const char *) writer->positions;
    for (uint64_t i = 0; writer->wide && i < count; i++) { /* narrowed in place */
        double real;
        memcpy(&real, wide + i * sizeof real, sizeof real);
        writer->positions[i] = (float) real;
    }
    return 0;
}

static void put_head(unsigned char *to, uint64_t atoms, const struct engine_file_frame *frame)
{
    put_word(to, MAGIC);
    put_word(to + 4, (uint32_t) atoms);
    put_word(to + 8, (uint32_t) frame->step);
    put_single(to + 12, (float) time_of(frame));
    put_box(to + BOX, frame->box, 4);
    put_word(to + 52, (uint32_t) atoms);
}

/* Packs the positions behind the head. Returns the bytes of the frame; 0: a position does not fit. */
static uint64_t pack(struct writer *writer)
{
    static const float precision = 1000;
    struct xtc_box box;
    unsigned char *to = writer->packed;
    if (!xtc_round(writer->positions, writer->atoms, precision, writer->numbers, &box))
        return 0;
    put_single(to + 56, box.precision);
    for (size_t i = 0; i < 3; i++) {
        put_word(to + 60 + 4 * i, (uint32_t) box.least[i]);
        put_word(to + 72 + 4 * i, (uint32_t) box.greatest[i]);
    }
    put_word(to + 84, (uint32_t) box.small);
    const uint64_t length = xtc_encode(&box, writer->numbers, writer->atoms, to + HEAD_PACKED);
    put_word(to + HEAD_PACKED - 4, (uint32_t) length);
    memset(to + HEAD_PACKED + length, 0, 3);
    return HEAD_PACKED + (length + 3) / 4 * 4;
}

static int write_frame(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    struct writer *writer = self;
    uint64_t bytes = HEAD + 12 * writer->atoms;
    if (check_step(file, frame) != 0 || get_positions(file, writer) != 0)
        return ENGINE_INVALID;
    put_head(writer->packed, writer->atoms, frame);
    if (writer->atoms > XTC_ATOMS_RAW)
        bytes = pack(writer);
    else
        for (uint64_t i = 0; i < 3 * writer->atoms; i++)
            put_single(writer->packed + HEAD + 4 * i, writer->positions[i]);
    if (bytes == 0)
        return ENGINE_FAIL_FILE(file,
                                "a position at step %llu is beyond 2147483 nm, or infinite or not a number; the "
                                "format holds positions rounded to 0.001 nm",
                                (unsigned long long) frame->step);
    return file->write(file, writer->packed, bytes);
}

ENGINE_EXPORT const struct engine_file_format engine_file_format = {
    ENGINE_FILE_FORMAT("xtc", "0.1.0", "particles, compressed trajectories of GROMACS; positions rounded to 0.001 nm",
                       ".xtc"),
    .flags = ENGINE_FORMAT_FRAMES | ENGINE_FORMAT_GROWS,
    .length = ENGINE_NANOMETRE,
    .keeps = ENGINE_HAS_STEP | ENGINE_HAS_TIME | ENGINE_HAS_BOX,
    .arrays = "position",
    .probe = probe,
    .open = open_file,
    .frame = frame_of,
    .read = read_array,
    .create = create,
    .write = write_frame,
};
