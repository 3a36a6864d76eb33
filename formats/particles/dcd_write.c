/* Writes DCD files in little-endian order. A file grows in place: a frame is written behind the last one, and then the
 * number of frames in the header is changed. */
#include "base/convert.h"
#include "files/particles.h"
#include "formats/particles/dcd.h"

#include <math.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they lie in memory");

enum {
    TITLES = 2,
    TITLE = 80, /* characters */
    TITLE_RECORD = DCD_MARKERS + 4 + TITLES * TITLE,
    ATOMS_RECORD = DCD_MARKERS + 4,
    FIRST_FRAME = DCD_HEADER + TITLE_RECORD + ATOMS_RECORD, /* offset */
    CHARMM = 24,                                            /* the version whose form of the header this is */
    PIECE = 4096                                            /* particles read at a time */
};

/* A file that is being written. */
struct dcd_output {
    uint64_t atoms;            /* of a frame; 0: no frame is known */
    uint32_t words[DCD_WORDS]; /* of the header */
    double time;               /* of the first frame */
};

static uint64_t frame_bytes(const struct dcd_output *output)
{
    return DCD_CELL + DCD_MARKERS + 3 * (4 * output->atoms + DCD_MARKERS);
}

/* ---- Records ------------------------------------------------------------------------------------------------ */

/* Makes a record at `at`. Returns where it ends. */
static unsigned char *put_record(unsigned char *at, const void *data, uint32_t bytes)
{
    memcpy(at, &bytes, sizeof bytes);
    memcpy(at + 4, data, bytes);
    memcpy(at + 4 + bytes, &bytes, sizeof bytes);
    return at + bytes + DCD_MARKERS;
}

static void make_header(const struct dcd_output *output, unsigned char head[FIRST_FRAME])
{
    unsigned char cord[DCD_HEADER - DCD_MARKERS] = "CORD", titles[4 + TITLES * TITLE];
    const uint32_t title_count = TITLES, atoms = (uint32_t) output->atoms;
    memcpy(cord + 4, output->words, sizeof output->words);
    memset(titles, ' ', sizeof titles);
    memcpy(titles, &title_count, sizeof title_count);
    memcpy(titles + 4, "REMARKS written by engine", 25);
    memcpy(titles + 4 + TITLE, "REMARKS", 7);
    put_record(put_record(put_record(head, cord, sizeof cord), titles, sizeof titles), &atoms, sizeof atoms);
}

/* Makes the record of the unit cell. An open axis has length 0. */
static int put_cell(const struct engine_file *file, const double box[6], unsigned char *at)
{
    const double xy = box[3], xz = box[4], yz = box[5];
    const double b = hypot(xy, box[1]), c = sqrt(xz * xz + yz * yz + box[2] * box[2]);
    const bool tilted = xy != 0 || xz != 0 || yz != 0, open = !(box[0] > 0 && box[1] > 0 && box[2] > 0);
    if (tilted && open)
        return ENGINE_FAIL_FILE(
            file, "a DCD file cannot hold a box that is tilted and open along an axis; write xyz instead");
    const double gamma = tilted ? xy / b : 0, beta = tilted ? xz / c : 0;
    const double alpha = tilted ? (xy * xz + box[1] * yz) / (b * c) : 0;
    const double cell[6] = {box[0], gamma, b, beta, alpha, c};
    put_record(at, cell, sizeof cell);
    return 0;
}

