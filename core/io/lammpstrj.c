/* LAMMPS dumps in text, https://docs.lammps.org/dump.html. A frame is a series of items: a line `ITEM: <name>` and the
 * lines that belong to it. The columns id, type, element, x y z (also xu, xs, xsu …), vx vy vz and mass are read. The
 * columns id, type, x y z are written, and velocities and masses where there are any. */
#include "base/text.h"
#include "io/format.h"
#include "io/particles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 4096 };

struct dump {
    struct text_file *text;
    struct particles *particles; /* NULL: the frame is skipped */
    struct particles_row row;
    int64_t count;  /* NUMBER OF ATOMS; 0: not read yet */
    bool boxed;     /* BOX BOUNDS was read: */
    double low[3];  /* the box's corner */
    double edge[3]; /* the box's edges, also of open axes */
    double tilt[3]; /* xy xz yz */
    double box[6];  /* the header's */
    bool scaled;    /* positions are fractions of the box */
    bool begun;     /* an item of the frame was read */
    bool found;     /* the atoms of the frame were read */
    char line[LINE_SIZE];
};

/* ---- The box ------------------------------------------------------------------------------------------------ */

static int take_line(struct dump *dump, const char *expected, struct engine_error *error)
{
    if (!text_file_line(dump->text, dump->line, sizeof dump->line))
        return text_file_error(dump->text, error, "the file ends; expected %s", expected);
    return dump->text->cut ? text_file_error(dump->text, error, "the line is too long") : 0;
}

static int parse_reals(struct dump *dump, uint32_t count, double *numbers, struct engine_error *error)
{
    if (take_line(dump, "the box", error) != 0)
        return error->status;
    const char *at = dump->line + strspn(dump->line, " \t");
    for (uint32_t i = 0; i < count; i++) {
        if (!text_real(&at, &numbers[i]) || (*at != '\0' && *at != ' ' && *at != '\t'))
            return text_file_error(dump->text, error, "expected %u finite numbers", count);
        at += strspn(at, " \t");
    }
    return *at == '\0' ? 0 : text_file_error(dump->text, error, "expected %u numbers", count);
}

/* For a tilted box, a dump states the bounds of its bounding box. Subtracts what the tilts add to them. */
static void subtract_tilts(struct dump *dump, double bounds[3][2])
{
    const double xy = dump->tilt[0], xz = dump->tilt[1], yz = dump->tilt[2];
    bounds[0][0] -= fmin(fmin(0, xy), fmin(xz, xy + xz));
    bounds[0][1] -= fmax(fmax(0, xy), fmax(xz, xy + xz));
    bounds[1][0] -= fmin(0, yz);
    bounds[1][1] -= fmax(0, yz);
}

/* Fills in the header's box: the edges of periodic axes, and tilts between two of these. */
static void state_box(struct dump *dump, const bool periodic[3])
{
    double *box = dump->box;
    for (int axis = 0; axis < 3; axis++)
        box[axis] = periodic[axis] ? dump->edge[axis] : 0;
    box[3] = periodic[0] && periodic[1] ? dump->tilt[0] : 0;
    box[4] = periodic[0] && periodic[2] ? dump->tilt[1] : 0;
    box[5] = periodic[1] && periodic[2] ? dump->tilt[2] : 0;
}

/* `about` is the text after ITEM: BOX BOUNDS, as in "xy xz yz pp pp ff". */
static int parse_box(struct dump *dump, char *about, struct engine_error *error)
{
    const bool tilted = strstr(about, "xy xz yz") != NULL;
    bool periodic[3] = {false, false, false};
    double bounds[3][2];
    int axis = 0;
    char *rest = NULL;
    if (strstr(about, "abc") != NULL)
        return text_file_error(dump->text, error,
                               "general triclinic boxes are not supported; dump with 'triclinic/general no'");
    for (char *word = strtok_r(about, " \t", &rest); word != NULL; word = strtok_r(NULL, " \t", &rest))
        if (strcmp(word, "xy") != 0 && strcmp(word, "xz") != 0 && strcmp(word, "yz") != 0 && axis < 3)
            periodic[axis++] = strcmp(word, "pp") == 0;
    for (int i = 0; i < 3; i++) {
        double numbers[3] = {0};
        if (parse_reals(dump, tilted ? 3 : 2, numbers, error) != 0)
            return error->status;
        memcpy(bounds[i], numbers, sizeof bounds[i]);
        dump->tilt[i] = numbers[2];
    }
    subtract_tilts(dump, bounds);
    for (int i = 0; i < 3; i++) {
        dump->low[i] = bounds[i][0];
        dump->edge[i] = bounds[i][1] - bounds[i][0];
        if (!(dump->edge[i] >= 0) || (periodic[i] && !(dump->edge[i] > 0 && isfinite(dump->edge[i]))))
            return text_file_error(dump->text, error,
                                   "the box is empty, ends before it begins, or exceeds double precision along %c",
                                   "xyz"[i]);
    }
    state_box(dump, periodic);
    dump->boxed = true;
    return 0;
}

