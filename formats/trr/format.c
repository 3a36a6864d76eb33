/* TRR, the trajectories of GROMACS with positions, velocities and forces. A file is a series of frames, all numbers
 * big-endian. A frame begins with words of 4 bytes:
 *
 *     1993, 13, 12, "GMX_trn_file"     a magic number, and a text with its length
 *     10 sizes in bytes                of parts of the frame that follow the head: two of which nothing is known, the
 *                                      box, the virial, the pressure, two more, positions, velocities and forces
 *     number of atoms, step, one word  then time and lambda, of 4 or 8 bytes
 *
 * Numbers have 4 or 8 bytes, which follows from the sizes. Lengths are in nm, times in ps, forces in kJ/mol/nm. */
#include "common/gromacs.h"

enum { MAGIC = 1993, WORDS = 24, SIZES = 24, HEAD = WORDS + 4 * 13, HEAD_MAX = HEAD + 16 };
enum { IR, E, BOX, VIRIAL, PRESSURE, TOPOLOGY, SYMBOLS, POSITION, VELOCITY, FORCE, PARTS };

enum { SKIPPED = 256 };

struct trajectory {
    struct frame_index index; /* of the frames with positions. Frames without follow the frame before them */
    uint64_t atoms;
    uint64_t wide;                /* bytes of a number in the first frame: 4 or 8 */
    bool has[PARTS], some[PARTS]; /* the frames that are wanted have the part; some frame has it */
    bool without;                 /* there are frames without positions */
    struct engine_file_array arrays[3];
    uint32_t part[3], count; /* the part of each array */
    char skipped[SKIPPED];
};

struct head {
    unsigned char bytes[HEAD_MAX];
    uint64_t parts[PARTS], atoms, wide, data, size;
};

/* ---- The index --------------------------------------------------------------------------------------------------- */

static bool begins_frame(const unsigned char *bytes)
{
    return word_at(bytes) == MAGIC && word_at(bytes + 4) == 13 && word_at(bytes + 8) == 12 &&
           memcmp(bytes + 12, "GMX_trn_file", 12) == 0;
}

/* Checks the sizes of the parts, which tell how wide numbers are. */
static int take_sizes(const struct engine_file *file, uint64_t at, struct head *head)
{
    const uint64_t numbers = 3 * head->atoms;
    uint64_t sum = 0;
    for (int i = 0; i < PARTS; i++) {
        const uint64_t wanted = i >= POSITION ? numbers : i == BOX || i == VIRIAL || i == PRESSURE ? 9 : 0;
        const uint64_t size = head->parts[i];
        if (size > INT32_MAX || (size != 0 && (wanted == 0 || (size != 4 * wanted && size != 8 * wanted))))
            return ENGINE_FAIL_BYTE(file, at + SIZES + 4 * (uint64_t) i,
                                    "a part of the frame has %llu bytes; expected 4 or 8 for each of its %llu numbers",
                                    (unsigned long long) size, (unsigned long long) wanted);
        if (size != 0 && head->wide != 0 && size != head->wide * wanted)
            return ENGINE_FAIL_BYTE(file, at + SIZES,
                                    "some parts of the frame have single precision and others double");
        head->wide = size != 0 ? size / wanted : head->wide;
        sum += size;
    }
    if (head->wide == 0)
        return ENGINE_FAIL_BYTE(file, at + SIZES, "the frame has neither a box nor positions, velocities or forces");
    head->data = HEAD + 2 * head->wide;
    head->size = head->data + sum;
    return 0;
}

/* Reads the head of the frame at an offset. *whole is false, without an error, if the file ends within the frame. */
static int read_head(const struct engine_file *file, uint64_t at, struct head *head, bool *whole)
{
    const uint64_t left = file->bytes - at, count = left < HEAD_MAX ? left : HEAD_MAX;
    memset(head, 0, sizeof *head);
    *whole = false;
    if (file->read(file, at, count, head->bytes) != 0)
        return ENGINE_INVALID;
    if (count < HEAD)
        return count >= 4 && word_at(head->bytes) != MAGIC
                   ? ENGINE_FAIL_BYTE(file, at, "found %u where a frame begins; expected 1993", word_at(head->bytes))
                   : 0;
    if (!begins_frame(head->bytes))
        return ENGINE_FAIL_BYTE(file, at, "found no frame here; expected 1993 and GMX_trn_file");
    for (size_t i = 0; i < PARTS; i++)
        head->parts[i] = word_at(head->bytes + SIZES + 4 * i);
    head->atoms = word_at(head->bytes + 64);
    if (head->atoms < 1 || head->atoms > INT32_MAX)
        return ENGINE_FAIL_BYTE(file, at + 64, "a frame has %llu atoms; expected 1 to 2^31 - 1",
                                (unsigned long long) head->atoms);
    const int code = take_sizes(file, at, head);
    *whole = code == 0 && head->size <= left;
    return code;
}

