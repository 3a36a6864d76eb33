/* LAMMPS dumps in text, https://docs.lammps.org/dump.html. A frame is a series of items: a line `ITEM: <name>` and the
 * lines that belong to it. Columns of LAMMPS's own names are read, such as id, type, element, x y z (also xu, xs, xsu
 * …), vx vy vz and mass, and vectors such as c_1[1] c_1[2]. The columns id, type, x y z are written, and those of all
 * other arrays. */
#include "base/text.h"
#include "files/particles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 4096 };

struct dump {
    struct text_file *text;      /* of the present call, as the next one: */
    struct particles *particles; /* NULL: the frame is skipped */
    struct particles_row row;
    int64_t count;     /* NUMBER OF ATOMS; 0: not read yet */
    bool boxed;        /* BOX BOUNDS was read: */
    double low[3];     /* the box's corner */
    double vectors[9]; /* its edges, also of open axes */
    struct engine_cell cell;
    bool scaled;  /* positions are fractions of the box */
    bool stepped; /* TIMESTEP was read: */
    int64_t step;
    bool timed; /* TIME was read: */
    double time;
    bool units; /* UNITS was read, which the first frame alone has */
    bool begun; /* an item of the frame was read */
    bool found; /* the atoms of the frame were read */
    char line[LINE_SIZE];
};

/* ---- The box ------------------------------------------------------------------------------------------------ */

static int take_line(struct dump *dump, const char *expected)
{
    if (!text_file_line(dump->text, dump->line, sizeof dump->line))
        return text_file_error(dump->text, "the file ends; expected %s", expected);
    return dump->text->cut ? text_file_error(dump->text, "the line is too long") : 0;
}

static int parse_reals(struct dump *dump, uint32_t count, double *numbers)
{
    if (take_line(dump, "the box") != 0)
        return ENGINE_INVALID;
    const char *at = dump->line + strspn(dump->line, " \t");
    for (uint32_t i = 0; i < count; i++) {
        if (!text_real(&at, &numbers[i]) || (*at != '\0' && *at != ' ' && *at != '\t'))
            return text_file_error(dump->text, "expected %u finite numbers", count);
        at += strspn(at, " \t");
    }
    return *at == '\0' ? 0 : text_file_error(dump->text, "expected %u numbers", count);
}

/* For a tilted box, a dump states the bounds of its bounding box. Subtracts what the tilts add to them. */
static void subtract_tilts(const double tilt[3], double bounds[3][2])
{
    const double xy = tilt[0], xz = tilt[1], yz = tilt[2];
    bounds[0][0] -= fmin(fmin(0, xy), fmin(xz, xy + xz));
    bounds[0][1] -= fmax(fmax(0, xy), fmax(xz, xy + xz));
    bounds[1][0] -= fmin(0, yz);
    bounds[1][1] -= fmax(0, yz);
}

/* Reads the bounds of each axis, and behind them the tilts. Old dumps do not state which axes are open, and other readers
 * take their boxes for periodic. */
static int parse_bounds(struct dump *dump, bool tilted, bool stated, int open[3])
{
    static const int at[3] = {3, 6, 7}; /* of xy xz yz in the vectors */
    double bounds[3][2], tilt[3];
    for (int i = 0; i < 3; i++) {
        double numbers[3] = {0};
        if (parse_reals(dump, tilted ? 3 : 2, numbers) != 0)
            return ENGINE_INVALID;
        memcpy(bounds[i], numbers, sizeof bounds[i]);
        tilt[i] = numbers[2];
    }
    subtract_tilts(tilt, bounds);
    for (int i = 0; i < 3; i++) {
        const double edge = bounds[i][1] - bounds[i][0];
        open[i] = stated ? open[i] : !(edge > 0);
        if (!(edge >= 0) || (!open[i] && !(edge > 0 && isfinite(edge))))
            return text_file_error(
                dump->text, "the box is empty, ends before it begins, or exceeds double precision along %c", "xyz"[i]);
        dump->low[i] = bounds[i][0];
        dump->vectors[4 * i] = edge;
        dump->vectors[at[i]] = tilt[i];
    }
    return 0;
}

