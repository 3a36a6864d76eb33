/* Reads DCD trajectories of CHARMM, X-PLOR, NAMD, LAMMPS and OpenMM, of either byte order. The layout, which io/dcd.h
 * draws, follows the readers of NAMD and VMD,
 * https://www.ks.uiuc.edu/Research/vmd/plugins/molfile/dcdplugin.html. */
#include "io/dcd.h"
#include "io/bytes.h"
#include "io/particles.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEAST_ANGLE = 10 }; /* degrees: a smaller number is an element of a matrix */

struct dcd {
    char *path;
    int file;
    bool big;              /* the file's byte order */
    bool has_cell;         /* a record of the unit cell before each frame's atoms */
    bool has_fourth;       /* a record of a fourth coordinate after z */
    uint64_t size;         /* of the file */
    uint64_t at;           /* where the next frame begins */
    uint64_t atoms;        /* of a frame */
    uint64_t frame_bytes;  /* of a frame, with all its records */
    uint64_t frame;        /* number of the next frame, from 0 */
    uint64_t first, every; /* the step of the first frame, and the steps to the next */
    double delta;          /* the time of a step; 0: not stated */
    unsigned char *record; /* memory for the longest record of a frame, with its markers */
};

/* ---- Bytes -------------------------------------------------------------------------------------------------- */

/* The caller asks for no more bytes than the file has. */
static int read_at(const struct dcd *dcd, void *out, uint64_t bytes, uint64_t offset, struct engine_error *error)
{
    if (bytes_read(dcd->file, out, bytes, offset))
        return 0;
    return error_set(error, ENGINE_STATUS_INPUT, "%s: %s", dcd->path,
                     errno != 0 ? strerror(errno) : "the file ends too early; download or create it again");
}

static int refuse_damaged(const struct dcd *dcd, const char *what, struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_INPUT, "%s: %s is not where it should be: the file is damaged or cut short",
                     dcd->path, what);
}

/* ---- The header --------------------------------------------------------------------------------------------- */

static bool begins(const unsigned char *at, bool big, const char *word)
{
    return bytes_word(at, big) == DCD_HEADER - DCD_MARKERS && memcmp(at + 4, word, 4) == 0;
}

static bool begins_file(const unsigned char *at, const unsigned char *end)
{
    static const char *const words[] = {"CORD", "VELD"};
    for (size_t i = 0; end - at >= 12 && i < 2; i++)
        if (begins(at, false, words[i]) || begins(at, true, words[i]) || memcmp(at + 8, words[i], 4) == 0)
            return true;
    return false;
}

static int refuse_kind(const struct dcd *dcd, const unsigned char *head, struct engine_error *error)
{
    if (memcmp(head + 4, "VELD", 4) == 0)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: contains velocities; expected a DCD file of coordinates",
                         dcd->path);
    return error_set(error, ENGINE_STATUS_INPUT,
                     "%s: is not a DCD file with markers of 4 bytes: it does not begin with 84 and CORD; convert it "
                     "with catdcd or MDAnalysis",
                     dcd->path);
}

