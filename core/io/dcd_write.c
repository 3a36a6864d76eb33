/* Writes DCD files in little-endian order. A file grows in place: a frame is written behind the last one, and then the
 * number of frames in the header is changed. */
#include "base/convert.h"
#include "io/bytes.h"
#include "io/dcd.h"
#include "io/particles.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    int file;
    struct io_document *document;
    uint32_t array;            /* the positions */
    uint64_t atoms;            /* of a frame */
    uint32_t words[DCD_WORDS]; /* of the header */
    double time;               /* of the first frame */
    struct engine_error *error;
};

static int write_error(const struct dcd_output *output)
{
    return error_set(output->error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno));
}

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

static int put_at(const struct dcd_output *output, const void *bytes, uint64_t count, uint64_t offset)
{
    return bytes_write_at(output->file, bytes, count, offset) ? 0 : write_error(output);
}

static int put_header(const struct dcd_output *output)
{
    unsigned char head[FIRST_FRAME], cord[DCD_HEADER - DCD_MARKERS] = "CORD", titles[4 + TITLES * TITLE];
    const uint32_t title_count = TITLES, atoms = (uint32_t) output->atoms;
    memcpy(cord + 4, output->words, sizeof output->words);
    memset(titles, ' ', sizeof titles);
    memcpy(titles, &title_count, sizeof title_count);
    memcpy(titles + 4, "REMARKS written by engine", 25);
    memcpy(titles + 4 + TITLE, "REMARKS", 7);
    put_record(put_record(put_record(head, cord, sizeof cord), titles, sizeof titles), &atoms, sizeof atoms);
    return put_at(output, head, sizeof head, 0);
}

/* Makes the record of the unit cell. An open axis has length 0. */
static int put_cell(const struct dcd_output *output, unsigned char *at)
{
    const double *box = output->document->header.box;
    const double xy = box[3], xz = box[4], yz = box[5];
    const double b = hypot(xy, box[1]), c = sqrt(xz * xz + yz * yz + box[2] * box[2]);
    const bool tilted = xy != 0 || xz != 0 || yz != 0, open = !(box[0] > 0 && box[1] > 0 && box[2] > 0);
    if (tilted && open)
        return error_set(output->error, ENGINE_STATUS_OUTPUT,
                         "a DCD file cannot hold a box that is tilted and open along an axis; write xyz instead");
    const double gamma = tilted ? xy / b : 0, beta = tilted ? xz / c : 0;
    const double alpha = tilted ? (xy * xz + box[1] * yz) / (b * c) : 0;
    const double cell[6] = {box[0], gamma, b, beta, alpha, c};
    put_record(at, cell, sizeof cell);
    return 0;
}

/* Reads the positions into the three records of coordinates. */
static int put_coordinates(const struct dcd_output *output, unsigned char *at)
{
    struct io_document *document = output->document;
    const uint32_t type = document->arrays[output->array].shape.type, bytes = (uint32_t) (4 * output->atoms);
    double held[3 * PIECE];
    float positions[3 * PIECE];
    for (size_t axis = 0; axis < 3; axis++) {
        memcpy(at + axis * (bytes + (size_t) DCD_MARKERS), &bytes, sizeof bytes);
        memcpy(at + (axis + 1) * (bytes + (size_t) DCD_MARKERS) - 4, &bytes, sizeof bytes);
    }
    for (uint64_t begin = 0; begin < output->atoms; begin += PIECE) {
        const uint64_t count = output->atoms - begin < PIECE ? output->atoms - begin : PIECE;
        if (document->read(document, output->array, 3 * begin, 3 * count, held, output->error) != 0)
            return output->error->status;
        const uint64_t fit = convert_elements(type, held, 3 * count, ENGINE_F32, positions);
        if (fit < 3 * count)
            return error_set(output->error, ENGINE_STATUS_OUTPUT,
                             "position of particle %llu, counted from 0, does not fit single precision; write xyz "
                             "instead",
                             (unsigned long long) (begin + fit / 3));
        for (uint64_t i = 0; i < 3 * count; i++) {
            if (!isfinite(positions[i]))
                return particles_refuse_number(document, output->array, begin + i / 3, output->error);
            memcpy(at + i % 3 * (bytes + (size_t) DCD_MARKERS) + 4 + 4 * (begin + i / 3), &positions[i], 4);
        }
    }
    return 0;
}

static int put_frame(const struct dcd_output *output)
{
    const uint64_t bytes = frame_bytes(output);
    unsigned char *frame = malloc(bytes);
    int status =
        frame != NULL ? put_cell(output, frame) : error_memory(output->error, bytes, "a frame of a trajectory");
    if (status == 0)
        status = put_coordinates(output, frame + DCD_CELL + DCD_MARKERS);
    if (status == 0)
        status = put_at(output, frame, bytes, FIRST_FRAME + output->words[DCD_FRAMES] * bytes);
    free(frame);
    return status;
}

/* ---- The header's words --------------------------------------------------------------------------------------- */

static uint32_t step_word(uint64_t step)
{
    return step <= INT32_MAX ? (uint32_t) step : 0;
}

/* Counts the frame that was written last. The first two frames decide the distance of all. */
static void count_frame(struct dcd_output *output)
{
    const struct io_header *header = &output->document->header;
    uint32_t *words = output->words;
    const uint32_t step = step_word(header->step), frame = words[DCD_FRAMES]++;
    if (frame == 0) {
        words[DCD_FIRST] = step;
        words[DCD_EVERY] = 1;
        output->time = header->time;
    } else if (frame == 1 && step > words[DCD_FIRST]) {
        const float delta = (float) ((header->time - output->time) / (double) (step - words[DCD_FIRST]));
        words[DCD_EVERY] = step - words[DCD_FIRST];
        memcpy(&words[DCD_DELTA], header->timed && delta > 0 ? &delta : &(float){0}, sizeof delta);
    }
    words[DCD_LAST] = step_word((uint64_t) words[DCD_FIRST] + (uint64_t) frame * words[DCD_EVERY]);
}

