#include "judge/conform/file_draw.h"
#include "base/random.h"
#include "base/type.h"
#include "base/xxh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ATTEMPTS = 1 << 14 };

/* ---- What is drawn --------------------------------------------------------------------------------------------- */

const struct file_member file_members[MEMBERS] = {
    [KIND] = {"kind", 0, 1},
    [FRAMES] = {"frames", 1, 5},
    [PARTICLES] = {"particles", 1, 150},
    [X] = {"x", 1, 150},
    [Y] = {"y", 1, 40},
    [Z] = {"z", 1, 9},
    [RANK] = {"rank", 1, 3},
    [TYPE] = {"type", 0, ENGINE_C128},
    [COMPONENTS] = {"components", 1, 4},
    [VALUES] = {"values", 0, 256},
    [BATCH] = {"batch", 0, 1},
    [ARRAYS] = {"arrays", 0, 127},
    [LABELS] = {"labels", 0, 12},
    [LETTERS] = {"letters", 1, 15},
    [EDGES] = {"box", 0, 5},
    [SCALE] = {"scale", 0, 7},
    [STEP] = {"step", 0, 15},
    [STRIDE] = {"stride", 1, 1000},
    [RULE] = {"rule", 0, 1},
    [PACKED] = {"packed", 0, 1},
};

/* Each member is one of its smallest values in every other file. */
static struct file_draw draw_members(uint64_t number, uint32_t attempt)
{
    struct file_draw draw = {.number = number};
    for (uint32_t m = 0; m < MEMBERS; m++) {
        uint32_t words[2];
        random_words(number, m, UINT64_C(2) * attempt, 2, words);
        const uint32_t all = file_members[m].most - file_members[m].least + 1, few = all < 4 ? all : 4;
        draw.at[m] = file_members[m].least + (uint32_t) ((uint64_t) words[1] * (words[0] & 1 ? all : few) >> 32);
    }
    return draw;
}

/* ---- The document that is written ------------------------------------------------------------------------------ */

static const struct particle_array {
    const char *name;
    uint32_t components;
    bool whole;
} particle_arrays[] = {{"position", 3, false}, {"velocity", 3, false}, {"force", 3, false},  {"mass", 1, false},
                       {"charge", 1, false},   {"species", 1, true},   {"residue", 1, true}, {"id", 1, true}};

static uint64_t hash_of(const struct drawn_file *file, uint32_t array, uint64_t element)
{
    const uint64_t place[] = {file->draw->number, file->frame, array, element};
    return XXH3_64bits(place, sizeof place);
}

/* A number with up to six digits, of the drawn size. */
static double real_of(const struct drawn_file *file, uint32_t array, uint64_t element)
{
    static const double scales[] = {1, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e2};
    const double number = (double) (hash_of(file, array, element) % 2000001) - 1e6;
    return file->draw->at[SCALE] == 0 ? (double) (hash_of(file, array, element) % 10)
                                      : number * scales[file->draw->at[SCALE]];
}

/* Species begin at 0 and have names; molecules and numbers of particles begin at 1. */
static uint64_t whole_of(const struct drawn_file *file, uint32_t array, uint64_t element)
{
    const struct engine_file_array *about = &file->document.arrays[array];
    const uint64_t hash = hash_of(file, array, element);
    if (about->kind == ENGINE_GRID)
        return about->values ? hash % about->values : hash;
    const uint32_t labels = file->draw->at[LABELS];
    return strcmp(about->name, "species") == 0 ? element % (labels ? labels : 3)
           : strcmp(about->name, "id") == 0    ? element + 1
                                               : 1 + element / 3;
}

static void put(uint32_t type, void *out, uint64_t at, double real, uint64_t whole)
{
    if (type == ENGINE_F32 || type == ENGINE_C64)
        ((float *) out)[at] = (float) real;
    else if (type == ENGINE_F64 || type == ENGINE_C128)
        ((double *) out)[at] = real;
    else
        memcpy((char *) out + at * type_bytes(type), &whole, type_bytes(type)); /* little-endian */
}

static int read_drawn(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                      struct engine_error *error)
{
    const struct drawn_file *file = document->context;
    const uint32_t type = document->arrays[array].shape.type, each = type >= ENGINE_C64 ? 2 : 1;
    (void) error;
    for (uint64_t i = 0; i < count * each; i++)
        put(type, out, i, real_of(file, array, begin * each + i), whole_of(file, array, begin + i / each));
    return 0;
}

