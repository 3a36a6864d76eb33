/* Writes GSD files, see layout.h. A file grows by a frame at a time:
 *
 *     1. the chunks of the frame follow at the end of the file;
 *     2. if the index is full, one of twice its size follows, which has the new entries, and the header names it;
 *        otherwise the entries are written into the index, the first one last.
 *
 * So the last write of a frame is what makes it part of the file. A file whose writer was killed has all other frames.
 * A chunk that does not change, such as masses, is written with frame 0 alone. */
#include "layout.h"

#include "common/integers.h"

#include <stdio.h>

enum { INDEX_FIRST = 64, NAMES_BYTES = 512, PIECE = 8192, LABEL = 16, SPECIES_MOST = 1 << 16 };

struct writer {
    struct gsd_header header;
    uint64_t used; /* entries of the index */
    uint64_t frame, particles;
    struct gsd_entry first[GSD_CHUNKS]; /* of frame 0, in a file that has one; place 0: no such chunk */
    struct gsd_entry entries[GSD_CHUNKS];
    uint32_t count;             /* of `entries`, of the frame that is written */
    uint64_t end;               /* of the file */
    int32_t index[GSD_CHUNKS];  /* of the array of each chunk; -1: none */
    uint32_t types[GSD_CHUNKS]; /* of the elements of that array */
    const char *const *labels;
    uint32_t label_count;
    unsigned char out[PIECE * 4], before[PIECE * 4];
    union {
        unsigned char bytes[PIECE * 8];
        float f32[PIECE];
        double f64[PIECE];
    } in;
};

/* ---- The file ---------------------------------------------------------------------------------------------------- */

static int put(const struct engine_file *file, struct writer *writer, const void *bytes, uint64_t count)
{
    writer->end += count;
    return file->write(file, bytes, count);
}

/* Adds a chunk at the end of the file, whose bytes follow. */
static void begin_chunk(struct writer *writer, enum gsd_chunk chunk, uint64_t rows, uint32_t columns)
{
    writer->entries[writer->count++] = (struct gsd_entry){.frame = writer->frame,
                                                          .rows = rows,
                                                          .place = (int64_t) writer->end,
                                                          .columns = columns,
                                                          .name = (uint16_t) chunk,
                                                          .type = gsd_about[chunk].type};
}

static int put_chunk(const struct engine_file *file, struct writer *writer, enum gsd_chunk chunk, const void *data,
                     uint64_t rows)
{
    begin_chunk(writer, chunk, rows, gsd_about[chunk].columns);
    return put(file, writer, data, rows * gsd_about[chunk].bytes);
}

static void make_names(char names[NAMES_BYTES])
{
    memset(names, 0, NAMES_BYTES);
    for (int i = 0, at = 0; i < GSD_CHUNKS; at += (int) strlen(gsd_about[i].name) + 1, i++)
        memcpy(names + at, gsd_about[i].name, strlen(gsd_about[i].name));
}

static int put_head(const struct engine_file *file, struct writer *writer)
{
    char names[NAMES_BYTES];
    const struct gsd_entry none[INDEX_FIRST] = {{.frame = 0}};
    struct gsd_header *header = &writer->header;
    *header = (struct gsd_header){.magic = gsd_magic,
                                  .index = sizeof *header + NAMES_BYTES,
                                  .index_entries = INDEX_FIRST,
                                  .names = sizeof *header,
                                  .names_places = NAMES_BYTES / GSD_NAME,
                                  .schema_version = 1 << 16 | 4,
                                  .version = 2 << 16,
                                  .application = "engine",
                                  .schema = "hoomd"};
    make_names(names);
    int code = put(file, writer, header, sizeof *header);
    if (code == 0)
        code = put(file, writer, names, sizeof names);
    return code == 0 ? put(file, writer, none, sizeof none) : code;
}

/* Finds the number of entries by bisection, because the index ends with empty ones. */
static int count_entries(const struct engine_file *file, const struct gsd_header *header, uint64_t *used)
{
    uint64_t low = 0, high = header->index_entries;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        struct gsd_entry entry;
        if (file->read(file, header->index + middle * sizeof entry, sizeof entry, &entry) != 0)
            return ENGINE_INVALID;
        if (entry.place != 0)
            low = middle + 1;
        else
            high = middle;
    }
    *used = low;
    return 0;
}

