/* Reads DCD trajectories of CHARMM, X-PLOR, NAMD, LAMMPS and OpenMM, of either byte order. The layout, which formats/particles/dcd.h
 * draws, follows the readers of NAMD and VMD,
 * https://www.ks.uiuc.edu/Research/vmd/plugins/molfile/dcdplugin.html. */
#include "formats/particles/dcd.h"
#include "files/bytes.h"
#include "formats/common/angles.h"

#include <engine/format_cell.h>
#include <math.h>
#include <string.h>

enum {
    LEAST_ANGLE = 10,   /* degrees: a smaller number is an element of a matrix */
    TITLE = 80,         /* bytes */
    MATRIX_VERSION = 25 /* CHARMM writes cells as matrices, and its version since 25. Other programs state 24 */
};

struct dcd {
    bool big;             /* the file's byte order */
    bool has_cell;        /* a record of the unit cell before each frame's atoms */
    bool has_fourth;      /* a record of a fourth coordinate after z */
    bool matrix;          /* the unit cell may be a matrix */
    uint64_t at;          /* opening: where the next record begins; then, where the frames begin */
    uint64_t atoms;       /* of a frame */
    uint64_t frame_bytes; /* of a frame, with all its records */
    uint64_t frames;
    uint64_t first, every; /* the step of the first frame, and the steps to the next */
    double delta;          /* the time of a step; 0: not stated */
    struct engine_file_array array;
};

/* ---- Bytes -------------------------------------------------------------------------------------------------- */

/* The caller asks for no more bytes than the file has. */
static int read_at(const struct engine_file *file, void *out, uint64_t bytes, uint64_t offset)
{
    return file->read(file, offset, bytes, out);
}

static int refuse_damaged(const struct engine_file *file, const char *what)
{
    return ENGINE_FAIL_FILE(file, "%s is not where it should be: the file is damaged or cut short", what);
}

/* ---- The header --------------------------------------------------------------------------------------------- */

static bool begins(const unsigned char *at, bool big, const char *word)
{
    return bytes_word(at, big) == DCD_HEADER - DCD_MARKERS && memcmp(at + 4, word, 4) == 0;
}

static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    static const char *const words[] = {"CORD", "VELD"};
    (void) name;
    (void) bytes;
    for (size_t i = 0; count >= 12 && i < 2; i++)
        if (begins(begin, false, words[i]) || begins(begin, true, words[i]) || memcmp(begin + 8, words[i], 4) == 0)
            return ENGINE_PROBE_YES;
    return ENGINE_PROBE_NO;
}

static int refuse_kind(const struct engine_file *file, const unsigned char *head)
{
    if (memcmp(head + 4, "VELD", 4) == 0)
        return ENGINE_FAIL_FILE(file, "contains velocities; expected a DCD file of coordinates");
    return ENGINE_FAIL_FILE(file,
                            "is not a DCD file with markers of 4 bytes: it does not begin with 84 and CORD; convert it "
                            "with catdcd or MDAnalysis");
}

/* Reads the words after CORD. */
static int take_header(const struct engine_file *file, struct dcd *dcd, const unsigned char *head,
                       uint32_t words[DCD_WORDS])
{
    dcd->big = begins(head, true, "CORD");
    if (!dcd->big && !begins(head, false, "CORD"))
        return refuse_kind(file, head);
    for (size_t i = 0; i < DCD_WORDS; i++)
        words[i] = bytes_word(head + 8 + 4 * i, dcd->big);
    if (bytes_word(head + DCD_HEADER - 4, dcd->big) != DCD_HEADER - DCD_MARKERS)
        return refuse_damaged(file, "the end of the header");
    if (words[DCD_FIXED] != 0)
        return ENGINE_FAIL_FILE(file,
                                "%u atoms are fixed and missing from all frames but the first, which is not supported; "
                                "write all atoms to every frame, with catdcd or MDAnalysis",
                                words[DCD_FIXED]);
    dcd->has_cell = words[DCD_VERSION] != 0 && words[DCD_HAS_CELL] != 0; /* X-PLOR writes half of a double there */
    dcd->has_fourth = words[DCD_VERSION] != 0 && words[DCD_HAS_FOURTH] != 0;
    dcd->matrix = words[DCD_VERSION] >= MATRIX_VERSION;
    float delta;
    dcd->first = words[DCD_FIRST] <= INT32_MAX ? words[DCD_FIRST] : 0;
    dcd->every = words[DCD_EVERY] > 0 && words[DCD_EVERY] <= INT32_MAX ? words[DCD_EVERY] : 1;
    memcpy(&delta, &words[DCD_DELTA], sizeof delta);
    /* X-PLOR writes a double, which takes the next word too. */
    dcd->delta = words[DCD_VERSION] != 0 ? (double) delta : bytes_real(head + 8 + (size_t) 4 * DCD_DELTA, dcd->big);
    if (!isfinite(dcd->delta))
        dcd->delta = 0;
    return 0;
}