static int add_frame(struct dcd_output *output)
{
    if (output->words[DCD_FRAMES] == INT32_MAX)
        return error_set(output->error, ENGINE_STATUS_OUTPUT, "a DCD file holds at most 2^31 - 1 frames");
    if (put_frame(output) != 0)
        return output->error->status;
    count_frame(output);
    return 0;
}

/* ---- Files ---------------------------------------------------------------------------------------------------- */

static int find_positions(struct dcd_output *output)
{
    const struct io_array *positions = io_first_written(output->document, particles_are_positions);
    if (positions == NULL)
        return error_set(output->error, ENGINE_STATUS_OUTPUT, "the frame has no positions");
    const uint64_t atoms = positions->shape.extent[positions->shape.rank - 1];
    if (output->atoms != 0 && atoms != output->atoms)
        return error_set(output->error, ENGINE_STATUS_OUTPUT,
                         "a frame has %llu particles and the first one has %llu; all frames of a DCD file have the "
                         "same particles; write xyz or lammpstrj, or choose fewer frames",
                         (unsigned long long) atoms, (unsigned long long) output->atoms);
    if (atoms > INT32_MAX / 4)
        return error_set(output->error, ENGINE_STATUS_OUTPUT,
                         "%llu particles are too many for a DCD file, whose records hold at most 2^31 bytes",
                         (unsigned long long) atoms);
    output->atoms = atoms;
    output->array = (uint32_t) (positions - output->document->arrays);
    return 0;
}

static int put_all(struct dcd_output *output)
{
    int status = find_positions(output);
    output->words[DCD_HAS_CELL] = 1;
    output->words[DCD_VERSION] = CHARMM;
    if (status == 0)
        status = add_frame(output);
    for (uint64_t frame = 1; status == 0 && frame < output->document->frames; frame++) {
        status = io_next_frame(output->document, output->error);
        if (status == 0)
            status = find_positions(output);
        if (status == 0)
            status = add_frame(output);
    }
    return status != 0 ? status : put_header(output);
}

/* Reads the header of a file that dcd_write wrote. */
static int read_header(struct dcd_output *output)
{
    unsigned char head[FIRST_FRAME];
    uint32_t bytes, atoms;
    const bool whole = bytes_read(output->file, head, sizeof head, 0);
    if (!whole && errno != 0)
        return error_set(output->error, ENGINE_STATUS_OUTPUT, "cannot be read: %s", strerror(errno));
    if (!whole)
        memset(head, 0, sizeof head);
    memcpy(&bytes, head + DCD_HEADER, sizeof bytes);
    memcpy(&atoms, head + FIRST_FRAME - 8, sizeof atoms);
    memcpy(output->words, head + 8, sizeof output->words);
    if (memcmp(head, "\x54\0\0\0CORD", 8) == 0 && bytes == TITLE_RECORD - DCD_MARKERS && atoms > 0 &&
        output->words[DCD_VERSION] == CHARMM && output->words[DCD_HAS_CELL] == 1) {
        output->atoms = atoms;
        return 0;
    }
    return error_set(output->error, ENGINE_STATUS_OUTPUT,
                     "is not a DCD file that a frame can be added to; if it was changed, move it away, or use another "
                     "folder");
}

/* ---- The interface ------------------------------------------------------------------------------------------ */

int dcd_write(int file, struct io_document *document, const struct io_options *options, struct engine_error *error)
{
    (void) options;
    struct dcd_output output = {.file = file, .document = document, .error = error};
    return put_all(&output);
}

/* After an error the file is as before. */
int dcd_append(int file, struct io_document *document, const struct io_options *options, struct engine_error *error)
{
    (void) options;
    struct dcd_output output = {.file = file, .document = document, .error = error};
    if (read_header(&output) != 0 || find_positions(&output) != 0)
        return error->status;
    const uint64_t end = FIRST_FRAME + output.words[DCD_FRAMES] * frame_bytes(&output);
    const int status = add_frame(&output);
    if (status == 0)
        return put_header(&output);
    return TEMP_FAILURE_RETRY(ftruncate(file, (off_t) end)) == 0
               ? status
               : error_prefix(error, "a part of a frame is left at the end: ");
}

int dcd_cut(int file, uint64_t step, uint64_t frames, struct engine_error *error)
{
    (void) step;
    struct dcd_output output = {.file = file, .error = error};
    struct stat info;
    if (read_header(&output) != 0)
        return error->status;
    const uint64_t end = FIRST_FRAME + frames * frame_bytes(&output);
    if (TEMP_FAILURE_RETRY(fstat(file, &info)) != 0)
        return write_error(&output);
    if (frames == 0 || (uint64_t) info.st_size < end || frames > INT32_MAX)
        return error_set(error, ENGINE_STATUS_OUTPUT,
                         "has %llu bytes; the checkpoint lists %llu frames, which take %llu; if the file was changed, "
                         "move it away, or use another folder",
                         (unsigned long long) info.st_size, (unsigned long long) frames, (unsigned long long) end);
    output.words[DCD_FRAMES] = (uint32_t) frames;
    output.words[DCD_LAST] = step_word(output.words[DCD_FIRST] + (frames - 1) * (uint64_t) output.words[DCD_EVERY]);
    return TEMP_FAILURE_RETRY(ftruncate(file, (off_t) end)) != 0 ? write_error(&output) : put_header(&output);
}
