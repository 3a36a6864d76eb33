/* Data files of LAMMPS, https://docs.lammps.org/read_data.html: a comment, a head with numbers and names behind them, and
 * sections. The sections Masses, Atom Type Labels, Atoms and Velocities are read. */
#include "data.h"

enum { POSITION, SPECIES, ID, RESIDUE, CHARGE, MASS, VELOCITY, ARRAYS };

struct reader {
    struct data data;
    struct engine_file_array arrays[ARRAYS];
    uint32_t which[ARRAYS]; /* POSITION … of each array */
};

/* A line `N atoms` and a line of the bounds stand in the head. */
static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    char text[4097] = "";
    int end = 0;
    (void) name, (void) bytes;
    memcpy(text, begin, count < sizeof text - 1 ? count : sizeof text - 1);
    if (!strstr(text, " xhi") && !strstr(text, " avec"))
        return ENGINE_PROBE_NO;
    for (const char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n')) {
        end = 0;
        if (sscanf(line, " %*[0-9] atoms%n", &end) == 0 && end > 0)
            return ENGINE_PROBE_YES;
    }
    return ENGINE_PROBE_NO;
}

static void add_array(struct reader *reader, struct engine_file_content *content, uint32_t which, const char *name,
                      uint32_t type, uint32_t components)
{
    const uint32_t count = content->arrays.count++;
    reader->which[count] = which;
    reader->arrays[count] = (struct engine_file_array){
        .name = name,
        .kind = ENGINE_PARTICLES,
        .lengths = components == 3,
        .shape = {sizeof(struct engine_shape), type, components, 1, {reader->data.count, 1, 1}},
    };
}

static void take_arrays(struct reader *reader, struct engine_file_content *content)
{
    const struct data *data = &reader->data;
    add_array(reader, content, POSITION, "position", ENGINE_F64, 3);
    add_array(reader, content, SPECIES, "species", ENGINE_I64, 1);
    add_array(reader, content, ID, "id", ENGINE_I64, 1);
    if (data->style.molecule > 0)
        add_array(reader, content, RESIDUE, "residue", ENGINE_I64, 1);
    if (data->style.charge > 0)
        add_array(reader, content, CHARGE, "charge", ENGINE_F64, 1);
    if (data->masses && data->types <= DATA_TYPES)
        add_array(reader, content, MASS, "mass", ENGINE_F64, 1);
    if (data->velocities)
        add_array(reader, content, VELOCITY, "velocity", ENGINE_F64, 3);
}

/* Names that only some types have, or two types, are left out. */
static void take_labels(struct data *data, struct engine_file_content *content)
{
    for (int64_t i = 0; i < data->types; i++) {
        if (data->types > DATA_TYPES || data->label[i][0] == '\0')
            return;
        data->labels[i] = data->label[i];
        for (int64_t j = 0; j < i; j++)
            if (strcmp(data->label[i], data->label[j]) == 0)
                return;
    }
    content->labels = data->labels;
    content->label_count = (uint32_t) data->types;
}

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    struct reader *reader = file->allocate(file, sizeof *reader);
    if (!reader)
        return ENGINE_NO_MEMORY;
    memset(reader, 0, sizeof *reader);
    struct data *data = &reader->data;
    const int code = data_read(file, data);
    if (code != 0)
        return code;
    content->arrays = (struct engine_file_array_array){reader->arrays, 0, sizeof reader->arrays[0]};
    take_arrays(reader, content);
    take_labels(data, content);
    content->frames = 1;
    if (data->images && strlen(data->skipped) + 12 < sizeof data->skipped)
        strcat(strcat(data->skipped, *data->skipped ? ", " : ""), "the images");
    content->skipped = *data->skipped ? data->skipped : NULL;
    content->remarks = data->cell.turned ? ENGINE_CELL_TURNED
                                         : "the file does not say which axes are periodic; the engine takes all for "
                                           "periodic";
    *self = reader;
    return 0;
}

static int frame_of(const struct engine_file *file, void *self, uint64_t number, struct engine_file_frame *frame)
{
    const struct reader *reader = self;
    (void) file, (void) number;
    engine_cell_place(&reader->data.cell, reader->data.corner, frame);
    return 0;
}

static void take_element(const struct data *data, const struct data_atom *atom, uint32_t which, uint64_t i, void *out)
{
    const int64_t integers[] = {[SPECIES] = atom->type - 1, [ID] = atom->id, [RESIDUE] = atom->molecule};
    if (which == POSITION || which == VELOCITY)
        memcpy((double *) out + 3 * i, which == POSITION ? atom->position : atom->velocity, 3 * sizeof(double));
    else if (which == CHARGE || which == MASS)
        ((double *) out)[i] = which == CHARGE ? atom->charge : data->mass[atom->type - 1];
    else
        ((int64_t *) out)[i] = integers[which];
}

static int read_array(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                      uint64_t count, void *out)
{
    const struct reader *reader = self;
    const struct data *data = &reader->data;
    const uint32_t which = reader->which[array];
    (void) file, (void) number, (void) begin, (void) count;
    for (uint64_t i = 0; i < data->count; i++)
        take_element(data, &data->atoms[i], which, i, out);
    if (which == POSITION || which == VELOCITY)
        engine_cell_turn(&data->cell, ENGINE_F64, data->count, out);
    return 0;
}

ENGINE_EXPORT const struct engine_file_format engine_file_format = {
    ENGINE_FILE_FORMAT("lammpsdata", "0.1.0", "particles, data files of LAMMPS: atoms, velocities and masses",
                       ".data .lmp"),
    .probe = probe,
    .open = open_file,
    .frame = frame_of,
    .read = read_array,
};