/* Reads the words after CORD. */
static int take_header(struct dcd *dcd, const unsigned char *head, uint32_t words[DCD_WORDS],
                       struct engine_error *error)
{
    dcd->big = begins(head, true, "CORD");
    if (!dcd->big && !begins(head, false, "CORD"))
        return refuse_kind(dcd, head, error);
    for (size_t i = 0; i < DCD_WORDS; i++)
        words[i] = bytes_word(head + 8 + 4 * i, dcd->big);
    if (bytes_word(head + DCD_HEADER - 4, dcd->big) != DCD_HEADER - DCD_MARKERS)
        return refuse_damaged(dcd, "the end of the header", error);
    if (words[DCD_FIXED] != 0)
        return error_set(error, ENGINE_STATUS_INPUT,
                         "%s: %u atoms are fixed and missing from all frames but the first, which is not supported; "
                         "write all atoms to every frame, with catdcd or MDAnalysis",
                         dcd->path, words[DCD_FIXED]);
    dcd->has_cell = words[DCD_VERSION] != 0 && words[DCD_HAS_CELL] != 0; /* X-PLOR writes half of a double there */
    dcd->has_fourth = words[DCD_VERSION] != 0 && words[DCD_HAS_FOURTH] != 0;
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
static int take_record(struct dcd *dcd, const char *what, unsigned char *out, uint64_t most, uint64_t *bytes,
                       struct engine_error *error)
{
    unsigned char marker[4];
    if (dcd->size - dcd->at < DCD_MARKERS)
        return refuse_damaged(dcd, what, error);
    if (read_at(dcd, marker, sizeof marker, dcd->at, error) != 0)
        return error->status;
    const uint64_t length = bytes_word(marker, dcd->big);
    if (length > dcd->size - dcd->at - DCD_MARKERS)
        return refuse_damaged(dcd, what, error);
    if (read_at(dcd, out, length < most ? length : most, dcd->at + 4, error) != 0 ||
        read_at(dcd, marker, sizeof marker, dcd->at + 4 + length, error) != 0)
        return error->status;
    if (bytes_word(marker, dcd->big) != length)
        return refuse_damaged(dcd, what, error);
    *bytes = length;
    dcd->at += length + DCD_MARKERS;
    return 0;
}

/* Skips the titles and reads the number of atoms. */
static int take_atoms(struct dcd *dcd, struct engine_error *error)
{
    unsigned char count[4] = {0};
    uint64_t bytes = 0;
    int status = take_record(dcd, "the end of the titles", count, 0, &bytes, error);
    if (status == 0)
        status = take_record(dcd, "the number of atoms", count, sizeof count, &bytes, error);
    if (status != 0)
        return status;
    dcd->atoms = bytes == sizeof count ? bytes_word(count, dcd->big) : 0;
    if (dcd->atoms == 0 || dcd->atoms > INT32_MAX) {
        error_set(error, ENGINE_STATUS_INPUT, "%s: expected a number of atoms, 1 to 2^31 - 1, after the titles",
                  dcd->path);
        return ENGINE_STATUS_INPUT;
    }
    const uint64_t coordinate = 4 * dcd->atoms + DCD_MARKERS;
    dcd->frame_bytes = (dcd->has_cell ? DCD_CELL + DCD_MARKERS : 0) + coordinate * (dcd->has_fourth ? 4 : 3);
    return 0;
}

/* The frames fill the file to its end. The header of a program that is still writing states 0 frames. */
static int check_frames(const struct dcd *dcd, uint64_t promised, struct engine_error *error)
{
    const uint64_t bytes = dcd->size - dcd->at, frames = bytes / dcd->frame_bytes;
    const unsigned long long whole = frames, said = promised;
    if (bytes % dcd->frame_bytes != 0)
        return error_set(error, ENGINE_STATUS_INPUT,
                         "%s: ends within frame %llu, counted from 0, of %llu atoms: the file is cut short or "
                         "damaged",
                         dcd->path, whole, (unsigned long long) dcd->atoms);
    if (frames < promised)
        return error_set(error, ENGINE_STATUS_INPUT,
                         "%s: contains %llu frames but its header states %llu: the file is cut short", dcd->path, whole,
                         said);
    return frames > 0 ? 0 : error_set(error, ENGINE_STATUS_INPUT, "%s: has no frames", dcd->path);
}

static int read_header(struct dcd *dcd, struct engine_error *error)
{
    unsigned char head[DCD_HEADER];
    uint32_t words[DCD_WORDS] = {0};
    struct stat info;
    if (dcd->file < 0 || fstat(dcd->file, &info) != 0)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: %s", dcd->path, strerror(errno));
    dcd->size = (uint64_t) info.st_size;
    if (dcd->size < DCD_HEADER)
        return refuse_damaged(dcd, "the header", error);
    if (read_at(dcd, head, DCD_HEADER, 0, error) != 0 || take_header(dcd, head, words, error) != 0)
        return error->status;
    dcd->at = DCD_HEADER;
    if (take_atoms(dcd, error) != 0 || check_frames(dcd, words[DCD_FRAMES], error) != 0)
        return error->status;
    const uint64_t longest = 4 * dcd->atoms > DCD_CELL ? 4 * dcd->atoms : DCD_CELL; /* no more than the file has */
    dcd->record = malloc(longest + DCD_MARKERS);
    return dcd->record != NULL ? 0 : error_memory(error, longest, "a frame");
}

/* ---- Frames ------------------------------------------------------------------------------------------------- */

/* Reads a record of that many bytes into dcd->record. Both markers must state that length. */
static int read_record(struct dcd *dcd, uint64_t bytes, struct engine_error *error)
{
    if (read_at(dcd, dcd->record, bytes + DCD_MARKERS, dcd->at, error) != 0)
        return error->status;
    dcd->at += bytes + DCD_MARKERS;
    if (bytes_word(dcd->record, dcd->big) == bytes && bytes_word(dcd->record + 4 + bytes, dcd->big) == bytes)
        return 0;
    return error_set(error, ENGINE_STATUS_INPUT,
                     "%s: a record of frame %llu, counted from 0, does not have %llu bytes: the file is damaged",
                     dcd->path, (unsigned long long) dcd->frame, (unsigned long long) bytes);
}

/* Returns the cosine of an angle. NAMD and OpenMM write the cosine itself, other programs write degrees. */
static double cosine(double angle, bool degrees)
{
    if (!degrees)
        return angle;
    return angle == 90 ? 0 : cos(angle * (3.14159265358979323846 / 180));
}

/* Makes a box of the lengths A B C and the cosines of the angles. The first edge lies along x, the second in the plane
 * of x and y. Returns false where no box has such angles. */
static bool make_box(double a, double b, double c, double alpha, double beta, double gamma, double box[6])
{
    const double xy = b * gamma, ly = sqrt(b * b - xy * xy), xz = c * beta;
    const double yz = (b * c * alpha - xy * xz) / ly, lz = sqrt(c * c - xz * xz - yz * yz);
    const double made[6] = {a, ly, lz, xy, xz, yz};
    bool finite = true;
    for (int i = 0; i < 6; i++)
        finite = finite && isfinite(made[i]);
    memcpy(box, made, sizeof made);
    return finite && ly > 0 && lz > 0;
}

/* Reads the record of the unit cell, whose order is A, gamma, B, beta, alpha, C. */
static int read_cell(struct dcd *dcd, double box[6], struct engine_error *error)
{
    static const int angle[] = {4, 3, 1}, length[] = {0, 2, 5}; /* of alpha, beta, gamma; of A, B, C */
    double cell[6];
    bool degrees = false, lengths = true, angles = true;
    if (read_record(dcd, DCD_CELL, error) != 0)
        return error->status;
    for (int i = 0; i < 6; i++)
        cell[i] = bytes_real(dcd->record + 4 + 8 * (size_t) i, dcd->big);
    for (int i = 0; i < 3; i++) {
        box[i] = cell[length[i]];
        lengths = lengths && box[i] >= 0 && isfinite(box[i]);
        degrees = degrees || fabs(cell[angle[i]]) > 1;
    }
    if (lengths && (box[0] == 0 || box[1] == 0 || box[2] == 0))
        return 0; /* open along axes of length 0 */
    for (int i = 0; i < 3; i++)
        angles =
            angles && isfinite(cell[angle[i]]) && (!degrees || (cell[angle[i]] >= LEAST_ANGLE && cell[angle[i]] < 180));
    if (lengths && angles &&
        make_box(box[0], box[1], box[2], cosine(cell[4], degrees), cosine(cell[3], degrees), cosine(cell[1], degrees),
                 box))
        return 0;
    return error_set(
        error, ENGINE_STATUS_INPUT,
        "%s: the unit cell of frame %llu, counted from 0, is not given by lengths and angles (CHARMM writes a matrix "
        "for cells that are not rectangular); convert the file with MDAnalysis",
        dcd->path, (unsigned long long) dcd->frame);
}

static int read_coordinate(struct dcd *dcd, int axis, float *positions, struct engine_error *error)
{
    if (read_record(dcd, 4 * dcd->atoms, error) != 0)
        return error->status;
    for (uint64_t i = 0; i < dcd->atoms; i++) {
        const uint32_t word = bytes_word(dcd->record + 4 + 4 * i, dcd->big);
        memcpy(&positions[3 * i + (uint64_t) axis], &word, sizeof word);
    }
    return 0;
}

static int read_frame(struct dcd *dcd, struct particles *particles, struct engine_error *error)
{
    struct io_header *header = &particles->header;
    particles_add_column(particles, "position", ENGINE_F32, 3);
    header->step = dcd->first + dcd->frame * dcd->every;
    header->timed = dcd->delta > 0;
    header->time = header->timed ? dcd->delta * (double) header->step : 0;
    if (dcd->has_fourth)
        io_note_skipped(&particles->header, "fourth coordinate");
    for (uint64_t i = 0; i < dcd->atoms; i++)
        if (particles_add_row(particles, error) != 0)
            return error->status;
    int status = dcd->has_cell ? read_cell(dcd, particles->header.box, error) : 0;
    for (int axis = 0; status == 0 && axis < 3; axis++)
        status = read_coordinate(dcd, axis, particles->columns[0].at, error);
    return status;
}

static int next_frame(void *file, struct particles *particles, bool *found, struct engine_error *error)
{
    struct dcd *dcd = file;
    const uint64_t begin = dcd->at;
    *found = dcd->size - begin >= dcd->frame_bytes;
    if (*found && particles != NULL && read_frame(dcd, particles, error) != 0)
        return error->status;
    dcd->at = *found ? begin + dcd->frame_bytes : begin;
    dcd->frame += *found;
    return 0;
}

static void close_frames(void *file)
{
    struct dcd *dcd = file;
    if (dcd->file >= 0)
        close(dcd->file);
    free(dcd->record);
    free(dcd->path);
    free(dcd);
}

static int begin_frames(const char *path, void **file, struct engine_error *error)
{
    struct dcd *dcd = calloc(1, sizeof *dcd);
    char *name = strdup(path);
    *file = NULL;
    if (dcd == NULL || name == NULL) {
        free(dcd);
        free(name);
        return error_memory(error, sizeof *dcd, "reading particles");
    }
    dcd->path = name;
    dcd->file = open(path, O_RDONLY | O_CLOEXEC);
    if (read_header(dcd, error) != 0) {
        close_frames(dcd);
        return error->status;
    }
    *file = dcd;
    return 0;
}

static const struct particles_frames frames = {begin_frames, next_frame, close_frames};

static int open_dcd(const char *path, struct io_document **document, struct engine_error *error)
{
    return particles_open_last(path, &frames, document, error);
}

static int open_trajectory(const char *path, struct io_document **document, struct engine_error *error)
{
    return particles_open_frames(path, &frames, document, error);
}

static const struct engine_file_format about = {
    ENGINE_FILE_FORMAT("dcd", "1.0", "particles, trajectories of CHARMM, NAMD and OpenMM; positions in single precision", ".dcd"),
    .flags = ENGINE_FORMAT_FRAMES | ENGINE_FORMAT_EVEN | ENGINE_FORMAT_GROWS,
    .keeps = ENGINE_HAS_STEP | ENGINE_HAS_TIME | ENGINE_HAS_BOX,
    .bytes = ENGINE_SIZE_FLOATS,
};

static const struct io_own own = {
    .begins = begins_file,
    .writes = particles_are_positions,
    .open = open_dcd,
    .open_frames = open_trajectory,
    .write = dcd_write,
    .append = dcd_append,
    .cut = dcd_cut,
};

const struct io_format io_dcd = {.about = &about, .own = &own};