/* ---- Columns ------------------------------------------------------------------------------------------------ */

/* The columns that become an array, in order of preference. */
static const struct {
    const char *field;
    const char *columns[3];
    enum particles_use use;
    bool scaled;
} column_sets[] = {
    {"position", {"x", "y", "z"}, PARTICLES_REAL, false},
    {"position", {"xu", "yu", "zu"}, PARTICLES_REAL, false},
    {"position", {"xs", "ys", "zs"}, PARTICLES_REAL, true},
    {"position", {"xsu", "ysu", "zsu"}, PARTICLES_REAL, true},
    {"velocity", {"vx", "vy", "vz"}, PARTICLES_REAL, false},
    {"mass", {"mass"}, PARTICLES_REAL, false},
    {"species", {"type"}, PARTICLES_FROM_ONE, false},
    {"species", {"element"}, PARTICLES_SYMBOL, false},
    {"id", {"id"}, PARTICLES_INTEGER, false},
};

static int word_named(char *const *words, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(words[i], name) == 0)
            return (int) i;
    return -1;
}

/* Adds the array of a set if the file has all its columns and no set before has added that array. */
static void add_column_set(struct dump *dump, size_t s, char *const *words, uint32_t count)
{
    int at[3];
    uint32_t components = 0;
    while (components < 3 && column_sets[s].columns[components] != NULL) {
        at[components] = word_named(words, count, column_sets[s].columns[components]);
        if (at[components++] < 0)
            return;
    }
    if (particles_find(dump->particles, column_sets[s].field) >= 0)
        return;
    const uint32_t type = column_sets[s].use == PARTICLES_REAL ? ENGINE_F64 : ENGINE_I64;
    const int column = particles_add_column(dump->particles, column_sets[s].field, type, components);
    for (uint32_t i = 0; i < components; i++) {
        dump->row.word[at[i]].use = column_sets[s].use;
        dump->row.word[at[i]].column = column;
        dump->row.word[at[i]].component = i;
    }
    dump->scaled = dump->scaled || column_sets[s].scaled;
}

/* `about` is the text after ITEM: ATOMS. */
static int parse_columns(struct dump *dump, char *about, struct engine_error *error)
{
    char *words[PARTICLES_WORDS_MAX], *rest = NULL;
    uint32_t count = 0;
    for (char *word = strtok_r(about, " \t", &rest); word != NULL; word = strtok_r(NULL, " \t", &rest)) {
        if (!particles_add_word(&dump->row, PARTICLES_SKIP, -1, 0))
            return text_file_error(dump->text, error, "more than %d columns", PARTICLES_WORDS_MAX);
        words[count++] = word;
    }
    for (size_t s = 0; s < sizeof column_sets / sizeof column_sets[0]; s++)
        add_column_set(dump, s, words, count);
    if (particles_find(dump->particles, "position") < 0)
        return text_file_error(dump->text, error,
                               "the columns contain no positions; expected x y z, xu yu zu, xs ys zs or xsu ysu zsu");
    return 0;
}

/* ---- Frames ------------------------------------------------------------------------------------------------- */

static int parse_count(struct dump *dump, struct engine_error *error)
{
    if (take_line(dump, "a number of atoms", error) != 0)
        return error->status;
    const char *at = dump->line + strspn(dump->line, " \t");
    if (!text_number(&at, &dump->count) || at[strspn(at, " \t")] != '\0' || dump->count < 1)
        return text_file_error(dump->text, error, "'%.40s' is not a number of atoms; expected 1 or more", dump->line);
    return 0;
}

