#include "files/molecules.h"
#include "base/convert.h"
#include "base/text.h"
#include "base/type.h"
#include "files/formats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is being read. */
struct reading {
    const struct plan *plan;
    const struct frames_settings *settings;
    const char *path;             /* of the file that has the names and masses of the particles */
    struct io_document *document; /* that file; or the frames, if [frames] molecules is no such file */
    struct molecules *molecules;
    struct engine_error *error;
};

static int refuse(const struct reading *reading, const char *key, const char *text)
{
    return error_set(reading->error, ENGINE_STATUS_USAGE, "%s: [frames] %s: %s",
                     config_place(reading->plan->config, "frames", key), key, text);
}

/* ---- Lists -------------------------------------------------------------------------------------------------- */

static int add(struct reading *reading, uint64_t **list, uint64_t *room, uint64_t count, uint64_t number)
{
    if (count == *room) {
        const uint64_t more = *room > 0 ? 2 * *room : 1024;
        uint64_t *grown = realloc(*list, more * sizeof *grown);
        if (!grown)
            return error_memory(reading->error, more * sizeof *grown, "molecules");
        *list = grown, *room = more;
    }
    (*list)[count] = number;
    return 0;
}

static int add_member(struct reading *reading, uint64_t particle)
{
    struct molecules *molecules = reading->molecules;
    return add(reading, &molecules->member, &molecules->rooms[1], molecules->members++, particle);
}

/* Ends the molecule before, unless it is empty, and begins another. At the end of all, the beginning of none. */
static int begin_molecule(struct reading *reading)
{
    struct molecules *molecules = reading->molecules;
    const bool empty = molecules->count > 0 && molecules->first[molecules->count - 1] == molecules->members;
    molecules->count -= empty;
    return add(reading, &molecules->first, &molecules->rooms[0], molecules->count++, molecules->members);
}

static int end_molecules(struct reading *reading)
{
    if (begin_molecule(reading) != 0)
        return reading->error->status;
    reading->molecules->count--;
    return 0;
}

/* ---- Molecules ---------------------------------------------------------------------------------------------- */

static int take_blocks(struct reading *reading)
{
    const uint64_t size = reading->settings->molecule_size, particles = reading->molecules->particles;
    int status = 0;
    if (particles % size != 0)
        return error_set(reading->error, ENGINE_STATUS_INPUT,
                         "%s: has %llu particles, which is no multiple of [frames] molecule_size = %llu", reading->path,
                         (unsigned long long) particles, (unsigned long long) size);
    for (uint64_t i = 0; i < particles && status == 0; i++) {
        status = i % size == 0 ? begin_molecule(reading) : 0;
        if (status == 0)
            status = add_member(reading, i);
    }
    return status;
}

struct numbered {
    int64_t number;
    uint64_t particle;
};

static int by_number(const void *first, const void *second)
{
    const struct numbered *a = first, *b = second;
    return a->number != b->number ? (a->number > b->number) - (a->number < b->number)
                                  : (a->particle > b->particle) - (a->particle < b->particle);
}

/* Residues are numbered again from 0 in large files, so a residue is a series of particles. Numbers of molecules are their
 * own, and 0 is none. */
static int take_numbers(struct reading *reading, const int64_t *numbers, bool molecules)
{
    const uint64_t count = reading->molecules->particles;
    struct numbered *list = malloc(count * sizeof *list + 1);
    int status = list ? 0 : error_memory(reading->error, count * sizeof *list, "molecules");
    for (uint64_t i = 0; i < count && list; i++)
        list[i] = (struct numbered){numbers[i], i};
    if (molecules && list)
        qsort(list, count, sizeof *list, by_number);
    for (uint64_t i = 0; i < count && status == 0; i++) {
        if (molecules && list[i].number == 0)
            continue;
        if (i == 0 || list[i].number != list[i - 1].number)
            status = begin_molecule(reading);
        if (status == 0)
            status = add_member(reading, list[i].particle);
    }
    free(list);
    return status;
}

