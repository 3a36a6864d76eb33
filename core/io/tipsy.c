/* Tipsy binary files of N-body codes, https://faculty.washington.edu/trq/hpcc/tools/tipsy/tipsy.html: a header, then
 * records of single-precision numbers for gas, dark matter and stars. "Standard" files are big-endian, as XDR writes
 * them. "Native" files of today's machines are little-endian. Mass, position and velocity are read. */
#include "io/bytes.h"
#include "io/format.h"
#include "io/gzip.h"
#include "io/particles.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 28, PADDED_HEADER = 32, KINDS = 3, RECORD_MAX = 12 };

/* Numbers per record: mass, position and velocity; then rho temp hsmooth metals phi of gas, eps phi of dark matter, or
 * metals tform eps phi of stars. */
static const uint64_t record_numbers[KINDS] = {12, 9, 11};

struct header {
    bool big; /* the file's byte order */
    double time;
    uint64_t count[KINDS]; /* gas, dark, star */
};

struct tipsy {
    const char *path;
    gzFile file;
    struct header header;
};

/* Reads HEADER bytes in this byte order: time, nbodies, ndim, nsph, ndark, nstar. Returns false, because they are not a
 * header, where ndim is not 3 or nbodies is not the sum of the other counts. */
static bool parse_header(const unsigned char *at, bool big, struct header *header)
{
    const uint64_t total = bytes_word(at + 8, big), dimensions = bytes_word(at + 12, big);
    uint64_t sum = 0;
    header->big = big;
    header->time = bytes_real(at, big);
    for (size_t kind = 0; kind < KINDS; kind++) {
        header->count[kind] = bytes_word(at + 16 + 4 * kind, big);
        sum += header->count[kind];
    }
    return dimensions == 3 && total >= 1 && total <= INT32_MAX && sum == total;
}

static bool begins_file(const unsigned char *at, const unsigned char *end)
{
    struct header header;
    return end - at >= HEADER && (parse_header(at, true, &header) || parse_header(at, false, &header));
}

static int read_error(const struct tipsy *tipsy, struct engine_error *error)
{
    const char *reason = gzip_trouble(tipsy->file);
    if (reason == NULL)
        reason = "the file ends too early; download or create it again";
    return error_set(error, ENGINE_STATUS_INPUT, "%s: %s", tipsy->path, reason);
}

static int read_bytes(struct tipsy *tipsy, void *out, uint64_t bytes, struct engine_error *error)
{
    return gzip_read(&tipsy->file, tipsy->path, out, (unsigned) bytes) == (int) bytes ? 0 : read_error(tipsy, error);
}

/* ---- Header ------------------------------------------------------------------------------------------------- */

/* Counts the bytes of the file after unpacking, and returns to its beginning. */
static int measure_file(struct tipsy *tipsy, uint64_t *size, struct engine_error *error)
{
    unsigned char piece[1 << 14];
    int got;
    *size = 0;
    while ((got = gzip_read(&tipsy->file, tipsy->path, piece, sizeof piece)) > 0) {
        *size += (uint64_t) got;
        if (gzip_is_bomb(tipsy->file))
            return error_set(error, ENGINE_STATUS_INPUT, "%s: %s", tipsy->path, GZIP_REFUSAL);
    }
    if (gzip_trouble(tipsy->file) != NULL)
        return read_error(tipsy, error);
    return gzrewind(tipsy->file) == 0 ? 0
                                      : error_set(error, ENGINE_STATUS_INPUT, "%s: cannot be read twice", tipsy->path);
}

/* Finds out by the size of the file whether it is whole, and whether its header is padded. */
static int check_size(struct tipsy *tipsy, uint64_t size, bool *padded, struct engine_error *error)
{
    const uint64_t *count = tipsy->header.count;
    uint64_t data = 0;
    for (int kind = 0; kind < KINDS; kind++)
        data += 4 * record_numbers[kind] * count[kind];
    *padded = size == PADDED_HEADER + data;
    if (*padded || size == HEADER + data)
        return 0;
    return error_set(error, ENGINE_STATUS_INPUT,
                     "%s: has %llu bytes but its header states %llu gas, %llu dark and %llu star particles in %llu: "
                     "the file is cut short, damaged, or has double-precision records, which are not supported",
                     tipsy->path, (unsigned long long) size, (unsigned long long) count[0],
                     (unsigned long long) count[1], (unsigned long long) count[2],
                     (unsigned long long) (PADDED_HEADER + data));
}