/* Reads the vectors of a general triclinic box, and behind each a number of the corner. */
static int parse_vectors(struct dump *dump)
{
    for (int i = 0; i < 3; i++) {
        double numbers[4] = {0};
        if (parse_reals(dump, 4, numbers) != 0)
            return ENGINE_INVALID;
        memcpy(dump->vectors + 3 * i, numbers, 3 * sizeof numbers[0]);
        dump->low[i] = numbers[3];
    }
    return 0;
}

/* `about` is the text after ITEM: BOX BOUNDS, as in "xy xz yz pp pp ff" or "abc origin pp pp pp". */
static int parse_box(struct dump *dump, char *about)
{
    const bool tilted = strstr(about, "xy xz yz") != NULL, general = strstr(about, "abc origin") != NULL;
    int open[3] = {true, true, true}, axis = 0;
    char *rest = NULL;
    for (char *word = strtok_r(about, " \t", &rest); word != NULL; word = strtok_r(NULL, " \t", &rest))
        if (strlen(word) == 2 && strchr("pfsm", word[0]) != NULL && axis < 3)
            open[axis++] = strcmp(word, "pp") != 0;
    if (axis == 0 && dump->particles)
        io_remark(dump->particles->remarks,
                  "BOX BOUNDS does not say which axes are periodic; all are taken for periodic, and [particles] box = "
                  "0 0 0 opens them");
    memset(dump->vectors, 0, sizeof dump->vectors);
    if ((general ? parse_vectors(dump) : parse_bounds(dump, tilted, axis > 0, open)) != 0)
        return ENGINE_INVALID;
    if (!engine_cell_take(&dump->cell, dump->vectors, open))
        return text_file_error(dump->text, "the vectors of the box lie in a plane");
    dump->boxed = true;
    return 0;
}

/* ---- Columns ------------------------------------------------------------------------------------------------ */

/* The columns that become an array, in order of preference. Where both types and elements are there, the types count,
 * and the elements are their labels. */
static const struct column_set {
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
    {"charge", {"q"}, PARTICLES_REAL, false},
    {"force", {"fx", "fy", "fz"}, PARTICLES_REAL, false},
    {"dipole", {"mux", "muy", "muz"}, PARTICLES_REAL, false},
    {"radius", {"radius"}, PARTICLES_REAL, false},
    {"image", {"ix", "iy", "iz"}, PARTICLES_INTEGER, false},
    {"molecule", {"mol"}, PARTICLES_INTEGER, false},
};

enum { COLUMN_SETS = sizeof column_sets / sizeof column_sets[0] };

static int word_named(char *const *words, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(words[i], name) == 0)
            return (int) i;
    return -1;
}

/* Makes an array of the words at[0], at[1], …. Returns false where there are too many arrays. */
static bool add_array(struct dump *dump, const char *name, enum particles_use use, const int *at, uint32_t components)
{
    const uint32_t type = use == PARTICLES_REAL ? ENGINE_F64 : ENGINE_I64;
    const int column = particles_add_column(dump->particles, name, type, components);
    for (uint32_t i = 0; column >= 0 && i < components; i++) {
        dump->row.word[at[i]].use = use;
        dump->row.word[at[i]].column = column;
        dump->row.word[at[i]].component = i;
    }
    return column >= 0;
}

/* Adds the array of a set if the file has all its columns and no set before has added that array. */
static void add_column_set(struct dump *dump, const struct column_set *set, char *const *words, uint32_t count)
{
    int at[3] = {0};
    uint32_t components = 0;
    while (components < 3 && set->columns[components] != NULL) {
        at[components] = word_named(words, count, set->columns[components]);
        if (at[components++] < 0)
            return;
    }
    const int there = particles_find(dump->particles, set->field);
    if (there < 0 && add_array(dump, set->field, set->use, at, components))
        dump->scaled = dump->scaled || set->scaled;
    if (there >= 0 && set->use == PARTICLES_SYMBOL) {
        dump->row.word[at[0]].use = PARTICLES_LABEL;
        dump->row.word[at[0]].column = there;
    }
}