/* Frames are added only to files that this file has written, because the numbers of the names have to be the same. */
static int check_names(const struct engine_file *file, const struct gsd_header *header)
{
    char names[NAMES_BYTES], there[NAMES_BYTES];
    make_names(names);
    if (header->names_places * GSD_NAME != NAMES_BYTES || file->read(file, header->names, sizeof there, there) != 0 ||
        memcmp(names, there, sizeof names) != 0)
        return ENGINE_FAIL_BYTE(file, header->names, "another program has changed the file; frames cannot be added");
    return 0;
}

/* Reads the entries of frame 0, and the number of the last frame. */
static int find_frames(const struct engine_file *file, struct writer *writer)
{
    struct gsd_entry entries[GSD_CHUNKS], last;
    const uint64_t count = writer->used < GSD_CHUNKS ? writer->used : GSD_CHUNKS, at = writer->header.index;
    if (writer->used == 0)
        return 0;
    if (file->read(file, at, count * sizeof entries[0], entries) != 0 ||
        file->read(file, at + (writer->used - 1) * sizeof last, sizeof last, &last) != 0)
        return ENGINE_INVALID;
    for (uint64_t i = 0; i < count; i++)
        if (entries[i].frame == 0 && entries[i].name < GSD_CHUNKS)
            writer->first[entries[i].name] = entries[i];
    writer->frame = last.frame + 1;
    return 0;
}

static int open_to_add(const struct engine_file *file, struct writer *writer)
{
    int code = gsd_read_header(file, &writer->header);
    if (code == 0)
        code = check_names(file, &writer->header);
    if (code == 0)
        code = count_entries(file, &writer->header, &writer->used);
    return code == 0 ? find_frames(file, writer) : code;
}

/* Writes an index of twice the size behind the file, and then its place into the header. */
static int move_index(const struct engine_file *file, struct writer *writer)
{
    struct gsd_entry entries[GSD_PIECE];
    struct gsd_header header = writer->header;
    const uint64_t used = writer->used;
    int code = 0;
    header.index_entries *= 2;
    header.index = writer->end;
    for (uint64_t begin = 0; code == 0 && begin < header.index_entries; begin += GSD_PIECE) {
        const uint64_t left = header.index_entries - begin, count = left < GSD_PIECE ? left : GSD_PIECE;
        const uint64_t old = used > begin ? (used - begin < count ? used - begin : count) : 0;
        memset(entries, 0, sizeof entries);
        code = file->read(file, writer->header.index + begin * sizeof entries[0], old * sizeof entries[0], entries);
        for (uint64_t i = old; i < count && begin + i < used + writer->count; i++)
            entries[i] = writer->entries[begin + i - used];
        if (code == 0)
            code = put(file, writer, entries, count * sizeof entries[0]);
    }
    if (code == 0)
        code = file->write_at(file, 0, &header, sizeof header);
    writer->header = header;
    return code;
}

/* Makes the frame part of the file. */
static int finish_frame(const struct engine_file *file, struct writer *writer)
{
    const uint64_t at = writer->header.index + writer->used * sizeof writer->entries[0];
    int code;
    if (writer->used + writer->count > writer->header.index_entries) {
        code = move_index(file, writer);
    } else {
        code = file->write_at(file, at + sizeof writer->entries[0], &writer->entries[1],
                              (writer->count - 1) * sizeof writer->entries[0]);
        if (code == 0)
            code = file->write_at(file, at, &writer->entries[0], sizeof writer->entries[0]);
    }
    for (uint32_t i = 0; writer->frame == 0 && i < writer->count; i++)
        writer->first[writer->entries[i].name] = writer->entries[i];
    writer->used += writer->count;
    writer->frame++;
    return code;
}

/* ---- Elements ---------------------------------------------------------------------------------------------------- */