static int array_named(const struct io_document *document, const char *name)
{
    for (uint32_t i = 0; i < document->count; i++)
        if (strcmp(document->arrays[i].name, name) == 0)
            return (int) i;
    return -1;
}

/* Reads an array with one element a particle as numbers of `type`, which the caller frees. NULL: there is none. */
static int read_array(struct reading *reading, const char *name, uint32_t type, void **out)
{
    const int index = array_named(reading->document, name);
    const struct engine_file_array *array = index >= 0 ? &reading->document->arrays[index] : NULL;
    const uint64_t count = reading->molecules->particles;
    *out = NULL;
    if (!array || layer_row_elements(array) != 1 || layer_rows(array) != count ||
        !convert_possible(array->shape.type, type))
        return 0;
    void *read = malloc(count * type_bytes(array->shape.type) + 1);
    *out = malloc(count * type_bytes(type) + 1);
    int status = read && *out ? 0 : error_memory(reading->error, count * 16, "molecules");
    if (status == 0)
        status = reading->document->read(reading->document, (uint32_t) index, 0, count, read, reading->error);
    if (status == 0)
        convert_elements(array->shape.type, read, count, type, *out);
    free(read);
    if (status != 0)
        free(*out), *out = NULL;
    return status;
}

static int take_document(struct reading *reading)
{
    void *numbers;
    int status = read_array(reading, "molecule", ENGINE_I64, &numbers);
    const bool molecules = numbers != NULL;
    if (status == 0 && !numbers)
        status = read_array(reading, "residue", ENGINE_I64, &numbers);
    if (status == 0 && !numbers)
        return error_set(
            reading->error, ENGINE_STATUS_INPUT,
            "%s: has no numbers of residues or molecules; expected a file that has them (.gro, .g96, .pdb, "
            ".data, .lammpstrj with mol) or an index file of GROMACS (.ndx)",
            reading->path);
    if (status == 0)
        status = take_numbers(reading, numbers, molecules);
    free(numbers);
    return status;
}

/* ---- Index files of GROMACS --------------------------------------------------------------------------------- */

static bool is_index(const char *path)
{
    const char *ending = strrchr(path, '.');
    return ending && strcmp(ending, ".ndx") == 0;
}

static int take_words(struct reading *reading, const char *path, uint64_t number, char *line)
{
    char *rest, *word = strtok_r(line, " \t\r\n", &rest);
    for (; word; word = strtok_r(NULL, " \t\r\n", &rest)) {
        char *end;
        errno = 0;
        const unsigned long long particle = *word >= '0' && *word <= '9' ? strtoull(word, &end, 10) : 0;
        if (particle < 1 || particle > reading->molecules->particles || *end != '\0')
            return error_set(reading->error, ENGINE_STATUS_INPUT,
                             "%s:%llu: '%.20s' is no number of a particle from 1 to %llu", path,
                             (unsigned long long) number, word, (unsigned long long) reading->molecules->particles);
        if (reading->molecules->count == 0)
            return error_set(reading->error, ENGINE_STATUS_INPUT, "%s:%llu: expected a group, as in '[ name ]'", path,
                             (unsigned long long) number);
        if (add_member(reading, particle - 1) != 0)
            return reading->error->status;
    }
    return 0;
}

/* Each group, [ name ], is a molecule. What follows ; is a comment. */
static int take_index(struct reading *reading, const char *path)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    uint64_t number = 0;
    int status = file ? 0 : error_set(reading->error, ENGINE_STATUS_INPUT, "%s: %s", path, strerror(errno));
    while (status == 0 && getline(&line, &size, file) >= 0) {
        number++;
        line[strcspn(line, ";")] = '\0';
        status = line[strspn(line, " \t")] == '[' ? begin_molecule(reading) : take_words(reading, path, number, line);
    }
    if (status == 0 && ferror(file))
        status = error_set(reading->error, ENGINE_STATUS_INPUT, "%s: cannot be read", path);
    free(line);
    if (file)
        fclose(file);
    return status;
}

/* ---- Weights ------------------------------------------------------------------------------------------------ */