/* Adds an array for the columns that begin at words[first] and are named base[1], base[2], …. */
static void add_vector(struct dump *dump, char *const *words, uint32_t first, uint32_t count)
{
    const int length = (int) strcspn(words[first], "[");
    char base[32], name[64];
    int at[PARTICLES_WORDS_MAX] = {0};
    uint32_t components = 0;
    snprintf(base, sizeof base, "%.*s", length, words[first]);
    for (; first + components < count; components++) {
        snprintf(name, sizeof name, "%.*s[%u]", length, words[first], components + 1);
        if (length == 0 || strlen(name) >= sizeof name - 1 || strcmp(words[first + components], name) != 0)
            break;
        at[components] = (int) (first + components);
    }
    if (components > 1 && (size_t) length < sizeof base && particles_find(dump->particles, base) < 0)
        add_array(dump, base, PARTICLES_REAL, at, components);
}

/* `about` is the text after ITEM: ATOMS. */
static int parse_columns(struct dump *dump, char *about)
{
    char *words[PARTICLES_WORDS_MAX], *rest = NULL;
    uint32_t count = 0;
    for (char *word = strtok_r(about, " \t", &rest); word != NULL; word = strtok_r(NULL, " \t", &rest)) {
        if (!particles_add_word(&dump->row, PARTICLES_SKIP, -1, 0))
            return text_file_error(dump->text, "more than %d columns", PARTICLES_WORDS_MAX);
        if (text_file_check_printable(dump->text, word, "the name of a column") != 0)
            return ENGINE_INVALID;
        words[count++] = word;
    }
    for (size_t s = 0; s < COLUMN_SETS; s++)
        add_column_set(dump, &column_sets[s], words, count);
    for (uint32_t i = 0; i < count; i++)
        if (dump->row.word[i].use == PARTICLES_SKIP)
            add_vector(dump, words, i, count);
    for (uint32_t i = 0; i < count; i++)
        if (dump->row.word[i].use == PARTICLES_SKIP)
            io_note_skipped(dump->particles->skipped, words[i]);
    if (particles_find(dump->particles, "position") < 0)
        return text_file_error(dump->text,
                               "the columns contain no positions; expected x y z, xu yu zu, xs ys zs or xsu ysu zsu");
    return 0;
}

/* ---- Frames ------------------------------------------------------------------------------------------------- */

static int parse_step(struct dump *dump)
{
    if (take_line(dump, "the number of a step") != 0)
        return ENGINE_INVALID;
    const char *at = dump->line + strspn(dump->line, " \t");
    if (!text_number(&at, &dump->step) || at[strspn(at, " \t")] != '\0' || dump->step < 0)
        return text_file_error(dump->text, "'%.40s' is not the number of a step", dump->line);
    dump->stepped = true;
    return 0;
}

static int parse_time(struct dump *dump)
{
    dump->timed = true;
    return parse_reals(dump, 1, &dump->time);
}

static int parse_count(struct dump *dump)
{
    if (take_line(dump, "a number of atoms") != 0)
        return ENGINE_INVALID;
    const char *at = dump->line + strspn(dump->line, " \t");
    if (!text_number(&at, &dump->count) || at[strspn(at, " \t")] != '\0' || dump->count < 1)
        return text_file_error(dump->text, "'%.40s' is not a number of atoms; expected 1 or more", dump->line);
    return 0;
}

static void place_scaled(struct dump *dump)
{
    const int position = particles_find(dump->particles, "position");
    const double *edge = dump->vectors;
    double *at = dump->particles->columns[position].at;
    for (uint64_t i = 0; i < dump->particles->rows; i++, at += 3) {
        const double part[3] = {at[0], at[1], at[2]};
        for (int k = 0; k < 3; k++)
            at[k] = dump->low[k] + part[0] * edge[k] + part[1] * edge[3 + k] + part[2] * edge[6 + k];
    }
}

static int refuse_end(const struct dump *dump, int64_t i)
{
    return text_file_error(dump->text, "the file ends after %lld of %lld atoms", (long long) i,
                           (long long) dump->count);
}

static int skip_atoms(struct dump *dump)
{
    for (int64_t i = 0; i < dump->count; i++)
        if (!text_file_line(dump->text, dump->line, sizeof dump->line))
            return refuse_end(dump, i);
    return 0;
}

