/* Reads trajectories of text. When a file is opened, the first frame is read, and the others are skipped and listed. */
#include "base/text.h"
#include "base/type.h"
#include "files/particles.h"

#include <string.h>

#define NO_FRAME UINT64_MAX

struct reading {
    const struct particles_frames *frames;
    struct text_file *text;
    void *kept;                /* by the format */
    struct text_place *places; /* of the beginnings of the frames */
    uint64_t count, capacity;  /* of places */
    uint64_t next;             /* the frame that begins where `text` is, or NO_FRAME */
    uint64_t held;             /* the frame in `particles`, or NO_FRAME */
    bool shown;                /* a frame was asked for */
    struct particles particles;
    struct engine_file_array arrays[IO_ARRAYS_MAX];
    const char *labels[PARTICLES_SYMBOLS_MAX];
    struct engine_file_content content; /* of the frame that is held */
};

/* ---- Frames ------------------------------------------------------------------------------------------------- */

/* Moves the positions to the front, because a format that holds one array takes the first. */
static int put_position_first(const struct reading *reading, struct particles *particles)
{
    const int position = particles_find(particles, "position");
    if (position < 0 || particles->columns[position].components != 3)
        return ENGINE_FAIL_FILE(reading->text->file, "contains no positions of three components");
    const struct particles_column first = particles->columns[0];
    particles->columns[0] = particles->columns[position];
    particles->columns[position] = first;
    return 0;
}

static void describe(struct reading *reading)
{
    const struct particles *particles = &reading->particles;
    struct engine_file_content *content = &reading->content;
    for (uint32_t i = 0; i < particles->count; i++) {
        const struct particles_column *column = &particles->columns[i];
        reading->arrays[i] = (struct engine_file_array){.name = column->name, .kind = ENGINE_PARTICLES};
        reading->arrays[i].shape = (struct engine_shape){
            sizeof(struct engine_shape), column->type, column->components, 1, {particles->rows, 1, 1}};
    }
    for (uint32_t i = 0; i < particles->symbols; i++)
        reading->labels[i] = particles->symbol[i];
    content->size = sizeof *content;
    content->arrays = (struct engine_file_array_array){reading->arrays, particles->count, sizeof reading->arrays[0]};
    content->labels = reading->labels;
    content->label_count = particles->symbols;
    content->skipped = particles->skipped[0] != '\0' ? particles->skipped : NULL;
    content->remarks = particles->remarks[0] != '\0' ? particles->remarks : NULL;
}

/* Reads the next frame of the file. */
static int take_next(struct reading *reading, bool *found)
{
    particles_clear(&reading->particles);
    reading->held = NO_FRAME;
    const int code = reading->frames->next(reading->kept, reading->text, &reading->particles, found);
    const uint64_t frame = reading->next;
    reading->next = NO_FRAME;
    if (code != 0 || !*found)
        return code;
    if (reading->particles.many)
        particles_drop_species(&reading->particles);
    if (put_position_first(reading, &reading->particles) != 0)
        return ENGINE_INVALID;
    reading->next = frame + 1;
    reading->held = frame;
    describe(reading);
    return 0;
}

/* Symbols become species in the order in which they are read. The first frame that is asked for begins. */
static int load(struct reading *reading, uint64_t number)
{
    bool found = true;
    if (!reading->shown && number != reading->held)
        reading->particles.symbols = 0;
    reading->shown = true;
    if (number == reading->held)
        return 0;
    if (number != reading->next && text_file_seek(reading->text, &reading->places[number]) != 0)
        return ENGINE_INVALID;
    reading->next = number;
    const int code = take_next(reading, &found);
    return code != 0 || found
               ? code
               : ENGINE_FAIL_FILE(reading->text->file, "changed while it was read: frame %llu is missing",
                                  (unsigned long long) number);
}

int particles_frame(const struct engine_file *file, void *self, uint64_t number, struct engine_file_frame *frame)
{
    struct reading *reading = self;
    const uint32_t size = frame->size;
    reading->text->file = file;
    const int code = load(reading, number);
    if (code != 0)
        return code;
    *frame = reading->particles.frame;
    frame->size = size;
    frame->content = &reading->content;
    return 0;
}

int particles_read(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                   uint64_t count, void *out)
{
    struct reading *reading = self;
    reading->text->file = file;
    const int code = load(reading, number);
    if (code != 0)
        return code;
    const struct particles_column *column = &reading->particles.columns[array];
    const uint64_t bytes = type_bytes(column->type);
    memcpy(out, (const char *) column->at + begin * bytes, count * bytes);
    return 0;
}

/* ---- Opening ------------------------------------------------------------------------------------------------ */

void particles_close(const struct engine_file *file, void *self)
{
    struct reading *reading = self;
    (void) file;
    if (reading != NULL) /* the file was read */
        particles_clear(&reading->particles);
}

static int add_place(struct reading *reading)
{
    if (reading->count == reading->capacity) {
        struct text_place *grown = io_grow(reading->text->file, reading->places, &reading->capacity, sizeof *grown);
        if (grown == NULL)
            return ENGINE_NO_MEMORY;
        reading->places = grown;
    }
    reading->places[reading->count++] = text_file_tell(reading->text);
    return 0;
}

/* Lists the frames from the present place on, which also finds a frame that is cut short. The list of an unfinished
 * file ends there. */
static int list_frames(struct reading *reading)
{
    bool found = true;
    int code = 0;
    while (code == 0 && found) {
        code = add_place(reading);
        if (code == 0)
            code = reading->frames->next(reading->kept, reading->text, NULL, &found);
    }
    reading->count--; /* the end of the file, or what cannot be read */
    if (code == ENGINE_INVALID && reading->count > 0 && (reading->text->file->flags & ENGINE_FILE_UNFINISHED) != 0)
        code = 0;
    reading->next = NO_FRAME;
    return code;
}

/* If all frames are wanted, they are listed before the first one is read. Otherwise the first is read at once, because
 * most files have one. */
static int begin(struct reading *reading)
{
    const struct engine_file *file = reading->text->file;
    bool found = true;
    int code = 0;
    if (file->flags & ENGINE_FILE_SERIES) {
        code = list_frames(reading);
        if (code == 0 && reading->count > 0)
            code = text_file_seek(reading->text, &reading->places[0]);
        reading->next = 0;
    }
    if (code == 0 && reading->count == 0)
        code = add_place(reading);
    if (code == 0)
        code = take_next(reading, &found);
    if (code == 0 && !found)
        return ENGINE_FAIL_FILE(file, "contains no particles");
    if (code == 0 && (file->flags & ENGINE_FILE_SERIES) == 0)
        code = list_frames(reading);
    return code;
}

int particles_open(const struct engine_file *file, struct engine_file_content *content, void **self,
                   const struct particles_frames *frames)
{
    struct reading *reading = io_new(file, sizeof *reading);
    void *kept = io_new(file, frames->bytes);
    if (reading == NULL || kept == NULL || text_file_open(&reading->text, file) != 0)
        return ENGINE_INVALID;
    reading->frames = frames;
    reading->kept = kept;
    const int code = begin(reading);
    if (code != 0) {
        particles_close(file, reading);
        return code;
    }
    *content = reading->content;
    content->frames = reading->count;
    *self = reading;
    return 0;
}