/* Gets elements of an array as they are in the file. */
static int get_piece(const struct engine_file *file, struct writer *writer, enum gsd_chunk chunk, uint64_t begin,
                     uint64_t count)
{
    const uint32_t type = writer->types[chunk], columns = gsd_about[chunk].columns;
    const int code = file->get(file, (uint32_t) writer->index[chunk], begin, count, &writer->in);
    for (uint64_t i = 0; code == 0 && i < count; i++) {
        const unsigned long long particle = (begin + i) / columns;
        if (chunk == GSD_TYPE) {
            const int64_t species = integer_of(type, writer->in.bytes, i);
            const uint32_t number = (uint32_t) species;
            if (species < 0 || species >= SPECIES_MOST)
                return ENGINE_FAIL_FILE(file, "particle %llu has the species %lld; expected 0 to %d", particle,
                                        (long long) species, SPECIES_MOST - 1);
            memcpy(writer->out + 4 * i, &number, 4);
        } else {
            const double given = type == ENGINE_F64 ? writer->in.f64[i] : (double) writer->in.f32[i];
            const float number = (float) given;
            if (!(number - number == 0))
                return ENGINE_FAIL_FILE(file, "%s of particle %llu is %g, which single precision cannot hold",
                                        gsd_about[chunk].name, particle, given);
            memcpy(writer->out + 4 * i, &number, 4);
        }
    }
    return code;
}

/* Calls `use` for each piece of an array, until it sets *ended. */
static int each_piece(const struct engine_file *file, struct writer *writer, enum gsd_chunk chunk, void *context,
                      int (*use)(const struct engine_file *file, struct writer *writer, uint64_t begin, uint64_t count,
                                 void *context, bool *ended))
{
    const uint64_t all = writer->particles * gsd_about[chunk].columns;
    bool ended = false;
    int code = 0;
    for (uint64_t begin = 0; code == 0 && !ended && begin < all; begin += PIECE) {
        const uint64_t count = all - begin < PIECE ? all - begin : PIECE;
        code = get_piece(file, writer, chunk, begin, count);
        if (code == 0)
            code = use(file, writer, begin, count, context, &ended);
    }
    return code;
}

static int put_piece(const struct engine_file *file, struct writer *writer, uint64_t begin, uint64_t count,
                     void *context, bool *ended)
{
    (void) begin, (void) context, (void) ended;
    return put(file, writer, writer->out, 4 * count);
}

/* Compares a piece with that of frame 0, whose place the context points to; sets it to 0 where they differ. */
static int compare_piece(const struct engine_file *file, struct writer *writer, uint64_t begin, uint64_t count,
                         void *context, bool *ended)
{
    uint64_t *place = context;
    const int code = file->read(file, *place + 4 * begin, 4 * count, writer->before);
    *ended = code == 0 && memcmp(writer->before, writer->out, 4 * count) != 0;
    if (*ended)
        *place = 0;
    return code;
}

/* Writes the chunk of an array, unless it is that of frame 0. */
static int put_array(const struct engine_file *file, struct writer *writer, enum gsd_chunk chunk)
{
    uint64_t before = chunk < GSD_POSITION ? (uint64_t) writer->first[chunk].place : 0;
    int code = before != 0 ? each_piece(file, writer, chunk, &before, compare_piece) : 0;
    if (code != 0 || before != 0)
        return code;
    begin_chunk(writer, chunk, writer->particles, gsd_about[chunk].columns);
    return each_piece(file, writer, chunk, NULL, put_piece);
}

static int find_highest(const struct engine_file *file, struct writer *writer, uint64_t begin, uint64_t count,
                        void *context, bool *ended)
{
    uint32_t *highest = context, number;
    (void) file, (void) begin, (void) ended;
    for (uint64_t i = 0; i < count; i++) {
        memcpy(&number, writer->out + 4 * i, 4);
        *highest = number > *highest ? number : *highest;
    }
    return 0;
}

/* Every species of a frame has a name, those without one the letters A to Z and then T26, T27 … Frame 0 has the names
 * of all frames. */