static int parse_atoms(struct dump *dump, char *about)
{
    if (dump->count == 0 || !dump->boxed)
        return text_file_error(dump->text, "expected ITEM: NUMBER OF ATOMS and ITEM: BOX BOUNDS before the atoms");
    dump->found = true;
    if (dump->particles == NULL)
        return skip_atoms(dump);
    if (dump->units)
        io_note_skipped(dump->particles->skipped, "the units");
    dump->particles->frame.has |= dump->stepped ? (uint32_t) ENGINE_HAS_STEP : 0;
    dump->particles->frame.step = (uint64_t) dump->step;
    if (dump->timed)
        dump->particles->frame.has |= ENGINE_HAS_TIME;
    dump->particles->frame.time = dump->time;
    dump->row.words = 0;
    dump->scaled = false;
    if (parse_columns(dump, about) != 0)
        return ENGINE_INVALID;
    for (int64_t i = 0; i < dump->count; i++) {
        if (!text_file_line(dump->text, dump->line, sizeof dump->line))
            return refuse_end(dump, i);
        if (particles_parse_row(dump->particles, &dump->row, dump->text, dump->line) != 0)
            return ENGINE_INVALID;
    }
    if (dump->scaled)
        place_scaled(dump);
    particles_turn(dump->particles, &dump->cell, dump->low);
    return 0;
}

static int parse_item(struct dump *dump)
{
    char *line = dump->line;
    if (dump->text->cut)
        return text_file_error(dump->text, "the line is too long");
    if (strncmp(line, "ITEM: TIMESTEP", 14) == 0) { /* a frame begins */
        dump->count = 0;
        dump->boxed = false;
        return parse_step(dump);
    }
    if (strncmp(line, "ITEM: NUMBER OF ATOMS", 21) == 0)
        return parse_count(dump);
    if (strncmp(line, "ITEM: BOX BOUNDS", 16) == 0)
        return parse_box(dump, line + 16);
    if (strncmp(line, "ITEM: ATOMS", 11) == 0)
        return parse_atoms(dump, line + 11);
    if (strncmp(line, "ITEM: TIME", 10) == 0)
        return parse_time(dump);
    dump->units = dump->units || strncmp(line, "ITEM: UNITS", 11) == 0;
    if (strncmp(line, "ITEM: UNITS", 11) == 0)
        return take_line(dump, "a line");
    return text_file_error(dump->text, "'%.40s' is not an item of a dump of atoms; expected one such as ITEM: TIMESTEP",
                           line);
}

static int sort_by_id(const struct dump *dump)
{
    const struct engine_file *file = dump->text->file;
    const int id = particles_find(dump->particles, "id");
    int64_t duplicate = 0;
    if (id < 0)
        return 0;
    const int code = particles_sort(dump->particles, id, &duplicate, file);
    return code != PARTICLES_DUPLICATE ? code
                                       : ENGINE_FAIL_FILE(file, "two atoms have the id %lld", (long long) duplicate);
}

static int next_frame(void *kept, struct text_file *text, struct particles *particles, bool *found)
{
    struct dump *dump = kept;
    int code = 0;
    dump->text = text;
    dump->particles = particles;
    dump->begun = dump->found = dump->boxed = dump->timed = dump->stepped = false;
    dump->count = dump->step = 0;
    while (code == 0 && !dump->found && text_file_line(text, dump->line, sizeof dump->line))
        if (dump->line[strspn(dump->line, " \t")] != '\0') {
            dump->begun = true;
            code = parse_item(dump);
        }
    if (code == 0)
        code = text_file_check(text);
    if (code == 0 && dump->begun && !dump->found)
        return text_file_error(text, "the last frame has no atoms");
    *found = dump->found;
    return code == 0 && *found && particles != NULL ? sort_by_id(dump) : code;
}

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    static const struct particles_frames frames = {sizeof(struct dump), next_frame};
    return particles_open(file, content, self, &frames);
}

static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    (void) name;
    (void) bytes;
    return text_file_begins(begin, count, "ITEM:");
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

/* The bounds of a tilted box are those of its bounding box. */
static int find_bounds(struct particles_output *output, double least[3], double greatest[3])
{
    const double *box = output->frame->box;
    if (particles_bounds(output, least, greatest) != 0)
        return ENGINE_INVALID;
    least[0] += fmin(fmin(0, box[3]), fmin(box[4], box[3] + box[4]));
    greatest[0] += fmax(fmax(0, box[3]), fmax(box[4], box[3] + box[4]));
    least[1] += fmin(0, box[5]);
    greatest[1] += fmax(0, box[5]);
    return 0;
}