/* Copies the positions into the three records of coordinates. */
static int put_coordinates(const struct engine_file *file, const struct engine_file_array *array, unsigned char *at)
{
    const uint64_t atoms = array->shape.extent[0];
    const uint32_t bytes = (uint32_t) (4 * atoms);
    double held[3 * PIECE];
    float positions[3 * PIECE];
    for (size_t axis = 0; axis < 3; axis++) {
        memcpy(at + axis * (bytes + (size_t) DCD_MARKERS), &bytes, sizeof bytes);
        memcpy(at + (axis + 1) * (bytes + (size_t) DCD_MARKERS) - 4, &bytes, sizeof bytes);
    }
    for (uint64_t begin = 0; begin < atoms; begin += PIECE) {
        const uint64_t count = atoms - begin < PIECE ? atoms - begin : PIECE;
        if (file->get(file, 0, 3 * begin, 3 * count, held) != 0)
            return ENGINE_INVALID;
        const uint64_t fit = convert_elements(array->shape.type, held, 3 * count, ENGINE_F32, positions);
        if (fit < 3 * count)
            return ENGINE_FAIL_FILE(file,
                                    "position of particle %llu, counted from 0, does not fit single precision; write "
                                    "xyz instead",
                                    (unsigned long long) (begin + fit / 3));
        for (uint64_t i = 0; i < 3 * count; i++) {
            if (!isfinite(positions[i]))
                return particles_refuse_number(file, array->name, begin + i / 3);
            memcpy(at + i % 3 * (bytes + (size_t) DCD_MARKERS) + 4 + 4 * (begin + i / 3), &positions[i], 4);
        }
    }
    return 0;
}

static int put_frame(const struct engine_file *file, const struct dcd_output *output,
                     const struct engine_file_frame *frame)
{
    const uint64_t bytes = frame_bytes(output);
    unsigned char *made = file->allocate(file, bytes);
    int code = made != NULL ? put_cell(file, frame->box, made) : ENGINE_NO_MEMORY;
    if (code == 0)
        code = put_coordinates(file, frame->content->arrays.at, made + DCD_CELL + DCD_MARKERS);
    if (code == 0)
        code = file->write(file, made, bytes);
    file->release(file, made);
    return code;
}

/* ---- The header's words --------------------------------------------------------------------------------------- */

static uint32_t step_word(uint64_t step)
{
    return step <= INT32_MAX ? (uint32_t) step : 0;
}

/* Counts the frame that was written last. The first two frames decide the distance of all. */
static void count_frame(struct dcd_output *output, const struct engine_file_frame *frame)
{
    uint32_t *words = output->words;
    const uint32_t step = step_word(frame->step), number = words[DCD_FRAMES]++;
    if (number == 0) {
        words[DCD_FIRST] = step;
        words[DCD_EVERY] = 1;
        output->time = frame->time;
    } else if (number == 1 && step > words[DCD_FIRST]) {
        const float delta = (float) ((frame->time - output->time) / (double) (step - words[DCD_FIRST]));
        words[DCD_EVERY] = step - words[DCD_FIRST];
        memcpy(&words[DCD_DELTA], (frame->has & ENGINE_HAS_TIME) && delta > 0 ? &delta : &(float){0}, sizeof delta);
    }
    words[DCD_LAST] = step_word((uint64_t) words[DCD_FIRST] + (uint64_t) number * words[DCD_EVERY]);
}

/* ---- Files ---------------------------------------------------------------------------------------------------- */

/* Checks that the frame has positions of as many particles as the first one. */
static int check_positions(const struct engine_file *file, struct dcd_output *output,
                           const struct engine_file_frame *frame)
{
    const struct engine_file_array_array *arrays = &frame->content->arrays;
    const uint64_t atoms = arrays->count > 0 ? arrays->at[0].shape.extent[0] : 0;
    if (arrays->count == 0)
        return ENGINE_FAIL_FILE(file, "the frame has no positions");
    if (output->atoms != 0 && atoms != output->atoms)
        return ENGINE_FAIL_FILE(file,
                                "a frame has %llu particles and the first one has %llu; all frames of a DCD file have "
                                "the same particles; write xyz or lammpstrj, or choose fewer frames",
                                (unsigned long long) atoms, (unsigned long long) output->atoms);
    if (atoms > INT32_MAX / 4)
        return ENGINE_FAIL_FILE(file,
                                "%llu particles are too many for a DCD file, whose records hold at most 2^31 bytes",
                                (unsigned long long) atoms);
    output->atoms = atoms;
    return 0;
}

