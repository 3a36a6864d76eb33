/* Reads GSD files, see layout.h. Opening a file reads the index alone. */
#include "layout.h"

#include "common/integers.h"

#include <stdio.h>

enum { SPECIES_MAX = 256, LABEL = 16, SKIPPED = 256, ARRAYS = 5, PIECE = 4096 };

/* A chunk of a frame. */
struct place {
    uint64_t frame, at, rows;
    uint32_t columns;
    uint8_t type;
};

struct chunks {
    uint64_t count, room;
    bool wide;            /* some are */
    struct place *places; /* in the order of the frames */
};

struct trajectory {
    struct gsd_header header;
    uint8_t *chunk_of; /* of each name, by its number: enum gsd_chunk, or GSD_CHUNKS */
    uint32_t names;
    struct chunks chunks[GSD_CHUNKS];
    uint64_t frames;
    uint32_t particles, types;
    struct engine_file_array arrays[ARRAYS];
    enum gsd_chunk chunk[ARRAYS]; /* of each array */
    uint32_t array_count, label_count;
    const char *labels[SPECIES_MAX];
    char label[SPECIES_MAX][LABEL], skipped[SKIPPED];
};

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static bool is_printable(const char *text)
{
    bool good = true;
    for (; good && *text; text++)
        good = *text >= ' ' && *text < 127;
    return good;
}

/* Adds a name to the list of what is skipped, as long as it has room. */
static void skip_name(struct trajectory *trajectory, const char *name)
{
    const size_t length = strlen(trajectory->skipped);
    const char *comma = length > 0 ? ", " : "";
    if (is_printable(name) && length + strlen(comma) + strlen(name) < SKIPPED)
        strcat(strcat(trajectory->skipped, comma), name);
}

static uint8_t chunk_named(struct trajectory *trajectory, const char *name)
{
    uint8_t chunk = 0;
    while (chunk < GSD_CHUNKS && strcmp(gsd_about[chunk].name, name) != 0)
        chunk++;
    if (chunk == GSD_CHUNKS)
        skip_name(trajectory, name);
    return chunk;
}

/* Reads the names. In version 1 each has a place of its own. */
static int read_names(const struct engine_file *file, struct trajectory *trajectory)
{
    const uint64_t bytes = trajectory->header.names_places * GSD_NAME;
    const bool places = trajectory->header.version >> 16 == 1;
    char *names = file->allocate(file, bytes + 1);
    trajectory->chunk_of = file->allocate(file, bytes);
    if (!names || !trajectory->chunk_of)
        return ENGINE_NO_MEMORY;
    if (file->read(file, trajectory->header.names, bytes, names) != 0)
        return ENGINE_INVALID;
    names[bytes] = '\0';
    for (uint64_t at = 0; at < bytes && names[at] != '\0'; at += places ? GSD_NAME : strlen(names + at) + 1) {
        if (trajectory->names > UINT16_MAX || strnlen(names + at, GSD_NAME) == (places ? GSD_NAME : SIZE_MAX))
            return ENGINE_FAIL_BYTE(file, trajectory->header.names + at, "too many names, or one without an end");
        trajectory->chunk_of[trajectory->names++] = chunk_named(trajectory, names + at);
    }
    file->release(file, names);
    return 0;
}

/* ---- The index --------------------------------------------------------------------------------------------------- */

/* Returns the chunk of an entry; GSD_CHUNKS: one that is skipped. */
static uint8_t chunk_of(const struct trajectory *trajectory, const struct gsd_entry *entry)
{
    return entry->name < trajectory->names ? trajectory->chunk_of[entry->name] : GSD_CHUNKS;
}

/* The bytes of an element; 0: the type is not known. */
static uint32_t type_bytes(uint8_t type)
{
    static const uint8_t bytes[] = {0, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 1};
    return type < sizeof bytes ? bytes[type] : 0;
}

/* Can a chunk have this type? Names are bytes of any type. */
static bool takes_type(enum gsd_chunk chunk, uint8_t type)
{
    if (chunk == GSD_TYPES)
        return type_bytes(type) == 1;
    return gsd_about[chunk].type == GSD_F32 ? type == GSD_F32 || type == GSD_F64 : type >= GSD_U8 && type <= GSD_I64;
}