/* Reads a mass at *at and moves *at behind it. Returns 0 for any other text. */
static double take_mass(char **at)
{
    char *end;
    const double mass = strtod(*at, &end);
    const bool good = end != *at && isfinite(mass) && mass > 0 && strchr(" \t,", *end);
    *at = end;
    return good ? mass : 0;
}

/* A mass for each particle of a molecule, in order. */
static int weigh_in_order(struct reading *reading, char *text)
{
    struct molecules *molecules = reading->molecules;
    const uint64_t size = reading->settings->molecule_size;
    uint64_t count = 0;
    for (char *at = text; at[strspn(at, " \t,")] != '\0'; count++) {
        at += strspn(at, " \t,");
        const double mass = take_mass(&at);
        if (!(mass > 0) || count == size)
            return refuse(reading, "masses", "expected as many numbers above 0 as molecule_size says");
        for (uint64_t i = count; i < molecules->particles; i += size)
            molecules->weight[i] = mass;
    }
    return count == size ? 0 : refuse(reading, "masses", "expected as many numbers as molecule_size says");
}

/* Does the text match the pattern, where * stands for any characters? */
static bool matches(const char *pattern, const char *text)
{
    if (*pattern == '\0')
        return *text == '\0';
    if (*pattern != '*')
        return *pattern == *text && matches(pattern + 1, text + 1);
    return matches(pattern + 1, text) || (*text != '\0' && matches(pattern, text + 1));
}

/* Sets the masses of the species whose names match. */
static int weigh_name(struct reading *reading, char *part, double *of_species)
{
    const struct io_document *document = reading->document;
    char *name = part + strspn(part, " \t"), *at = name + strcspn(name, " \t");
    bool found = false;
    if (*at == '\0')
        return refuse(reading, "masses", "expected names and masses, as in OW 15.999, HW* 1.008");
    *at++ = '\0';
    const double mass = take_mass(&at);
    if (!(mass > 0) || at[strspn(at, " \t")] != '\0')
        return refuse(reading, "masses", "expected a name and a number above 0 between commas, as in OW 15.999");
    for (uint32_t k = 0; k < document->symbols && k < IO_SYMBOLS_MAX; k++)
        if (matches(name, document->symbol[k]))
            of_species[k] = mass, found = true;
    return found
               ? 0
               : error_set(reading->error, ENGINE_STATUS_USAGE, "%s: [frames] masses: no particle of %s is called '%s'",
                           config_place(reading->plan->config, "frames", "masses"), reading->path, name);
}

static int weigh_species(struct reading *reading, const int64_t *species, const double *of_species)
{
    struct molecules *molecules = reading->molecules;
    for (uint64_t k = 0; k < molecules->members; k++) {
        const int64_t own = species[molecules->member[k]];
        const double mass = own >= 0 && own < IO_SYMBOLS_MAX ? of_species[own] : 0;
        if (!(mass > 0))
            return error_set(reading->error, ENGINE_STATUS_USAGE,
                             "%s: [frames] masses: no mass for '%s', the particle %llu of %s",
                             config_place(reading->plan->config, "frames", "masses"),
                             own >= 0 && own < reading->document->symbols ? reading->document->symbol[own] : "",
                             (unsigned long long) molecules->member[k], reading->path);
        molecules->weight[molecules->member[k]] = mass;
    }
    return 0;
}

static int weigh_names(struct reading *reading, char *text)
{
    double of_species[IO_SYMBOLS_MAX] = {0};
    void *species = NULL;
    char *rest, *part = strtok_r(text, ",", &rest);
    int status = read_array(reading, "species", ENGINE_I64, &species);
    if (status == 0 && (!species || reading->document->symbols == 0))
        status =
            error_set(reading->error, ENGINE_STATUS_USAGE,
                      "%s: [frames] masses: %s has no names of particles; expected [frames] molecules = a file that "
                      "has them",
                      config_place(reading->plan->config, "frames", "masses"), reading->path);
    for (; status == 0 && part; part = strtok_r(NULL, ",", &rest))
        status = weigh_name(reading, part, of_species);
    if (status == 0)
        status = weigh_species(reading, species, of_species);
    free(species);
    return status;
}

