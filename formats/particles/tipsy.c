/* Tipsy binary files of N-body codes, https://faculty.washington.edu/trq/hpcc/tools/tipsy/tipsy.html: a header, then
 * records of single-precision numbers for gas, dark matter and stars. "Standard" files are big-endian, as XDR writes
 * them. "Native" files of today's machines are little-endian. Mass, position and velocity are read. */
#include "files/bytes.h"

#include <engine/format.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 28, PADDED_HEADER = 32, KINDS = 3, RECORD_MAX = 12, ARRAYS = 3, PIECE = 1024 /* records */ };

/* Numbers per record: mass, position and velocity; then rho temp hsmooth metals phi of gas, eps phi of dark matter, or
 * metals tform eps phi of stars. */
static const uint64_t record_numbers[KINDS] = {12, 9, 11};

struct header {
    bool big; /* the file's byte order */
    double time;
    uint64_t count[KINDS]; /* gas, dark, star */
};

struct tipsy {
    struct header header;
    uint64_t count; /* of particles */
    struct engine_file_array arrays[ARRAYS];
    float *elements[ARRAYS]; /* position, velocity, mass */
    char skipped[64];
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

static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    struct header header;
    (void) name;
    (void) bytes;
    return count >= HEADER && (parse_header(begin, true, &header) || parse_header(begin, false, &header));
}

static int refuse_end(const struct engine_file *file, const char *trouble)
{
    return ENGINE_FAIL_FILE(file, "%s",
                            trouble != NULL ? trouble : "the file ends too early; download or create it again");
}

static int read_bytes(const struct engine_file *file, void *out, uint64_t bytes)
{
    const char *trouble = NULL;
    return file->next(file, out, bytes, &trouble) == bytes ? 0 : refuse_end(file, trouble);
}

/* ---- Header ------------------------------------------------------------------------------------------------- */

/* Counts the bytes of the file after unpacking, and returns to its beginning. */
static int measure_file(const struct engine_file *file, uint64_t *size)
{
    unsigned char piece[1 << 14];
    const char *trouble = NULL;
    uint64_t got;
    *size = 0;
    while ((got = file->next(file, piece, sizeof piece, &trouble)) > 0)
        *size += got;
    return trouble != NULL ? refuse_end(file, trouble) : file->seek(file, 0);
}

/* Finds out by the size of the file whether it is whole, and whether its header is padded. */
static int check_size(const struct engine_file *file, const struct tipsy *tipsy, uint64_t size, bool *padded)
{
    const uint64_t *count = tipsy->header.count;
    uint64_t data = 0;
    for (int kind = 0; kind < KINDS; kind++)
        data += 4 * record_numbers[kind] * count[kind];
    *padded = size == PADDED_HEADER + data;
    if (*padded || size == HEADER + data)
        return 0;
    return ENGINE_FAIL_FILE(file,
                            "has %llu bytes but its header states %llu gas, %llu dark and %llu star particles in %llu: "
                            "the file is cut short, damaged, or has double-precision records, which are not supported",
                            (unsigned long long) size, (unsigned long long) count[0], (unsigned long long) count[1],
                            (unsigned long long) count[2], (unsigned long long) (PADDED_HEADER + data));
}

/* Reads the header, and finds the offset of the first record. */
static int read_header(const struct engine_file *file, struct tipsy *tipsy, uint64_t *begin)
{
    unsigned char head[HEADER];
    uint64_t size;
    bool padded;
    if (measure_file(file, &size) != 0 || read_bytes(file, head, HEADER) != 0)
        return ENGINE_INVALID;
    if (!parse_header(head, true, &tipsy->header) && !parse_header(head, false, &tipsy->header))
        return ENGINE_FAIL_FILE(
            file, "is not a Tipsy file: in neither byte order does it state 3 dimensions and numbers of particles, "
                  "1 or more, that add up");
    if (check_size(file, tipsy, size, &padded) != 0)
        return ENGINE_INVALID;
    *begin = padded ? PADDED_HEADER : HEADER;
    for (int kind = 0; kind < KINDS; kind++)
        tipsy->count += tipsy->header.count[kind];
    return 0;
}

/* ---- What the file holds ------------------------------------------------------------------------------------ */

static void note_skipped(struct tipsy *tipsy)
{
    const uint64_t *count = tipsy->header.count; /* gas, dark, star */
    snprintf(tipsy->skipped, sizeof tipsy->skipped, "%s%s%s%sphi", count[0] > 0 ? "rho, temp, hsmooth, " : "",
             count[2] > 0 ? "tform, " : "", count[0] + count[2] > 0 ? "metals, " : "",
             count[1] + count[2] > 0 ? "eps, " : "");
}