static int check_entry(const struct engine_file *file, const struct gsd_entry *entry, enum gsd_chunk chunk, uint64_t at)
{
    const struct gsd_about *about = &gsd_about[chunk];
    const uint64_t place = (uint64_t) entry->place, bytes = (uint64_t) type_bytes(entry->type) * entry->columns;
    if (!takes_type(chunk, entry->type) || entry->columns == 0)
        return ENGINE_FAIL_BYTE(file, at, "%s of frame %llu has the type %u and %u columns; expected %s", about->name,
                                (unsigned long long) entry->frame, entry->type, entry->columns,
                                chunk == GSD_TYPES       ? "characters, type 1, 5 or 11"
                                : about->type == GSD_F32 ? "real numbers, type 9 or 10"
                                                         : "whole numbers, type 1 to 8");
    if (place < sizeof(struct gsd_header) || place > file->bytes || entry->rows > (file->bytes - place) / bytes)
        return ENGINE_FAIL_BYTE(file, at, "%s of frame %llu, %llu rows at byte %llu, is not within the file",
                                about->name, (unsigned long long) entry->frame, (unsigned long long) entry->rows,
                                (unsigned long long) place);
    return 0;
}

static int count_entry(const struct engine_file *file, void *context, const struct gsd_entry *entry, uint64_t at)
{
    struct trajectory *trajectory = context;
    const uint8_t chunk = chunk_of(trajectory, entry);
    if (entry->name >= trajectory->names || entry->frame >= INT64_MAX)
        return ENGINE_FAIL_BYTE(file, at, "an entry of the index has the name %u of %u, and frame %llu", entry->name,
                                trajectory->names, (unsigned long long) entry->frame);
    trajectory->frames = entry->frame + 1;
    if (chunk == GSD_CHUNKS)
        return 0;
    trajectory->chunks[chunk].count++;
    return check_entry(file, entry, chunk, at);
}

static int add_entry(const struct engine_file *file, void *context, const struct gsd_entry *entry, uint64_t at)
{
    struct trajectory *trajectory = context;
    const uint8_t chunk = chunk_of(trajectory, entry);
    if (chunk == GSD_CHUNKS || entry->frame >= trajectory->frames)
        return 0;
    struct chunks *chunks = &trajectory->chunks[chunk];
    if (chunks->count == chunks->room)
        return ENGINE_FAIL_BYTE(file, at, "the index changed while the file was read");
    chunks->places[chunks->count++] =
        (struct place){entry->frame, (uint64_t) entry->place, entry->rows, entry->columns, entry->type};
    chunks->wide = chunks->wide || entry->type == GSD_F64;
    return 0;
}

/* Does a file that is unfinished end before a frame that is damaged, after frames that are not? */
static bool ends_before(const struct engine_file *file, struct trajectory *trajectory, uint64_t frame, int code)
{
    if (code != ENGINE_INVALID || frame == 0 || (file->flags & ENGINE_FILE_UNFINISHED) == 0)
        return false;
    trajectory->frames = frame;
    return true;
}

/* Counts the entries, and then keeps them. */
static int read_index(const struct engine_file *file, struct trajectory *trajectory)
{
    int code = gsd_each_entry(file, &trajectory->header, trajectory, count_entry);
    if (code != 0 && !ends_before(file, trajectory, trajectory->frames - 1, code))
        return code;
    for (int i = 0; i < GSD_CHUNKS; i++) {
        struct chunks *chunks = &trajectory->chunks[i];
        chunks->places = file->allocate(file, chunks->count * sizeof *chunks->places);
        if (!chunks->places)
            return ENGINE_NO_MEMORY;
        chunks->room = chunks->count;
        chunks->count = 0;
    }
    code = gsd_each_entry(file, &trajectory->header, trajectory, add_entry);
    return code != 0 && ends_before(file, trajectory, trajectory->frames, code) ? 0 : code;
}

/* Returns the chunk that a frame has; NULL: none. */
static const struct place *own_chunk(const struct trajectory *trajectory, enum gsd_chunk chunk, uint64_t frame)
{
    const struct chunks *chunks = &trajectory->chunks[chunk];
    uint64_t low = 0, high = chunks->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (chunks->places[middle].frame < frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low < chunks->count && chunks->places[low].frame == frame ? &chunks->places[low] : NULL;
}

/* The same, or that of frame 0. */
static const struct place *chunk_at(const struct trajectory *trajectory, enum gsd_chunk chunk, uint64_t frame)
{
    const struct place *own = own_chunk(trajectory, chunk, frame);
    return own ? own : own_chunk(trajectory, chunk, 0);
}

/* ---- What the file holds ----------------------------------------------------------------------------------------- */

/* Reads whole numbers of any type, which must be in range. */
static int read_wholes(const struct engine_file *file, const struct place *place, uint64_t count, uint64_t most,
                       uint64_t *numbers)
{
    static const uint32_t types[] = {0,         ENGINE_U8,  ENGINE_U16, ENGINE_U32, ENGINE_U64,
                                     ENGINE_I8, ENGINE_I16, ENGINE_I32, ENGINE_I64};
    const uint64_t size = type_bytes(place->type);
    unsigned char bytes[PIECE];
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t in_piece = i % (PIECE / size), left = count - i;
        const uint64_t piece = left < PIECE / size ? left : PIECE / size;
        if (in_piece == 0 && file->read(file, place->at + i * size, piece * size, bytes) != 0)
            return ENGINE_INVALID;
        numbers[i] = (uint64_t) integer_of(types[place->type], bytes, in_piece);
        if (numbers[i] > most)
            return ENGINE_FAIL_BYTE(file, place->at + i * size, "found the number %lld; expected 0 to %llu",
                                    (long long) numbers[i], (unsigned long long) most);
    }
    return 0;
}