static int put_box(struct particles_output *output)
{
    const double *box = output->frame->box;
    const bool tilted = box[3] != 0 || box[4] != 0 || box[5] != 0;
    double least[3], greatest[3];
    int status = find_bounds(output, least, greatest);
    if (status == 0)
        status = particles_print(output, "ITEM: BOX BOUNDS%s", tilted ? " xy xz yz" : "");
    for (int axis = 0; status == 0 && axis < 3; axis++)
        status = particles_print(output, " %s", box[axis] > 0 ? "pp" : "ff");
    for (int axis = 0; status == 0 && axis < 3; axis++) {
        status = particles_print(output, "\n%.17g %.17g", least[axis], greatest[axis]);
        if (status == 0 && tilted)
            status = particles_print(output, " %.17g", box[3 + axis]);
    }
    return status;
}

/* Writes the names of an array's columns: LAMMPS's own, or name, or name[1] name[2] …. */
static int put_columns(struct particles_output *output, uint32_t column)
{
    const char *field = particles_array(output, column)->name;
    const uint32_t components = particles_array(output, column)->shape.components;
    const struct column_set *set = NULL;
    int status = 0;
    for (size_t s = 0; set == NULL && s < COLUMN_SETS; s++)
        if (strcmp(column_sets[s].field, field) == 0 && column_sets[s].use != PARTICLES_FROM_ONE &&
            (components == 3) == (column_sets[s].columns[1] != NULL))
            set = &column_sets[s];
    for (uint32_t i = 0; status == 0 && i < components; i++)
        if (set != NULL && (components == 1 || components == 3))
            status = particles_print(output, " %s", set->columns[i]);
        else if (components == 1)
            status = particles_print(output, " %s", field);
        else
            status = particles_print(output, " %s[%u]", field, i + 1);
    return status;
}

/* ITEM: TIME is left out, because MDAnalysis and MDTraj expect frames without it. */
static int put_head(struct particles_output *output)
{
    int status = particles_print(output, "ITEM: TIMESTEP\n%llu\nITEM: NUMBER OF ATOMS\n%llu\n",
                                 (unsigned long long) output->frame->step, (unsigned long long) output->count);
    if (status == 0)
        status = put_box(output);
    if (status == 0)
        status = particles_print(output, "\nITEM: ATOMS id type%s x y z",
                                 output->frame->content->label_count > 0 ? " element" : "");
    for (uint32_t i = 1; status == 0 && i < output->columns; i++)
        status = put_columns(output, i);
    return status != 0 ? status : particles_print(output, "\n");
}

static int start_row(const struct particles_output *output, char *out, int64_t id, int64_t species)
{
    const long long type = species < 0 ? 1 : species + 1;
    if (output->frame->content->label_count == 0)
        return sprintf(out, "%lld %lld", (long long) id, type);
    return sprintf(out, "%lld %lld %s", (long long) id, type, particles_symbol(output->frame->content, species));
}

static int write_frame(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    static const struct particles_text text = {.ids = true, .head = put_head, .row = start_row};
    (void) self;
    return particles_write(file, frame, &text);
}

const struct engine_file_format lammpstrj_file_format = {
    ENGINE_FILE_FORMAT("lammpstrj", "1.0", "particles, LAMMPS dump", ".lammpstrj .dump .lammpstrj.gz .dump.gz"),
    .flags = ENGINE_FORMAT_FRAMES | ENGINE_FORMAT_PACKED | ENGINE_FORMAT_RANGES | ENGINE_FORMAT_VARIES,
    .keeps = ENGINE_HAS_STEP | ENGINE_HAS_BOX | ENGINE_HAS_CORNER | ENGINE_HAS_LABELS,
    .arrays = "position *",
    .probe = probe,
    .open = open_file,
    .frame = particles_frame,
    .read = particles_read,
    .create = io_keep_nothing,
    .write = write_frame,
    .close = particles_close,
    .bytes = ENGINE_SIZE_TEXT,
};