static void add_array(struct trajectory *trajectory, uint32_t part, const char *name, int32_t lengths)
{
    trajectory->arrays[trajectory->count] = (struct engine_file_array){
        .name = name,
        .kind = ENGINE_PARTICLES,
        .lengths = lengths,
        .shape = {sizeof(struct engine_shape),
                  trajectory->wide == 4 ? ENGINE_F32 : ENGINE_F64,
                  3,
                  1,
                  {trajectory->atoms, 1, 1}},
    };
    trajectory->part[trajectory->count++] = part;
}

static void skip(struct trajectory *trajectory, const char *what)
{
    strcat(strcat(trajectory->skipped, *trajectory->skipped ? ", " : ""), what);
}

/* Positions, and what all frames have of the rest, or the last frame if it alone is wanted. */
static void take_arrays(struct trajectory *trajectory)
{
    add_array(trajectory, POSITION, "position", 1);
    if (trajectory->has[VELOCITY])
        add_array(trajectory, VELOCITY, "velocity", 1);
    if (trajectory->has[FORCE])
        add_array(trajectory, FORCE, "force", -1);
    if (trajectory->some[VELOCITY] && !trajectory->has[VELOCITY])
        skip(trajectory, "the velocities, which some frames lack");
    if (trajectory->some[FORCE] && !trajectory->has[FORCE])
        skip(trajectory, "the forces, which some frames lack");
    if (trajectory->without)
        skip(trajectory, "the frames without positions");
}

static int check_same(const struct engine_file *file, const struct trajectory *trajectory, uint64_t at,
                      const struct head *head)
{
    bool same = head->atoms == trajectory->atoms && head->wide == trajectory->wide;
    for (uint32_t i = 0; i < trajectory->count; i++)
        same = same && head->parts[trajectory->part[i]] != 0;
    return same ? 0
                : ENGINE_FAIL_BYTE(file, at,
                                   "frame %llu has another number of atoms than the first frame, or another precision; "
                                   "write all frames alike with gmx trjconv",
                                   (unsigned long long) trajectory->index.frames);
}

static int add_frame(const struct engine_file *file, struct trajectory *trajectory, uint64_t at,
                     const struct head *head)
{
    struct frame_index *index = &trajectory->index;
    const bool first = index->frames == 0, all = (file->flags & ENGINE_FILE_SERIES) != 0;
    trajectory->without = trajectory->without || head->parts[POSITION] == 0;
    for (int i = VELOCITY; i <= FORCE; i++)
        trajectory->some[i] = trajectory->some[i] || head->parts[i] != 0;
    if (head->parts[POSITION] == 0) {
        if (!first)
            index->begins[index->frames] = at + head->size;
        return 0;
    }
    trajectory->atoms = first ? head->atoms : trajectory->atoms;
    trajectory->wide = first ? head->wide : trajectory->wide;
    if (check_same(file, trajectory, at, head) != 0)
        return ENGINE_INVALID;
    for (int i = VELOCITY; i <= FORCE; i++)
        trajectory->has[i] = head->parts[i] != 0 && (first || !all || trajectory->has[i]);
    const int code = index_add(file, index, at + head->size);
    if (code == 0 && first)
        index->begins[0] = at;
    return code;
}

static int find_frames(const struct engine_file *file, struct trajectory *trajectory)
{
    struct head head;
    for (uint64_t at = 0; at < file->bytes; at += head.size) {
        bool whole;
        int code = read_head(file, at, &head, &whole);
        if (code == 0)
            code = whole ? add_frame(file, trajectory, at, &head) : index_fail_cut(file, &trajectory->index, at);
        if (code == ENGINE_INVALID && index_ends(file, &trajectory->index))
            break;
        if (code != 0)
            return code;
    }
    take_arrays(trajectory);
    return index_finish(file, &trajectory->index);
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    (void) name, (void) bytes;
    return count >= WORDS && begins_frame(begin) ? ENGINE_PROBE_YES : ENGINE_PROBE_NO;
}

