/* Writes trajectories of Amber in CDF-2. A file has its head, the names of the axes, and then a record for each frame: the
 * time, the cell, positions, velocities and forces. Only the number of records in the head changes with each frame. If the
 * first frame has no box, the file has no cells, because MDAnalysis refuses lengths of 0. */
#include "cdf.h"

#include "common/angles.h"
#include "common/gromacs.h"

enum { HEAD_MAX = 2048, RECORDS = 4, TIME = 8, CELL = 6 * 8 }; /* bytes */
enum { FRAME, SPATIAL, ATOM, CELL_SPATIAL, CELL_ANGULAR, LABEL, DIMENSIONS };

struct writer {
    uint64_t atoms, records;
    uint64_t most; /* bytes of a record with a cell */
    bool boxed;
    uint32_t count, index[3];   /* of positions, velocities and forces, in this order */
    uint32_t which[3], wide[3]; /* NC_POSITION …, and the bytes of a number */
    unsigned char *record;
};

static uint64_t record_bytes(const struct writer *writer)
{
    return writer->most - (writer->boxed ? 0 : CELL);
}

/* ---- The head ---------------------------------------------------------------------------------------------------- */

/* A head that is being made. */
struct head {
    unsigned char bytes[HEAD_MAX];
    size_t used;
    uint64_t begin; /* of the numbers of the next variable */
};

static void put(struct head *head, uint32_t word)
{
    put_word(head->bytes + head->used, word);
    head->used += 4;
}

static void put_bytes(struct head *head, const char *text, size_t count)
{
    memcpy(head->bytes + head->used, text, count);
    head->used += (count + 3) / 4 * 4;
}

static void put_name(struct head *head, const char *name)
{
    put(head, (uint32_t) strlen(name));
    put_bytes(head, name, strlen(name));
}

static void put_list(struct head *head, uint32_t tag, uint32_t count)
{
    put(head, count > 0 ? tag : 0);
    put(head, count);
}

static void put_attribute(struct head *head, const char *name, const char *text)
{
    put_name(head, name);
    put(head, CDF_CHAR);
    put_name(head, text);
}

/* Puts a variable with its axes, of which `axes` has the numbers as letters, its unit, and its bytes. */
static void put_variable(struct head *head, const char *name, const char *axes, const char *unit, uint32_t type,
                         uint64_t bytes)
{
    put_name(head, name);
    put(head, (uint32_t) strlen(axes));
    for (const char *axis = axes; *axis; axis++)
        put(head, (uint32_t) (*axis - '0'));
    put_list(head, CDF_ATTRIBUTES, unit != NULL);
    if (unit)
        put_attribute(head, "units", unit);
    put(head, type);
    put(head, (uint32_t) bytes);
    put(head, (uint32_t) (head->begin >> 32));
    put(head, (uint32_t) head->begin);
    head->begin += bytes;
}

static void put_variables(struct head *head, const struct writer *writer)
{
    static const char *const units[] = {"angstrom", "angstrom/picosecond", "kilocalorie/mole/angstrom"};
    put_list(head, CDF_VARIABLES, (writer->boxed ? 6u : 4u) + writer->count);
    put_variable(head, "spatial", "1", NULL, CDF_CHAR, 4);
    put_variable(head, "cell_spatial", "3", NULL, CDF_CHAR, 4);
    put_variable(head, "cell_angular", "45", NULL, CDF_CHAR, 16);
    put_variable(head, "time", "0", "picosecond", CDF_DOUBLE, TIME);
    if (writer->boxed) {
        put_variable(head, "cell_lengths", "03", "angstrom", CDF_DOUBLE, CELL / 2);
        put_variable(head, "cell_angles", "04", "degree", CDF_DOUBLE, CELL / 2);
    }
    for (uint32_t k = 0; k < writer->count; k++) {
        put_variable(head, cdf_names[writer->which[k]], "021", units[writer->which[k]],
                     writer->wide[k] == 4 ? CDF_FLOAT : CDF_DOUBLE, 3 * writer->atoms * writer->wide[k]);
    }
}

