#include "files/frames.h"
#include "base/convert.h"
#include "base/text.h"
#include "base/type.h"
#include "plan/section.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The section -------------------------------------------------------------------------------------------- */

enum { MOLECULES, MOLECULE_SIZE, CENTRE, MASSES, REPEAT, MOST };
enum { REPEAT_MAX = 1000 };

static const char *const centres[] = {"mass", "geometry", NULL};

static const struct engine_param keys[] = {
    [MOLECULES] = KEY_TEXT("molecules", KEY_SUBJECT | KEY_PATH, "",
                           "file whose residues, molecules or groups each become one particle, at their centre"),
    [MOLECULE_SIZE] = KEY_INTEGER("molecule_size", KEY_SUBJECT, "0", 0, 1000000,
                                  "each so many consecutive particles become one, at their centre; 0: not given"),
    [CENTRE] = KEY_CHOICE("centre", KEY_SUBJECT, "mass", centres,
                          "mass: the centre of mass; geometry: the mean of the positions"),
    [MASSES] = KEY_TEXT("masses", KEY_SUBJECT, "",
                        "masses of particles by name, such as OW 15.999, HW* 1.008; or a mass for each particle of "
                        "molecule_size, in order"),
    [REPEAT] =
        KEY_TEXT("repeat", KEY_SUBJECT, "", "copies of the periodic box along each of its three edges, such as 2 2 2"),
    [MOST] = KEY_INTEGER("most", KEY_SUBJECT, "0", 0, 2147483646,
                         "the largest number of particles that a frame has, if the number varies; 0: it does not"),
};

static int read_repeat(const struct reading *reading, const char *text, uint32_t repeat[3])
{
    double numbers[3];
    bool good = section_reals(*text ? text : "1 1 1", numbers, 3) == 3;
    for (int axis = 0; axis < 3 && good; axis++) {
        good = numbers[axis] >= 1 && numbers[axis] <= REPEAT_MAX;
        repeat[axis] = good ? (uint32_t) numbers[axis] : 1;
        good = good && repeat[axis] == numbers[axis];
    }
    return good ? 0
                : REFUSE(reading, "frames", "repeat", "'%s' is not three whole numbers from 1 to %d, as in 2 2 2", text,
                         REPEAT_MAX);
}

static int read_frames(const struct reading *reading, const struct engine_value *values, void *own)
{
    struct frames_settings *settings = own;
    *settings = (struct frames_settings){.molecules = values[MOLECULES].text,
                                         .masses = values[MASSES].text,
                                         .molecule_size = (uint64_t) values[MOLECULE_SIZE].integer,
                                         .by_mass = values[CENTRE].integer == 0,
                                         .most = (uint64_t) values[MOST].integer};
    if (*settings->molecules && settings->molecule_size > 0)
        return REFUSE(reading, "frames", "molecule_size", "cannot be used with molecules; leave one of them out");
    return read_repeat(reading, values[REPEAT].text, settings->repeat);
}

static bool reads_particles(const struct plan *run, const struct plan *analysis)
{
    const struct engine_field_array *fields = &run->plugin->about.fields;
    const bool files = run->settings.source == INIT_FILE || run->settings.source == INIT_ARRAYS;
    bool particles = false;
    (void) analysis;
    for (uint32_t i = 0; i < fields->count; i++)
        particles = particles || fields->at[i].kind == ENGINE_PARTICLES;
    return files && particles;
}

static bool makes_molecules(const struct plan *run, const struct plan *analysis)
{
    const struct frames_settings *settings = settings_section(&run->settings, &frames_section);
    return reads_particles(run, analysis) && (*settings->molecules || settings->molecule_size > 0);
}

static const struct key_use uses[] = {{"frames",
                                       "molecules molecule_size repeat most",
                                       reads_particles,
                                       "the run reads no particles from a file",
                                       {NULL, NULL},
                                       0},
                                      {"frames",
                                       "centre masses",
                                       makes_molecules,
                                       "neither molecules nor molecule_size is given",
                                       {"molecules", "molecule_size"},
                                       0},
                                      {.keys = NULL}};

const struct section frames_section = {
    .about = {"frames", "what becomes of the particles of files before a run gets them", ENGINE_ARRAY(keys)},
    .bytes = sizeof(struct frames_settings),
    .read = read_frames,
    .uses = uses,
};

int frames_apply(const struct plan *plan, const char *path, struct io_document **document, struct engine_error *error)
{
    const struct frames_settings *settings = settings_section(&plan->settings, &frames_section);
    const uint32_t *repeat = settings ? settings->repeat : NULL;
    const struct engine_file_array *first = &(*document)->arrays[0];
    int status = 0;
    const bool field = plan->settings.source == INIT_ARRAYS && first->values == 0;
    if (!settings || !reads_particles(plan, NULL) ||
        (first->kind != ENGINE_PARTICLES && !layer_is_position(first) && !field))
        return 0;
    if (settings->most > 0)
        status = absent_open(plan, settings, path, document, error);
    if (status == 0 && (*settings->molecules || settings->molecule_size > 0))
        status = molecules_open(plan, settings, path, document, error);
    if (status == 0 && (repeat[0] > 1 || repeat[1] > 1 || repeat[2] > 1))
        status = repeat_open(plan, settings, path, document, error);
    return status;
}

