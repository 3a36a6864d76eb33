#include "files/particles.h"
#include "base/text.h"
#include "base/type.h"

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

static int refuse_memory(const struct engine_file *file, uint64_t bytes, const char *what)
{
    char needed[32];
    return file->fail(file, ENGINE_NO_MEMORY, ENGINE_AT_FILE, 0, "no memory for %s: %sB needed", what,
                      text_si((double) bytes, needed));
}

static int grow(struct particles *particles, const struct engine_file *file)
{
    const uint64_t capacity = particles->capacity != 0 ? 2 * particles->capacity : 1024;
    for (uint32_t i = 0; i < particles->count; i++) {
        struct particles_column *column = &particles->columns[i];
        uint64_t bytes;
        void *grown = multiply(capacity, row_bytes(column), &bytes) ? realloc(column->at, bytes) : NULL;
        if (grown == NULL)
            return refuse_memory(file, capacity, "particles");
        column->at = grown;
    }
    particles->capacity = capacity;
    return 0;
}

int particles_add_row(struct particles *particles, const struct engine_file *file)
{
    if (particles->rows == particles->capacity && grow(particles, file) != 0)
        return ENGINE_NO_MEMORY;
    particles->rows++;
    return 0;
}

void particles_clear(struct particles *particles)
{
    for (uint32_t i = 0; i < particles->count; i++) {
        free(particles->columns[i].at);
        particles->columns[i] = (struct particles_column){.at = NULL};
    }
    particles->count = 0;
    particles->rows = particles->capacity = 0;
    particles->frame = (struct engine_file_frame){.has = ENGINE_HAS_BOX | ENGINE_HAS_CORNER};
    particles->skipped[0] = particles->remarks[0] = '\0';
}

void particles_turn(struct particles *particles, const struct engine_cell *cell, const double corner[3])
{
    static const char *const vectors[] = {"position", "velocity", "force", "forces", "momenta", "dipole"};
    engine_cell_place(cell, corner, &particles->frame);
    if (cell->dropped)
        io_note_skipped(particles->skipped, ENGINE_CELL_DROPPED);
    for (size_t i = 0; cell->turned && i < sizeof vectors / sizeof vectors[0]; i++) {
        const int index = particles_find(particles, vectors[i]);
        const struct particles_column *column = index >= 0 ? &particles->columns[index] : NULL;
        if (column != NULL && column->type == ENGINE_F64 && column->components == 3)
            engine_cell_turn(cell, ENGINE_F64, particles->rows, column->at);
    }
    if (cell->turned)
        io_remark(particles->remarks, ENGINE_CELL_TURNED);
}

void particles_drop_species(struct particles *particles)
{
    const int species = particles_find(particles, "species");
    particles->symbols = 0;
    io_note_skipped(particles->skipped, "the symbols (more than 256, or longer than 15 characters)");
    if (species < 0)
        return;
    free(particles->columns[species].at);
    particles->count--;
    for (uint32_t i = (uint32_t) species; i < particles->count; i++)
        particles->columns[i] = particles->columns[i + 1];
    particles->columns[particles->count] = (struct particles_column){.at = NULL};
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

/* Moves row keys[i].row of the column to row i. */
static int permute(struct particles_column *column, const struct key *keys, uint64_t rows,
                   const struct engine_file *file)
{
    const uint64_t bytes = row_bytes(column);
    char *sorted = malloc(rows * bytes); /* as much as the column has */
    if (sorted == NULL)
        return refuse_memory(file, rows * bytes, "sorting particles");
    for (uint64_t i = 0; i < rows; i++)
        memcpy(sorted + i * bytes, (const char *) column->at + keys[i].row * bytes, bytes);
    free(column->at);
    column->at = sorted;
    return 0;
}

static int sort_by_keys(struct particles *particles, struct key *keys, int64_t *duplicate,
                        const struct engine_file *file)
{
    qsort(keys, particles->rows, sizeof *keys, by_number);
    for (uint64_t i = 1; i < particles->rows; i++)
        if (keys[i].number == keys[i - 1].number) {
            *duplicate = keys[i].number;
            return PARTICLES_DUPLICATE;
        }
    for (uint32_t i = 0; i < particles->count; i++)
        if (permute(&particles->columns[i], keys, particles->rows, file) != 0)
            return ENGINE_NO_MEMORY;
    particles->capacity = particles->rows;
    return 0;
}

int particles_sort(struct particles *particles, int column, int64_t *duplicate, const struct engine_file *file)
{
    const int64_t *numbers = particles->columns[column].at;
    uint64_t sorted = 1;
    while (sorted < particles->rows && numbers[sorted - 1] < numbers[sorted])
        sorted++;
    if (sorted >= particles->rows)
        return 0;
    struct key *keys = malloc(particles->rows * sizeof *keys);
    if (keys == NULL)
        return refuse_memory(file, particles->rows * sizeof *keys, "sorting particles");
    for (uint64_t i = 0; i < particles->rows; i++)
        keys[i] = (struct key){numbers[i], i};
    const int status = sort_by_keys(particles, keys, duplicate, file);
    free(keys);
    return status;
}