static int put_types(const struct engine_file *file, struct writer *writer)
{
    const bool named = writer->label_count > 0;
    uint32_t highest = 0;
    const int code = each_piece(file, writer, GSD_TYPE, &highest, find_highest);
    const uint64_t types = writer->frame > 0 ? writer->first[GSD_TYPES].rows
                           : named           ? writer->label_count
                                             : highest + 1;
    if (code == 0 && highest >= types)
        return ENGINE_FAIL_FILE(file, "a particle has the species %u; %s only species 0 to %llu", highest,
                                named ? "there are names of" : "frame 0 has", (unsigned long long) types - 1);
    if (code != 0 || writer->frame > 0)
        return code;
    begin_chunk(writer, GSD_TYPES, types, LABEL);
    for (uint32_t i = 0; i < types; i++) {
        char label[LABEL] = "";
        if (named)
            snprintf(label, sizeof label, "%s", writer->labels[i]);
        else if (i < 26)
            label[0] = (char) ('A' + i);
        else
            snprintf(label, sizeof label, "T%u", i);
        if (put(file, writer, label, sizeof label) != 0)
            return ENGINE_INVALID;
    }
    return 0;
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

/* Tilts are those of the edges, in units of the length of the edge along the axis in which they are measured. */
static int put_box(const struct engine_file *file, struct writer *writer, const struct engine_file_frame *frame)
{
    const double *box = frame->box;
    float sides[6] = {0};
    for (int i = 0; i < 6 && (frame->has & ENGINE_HAS_BOX); i++) {
        const double side = i < 3 ? 1 : box[i == 3 ? 1 : 2];
        sides[i] = box[i] != 0 ? (float) (box[i] / side) : 0;
        if (!(sides[i] - sides[i] == 0))
            return ENGINE_FAIL_FILE(file, "number %d of the box, %g, does not fit into the format", i, box[i]);
    }
    if (writer->frame == 0 && sides[0] > 0 && sides[1] > 0 && !(sides[2] > 0) &&
        put_chunk(file, writer, GSD_DIMENSIONS, &(uint8_t){2}, 1) != 0)
        return ENGINE_INVALID;
    return put_chunk(file, writer, GSD_BOX, sides, 6);
}

int gsd_write(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    struct writer *writer = self;
    const uint32_t particles = (uint32_t) writer->particles;
    writer->count = 0;
    int code = put_chunk(file, writer, GSD_STEP, &frame->step, 1);
    if (code == 0)
        code = put_box(file, writer, frame);
    if (code == 0 && writer->frame == 0)
        code = put_chunk(file, writer, GSD_COUNT, &particles, 1);
    if (code == 0 && writer->index[GSD_TYPE] >= 0)
        code = put_types(file, writer);
    for (enum gsd_chunk chunk = GSD_TYPE; code == 0 && chunk <= GSD_VELOCITY; chunk++)
        if (writer->index[chunk] >= 0)
            code = put_array(file, writer, chunk);
    return code == 0 ? finish_frame(file, writer) : code;
}

int gsd_create(const struct engine_file *file, const struct engine_file_content *content, void **self)
{
    static const struct {
        const char *name;
        enum gsd_chunk chunk;
    } arrays[] = {{"position", GSD_POSITION},
                  {"velocity", GSD_VELOCITY},
                  {"mass", GSD_MASS},
                  {"charge", GSD_CHARGE},
                  {"species", GSD_TYPE}};
    struct writer *writer = file->allocate(file, sizeof *writer);
    if (!writer)
        return ENGINE_NO_MEMORY;
    memset(writer, 0, sizeof *writer);
    memset(writer->index, 0xff, sizeof writer->index); /* -1 */
    writer->particles = content->arrays.at[0].shape.extent[0];
    writer->labels = content->labels;
    writer->label_count = content->label_count;
    for (uint32_t i = 0; i < content->arrays.count; i++)
        for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
            if (strcmp(content->arrays.at[i].name, arrays[k].name) == 0) {
                writer->index[arrays[k].chunk] = (int32_t) i;
                writer->types[arrays[k].chunk] = content->arrays.at[i].shape.type;
            }
    if (writer->particles > UINT32_MAX)
        return ENGINE_FAIL_FILE(file, "%llu particles are too many for the format, which holds less than 2^32",
                                (unsigned long long) writer->particles);
    *self = writer;
    if (!(file->flags & ENGINE_FILE_APPEND) || file->bytes == 0)
        return put_head(file, writer);
    writer->end = file->bytes;
    return open_to_add(file, writer);
}

/* ---- Cutting ----------------------------------------------------------------------------------------------------- */

/* What stays of a file that is cut. */
struct cut {
    uint64_t frames, there, entries, end;
    uint64_t index, room, moved; /* the place and the entries of the index that the file had then; the last frame that
                                    moved it, UINT64_MAX: none */
};

static void keep_to(struct cut *cut, uint64_t end)
{
    cut->end = end > cut->end ? end : cut->end;
}

/* Follows the writer: the frame that does not fit into the index moves it behind its last chunk, which ends there. */
static void follow_index(struct cut *cut, uint64_t frame, uint64_t end)
{
    if (cut->entries > cut->room) {
        cut->room *= 2;
        cut->moved = frame;
    }
    if (cut->moved == frame)
        cut->index = end;
}

static int keep_entry(const struct engine_file *file, void *context, const struct gsd_entry *entry, uint64_t at)
{
    struct cut *cut = context;
    cut->there = entry->frame + 1;
    if (entry->frame >= cut->frames)
        return 0;
    const uint64_t row =
        (uint64_t) entry->columns * (entry->name < GSD_CHUNKS && gsd_about[entry->name].columns
                                         ? gsd_about[entry->name].bytes / gsd_about[entry->name].columns
                                         : 1);
    const uint64_t place = (uint64_t) entry->place;
    if (entry->name >= GSD_CHUNKS || place > file->bytes || (row > 0 && entry->rows > (file->bytes - place) / row))
        return ENGINE_FAIL_BYTE(file, at, "frame %llu is not complete", (unsigned long long) entry->frame);
    cut->entries++;
    follow_index(cut, entry->frame, place + entry->rows * row);
    keep_to(cut, place + entry->rows * row);
    return 0;
}

/* Does the index that the file had then still hold the entries that stay? */
static int compare_indexes(const struct engine_file *file, const struct gsd_header *header, const struct cut *cut,
                           bool *same)
{
    struct gsd_entry then[GSD_PIECE], now[GSD_PIECE];
    const uint64_t bytes = cut->room * sizeof then[0];
    *same = header->names == sizeof *header && cut->room < header->index_entries && cut->index <= file->bytes &&
            bytes <= file->bytes - cut->index;
    for (uint64_t i = 0; *same && i < cut->entries; i += GSD_PIECE) {
        const uint64_t left = cut->entries - i, count = (left < GSD_PIECE ? left : GSD_PIECE) * sizeof now[0];
        if (file->read(file, cut->index + i * sizeof then[0], count, then) != 0 ||
            file->read(file, header->index + i * sizeof now[0], count, now) != 0)
            return ENGINE_INVALID;
        *same = memcmp(then, now, count) == 0;
    }
    return 0;
}

/* Ends the index behind the last frame that stays, and clears the rest of it. If a removed frame has moved the index,
 * the one before is still there, and the header names it again: so adding the frame again gives the same bytes. */
static int cut_index(const struct engine_file *file, struct gsd_header *header, const struct cut *cut)
{
    const struct gsd_entry none[GSD_PIECE] = {{.frame = 0}};
    bool back;
    int code = compare_indexes(file, header, cut, &back);
    if (code == 0 && back) {
        header->index = cut->index;
        header->index_entries = cut->room;
    }
    for (uint64_t i = cut->entries; code == 0 && i < header->index_entries; i += GSD_PIECE) {
        const uint64_t left = header->index_entries - i, count = left < GSD_PIECE ? left : GSD_PIECE;
        code = file->write_at(file, header->index + i * sizeof none[0], none, count * sizeof none[0]);
    }
    return code == 0 && back ? file->write_at(file, 0, header, sizeof *header) : code;
}

int gsd_cut(const struct engine_file *file, uint64_t frames, uint64_t *end)
{
    struct gsd_header header;
    struct cut cut = {.frames = frames,
                      .end = sizeof header + NAMES_BYTES,
                      .index = sizeof header + NAMES_BYTES,
                      .room = INDEX_FIRST,
                      .moved = UINT64_MAX};
    int code = gsd_read_header(file, &header);
    if (code == 0)
        code = check_names(file, &header);
    if (code == 0)
        code = gsd_each_entry(file, &header, &cut, keep_entry);
    if (code == 0 && cut.there < frames)
        return ENGINE_FAIL_FILE(file, "has %llu frames; expected at least %llu", (unsigned long long) cut.there,
                                (unsigned long long) frames);
    if (code == 0)
        code = cut_index(file, &header, &cut);
    keep_to(&cut, header.index + header.index_entries * sizeof(struct gsd_entry));
    *end = cut.end;
    return code;
}