static void place_scaled(struct dump *dump)
{
    const int position = particles_find(dump->particles, "position");
    double *at = dump->particles->columns[position].at;
    const double *low = dump->low, *edge = dump->edge, *tilt = dump->tilt;
    for (uint64_t i = 0; i < dump->particles->rows; i++, at += 3) {
        at[0] = low[0] + at[0] * edge[0] + at[1] * tilt[0] + at[2] * tilt[1];
        at[1] = low[1] + at[1] * edge[1] + at[2] * tilt[2];
        at[2] = low[2] + at[2] * edge[2];
    }
}

static int refuse_end(const struct dump *dump, int64_t i, struct engine_error *error)
{
    return text_file_error(dump->text, error, "the file ends after %lld of %lld atoms", (long long) i,
                           (long long) dump->count);
}

static int skip_atoms(struct dump *dump, struct engine_error *error)
{
    for (int64_t i = 0; i < dump->count; i++)
        if (!text_file_line(dump->text, dump->line, sizeof dump->line))
            return refuse_end(dump, i, error);
    return 0;
}

static int parse_atoms(struct dump *dump, char *about, struct engine_error *error)
{
    if (dump->count == 0 || !dump->boxed)
        return text_file_error(dump->text, error,
                               "expected ITEM: NUMBER OF ATOMS and ITEM: BOX BOUNDS before the atoms");
    dump->found = true;
    if (dump->particles == NULL)
        return skip_atoms(dump, error);
    memcpy(dump->particles->header.box, dump->box, sizeof dump->box);
    dump->row.words = 0;
    dump->scaled = false;
    if (parse_columns(dump, about, error) != 0)
        return error->status;
    for (int64_t i = 0; i < dump->count; i++) {
        if (!text_file_line(dump->text, dump->line, sizeof dump->line))
            return refuse_end(dump, i, error);
        if (particles_parse_row(dump->particles, &dump->row, dump->text, dump->line, error) != 0)
            return error->status;
    }
    if (dump->scaled)
        place_scaled(dump);
    return 0;
}

static int parse_item(struct dump *dump, struct engine_error *error)
{
    char *line = dump->line;
    if (dump->text->cut)
        return text_file_error(dump->text, error, "the line is too long");
    if (strncmp(line, "ITEM: TIMESTEP", 14) == 0) { /* a frame begins */
        dump->count = 0;
        dump->boxed = false;
        return take_line(dump, "the number of a step", error);
    }
    if (strncmp(line, "ITEM: NUMBER OF ATOMS", 21) == 0)
        return parse_count(dump, error);
    if (strncmp(line, "ITEM: BOX BOUNDS", 16) == 0)
        return parse_box(dump, line + 16, error);
    if (strncmp(line, "ITEM: ATOMS", 11) == 0)
        return parse_atoms(dump, line + 11, error);
    if (strncmp(line, "ITEM: UNITS", 11) == 0 || strncmp(line, "ITEM: TIME", 10) == 0)
        return take_line(dump, "a line", error);
    return text_file_error(dump->text, error,
                           "'%.40s' is not an item of a dump of atoms; expected one such as ITEM: TIMESTEP", line);
}

static int sort_by_id(const struct dump *dump, struct engine_error *error)
{
    const int id = particles_find(dump->particles, "id");
    int64_t duplicate = 0;
    if (id < 0)
        return 0;
    const int status = particles_sort(dump->particles, id, &duplicate, error);
    return status != PARTICLES_DUPLICATE ? status
                                         : error_set(error, ENGINE_STATUS_INPUT, "%s: two atoms have the id %lld",
                                                     dump->text->path, (long long) duplicate);
}

static int next_frame(void *file, struct particles *particles, bool *found, struct engine_error *error)
{
    struct dump *dump = file;
    int status = 0;
    dump->particles = particles;
    dump->begun = dump->found = dump->boxed = false;
    dump->count = 0;
    while (status == 0 && !dump->found && text_file_line(dump->text, dump->line, sizeof dump->line))
        if (dump->line[strspn(dump->line, " \t")] != '\0') {
            dump->begun = true;
            status = parse_item(dump, error);
        }
    if (status == 0)
        status = text_file_check(dump->text, error);
    if (status == 0 && dump->begun && !dump->found)
        return text_file_error(dump->text, error, "the last frame has no atoms");
    *found = dump->found;
    return status == 0 && *found && particles != NULL ? sort_by_id(dump, error) : status;
}

static void close_frames(void *file)
{
    struct dump *dump = file;
    text_file_close(dump->text);
    free(dump);
}

