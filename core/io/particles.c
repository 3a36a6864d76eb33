#include "particles.h"

#include <stdlib.h>
#include <string.h>

/* ---- Columns and rows --------------------------------------------------------------------------------------- */

int particles_find(const struct particles *particles, const char *name)
{
    for (uint32_t i = 0; i < particles->count; i++)
        if (strcmp(particles->columns[i].name, name) == 0)
            return (int) i;
    return -1;
}

int particles_add_column(struct particles *particles, const char *name, uint32_t type, uint32_t components)
{
    if (particles->count == IO_ARRAYS_MAX)
        return -1;
    struct particles_column *column = &particles->columns[particles->count];
    *column = (struct particles_column){.type = type, .components = components};
    memcpy(column->name, name, strnlen(name, sizeof column->name - 1));
    return (int) particles->count++;
}

static uint64_t row_bytes(const struct particles_column *column)
{
    return (uint64_t) column->components * type_bytes(column->type);
}

static int grow(struct particles *particles, struct error *error)
{
    const uint64_t room = particles->room != 0 ? 2 * particles->room : 1024;
    for (uint32_t i = 0; i < particles->count; i++) {
        struct particles_column *column = &particles->columns[i];
        uint64_t bytes;
        void *grown = multiply(room, row_bytes(column), &bytes) ? realloc(column->at, bytes) : NULL;
        if (grown == NULL)
            return error_memory(error, room, "particles");
        column->at = grown;
    }
    particles->room = room;
    return 0;
}

int particles_add_row(struct particles *particles, struct error *error)
{
    if (particles->rows == particles->room && grow(particles, error) != 0)
        return error->status;
    particles->rows++;
    return 0;
}

void particles_clear(struct particles *particles)
{
    for (uint32_t i = 0; i < particles->count; i++)
        free(particles->columns[i].at);
    *particles = (struct particles){0};
}

/* ---- Sorting ------------------------------------------------------------------------------------------------ */

struct key {
    int64_t number;
    uint64_t row;
};

static int by_number(const void *first, const void *second)
{
    const struct key *a = first, *b = second;
    return (a->number > b->number) - (a->number < b->number);
}

/* Row i of the column becomes what row keys[i].row was. */
static int permute(struct particles_column *column, const struct key *keys, uint64_t rows, struct error *error)
{
    const uint64_t bytes = row_bytes(column);
    char *sorted = malloc(rows * bytes); /* no more than the column has already */
    if (sorted == NULL)
        return error_memory(error, rows * bytes, "sorting particles");
    for (uint64_t i = 0; i < rows; i++)
        memcpy(sorted + i * bytes, (const char *) column->at + keys[i].row * bytes, bytes);
    free(column->at);
    column->at = sorted;
    return 0;
}

static int sort_by_keys(struct particles *particles, struct key *keys, int64_t *twice, struct error *error)
{
    qsort(keys, particles->rows, sizeof *keys, by_number);
    for (uint64_t i = 1; i < particles->rows; i++)
        if (keys[i].number == keys[i - 1].number) {
            *twice = keys[i].number;
            return PARTICLES_TWICE;
        }
    for (uint32_t i = 0; i < particles->count; i++)
        if (permute(&particles->columns[i], keys, particles->rows, error) != 0)
            return error->status;
    particles->room = particles->rows;
    return 0;
}

int particles_sort(struct particles *particles, int column, int64_t *twice, struct error *error)
{
    const int64_t *numbers = particles->columns[column].at;
    uint64_t sorted = 1;
    while (sorted < particles->rows && numbers[sorted - 1] < numbers[sorted])
        sorted++;
    if (sorted >= particles->rows)
        return 0;
    struct key *keys = malloc(particles->rows * sizeof *keys);
    if (keys == NULL)
        return error_memory(error, particles->rows * sizeof *keys, "sorting particles");
    for (uint64_t i = 0; i < particles->rows; i++)
        keys[i] = (struct key){numbers[i], i};
    const int status = sort_by_keys(particles, keys, twice, error);
    free(keys);
    return status;
}

/* ---- As a document ------------------------------------------------------------------------------------------ */

static int read_elements(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                         struct error *error)
{
    const struct particles *particles = document->context;
    const struct particles_column *column = &particles->columns[array];
    const uint64_t bytes = type_bytes(column->type);
    (void) error;
    memcpy(out, (const char *) column->at + begin * bytes, count * bytes);
    return 0;
}

static void close_document(struct io_document *document)
{
    particles_clear(document->context);
    free(document->context);
    free(document);
}

/* Positions first: they are what a format of one array takes. */
static int put_position_first(const char *path, struct particles *particles, struct error *error)
{
    const int position = particles_find(particles, "position");
    if (position < 0 || particles->columns[position].components != 3)
        return error_set(error, STATUS_INPUT, "%s: holds no positions of three components", path);
    const struct particles_column first = particles->columns[0];
    particles->columns[0] = particles->columns[position];
    particles->columns[position] = first;
    return 0;
}

static void describe(const struct particles *particles, struct io_document *document)
{
    document->count = particles->count;
    document->header = particles->header;
    for (uint32_t i = 0; i < particles->count; i++) {
        const struct particles_column *column = &particles->columns[i];
        struct io_array *array = &document->arrays[i];
        memcpy(array->name, column->name, sizeof array->name);
        array->shape =
            (struct engine_shape){sizeof array->shape, column->type, column->components, 1, {particles->rows, 1, 1}};
    }
}

int particles_open(const char *path, int (*fill)(const char *path, struct particles *particles, struct error *error),
                   struct io_document **document, struct error *error)
{
    *document = NULL;
    struct io_document *made = calloc(1, sizeof *made);
    struct particles *particles = calloc(1, sizeof *particles);
    int status = made != NULL && particles != NULL ? fill(path, particles, error)
                                                   : error_memory(error, sizeof *made, "reading particles");
    if (status == 0)
        status = put_position_first(path, particles, error);
    if (status != 0) {
        if (particles != NULL)
            particles_clear(particles);
        free(particles);
        free(made);
        return status;
    }
    made->read = read_elements;
    made->close = close_document;
    made->context = particles;
    describe(particles, made);
    *document = made;
    return 0;
}