/* Reads the head of a frame again. The file may have changed since it was opened. */
static int find_frame(const struct engine_file *file, const struct trajectory *trajectory, uint64_t number,
                      struct head *head)
{
    bool whole;
    const uint64_t at = trajectory->index.begins[number];
    if (read_head(file, at, head, &whole) != 0)
        return ENGINE_INVALID;
    if (!whole || head->parts[POSITION] == 0 || at + head->size > trajectory->index.begins[number + 1])
        return ENGINE_FAIL_BYTE(file, at, "the frame changed while the file was read");
    return check_same(file, trajectory, at, head);
}

static int read_cell(const struct engine_file *file, uint64_t begin, const struct head *head, struct engine_cell *cell)
{
    unsigned char bytes[9 * 8] = {0};
    const uint64_t at = begin + head->data;
    if (head->parts[BOX] != 0 && file->read(file, at, 9 * head->wide, bytes) != 0)
        return ENGINE_INVALID;
    return take_cell(file, at, bytes, head->wide, cell);
}

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    struct trajectory *trajectory = file->allocate(file, sizeof *trajectory);
    if (!trajectory)
        return ENGINE_NO_MEMORY;
    memset(trajectory, 0, sizeof *trajectory);
    struct engine_cell cell;
    struct head head;
    int code = find_frames(file, trajectory);
    const uint64_t shown = file->flags & ENGINE_FILE_SERIES ? 0 : trajectory->index.frames - 1;
    if (code == 0)
        code = find_frame(file, trajectory, shown, &head);
    if (code == 0)
        code = read_cell(file, trajectory->index.begins[shown], &head, &cell);
    if (code != 0)
        return code;
    if (cell.turned)
        content->remarks = ENGINE_CELL_TURNED;
    content->skipped = *trajectory->skipped ? trajectory->skipped : NULL;
    content->length = ENGINE_NANOMETRE;
    content->arrays.at = trajectory->arrays;
    content->arrays.count = trajectory->count;
    content->arrays.item_size = sizeof trajectory->arrays[0];
    content->frames = trajectory->index.frames;
    *self = trajectory;
    return 0;
}

static int frame_of(const struct engine_file *file, void *self, uint64_t number, struct engine_file_frame *frame)
{
    const struct trajectory *trajectory = self;
    struct engine_cell cell;
    struct head head;
    if (find_frame(file, trajectory, number, &head) != 0)
        return ENGINE_INVALID;
    const uint64_t at = trajectory->index.begins[number];
    frame->end = at + head.size;
    if (take_moment(file, at + HEAD, word_at(head.bytes + 68), real_at(head.bytes + HEAD, head.wide), frame) != 0)
        return ENGINE_INVALID;
    const int code = read_cell(file, at, &head, &cell);
    engine_cell_place(&cell, NULL, frame);
    return code;
}