static int begin_frames(const char *path, void **file, struct engine_error *error)
{
    struct dump *dump = calloc(1, sizeof *dump);
    *file = NULL;
    if (dump == NULL)
        return error_memory(error, sizeof *dump, "reading particles");
    if (text_file_open(&dump->text, path, error) != 0) {
        close_frames(dump);
        return error->status;
    }
    *file = dump;
    return 0;
}

static const struct particles_frames frames = {begin_frames, next_frame, close_frames};

static int open_lammpstrj(const char *path, struct io_document **document, struct engine_error *error)
{
    return particles_open_last(path, &frames, document, error);
}

static int open_trajectory(const char *path, struct io_document **document, struct engine_error *error)
{
    return particles_open_frames(path, &frames, document, error);
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

static bool takes(const struct io_array *array)
{
    const bool real = array->shape.type == ENGINE_F32 || array->shape.type == ENGINE_F64;
    return real && ((strcmp(array->name, "velocity") == 0 && array->shape.components == 3) ||
                    (strcmp(array->name, "mass") == 0 && array->shape.components == 1));
}

/* The bounds of an open axis are those of the particles, or 1 wide where all particles lie in one plane. The bounds of
 * a tilted box are those of its bounding box. */
static int find_bounds(struct particles_output *output, double least[3], double greatest[3], struct engine_error *error)
{
    const double *box = output->document->header.box;
    if (particles_bounds(output->document, output->column[0].array, least, greatest, error) != 0)
        return error->status;
    for (int axis = 0; axis < 3; axis++) {
        const double widening = greatest[axis] > least[axis] ? 0 : 0.5;
        least[axis] = box[axis] > 0 ? 0 : least[axis] - widening;
        greatest[axis] = box[axis] > 0 ? box[axis] : greatest[axis] + widening;
    }
    least[0] += fmin(fmin(0, box[3]), fmin(box[4], box[3] + box[4]));
    greatest[0] += fmax(fmax(0, box[3]), fmax(box[4], box[3] + box[4]));
    least[1] += fmin(0, box[5]);
    greatest[1] += fmax(0, box[5]);
    return 0;
}

static int put_box(struct particles_output *output, struct engine_error *error)
{
    const double *box = output->document->header.box;
    const bool tilted = box[3] != 0 || box[4] != 0 || box[5] != 0;
    double least[3], greatest[3];
    int status = find_bounds(output, least, greatest, error);
    if (status == 0)
        status = particles_print(output, error, "ITEM: BOX BOUNDS%s", tilted ? " xy xz yz" : "");
    for (int axis = 0; status == 0 && axis < 3; axis++)
        status = particles_print(output, error, " %s", box[axis] > 0 ? "pp" : "ff");
    for (int axis = 0; status == 0 && axis < 3; axis++) {
        status = particles_print(output, error, "\n%.17g %.17g", least[axis], greatest[axis]);
        if (status == 0 && tilted)
            status = particles_print(output, error, " %.17g", box[3 + axis]);
    }
    return status;
}

static int put_head(struct particles_output *output, struct engine_error *error)
{
    int status =
        particles_print(output, error, "ITEM: TIMESTEP\n%llu\nITEM: NUMBER OF ATOMS\n%llu\n",
                        (unsigned long long) output->document->header.step, (unsigned long long) output->count);
    if (status == 0)
        status = put_box(output, error);
    if (status == 0)
        status = particles_print(output, error, "\nITEM: ATOMS id type x y z");
    for (uint32_t i = 1; status == 0 && i < output->columns; i++)
        status = particles_print(output, error, output->column[i].components == 3 ? " vx vy vz" : " mass");
    return status != 0 ? status : particles_print(output, error, "\n");
}

static int start_row(char *out, uint64_t index, int64_t species)
{
    return sprintf(out, "%llu %lld", (unsigned long long) index + 1, species < 0 ? 1 : (long long) species + 1);
}

static int write_lammpstrj(int file, struct io_document *document, const struct io_options *options,
                           struct engine_error *error)
{
    static const struct particles_text text = {takes, put_head, start_row};
    (void) options;
    return particles_write(file, options->gzip, document, &text, error);
}

const struct io_format io_lammpstrj = {
    .name = "lammpstrj",
    .help = "particles, LAMMPS dump",
    .endings = ".lammpstrj .dump .lammpstrj.gz .dump.gz",
    .size = IO_SIZE_TEXT,
    .together = true,
    .writes = particles_are_positions,
    .open = open_lammpstrj,
    .open_frames = open_trajectory,
    .write = write_lammpstrj,
};