/* Reads the header of a file that this file wrote. */
static int read_header(const struct engine_file *file, struct dcd_output *output)
{
    unsigned char head[FIRST_FRAME] = {0};
    uint32_t bytes, atoms;
    if (file->bytes >= sizeof head && file->read(file, 0, sizeof head, head) != 0)
        return ENGINE_INVALID;
    memcpy(&bytes, head + DCD_HEADER, sizeof bytes);
    memcpy(&atoms, head + FIRST_FRAME - 8, sizeof atoms);
    memcpy(output->words, head + 8, sizeof output->words);
    if (memcmp(head, "\x54\0\0\0CORD", 8) == 0 && bytes == TITLE_RECORD - DCD_MARKERS && atoms > 0 &&
        output->words[DCD_VERSION] == CHARMM && output->words[DCD_HAS_CELL] == 1) {
        output->atoms = atoms;
        return 0;
    }
    return ENGINE_FAIL_FILE(file, "is not a DCD file that a frame can be added to; if it was changed, move it away, or "
                                  "use another folder");
}

static int put_header(const struct engine_file *file, const struct dcd_output *output)
{
    unsigned char head[FIRST_FRAME];
    make_header(output, head);
    return file->write_at(file, 0, head, sizeof head);
}

/* The header is written again when the frames are known. */
int dcd_create(const struct engine_file *file, const struct engine_file_content *content, void **self)
{
    static const unsigned char none[FIRST_FRAME];
    struct dcd_output *output = file->allocate(file, sizeof *output);
    (void) content;
    if (output == NULL)
        return ENGINE_NO_MEMORY;
    *output = (struct dcd_output){.words = {[DCD_HAS_CELL] = 1, [DCD_VERSION] = CHARMM}};
    *self = output;
    if ((file->flags & ENGINE_FILE_APPEND) == 0)
        return file->write(file, none, sizeof none);
    if (read_header(file, output) != 0)
        return ENGINE_INVALID;
    const uint64_t end = FIRST_FRAME + output->words[DCD_FRAMES] * frame_bytes(output);
    return file->bytes == end
               ? 0
               : ENGINE_FAIL_FILE(file,
                                  "has %llu bytes and %u frames, which take %llu; if it was changed, move it "
                                  "away, or use another folder",
                                  (unsigned long long) file->bytes, output->words[DCD_FRAMES],
                                  (unsigned long long) end);
}

int dcd_write(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    struct dcd_output *output = self;
    if (check_positions(file, output, frame) != 0)
        return ENGINE_INVALID;
    if (output->words[DCD_FRAMES] == INT32_MAX)
        return ENGINE_FAIL_FILE(file, "a DCD file holds at most 2^31 - 1 frames");
    if (put_frame(file, output, frame) != 0)
        return ENGINE_INVALID;
    count_frame(output, frame);
    return 0;
}

int dcd_finish(const struct engine_file *file, void *self)
{
    return put_header(file, self);
}

int dcd_cut(const struct engine_file *file, uint64_t frames, uint64_t *end)
{
    struct dcd_output output = {.atoms = 0};
    if (read_header(file, &output) != 0)
        return ENGINE_INVALID;
    *end = FIRST_FRAME + frames * frame_bytes(&output);
    if (file->bytes < *end || frames > INT32_MAX)
        return ENGINE_FAIL_FILE(file,
                                "has %llu bytes; the checkpoint lists %llu frames, which take %llu; if the file was "
                                "changed, move it away, or use another folder",
                                (unsigned long long) file->bytes, (unsigned long long) frames,
                                (unsigned long long) *end);
    output.words[DCD_FRAMES] = (uint32_t) frames;
    output.words[DCD_LAST] = step_word(output.words[DCD_FIRST] + (frames - 1) * (uint64_t) output.words[DCD_EVERY]);
    return put_header(file, &output);
}