/* Makes the head whose variables begin at `begin`. */
static void make_head(const struct writer *writer, uint64_t begin, struct head *head)
{
    static const char *const names[DIMENSIONS] = {"frame", "spatial", "atom", "cell_spatial", "cell_angular", "label"};
    const uint32_t lengths[DIMENSIONS] = {0, 3, (uint32_t) writer->atoms, 3, 3, 5};
    *head = (struct head){.begin = begin};
    put_bytes(head, "CDF\2", 4);
    put(head, 0);
    put_list(head, CDF_DIMENSIONS, DIMENSIONS);
    for (int k = 0; k < DIMENSIONS; k++) {
        put_name(head, names[k]);
        put(head, lengths[k]);
    }
    put_list(head, CDF_ATTRIBUTES, 4);
    put_attribute(head, "Conventions", "AMBER");
    put_attribute(head, "ConventionVersion", "1.0");
    put_attribute(head, "program", "engine");
    put_attribute(head, "programVersion", "1");
    put_variables(head, writer);
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

/* Reads the head of a file that this file wrote, with `frames` records at least. */
static int read_head(const struct engine_file *file, uint64_t frames, struct cdf *cdf, uint64_t *begin)
{
    if (cdf_read(file, cdf) != 0)
        return ENGINE_INVALID;
    *begin = cdf->variables[NC_TIME].begin;
    if (*begin > 0 && cdf->record_bytes > 0 && *begin <= file->bytes &&
        frames <= (file->bytes - *begin) / cdf->record_bytes)
        return 0;
    return ENGINE_FAIL_FILE(
        file,
        "has %llu bytes, and not %llu frames that this engine wrote; if it was changed, move it away, or use "
        "another folder",
        (unsigned long long) file->bytes, (unsigned long long) frames);
}

/* Goes on with a file that has frames. */
static int append(const struct engine_file *file, struct writer *writer)
{
    struct cdf cdf;
    uint64_t begin;
    if (read_head(file, 0, &cdf, &begin) != 0)
        return ENGINE_INVALID;
    writer->records = cdf.records;
    writer->boxed = cdf.variables[NC_LENGTHS].type != 0;
    if (cdf.record_bytes == record_bytes(writer) && cdf.records < UINT32_MAX &&
        file->bytes - begin == cdf.records * cdf.record_bytes)
        return 0;
    return ENGINE_FAIL_FILE(file, "has other arrays or another number of atoms or frames; if it was changed, move it "
                                  "away, or use another folder");
}

/* Begins the file with what its first frame needs. */
static int begin(const struct engine_file *file, const struct engine_file_frame *frame, struct writer *writer)
{
    struct head head;
    writer->boxed = (frame->has & ENGINE_HAS_BOX) != 0;
    make_head(writer, 0, &head);
    make_head(writer, head.used, &head);
    put_bytes(&head, "xyz", 3);
    put_bytes(&head, "abc", 3);
    put_bytes(&head, "alphabeta gamma", 15);
    return file->write(file, head.bytes, head.used);
}

int nc_create(const struct engine_file *file, const struct engine_file_content *content, void **self)
{
    static const char *const names[] = {"position", "velocity", "force"};
    struct writer *writer = file->allocate(file, sizeof *writer);
    if (!writer)
        return ENGINE_NO_MEMORY;
    const struct engine_file_array *arrays = content->arrays.at;
    *writer = (struct writer){.atoms = arrays[0].shape.extent[0], .most = TIME + CELL};
    if (writer->atoms > INT32_MAX / 24)
        return ENGINE_FAIL_FILE(file,
                                "%llu atoms are too many for the format, whose variables have less than 2^31 bytes",
                                (unsigned long long) writer->atoms);
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t i = 0; i < content->arrays.count; i++)
            if (strcmp(arrays[i].name, names[k]) == 0) {
                writer->which[writer->count] = k;
                writer->index[writer->count] = i;
                writer->wide[writer->count] = arrays[i].shape.type == ENGINE_F64 ? 8 : 4;
                writer->most += 3 * writer->atoms * writer->wide[writer->count++];
            }
    writer->record = file->allocate(file, writer->most);
    *self = writer;
    if (!writer->record)
        return ENGINE_NO_MEMORY;
    return file->flags & ENGINE_FILE_APPEND ? append(file, writer) : 0;
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

static int put_moment(const struct engine_file *file, const struct writer *writer,
                      const struct engine_file_frame *frame, unsigned char *to)
{
    const double *box = frame->box;
    double numbers[7] = {time_of(frame)};
    const bool open = !(box[0] > 0 && box[1] > 0 && box[2] > 0);
    if (open && (box[3] != 0 || box[4] != 0 || box[5] != 0))
        return ENGINE_FAIL_FILE(file, "the format cannot hold a box that is tilted and open along an axis; write xyz "
                                      "instead");
    if (!writer->boxed && (frame->has & ENGINE_HAS_BOX))
        return ENGINE_FAIL_FILE(file, "the frame at step %llu has a box, and the first frame has none",
                                (unsigned long long) frame->step);
    angles_of_box(box, numbers + 1, numbers + 4);
    for (int i = 4; i < 7; i++)
        numbers[i] = angles_degrees(numbers[i]);
    for (int i = 0; i < (writer->boxed ? 7 : 1); i++)
        put_real(to + 8 * i, numbers[i], 8);
    return 0;
}

/* Makes numbers big-endian, in place. */
static int turn_numbers(const struct engine_file *file, const struct engine_file_frame *frame, uint64_t count,
                        uint64_t wide, unsigned char *numbers)
{
    for (uint64_t i = 0; i < count; i++) {
        double real;
        float narrow;
        memcpy(wide == 8 ? (void *) &real : (void *) &narrow, numbers + wide * i, wide);
        real = wide == 8 ? real : (double) narrow;
        if (!(real - real == 0))
            return ENGINE_FAIL_FILE(file, "a number of atom %llu at step %llu is infinite or not a number",
                                    (unsigned long long) (i / 3 + 1), (unsigned long long) frame->step);
        put_real(numbers + wide * i, real, wide);
    }
    return 0;
}

int nc_write(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    struct writer *writer = self;
    unsigned char records[4];
    const uint64_t count = 3 * writer->atoms;
    if (writer->records == INT32_MAX)
        return ENGINE_FAIL_FILE(file, "the format holds at most 2^31 - 1 frames");
    int code = writer->records == 0 && !(file->flags & ENGINE_FILE_APPEND) ? begin(file, frame, writer) : 0;
    if (code == 0)
        code = put_moment(file, writer, frame, writer->record);
    unsigned char *to = writer->record + TIME + (writer->boxed ? CELL : 0);
    for (uint32_t k = 0; code == 0 && k < writer->count; to += count * writer->wide[k++]) {
        code = file->get(file, writer->index[k], 0, count, to);
        if (code == 0)
            code = turn_numbers(file, frame, count, writer->wide[k], to);
    }
    if (code == 0)
        code = file->write(file, writer->record, record_bytes(writer));
    if (code != 0)
        return code;
    put_word(records, (uint32_t) ++writer->records);
    return file->write_at(file, RECORDS, records, sizeof records);
}

int nc_cut(const struct engine_file *file, uint64_t frames, uint64_t *end)
{
    struct cdf cdf;
    uint64_t begin;
    unsigned char records[4];
    if (read_head(file, frames, &cdf, &begin) != 0)
        return ENGINE_INVALID;
    *end = begin + frames * cdf.record_bytes;
    put_word(records, (uint32_t) frames);
    return file->write_at(file, RECORDS, records, sizeof records);
}