/* Reads the header, and moves to the first record. */
static int read_header(struct tipsy *tipsy, struct engine_error *error)
{
    unsigned char head[PADDED_HEADER];
    uint64_t size;
    bool padded;
    if (measure_file(tipsy, &size, error) != 0 || read_bytes(tipsy, head, HEADER, error) != 0)
        return error->status;
    if (!parse_header(head, true, &tipsy->header) && !parse_header(head, false, &tipsy->header))
        return error_set(
            error, ENGINE_STATUS_INPUT,
            "%s: is not a Tipsy file: in neither byte order does it state 3 dimensions and numbers of particles, "
            "1 or more, that add up",
            tipsy->path);
    if (check_size(tipsy, size, &padded, error) != 0)
        return error->status;
    return padded ? read_bytes(tipsy, head, PADDED_HEADER - HEADER, error) : 0;
}

/* ---- Records ------------------------------------------------------------------------------------------------ */

static void take_record(const struct tipsy *tipsy, const unsigned char *record, struct particles *particles)
{
    const uint64_t row = particles->rows - 1;
    float numbers[7];
    for (size_t i = 0; i < 7; i++) {
        const uint32_t word = bytes_word(record + 4 * i, tipsy->header.big);
        memcpy(&numbers[i], &word, sizeof word);
    }
    memcpy((float *) particles->columns[0].at + 3 * row, numbers + 1, 3 * sizeof(float));
    memcpy((float *) particles->columns[1].at + 3 * row, numbers + 4, 3 * sizeof(float));
    ((float *) particles->columns[2].at)[row] = numbers[0];
}

static int read_records(struct tipsy *tipsy, int kind, struct particles *particles, struct engine_error *error)
{
    unsigned char record[4 * RECORD_MAX];
    for (uint64_t i = 0; i < tipsy->header.count[kind]; i++) {
        if (read_bytes(tipsy, record, 4 * record_numbers[kind], error) != 0 || particles_add_row(particles, error) != 0)
            return error->status;
        take_record(tipsy, record, particles);
    }
    return 0;
}

static int fill(const char *path, struct particles *particles, struct engine_error *error)
{
    errno = 0;
    struct tipsy tipsy = {.path = path, .file = gzopen(path, "rb")};
    if (tipsy.file == NULL)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: %s", path, strerror(errno ? errno : ENOMEM));
    gzbuffer(tipsy.file, 1 << 18);
    int status = read_header(&tipsy, error);
    particles->header.timed = isfinite(tipsy.header.time);
    particles->header.time = particles->header.timed ? tipsy.header.time : 0;
    if (tipsy.header.count[0] > 0)
        io_note_skipped(&particles->header, "rho, temp, hsmooth");
    if (tipsy.header.count[2] > 0)
        io_note_skipped(&particles->header, "tform");
    if (tipsy.header.count[0] + tipsy.header.count[2] > 0)
        io_note_skipped(&particles->header, "metals");
    if (tipsy.header.count[1] + tipsy.header.count[2] > 0)
        io_note_skipped(&particles->header, "eps");
    io_note_skipped(&particles->header, "phi");
    particles_add_column(particles, "position", ENGINE_F32, 3);
    particles_add_column(particles, "velocity", ENGINE_F32, 3);
    particles_add_column(particles, "mass", ENGINE_F32, 1);
    for (int kind = 0; status == 0 && kind < KINDS; kind++)
        status = read_records(&tipsy, kind, particles, error);
    gzclose(tipsy.file);
    return status;
}

static int open_tipsy(const char *path, struct io_document **document, struct engine_error *error)
{
    return particles_open(path, fill, document, error);
}

static const struct engine_file_format about = {
    ENGINE_FILE_FORMAT("tipsy", "1.0", "particles of N-body codes, Tipsy binary", ".tipsy .std .tipsy.gz .std.gz"),
};

static const struct io_own own = {
    .begins = begins_file,
    .open = open_tipsy,
};

const struct io_format io_tipsy = {.about = &about, .own = &own};