/* Reads the record at dcd->at and moves behind it. The first `most` bytes are copied to `out`. */
static int take_record(const struct engine_file *file, struct dcd *dcd, const char *what, unsigned char *out,
                       uint64_t most, uint64_t *bytes)
{
    unsigned char marker[4];
    if (file->bytes - dcd->at < DCD_MARKERS)
        return refuse_damaged(file, what);
    if (read_at(file, marker, sizeof marker, dcd->at) != 0)
        return ENGINE_INVALID;
    const uint64_t length = bytes_word(marker, dcd->big);
    if (length > file->bytes - dcd->at - DCD_MARKERS)
        return refuse_damaged(file, what);
    if (read_at(file, out, length < most ? length : most, dcd->at + 4) != 0 ||
        read_at(file, marker, sizeof marker, dcd->at + 4 + length) != 0)
        return ENGINE_INVALID;
    if (bytes_word(marker, dcd->big) != length)
        return refuse_damaged(file, what);
    *bytes = length;
    dcd->at += length + DCD_MARKERS;
    return 0;
}

/* Skips the titles. Before version 0.18, MDAnalysis wrote more titles than the length of their record says, and their
 * number. */
static int skip_titles(const struct engine_file *file, struct dcd *dcd)
{
    unsigned char head[8], marker[4];
    if (file->bytes - dcd->at < sizeof head)
        return refuse_damaged(file, "the end of the titles");
    if (read_at(file, head, sizeof head, dcd->at) != 0)
        return ENGINE_INVALID;
    const uint64_t stated = bytes_word(head, dcd->big), counted = 4 + (uint64_t) TITLE * bytes_word(head + 4, dcd->big);
    const uint64_t lengths[] = {stated, counted};
    for (int i = 0; i < 2; i++) {
        if (lengths[i] > file->bytes - dcd->at - sizeof head)
            continue;
        if (read_at(file, marker, sizeof marker, dcd->at + 4 + lengths[i]) != 0)
            return ENGINE_INVALID;
        if (bytes_word(marker, dcd->big) == stated) {
            dcd->at += lengths[i] + DCD_MARKERS;
            return 0;
        }
    }
    return refuse_damaged(file, "the end of the titles");
}

/* Skips the titles and reads the number of atoms. */
static int take_atoms(const struct engine_file *file, struct dcd *dcd)
{
    unsigned char count[4] = {0};
    uint64_t bytes = 0;
    int status = skip_titles(file, dcd);
    if (status == 0)
        status = take_record(file, dcd, "the number of atoms", count, sizeof count, &bytes);
    if (status != 0)
        return status;
    dcd->atoms = bytes == sizeof count ? bytes_word(count, dcd->big) : 0;
    if (dcd->atoms == 0 || dcd->atoms > INT32_MAX)
        return ENGINE_FAIL_FILE(file, "expected a number of atoms, 1 to 2^31 - 1, after the titles");
    const uint64_t coordinate = 4 * dcd->atoms + DCD_MARKERS;
    dcd->frame_bytes = (dcd->has_cell ? DCD_CELL + DCD_MARKERS : 0) + coordinate * (dcd->has_fourth ? 4 : 3);
    return 0;
}

/* The frames fill the file to its end. The header of a program that is still writing states 0 frames. */
static int check_frames(const struct engine_file *file, struct dcd *dcd, uint64_t promised)
{
    const uint64_t bytes = file->bytes - dcd->at, frames = bytes / dcd->frame_bytes;
    const unsigned long long whole = frames, said = promised;
    dcd->frames = frames;
    if (frames > 0 && (file->flags & ENGINE_FILE_UNFINISHED) != 0)
        return 0;
    if (bytes % dcd->frame_bytes != 0)
        return ENGINE_FAIL_FILE(file,
                                "ends within frame %llu, counted from 0, of %llu atoms: the file is cut short or "
                                "damaged",
                                whole, (unsigned long long) dcd->atoms);
    if (frames < promised)
        return ENGINE_FAIL_FILE(file, "contains %llu frames but its header states %llu: the file is cut short", whole,
                                said);
    return frames > 0 ? 0 : ENGINE_FAIL_FILE(file, "has no frames");
}