/* The number of particles is the same in all frames. */
static int read_count(const struct engine_file *file, struct trajectory *trajectory)
{
    const struct chunks *counts = &trajectory->chunks[GSD_COUNT];
    for (uint64_t i = 0; i < counts->count; i++) {
        const struct place *place = &counts->places[i];
        uint64_t particles;
        if (place->rows * place->columns != 1)
            return ENGINE_FAIL_BYTE(file, place->at, "particles/N has %llu rows; expected 1",
                                    (unsigned long long) place->rows);
        if (read_wholes(file, place, 1, UINT32_MAX, &particles) != 0)
            return ENGINE_INVALID;
        if (i > 0 && particles != trajectory->particles) {
            const int code = ENGINE_FAIL_BYTE(
                file, place->at, "frame %llu has %llu particles; expected %u as in frame 0",
                (unsigned long long) place->frame, (unsigned long long) particles, trajectory->particles);
            return ends_before(file, trajectory, place->frame, code) ? 0 : code;
        }
        trajectory->particles = (uint32_t) particles;
    }
    if (counts->count == 0 || counts->places[0].frame != 0 || trajectory->particles == 0)
        return ENGINE_FAIL_FILE(file, "has no particles in frame 0");
    if (trajectory->particles > file->bytes) /* their positions may all be missing, which means 0 */
        return ENGINE_FAIL_BYTE(file, counts->places[0].at, "frame 0 states %u particles, more than the file can hold",
                                trajectory->particles);
    return 0;
}

/* Some writers store a box as one row of six numbers. */
static int check_rows(const struct engine_file *file, const struct trajectory *trajectory)
{
    static const struct {
        enum gsd_chunk first, last;
        uint64_t rows; /* 0: one for each particle */
    } expected[] = {{GSD_STEP, GSD_STEP, 1}, {GSD_BOX, GSD_BOX, 6}, {GSD_TYPE, GSD_VELOCITY, 0}};
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++)
        for (enum gsd_chunk i = expected[k].first; i <= expected[k].last; i++)
            for (uint64_t n = 0; n < trajectory->chunks[i].count; n++) {
                const struct place *place = &trajectory->chunks[i].places[n];
                if (place->frame >= trajectory->frames)
                    break;
                const uint64_t rows = expected[k].rows ? expected[k].rows : trajectory->particles;
                if (place->rows * place->columns != rows * gsd_about[i].columns)
                    return ENGINE_FAIL_BYTE(
                        file, place->at, "%s of frame %llu has %llu rows and %u columns; expected %llu and %u",
                        gsd_about[i].name, (unsigned long long) place->frame, (unsigned long long) place->rows,
                        place->columns, (unsigned long long) rows, gsd_about[i].columns);
            }
    return 0;
}

/* Later frames may repeat the names of types. */
static int check_types_same(const struct engine_file *file, const struct place *first, const struct place *other)
{
    const uint64_t bytes = first->rows * first->columns;
    bool same = other->rows == first->rows && other->columns == first->columns;
    for (uint64_t begin = 0; same && begin < bytes; begin += PIECE) {
        char one[PIECE], two[PIECE];
        const uint64_t count = bytes - begin < PIECE ? bytes - begin : PIECE;
        if (file->read(file, first->at + begin, count, one) != 0 ||
            file->read(file, other->at + begin, count, two) != 0)
            return ENGINE_INVALID;
        same = memcmp(one, two, count) == 0;
    }
    return same ? 0
                : ENGINE_FAIL_BYTE(file, other->at, "the names of types of frame %llu are not those of frame %llu",
                                   (unsigned long long) other->frame, (unsigned long long) first->frame);
}