/* ---- Layers ------------------------------------------------------------------------------------------------- */

uint64_t layer_rows(const struct engine_file_array *array)
{
    return array->shape.extent[array->shape.rank - 1];
}

uint64_t layer_row_elements(const struct engine_file_array *array)
{
    uint64_t elements = 0;
    shape_elements(&array->shape, &elements);
    return layer_rows(array) > 0 ? elements / layer_rows(array) : 0;
}

bool layer_is_position(const struct engine_file_array *array)
{
    const bool real = array->shape.type == ENGINE_F32 || array->shape.type == ENGINE_F64;
    return real && (strcmp(array->name, "position") == 0 || !*array->name) && array->values == 0 &&
           layer_row_elements(array) == 3;
}

void layer_set_rows(struct engine_file_array *array, uint64_t rows)
{
    array->shape.extent[array->shape.rank - 1] = rows;
}

int layer_read(struct layer *layer, uint32_t array, void *out, struct engine_error *error)
{
    uint64_t elements = 0;
    shape_elements(&layer->of->arrays[array].shape, &elements);
    return layer->of->read(layer->of, array, 0, elements, out, error);
}

int layer_read_reals(struct layer *layer, uint32_t array, double **out, struct engine_error *error)
{
    const uint32_t type = layer->of->arrays[array].shape.type;
    uint64_t elements = 0, bytes = 0;
    shape_elements(&layer->of->arrays[array].shape, &elements);
    shape_bytes(&layer->of->arrays[array].shape, &bytes);
    void *read = malloc(bytes + 1);
    *out = malloc(elements * sizeof **out + 1);
    int status = read && *out ? 0 : error_memory(error, bytes, "a frame");
    if (status == 0)
        status = layer_read(layer, array, read, error);
    if (status == 0)
        convert_elements(type, read, elements, ENGINE_F64, *out);
    free(read);
    if (status != 0)
        free(*out), *out = NULL;
    return status;
}

static int show(struct layer *layer, struct engine_error *error)
{
    struct io_document *document = &layer->document;
    const struct io_document *of = layer->of;
    document->header = of->header;
    document->symbols = of->symbols;
    document->symbol = of->symbol;
    for (uint32_t i = 0; i < IO_ARRAYS_MAX; i++)
        layer->there[i] = false;
    return layer->kind->take(layer, error);
}

static int next_frame(struct io_document *document, uint64_t by, struct engine_error *error)
{
    struct layer *layer = document->context;
    return layer->of->next(layer->of, by, error) == 0 ? show(layer, error) : error->status;
}

/* Gives an array of this frame memory. */
static int hold(struct layer *layer, uint32_t array, struct engine_error *error)
{
    uint64_t bytes = 0;
    shape_bytes(&layer->document.arrays[array].shape, &bytes);
    if (layer->bytes[array] >= bytes && layer->held[array])
        return 0;
    free(layer->held[array]);
    layer->bytes[array] = bytes;
    layer->held[array] = malloc(bytes + 1);
    return layer->held[array] ? 0 : error_memory(error, bytes, "a frame");
}

static int read_elements(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                         struct engine_error *error)
{
    struct layer *layer = document->context;
    const uint64_t bytes = type_bytes(document->arrays[array].shape.type);
    if (!layer->there[array] &&
        (hold(layer, array, error) != 0 || layer->kind->make(layer, array, layer->held[array], error) != 0))
        return error->status;
    layer->there[array] = true;
    memcpy(out, (const char *) layer->held[array] + begin * bytes, count * bytes);
    return 0;
}

static void close_layer(struct io_document *document)
{
    struct layer *layer = document->context;
    layer->of->close(layer->of);
    if (layer->kind->release)
        layer->kind->release(layer);
    for (uint32_t i = 0; i < IO_ARRAYS_MAX; i++)
        free(layer->held[i]);
    free(layer->own);
    free(layer->path);
    free(layer);
}

int layer_open(struct io_document **document, const char *path, const struct layer_kind *kind, void *own,
               struct engine_error *error)
{
    struct layer *layer = calloc(1, sizeof *layer);
    char *name = strdup(path);
    if (!layer || !name) {
        free(layer);
        free(name);
        free(own);
        return error_memory(error, sizeof *layer, "a frame");
    }
    *layer = (struct layer){.document = **document, .of = *document, .kind = kind, .path = name, .own = own};
    layer->document.context = layer;
    layer->document.read = read_elements;
    layer->document.read_region = NULL;
    layer->document.seek = NULL;
    layer->document.set_length = NULL;
    layer->document.next = layer->of->next ? next_frame : NULL;
    layer->document.close = close_layer;
    *document = &layer->document;
    return show(layer, error);
}