static int read_header(const struct engine_file *file, struct dcd *dcd)
{
    unsigned char head[DCD_HEADER];
    uint32_t words[DCD_WORDS] = {0};
    if (file->bytes < DCD_HEADER)
        return refuse_damaged(file, "the header");
    if (read_at(file, head, DCD_HEADER, 0) != 0 || take_header(file, dcd, head, words) != 0)
        return ENGINE_INVALID;
    dcd->at = DCD_HEADER;
    return take_atoms(file, dcd) != 0 ? ENGINE_INVALID : check_frames(file, dcd, words[DCD_FRAMES]);
}

/* ---- Frames ------------------------------------------------------------------------------------------------- */

/* Reads a record of that many bytes with its markers. Both must state that length. */
static int read_record(const struct engine_file *file, const struct dcd *dcd, uint64_t number, uint64_t offset,
                       uint64_t bytes, unsigned char *record)
{
    if (read_at(file, record, bytes + DCD_MARKERS, offset) != 0)
        return ENGINE_INVALID;
    if (bytes_word(record, dcd->big) == bytes && bytes_word(record + 4 + bytes, dcd->big) == bytes)
        return 0;
    return ENGINE_FAIL_FILE(file,
                            "a record of frame %llu, counted from 0, does not have %llu bytes: the file is damaged",
                            (unsigned long long) number, (unsigned long long) bytes);
}

/* Returns the cosine of an angle. NAMD and OpenMM write the cosine itself, other programs write degrees. */
static double cosine(double angle, bool degrees)
{
    return degrees ? angles_cosine(angle) : angle;
}

/* Takes a symmetric matrix in the order of the record, whose columns are the vectors of the cell. Returns false if it is
 * not positive definite, as those of CHARMM are: then the numbers are lengths and angles. */
static bool take_matrix(const double m[6], struct engine_cell *cell)
{
    const double vectors[9] = {m[0], m[1], m[3], m[1], m[2], m[4], m[3], m[4], m[5]};
    const double minor = m[0] * m[2] - m[1] * m[1];
    const double all = m[5] * minor - m[4] * (m[0] * m[4] - m[1] * m[3]) + m[3] * (m[1] * m[4] - m[2] * m[3]);
    return m[0] > 0 && minor > 0 && all > 0 && engine_cell_take(cell, vectors, NULL);
}

/* Takes lengths and angles or cosines, whose order is A, gamma, B, beta, alpha, C. */
static bool take_angles(const double cell[6], double box[6])
{
    static const int angle[] = {4, 3, 1}, length[] = {0, 2, 5}; /* of alpha, beta, gamma; of A, B, C */
    bool degrees = false, lengths = true, angles = true;
    double edge[3], cosines[3];
    for (int i = 0; i < 3; i++) {
        edge[i] = box[i] = cell[length[i]];
        lengths = lengths && box[i] >= 0;
        degrees = degrees || fabs(cell[angle[i]]) > 1;
    }
    if (lengths && (box[0] == 0 || box[1] == 0 || box[2] == 0))
        return true; /* open along axes of length 0 */
    for (int i = 0; i < 3; i++)
        angles = angles && (!degrees || (cell[angle[i]] >= LEAST_ANGLE && cell[angle[i]] < 180));
    for (int i = 0; i < 3; i++)
        cosines[i] = cosine(cell[angle[i]], degrees);
    return lengths && angles && angles_make_box(edge, cosines, box);
}