static int read_array(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                      uint64_t count, void *out)
{
    const struct trajectory *trajectory = self;
    struct engine_cell cell;
    struct head head;
    (void) begin;
    if (find_frame(file, trajectory, number, &head) != 0 ||
        read_cell(file, trajectory->index.begins[number], &head, &cell) != 0)
        return ENGINE_INVALID;
    uint64_t at = trajectory->index.begins[number] + head.data;
    for (uint32_t part = 0; part < trajectory->part[array]; part++)
        at += head.parts[part];
    if (file->read(file, at, count * head.wide, out) != 0)
        return ENGINE_INVALID;
    unsigned char *bytes = out;
    for (uint64_t i = 0; i < count; i++) { /* from big-endian, in place */
        const double real = real_at(bytes + i * head.wide, head.wide);
        if (head.wide == 4)
            ((float *) out)[i] = (float) real;
        else
            ((double *) out)[i] = real;
    }
    engine_cell_turn(&cell, head.wide == 4 ? ENGINE_F32 : ENGINE_F64, count / 3, out);
    return 0;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

struct writer {
    uint64_t atoms, wide, bytes;
    uint32_t count;
    uint32_t index[3]; /* of positions, velocities and forces in the file, in this order */
    uint64_t parts[PARTS];
    unsigned char *frame;
};

static int create(const struct engine_file *file, const struct engine_file_content *content, void **self)
{
    static const char *const names[] = {"position", "velocity", "force"};
    struct writer *writer = file->allocate(file, sizeof *writer);
    if (!writer)
        return ENGINE_NO_MEMORY;
    const struct engine_file_array *arrays = content->arrays.at;
    *writer = (struct writer){.atoms = arrays[0].shape.extent[0], .wide = arrays[0].shape.type == ENGINE_F64 ? 8 : 4};
    writer->parts[BOX] = 9 * writer->wide;
    writer->bytes = HEAD + (2 + 9) * writer->wide;
    if (writer->atoms > INT32_MAX / (3 * writer->wide))
        return ENGINE_FAIL_FILE(file, "%llu atoms are too many for the format, whose parts have less than 2^31 bytes",
                                (unsigned long long) writer->atoms);
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t i = 0; i < content->arrays.count; i++)
            if (strcmp(arrays[i].name, names[k]) == 0) {
                if (arrays[i].shape.type != arrays[0].shape.type)
                    return ENGINE_FAIL_FILE(file, "positions and %s have different precision", names[k]);
                writer->index[writer->count++] = i;
                writer->parts[POSITION + k] = 3 * writer->atoms * writer->wide;
                writer->bytes += writer->parts[POSITION + k];
            }
    writer->frame = file->allocate(file, writer->bytes);
    *self = writer;
    return writer->frame ? 0 : ENGINE_NO_MEMORY;
}

static unsigned char *put_head(const struct writer *writer, const struct engine_file_frame *frame)
{
    unsigned char *to = writer->frame;
    memset(to, 0, HEAD_MAX);
    put_word(to, MAGIC);
    put_word(to + 4, 13);
    put_word(to + 8, 12);
    memcpy(to + 12, "GMX_trn_file", 12);
    for (size_t i = 0; i < PARTS; i++)
        put_word(to + SIZES + 4 * i, (uint32_t) writer->parts[i]);
    put_word(to + 64, (uint32_t) writer->atoms);
    put_word(to + 68, (uint32_t) frame->step);
    put_real(to + HEAD, time_of(frame), writer->wide);
    put_real(to + HEAD + writer->wide, 0, writer->wide);
    to += HEAD + 2 * writer->wide;
    put_box(to, frame->box, writer->wide);
    return to + 9 * writer->wide;
}

static int write_frame(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    struct writer *writer = self;
    const uint64_t count = 3 * writer->atoms;
    if (check_step(file, frame) != 0)
        return ENGINE_INVALID;
    unsigned char *to = put_head(writer, frame);
    for (uint32_t k = 0; k < writer->count; k++, to += count * writer->wide) {
        if (file->get(file, writer->index[k], 0, count, to) != 0)
            return ENGINE_INVALID;
        for (uint64_t i = 0; i < count; i++) { /* to big-endian, in place */
            double real;
            float narrow;
            if (writer->wide == 8) {
                memcpy(&real, to + 8 * i, sizeof real);
            } else {
                memcpy(&narrow, to + 4 * i, sizeof narrow);
                real = (double) narrow;
            }
            if (!(real - real == 0))
                return ENGINE_FAIL_FILE(file, "a number of atom %llu at step %llu is infinite or not a number",
                                        (unsigned long long) (i / 3 + 1), (unsigned long long) frame->step);
            put_real(to + i * writer->wide, real, writer->wide);
        }
    }
    return file->write(file, writer->frame, writer->bytes);
}

ENGINE_EXPORT const struct engine_file_format engine_file_format = {
    ENGINE_FILE_FORMAT("trr", "0.1.0", "particles, trajectories of GROMACS: positions, velocities and forces", ".trr"),
    .flags = ENGINE_FORMAT_FRAMES | ENGINE_FORMAT_GROWS,
    .length = ENGINE_NANOMETRE,
    .keeps = ENGINE_HAS_STEP | ENGINE_HAS_TIME | ENGINE_HAS_BOX,
    .arrays = "position velocity force",
    .probe = probe,
    .open = open_file,
    .frame = frame_of,
    .read = read_array,
    .create = create,
    .write = write_frame,
};