static void show(struct drawn_file *file)
{
    static const double boxes[][6] = {{10, 10, 10},          {10, 11, 12.5},           {7.25, 100, 3.5},
                                      {12345.5, 300, 99998}, {10, 11, 12, 1, -2, 0.5}, {20, 20, 20, 0, 0, 5}};
    struct engine_file_frame *frame = &file->document.header.frame;
    frame->step = (uint64_t) pow(10, file->draw->at[STEP]) - 1 + file->frame * file->draw->at[STRIDE];
    frame->has = ENGINE_HAS_TIME;
    frame->time = 0.25 * (double) frame->step;
    memcpy(frame->box, boxes[file->draw->at[EDGES]], sizeof frame->box);
}

static int next_drawn(struct io_document *document, uint64_t by, struct engine_error *error)
{
    struct drawn_file *file = document->context;
    (void) error;
    file->frame += by;
    show(file);
    return 0;
}

static void add_particles(struct drawn_file *file)
{
    const struct file_draw *draw = file->draw;
    for (uint32_t i = 0; i < sizeof particle_arrays / sizeof particle_arrays[0]; i++) {
        const struct particle_array *about = &particle_arrays[i];
        if (i > 0 && !(draw->at[ARRAYS] >> (i - 1) & 1))
            continue;
        struct engine_file_array *array = &file->document.arrays[file->document.count++];
        *array = (struct engine_file_array){.name = about->name, .kind = ENGINE_PARTICLES};
        array->shape = (struct engine_shape){sizeof array->shape,
                                             about->whole         ? draw->at[TYPE] % 2 ? ENGINE_I32 : ENGINE_I64
                                             : draw->at[TYPE] % 2 ? ENGINE_F64
                                                                  : ENGINE_F32,
                                             about->components,
                                             1,
                                             {draw->at[PARTICLES], 1, 1}};
        if (strcmp(about->name, "species") == 0)
            file->document.symbols = draw->at[LABELS];
    }
    for (uint32_t i = 0; i < draw->at[LABELS]; i++) {
        memset(file->names[i], 'A' + (int) i, draw->at[LETTERS]);
        file->labels[i] = file->names[i];
    }
    file->document.symbol = file->labels;
}

static void add_grid(struct drawn_file *file)
{
    const struct file_draw *draw = file->draw;
    const uint32_t rank = draw->at[RANK];
    struct io_header *header = &file->document.header;
    struct engine_file_array *array = &file->document.arrays[file->document.count++];
    *array =
        (struct engine_file_array){.name = "cells",
                                   .kind = ENGINE_GRID,
                                   .values = draw->at[TYPE] != ENGINE_U8 || draw->at[VALUES] == 1 ? 0
                                             : draw->at[VALUES] == 0                              ? 2
                                                                                                  : draw->at[VALUES],
                                   .shape = {sizeof array->shape,
                                             draw->at[TYPE],
                                             draw->at[COMPONENTS],
                                             rank,
                                             {draw->at[X], rank > 1 ? draw->at[Y] : 1, rank > 2 ? draw->at[Z] : 1}},
                                   .stride = {1, 1, 1}};
    array->batch = draw->at[BATCH] && rank > 1;
    memcpy(header->pattern.grid, array->shape.extent, sizeof header->pattern.grid);
    if (draw->at[RULE] && rank == 2 && array->values == 2)
        snprintf(header->rule, sizeof header->rule, "B3/S23");
    else if (draw->at[RULE] && rank == 2 && array->values)
        snprintf(header->rule, sizeof header->rule, "345/2/%u", array->values);
}

void file_document_make(const struct io_format *format, const struct file_draw *draw, struct drawn_file *file)
{
    *file = (struct drawn_file){.draw = draw};
    /* an array without names, as in an npy file, has frames only if its axes show it */
    const bool series = io_has(format, ENGINE_FORMAT_FRAMES) &&
                        !(io_has(format, ENGINE_FORMAT_AXIS) && draw->at[KIND] == 1 && draw->at[RANK] != 2);
    file->document = (struct io_document){
        .read = read_drawn, .next = next_drawn, .context = file, .frames = series ? draw->at[FRAMES] : 1};
    file->document.header.length = format->about->length;
    (draw->at[KIND] == 0 ? add_particles : add_grid)(file);
    show(file);
}

uint32_t file_document_held(const struct io_format *format, const struct drawn_file *file)
{
    static const struct io_options options;
    uint32_t held = 0;
    for (uint32_t i = 0; i < file->document.count; i++)
        held |= (uint32_t) io_holds(format, &file->document, i, &options) << i;
    return held;
}

/* Some formats hold only grids of two values. */
struct file_draw file_draw(const struct io_format *format, uint64_t number)
{
    struct file_draw draw = draw_members(number, 0);
    for (uint32_t attempt = 1; attempt < ATTEMPTS; attempt++) {
        struct drawn_file file;
        file_document_make(format, &draw, &file);
        if (file_document_held(format, &file))
            break;
        draw = draw_members(number, attempt);
    }
    return draw;
}

void file_document_rewind(struct drawn_file *file)
{
    file->frame = 0;
    show(file);
}