static int read_cell(const struct engine_file *file, const struct dcd *dcd, uint64_t number, struct engine_cell *cell)
{
    unsigned char record[DCD_CELL + DCD_MARKERS];
    double numbers[6];
    memset(cell, 0, sizeof *cell);
    if (!dcd->has_cell)
        return 0;
    if (read_record(file, dcd, number, dcd->at + number * dcd->frame_bytes, DCD_CELL, record) != 0)
        return ENGINE_INVALID;
    for (int i = 0; i < 6; i++) {
        numbers[i] = bytes_real(record + 4 + 8 * (size_t) i, dcd->big);
        if (!isfinite(numbers[i]))
            return ENGINE_FAIL_FILE(file, "the unit cell of frame %llu, counted from 0, is infinite or not a number",
                                    (unsigned long long) number);
    }
    if ((dcd->matrix && take_matrix(numbers, cell)) || take_angles(numbers, cell->box))
        return 0;
    return ENGINE_FAIL_FILE(file,
                            "the unit cell of frame %llu, counted from 0, is not given by lengths and angles (CHARMM "
                            "before version 25 writes "
                            "a matrix for cells that are not rectangular); convert the file with MDAnalysis",
                            (unsigned long long) number);
}

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    struct dcd *dcd = file->allocate(file, sizeof *dcd);
    struct engine_cell cell;
    if (dcd == NULL)
        return ENGINE_NO_MEMORY;
    *dcd = (struct dcd){.array = {.name = "position", .kind = ENGINE_PARTICLES}};
    if (read_header(file, dcd) != 0)
        return ENGINE_INVALID;
    dcd->array.shape = (struct engine_shape){sizeof(struct engine_shape), ENGINE_F32, 3, 1, {dcd->atoms, 1, 1}};
    content->arrays = (struct engine_file_array_array){&dcd->array, 1, sizeof dcd->array};
    content->frames = dcd->frames;
    content->skipped = dcd->has_fourth ? "fourth coordinate" : NULL;
    *self = dcd;
    if (!dcd->matrix)
        return 0;
    const int code = read_cell(file, dcd, 0, &cell);
    if (cell.turned)
        content->remarks = ENGINE_CELL_TURNED;
    return code;
}

static int take_frame(const struct engine_file *file, void *self, uint64_t number, struct engine_file_frame *frame)
{
    const struct dcd *dcd = self;
    struct engine_cell cell;
    frame->has = ENGINE_HAS_STEP | (dcd->delta > 0 ? (uint32_t) ENGINE_HAS_TIME : 0);
    frame->step = dcd->first + number * dcd->every;
    frame->time = dcd->delta * (double) frame->step;
    if (read_cell(file, dcd, number, &cell) != 0)
        return ENGINE_INVALID;
    frame->has |= dcd->has_cell ? (uint32_t) ENGINE_HAS_BOX : 0;
    memcpy(frame->box, cell.box, sizeof frame->box);
    return 0;
}

/* The engine asks for all elements. */
static int read_positions(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                          uint64_t count, void *out)
{
    const struct dcd *dcd = self;
    const uint64_t bytes = 4 * dcd->atoms;
    float *positions = out;
    unsigned char *record = file->allocate(file, bytes + DCD_MARKERS); /* no more than the file has */
    uint64_t at = dcd->at + number * dcd->frame_bytes + (dcd->has_cell ? DCD_CELL + DCD_MARKERS : 0);
    struct engine_cell cell = {.turned = 0};
    int code = record != NULL ? 0 : ENGINE_NO_MEMORY;
    if (code == 0 && dcd->matrix)
        code = read_cell(file, dcd, number, &cell);
    (void) array;
    (void) begin;
    (void) count;
    for (uint64_t axis = 0; code == 0 && axis < 3; axis++, at += bytes + DCD_MARKERS) {
        code = read_record(file, dcd, number, at, bytes, record);
        for (uint64_t i = 0; code == 0 && i < dcd->atoms; i++) {
            const uint32_t word = bytes_word(record + 4 + 4 * i, dcd->big);
            memcpy(&positions[3 * i + axis], &word, sizeof word);
        }
    }
    engine_cell_turn(&cell, ENGINE_F32, dcd->atoms, positions);
    file->release(file, record);
    return code;
}

const struct engine_file_format dcd_file_format = {
    ENGINE_FILE_FORMAT("dcd", "1.0",
                       "particles, trajectories of CHARMM, NAMD and OpenMM; positions in single precision", ".dcd"),
    .flags = ENGINE_FORMAT_FRAMES | ENGINE_FORMAT_GROWS | ENGINE_FORMAT_EVEN | ENGINE_FORMAT_VARIES,
    .keeps = ENGINE_HAS_STEP | ENGINE_HAS_TIME | ENGINE_HAS_BOX,
    .arrays = "position",
    .probe = probe,
    .open = open_file,
    .frame = take_frame,
    .read = read_positions,
    .create = dcd_create,
    .write = dcd_write,
    .finish = dcd_finish,
    .cut = dcd_cut,
    .bytes = ENGINE_SIZE_FLOATS,
};