/* Takes the names of types, each in a row of one width. Names that are too long, or too many, are left out. */
static int read_types(const struct engine_file *file, struct trajectory *trajectory)
{
    const struct chunks *types = &trajectory->chunks[GSD_TYPES];
    const struct place *place = own_chunk(trajectory, GSD_TYPES, 0);
    if (types->count > 0 && !place)
        return ENGINE_FAIL_BYTE(file, types->places[0].at, "frame 0 has no names of types, and frame %llu has some",
                                (unsigned long long) types->places[0].frame);
    for (uint64_t i = 1; i < types->count && types->places[i].frame < trajectory->frames; i++)
        if (check_types_same(file, place, &types->places[i]) != 0)
            return ENGINE_INVALID;
    trajectory->types = place ? (uint32_t) place->rows : 1;
    bool good = place && place->rows <= SPECIES_MAX;
    for (uint32_t i = 0; good && i < trajectory->types; i++) {
        char *label = trajectory->label[i];
        const uint32_t count = place->columns < LABEL ? place->columns : LABEL;
        if (file->read(file, place->at + (uint64_t) i * place->columns, count, label) != 0)
            return ENGINE_INVALID;
        good = count < LABEL || label[LABEL - 1] == '\0';
        label[count < LABEL ? count : LABEL - 1] = '\0';
        good = good && is_printable(label);
        trajectory->labels[i] = label;
    }
    trajectory->label_count = good ? trajectory->types : 0;
    if (place && !good)
        skip_name(trajectory, "the names of types");
    return 0;
}

static void add_array(struct trajectory *trajectory, enum gsd_chunk chunk, const char *name, int32_t lengths)
{
    const struct gsd_about *about = &gsd_about[chunk];
    trajectory->chunk[trajectory->array_count] = chunk;
    trajectory->arrays[trajectory->array_count++] = (struct engine_file_array){
        .name = name,
        .kind = ENGINE_PARTICLES,
        .lengths = lengths,
        .shape = {sizeof(struct engine_shape),
                  about->type != GSD_F32           ? ENGINE_U32
                  : trajectory->chunks[chunk].wide ? ENGINE_F64
                                                   : ENGINE_F32,
                  about->columns,
                  1,
                  {trajectory->particles, 1, 1}},
    };
}

static void take_arrays(struct trajectory *trajectory)
{
    add_array(trajectory, GSD_POSITION, "position", 1);
    if (trajectory->chunks[GSD_TYPE].count > 0 || trajectory->label_count > 0)
        add_array(trajectory, GSD_TYPE, "species", 0);
    if (trajectory->chunks[GSD_MASS].count > 0)
        add_array(trajectory, GSD_MASS, "mass", 0);
    if (trajectory->chunks[GSD_CHARGE].count > 0)
        add_array(trajectory, GSD_CHARGE, "charge", 0);
    if (trajectory->chunks[GSD_VELOCITY].count > 0)
        add_array(trajectory, GSD_VELOCITY, "velocity", 1);
}

/* ---- The functions of the descriptor ----------------------------------------------------------------------------- */

static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    (void) name;
    return bytes >= sizeof(struct gsd_header) && count >= sizeof gsd_magic &&
                   memcmp(begin, &gsd_magic, sizeof gsd_magic) == 0
               ? ENGINE_PROBE_YES
               : ENGINE_PROBE_NO;
}

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    struct trajectory *trajectory = file->allocate(file, sizeof *trajectory);
    if (!trajectory)
        return ENGINE_NO_MEMORY;
    memset(trajectory, 0, sizeof *trajectory);
    int code = gsd_read_header(file, &trajectory->header);
    if (code != 0 || (code = read_names(file, trajectory)) != 0 || (code = read_index(file, trajectory)) != 0 ||
        (code = read_count(file, trajectory)) != 0 || (code = check_rows(file, trajectory)) != 0 ||
        (code = read_types(file, trajectory)) != 0)
        return code;
    take_arrays(trajectory);
    content->arrays.at = trajectory->arrays;
    content->arrays.count = trajectory->array_count;
    content->arrays.item_size = sizeof trajectory->arrays[0];
    content->frames = trajectory->frames;
    content->labels = trajectory->labels;
    content->label_count = trajectory->label_count;
    content->skipped = *trajectory->skipped ? trajectory->skipped : NULL;
    *self = trajectory;
    return 0;
}