static const struct {
    const char *name;
    uint32_t components, first; /* first: number in a record */
} fields[ARRAYS] = {{"position", 3, 1}, {"velocity", 3, 4}, {"mass", 1, 0}};

static void describe(struct tipsy *tipsy, struct engine_file_content *content)
{
    for (uint32_t i = 0; i < ARRAYS; i++) {
        tipsy->arrays[i] = (struct engine_file_array){.name = fields[i].name, .kind = ENGINE_PARTICLES};
        tipsy->arrays[i].shape = (struct engine_shape){
            sizeof(struct engine_shape), ENGINE_F32, fields[i].components, 1, {tipsy->count, 1, 1}};
    }
    note_skipped(tipsy);
    content->arrays = (struct engine_file_array_array){tipsy->arrays, ARRAYS, sizeof tipsy->arrays[0]};
    content->frames = 1;
    content->skipped = tipsy->skipped;
}

/* ---- Records ------------------------------------------------------------------------------------------------ */

static void take_record(const struct tipsy *tipsy, const unsigned char *record, uint64_t row)
{
    for (uint32_t i = 0; i < ARRAYS; i++)
        for (uint64_t k = 0; k < fields[i].components; k++) {
            const uint32_t word = bytes_word(record + 4 * (fields[i].first + k), tipsy->header.big);
            memcpy(&tipsy->elements[i][row * fields[i].components + k], &word, sizeof word);
        }
}

/* Reads the records of one kind, the first of which is that of particle `row`. */
static int read_records(const struct engine_file *file, const struct tipsy *tipsy, int kind, uint64_t row)
{
    unsigned char piece[PIECE * 4 * RECORD_MAX];
    const uint64_t bytes = 4 * record_numbers[kind], count = tipsy->header.count[kind];
    int code = 0;
    for (uint64_t begin = 0; code == 0 && begin < count; begin += PIECE) {
        const uint64_t records = count - begin < PIECE ? count - begin : PIECE;
        code = read_bytes(file, piece, records * bytes);
        for (uint64_t i = 0; code == 0 && i < records; i++)
            take_record(tipsy, piece + i * bytes, row + begin + i);
    }
    return code;
}

/* The header was compared with the size of the file, so the memory is no more than the file has. */
static int read_all(const struct engine_file *file, struct tipsy *tipsy, uint64_t begin)
{
    unsigned char head[PADDED_HEADER];
    uint64_t row = 0;
    int code = file->seek(file, 0);
    if (code == 0)
        code = read_bytes(file, head, begin);
    for (uint32_t i = 0; code == 0 && i < ARRAYS; i++) {
        tipsy->elements[i] = file->allocate(file, tipsy->count * fields[i].components * sizeof(float));
        code = tipsy->elements[i] != NULL ? 0 : ENGINE_NO_MEMORY;
    }
    for (int kind = 0; code == 0 && kind < KINDS; row += tipsy->header.count[kind], kind++)
        code = read_records(file, tipsy, kind, row);
    return code;
}

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    struct tipsy *tipsy = file->allocate(file, sizeof *tipsy);
    uint64_t begin = 0;
    if (tipsy == NULL)
        return ENGINE_NO_MEMORY;
    *tipsy = (struct tipsy){.count = 0};
    if (read_header(file, tipsy, &begin) != 0 || read_all(file, tipsy, begin) != 0)
        return ENGINE_INVALID;
    describe(tipsy, content);
    *self = tipsy;
    return 0;
}

static int take_frame(const struct engine_file *file, void *self, uint64_t number, struct engine_file_frame *frame)
{
    const struct tipsy *tipsy = self;
    (void) file;
    (void) number;
    frame->has = isfinite(tipsy->header.time) ? ENGINE_HAS_TIME : 0;
    frame->time = tipsy->header.time;
    return 0;
}

static int read_array(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                      uint64_t count, void *out)
{
    const struct tipsy *tipsy = self;
    (void) file;
    (void) number;
    memcpy(out, tipsy->elements[array] + begin, count * sizeof(float));
    return 0;
}

const struct engine_file_format tipsy_file_format = {
    ENGINE_FILE_FORMAT("tipsy", "1.0", "particles of N-body codes, Tipsy binary", ".tipsy .std .tipsy.gz .std.gz"),
    .flags = ENGINE_FORMAT_PACKED | ENGINE_FORMAT_RANGES,
    .probe = probe,
    .open = open_file,
    .frame = take_frame,
    .read = read_array,
};