static int weigh_by_file(struct reading *reading)
{
    struct molecules *molecules = reading->molecules;
    void *masses;
    int status = read_array(reading, "mass", ENGINE_F64, &masses);
    if (status == 0 && !masses)
        return error_set(reading->error, ENGINE_STATUS_USAGE,
                         "%s: has no masses; give [frames] masses = OW 15.999, HW* 1.008, or centre = geometry",
                         reading->path);
    for (uint64_t k = 0; k < molecules->members && status == 0; k++) {
        molecules->weight[molecules->member[k]] = ((double *) masses)[molecules->member[k]];
        if (!(molecules->weight[molecules->member[k]] > 0))
            status = error_set(reading->error, ENGINE_STATUS_INPUT,
                               "%s: the mass of particle %llu is not above 0; give [frames] centre = geometry",
                               reading->path, (unsigned long long) molecules->member[k]);
    }
    free(masses);
    return status;
}

static int weigh(struct reading *reading)
{
    struct molecules *molecules = reading->molecules;
    const char *given = reading->settings->masses;
    molecules->weight = malloc(molecules->particles * sizeof *molecules->weight + 1);
    char *text = strdup(given);
    int status = molecules->weight && text ? 0 : error_memory(reading->error, molecules->particles * 8, "molecules");
    for (uint64_t i = 0; status == 0 && i < molecules->particles; i++)
        molecules->weight[i] = 1;
    if (status == 0 && !reading->settings->by_mass)
        status = *given ? refuse(reading, "masses", "centre = geometry uses no masses; leave one of them out") : 0;
    else if (status == 0 && !*given)
        status = weigh_by_file(reading);
    else if (status == 0)
        status = strspn(given, "0123456789.eE+- \t,") == strlen(given) && reading->settings->molecule_size > 0
                     ? weigh_in_order(reading, text)
                     : weigh_names(reading, text);
    free(text);
    return status;
}

/* ---- All ---------------------------------------------------------------------------------------------------- */

static int read_file(struct reading *reading, const char *path)
{
    const uint64_t particles = reading->molecules->particles;
    struct io_document *document;
    if (formats_read(reading->plan->context, path, false, &document, NULL, reading->error) != 0)
        return reading->error->status;
    reading->document = document;
    reading->path = path;
    int status = 0;
    if (layer_rows(&document->arrays[0]) != particles)
        status =
            error_set(reading->error, ENGINE_STATUS_INPUT, "%s: has %llu particles, expected %llu, as in the frames",
                      path, (unsigned long long) layer_rows(&document->arrays[0]), (unsigned long long) particles);
    if (status == 0)
        status = take_document(reading);
    if (status == 0)
        status = weigh(reading);
    document->close(document);
    return status;
}

int molecules_read(const struct plan *plan, const struct frames_settings *settings, const char *path,
                   struct io_document *document, struct molecules *molecules, struct engine_error *error)
{
    struct reading reading = {plan, settings, path, document, molecules, error};
    char resolved[SETTINGS_PATH_MAX];
    const char *file = config_resolve(plan->config, settings->molecules, resolved, sizeof resolved);
    *molecules = (struct molecules){.particles = layer_rows(&document->arrays[0])};
    int status = 0;
    if (*settings->molecules && !is_index(file))
        status = read_file(&reading, file);
    else {
        status = *settings->molecules ? take_index(&reading, file) : take_blocks(&reading);
        if (status == 0)
            status = weigh(&reading);
    }
    if (status == 0 && molecules->members == 0)
        status = error_set(error, ENGINE_STATUS_INPUT, "%s: no particle is in a molecule",
                           *settings->molecules ? file : path);
    return status == 0 ? end_molecules(&reading) : status;
}

void molecules_clear(struct molecules *molecules)
{
    free(molecules->first);
    free(molecules->member);
    free(molecules->weight);
    *molecules = (struct molecules){.count = 0};
}