/* Single becomes double precision, from the last element to the first, in place. */
static void widen(void *elements, uint64_t count)
{
    for (uint64_t i = count; i-- > 0;) {
        float narrow;
        memcpy(&narrow, (const char *) elements + 4 * i, sizeof narrow);
        ((double *) elements)[i] = (double) narrow;
    }
}

static int read_sides(const struct engine_file *file, const struct place *place, double sides[6])
{
    if (file->read(file, place->at, 6 * type_bytes(place->type), sides) != 0)
        return ENGINE_INVALID;
    if (place->type != GSD_F64)
        widen(sides, 6);
    for (int i = 0; i < 6; i++)
        if (!(sides[i] - sides[i] == 0) || (i < 3 && sides[i] < 0))
            return ENGINE_FAIL_BYTE(file, place->at, "number %d of the box is %g; expected a length or a tilt", i,
                                    sides[i]);
    return 0;
}

/* The file has tilts xy, where the box has xy Ly. The centre of the box is the origin. */
static void take_box(const double sides[6], struct engine_file_frame *frame)
{
    double *box = frame->box;
    for (int i = 0; i < 6; i++)
        box[i] = sides[i] * (i < 3 ? 1 : sides[i == 3 ? 1 : 2]);
    frame->corner[0] = -(box[0] + box[3] + box[4]) / 2;
    frame->corner[1] = -(box[1] + box[5]) / 2;
    frame->corner[2] = -box[2] / 2;
    if (box[0] > 0 || box[1] > 0 || box[2] > 0)
        frame->has |= ENGINE_HAS_BOX | ENGINE_HAS_CORNER;
}

static int frame_of(const struct engine_file *file, void *self, uint64_t number, struct engine_file_frame *frame)
{
    const struct trajectory *trajectory = self;
    const struct place *step = chunk_at(trajectory, GSD_STEP, number), *box = chunk_at(trajectory, GSD_BOX, number);
    double sides[6] = {1, 1, 1, 0, 0, 0};
    frame->has = ENGINE_HAS_STEP;
    if ((step && read_wholes(file, step, 1, INT64_MAX, &frame->step) != 0) ||
        (box && read_sides(file, box, sides) != 0))
        return ENGINE_INVALID;
    take_box(sides, frame);
    return 0;
}

/* Reads the types of particles, each of which has a name. */
static int read_types_of(const struct engine_file *file, const struct trajectory *trajectory, struct place place,
                         uint64_t count, uint32_t *types)
{
    uint64_t numbers[GSD_PIECE];
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t in_piece = i % GSD_PIECE, left = count - i;
        if (in_piece == 0) {
            const uint64_t piece = left < GSD_PIECE ? left : GSD_PIECE;
            if (read_wholes(file, &place, piece, trajectory->types - 1, numbers) != 0)
                return ENGINE_INVALID;
            place.at += piece * type_bytes(place.type);
        }
        types[i] = (uint32_t) numbers[in_piece];
    }
    return 0;
}

/* Masses are 1 where there are none, and all other numbers are 0. */
static void put_default(enum gsd_chunk chunk, uint64_t count, void *out)
{
    const float value = chunk == GSD_MASS ? 1 : 0;
    for (uint64_t i = 0; i < count; i++)
        memcpy((char *) out + 4 * i, &value, sizeof value);
}

static int read_array(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                      uint64_t count, void *out)
{
    const struct trajectory *trajectory = self;
    const enum gsd_chunk chunk = trajectory->chunk[array];
    const struct place *place = chunk_at(trajectory, chunk, number);
    (void) begin; /* 0 */
    if (place && chunk == GSD_TYPE)
        return read_types_of(file, trajectory, *place, count, out);
    if (!place)
        put_default(chunk, count, out);
    else if (file->read(file, place->at, type_bytes(place->type) * count, out) != 0)
        return ENGINE_INVALID;
    if (trajectory->chunks[chunk].wide && !(place && place->type == GSD_F64))
        widen(out, count);
    return 0;
}

ENGINE_EXPORT const struct engine_file_format engine_file_format = {
    ENGINE_FILE_FORMAT("gsd", "0.1.0", "particles, trajectories of HOOMD-blue", ".gsd"),
    .flags = ENGINE_FORMAT_FRAMES | ENGINE_FORMAT_GROWS,
    .length = ENGINE_LENGTH_UNKNOWN,
    .keeps = ENGINE_HAS_STEP | ENGINE_HAS_BOX | ENGINE_HAS_LABELS,
    .arrays = "position velocity mass charge species",
    .probe = probe,
    .open = open_file,
    .frame = frame_of,
    .read = read_array,
    .create = gsd_create,
    .write = gsd_write,
    .cut = gsd_cut,
};
