/* NetCDF trajectories and restart files of Amber: the variables coordinates (frame, atom, spatial) in angstrom, velocities,
 * forces in kcal/mol/angstrom, time in ps, cell_lengths and cell_angles in degrees. In a restart file, no variable has the
 * axis of frames. */
#include "cdf.h"

#include "common/angles.h"

struct trajectory {
    struct cdf cdf;
    uint64_t atoms, frames;
    struct engine_file_array arrays[3];
    uint32_t variable[3], count; /* that of each array */
};

/* ---- What the file holds ----------------------------------------------------------------------------------------- */

/* Finds the frames of a variable, the axis of which may be missing, and the bytes from one to the next. */
static int take_frames(const struct engine_file *file, const struct trajectory *trajectory, uint32_t which,
                       struct cdf_variable *variable)
{
    const bool atoms = which <= NC_FORCE;
    const uint32_t axes = atoms ? 2 : which == NC_TIME ? 0 : 1;
    const bool framed = variable->axes == axes + 1;
    const uint64_t *extent = variable->extent + (framed ? 1 : 0);
    if ((variable->type != CDF_FLOAT && variable->type != CDF_DOUBLE) || (!framed && variable->axes != axes) ||
        (!framed && variable->grows) || (axes > 0 && extent[0] != (atoms ? trajectory->atoms : 3)) ||
        (atoms && extent[1] != 3))
        return ENGINE_FAIL_FILE(file, "%s: has another type or other axes than in a trajectory of Amber",
                                cdf_names[which]);
    variable->count = (atoms ? trajectory->atoms : 1) * (which == NC_TIME ? 1 : 3);
    variable->frames = variable->grows ? trajectory->cdf.records : framed ? variable->extent[0] : 1;
    variable->stride = variable->grows ? trajectory->cdf.record_bytes : variable->count * cdf_wide(variable);
    return 0;
}

/* The number of frames whose numbers the file has. */
static uint64_t count_whole(const struct engine_file *file, const struct cdf_variable *variable)
{
    const uint64_t bytes = variable->count * cdf_wide(variable);
    if (variable->begin > file->bytes || bytes > file->bytes - variable->begin)
        return 0;
    return (file->bytes - variable->begin - bytes) / variable->stride + 1;
}

static int find_frames(const struct engine_file *file, struct trajectory *trajectory)
{
    const struct cdf_variable *variables = trajectory->cdf.variables;
    uint64_t whole = UINT64_MAX;
    trajectory->frames = variables[NC_POSITION].frames;
    for (int k = 0; k < CDF_KEPT; k++) {
        if (variables[k].type == 0)
            continue;
        const uint64_t has = count_whole(file, &variables[k]);
        whole = has < whole ? has : whole;
        if (variables[k].frames != trajectory->frames)
            return ENGINE_FAIL_FILE(file, "%s: has %llu frames, and the coordinates have %llu", cdf_names[k],
                                    (unsigned long long) variables[k].frames, (unsigned long long) trajectory->frames);
    }
    if (trajectory->frames == UINT64_MAX ||
        (trajectory->frames > whole && whole > 0 && (file->flags & ENGINE_FILE_UNFINISHED) != 0))
        trajectory->frames = whole;
    if (trajectory->frames == 0)
        return ENGINE_FAIL_FILE(file, "has no frames");
    if (trajectory->frames > whole)
        return ENGINE_FAIL_BYTE(file, file->bytes, "the file ends within frame %llu, counted from 0",
                                (unsigned long long) whole);
    return 0;
}

static void add_array(struct trajectory *trajectory, uint32_t which, const char *name, int32_t lengths)
{
    const struct cdf_variable *variable = &trajectory->cdf.variables[which];
    if (variable->type == 0)
        return;
    trajectory->arrays[trajectory->count] = (struct engine_file_array){
        .name = name,
        .kind = ENGINE_PARTICLES,
        .lengths = lengths,
        .shape = {sizeof(struct engine_shape),
                  variable->type == CDF_FLOAT ? ENGINE_F32 : ENGINE_F64,
                  3,
                  1,
                  {trajectory->atoms, 1, 1}},
    };
    trajectory->variable[trajectory->count++] = which;
}

static int take_variables(const struct engine_file *file, struct trajectory *trajectory)
{
    struct cdf_variable *variables = trajectory->cdf.variables;
    const struct cdf_variable *position = &variables[NC_POSITION];
    if (position->axes < 2 || position->axes > 3)
        return ENGINE_FAIL_FILE(file,
                                "has no variable coordinates (frame, atom, spatial), as trajectories of Amber have");
    trajectory->atoms = position->extent[position->axes - 2];
    for (uint32_t k = 0; k < CDF_KEPT; k++)
        if (variables[k].type > 0 && take_frames(file, trajectory, k, &variables[k]) != 0)
            return ENGINE_INVALID;
    add_array(trajectory, NC_POSITION, "position", 1);
    add_array(trajectory, NC_VELOCITY, "velocity", 1);
    add_array(trajectory, NC_FORCE, "force", -1);
    return find_frames(file, trajectory);
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    (void) name, (void) bytes;
    return count >= 4 && memcmp(begin, "CDF", 3) == 0 && (begin[3] == 1 || begin[3] == 2 || begin[3] == 5)
               ? ENGINE_PROBE_YES
               : ENGINE_PROBE_NO;
}

static uint32_t length_of(const char *unit)
{
    if (*unit == '\0' || strncmp(unit, "angstrom", 8) == 0 || strncmp(unit, "Angstrom", 8) == 0)
        return ENGINE_ANGSTROM;
    return strncmp(unit, "nanometer", 9) == 0 || strcmp(unit, "nm") == 0 ? ENGINE_NANOMETRE : ENGINE_LENGTH_UNKNOWN;
}

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    struct trajectory *trajectory = file->allocate(file, sizeof *trajectory);
    if (!trajectory)
        return ENGINE_NO_MEMORY;
    memset(trajectory, 0, sizeof *trajectory);
    int code = cdf_read(file, &trajectory->cdf);
    if (code == 0)
        code = take_variables(file, trajectory);
    if (code != 0)
        return code;
    content->length = length_of(trajectory->cdf.variables[NC_POSITION].unit);
    content->arrays.at = trajectory->arrays;
    content->arrays.count = trajectory->count;
    content->arrays.item_size = sizeof trajectory->arrays[0];
    content->frames = trajectory->frames;
    content->skipped = *trajectory->cdf.skipped ? trajectory->cdf.skipped : NULL;
    *self = trajectory;
    return 0;
}

/* Reads the few numbers that a variable has in a frame; 0 if it is not there. */
static int take_reals(const struct engine_file *file, const struct trajectory *trajectory, uint32_t which,
                      uint64_t number, double reals[3])
{
    const struct cdf_variable *variable = &trajectory->cdf.variables[which];
    const uint64_t wide = cdf_wide(variable), at = variable->begin + number * variable->stride;
    unsigned char bytes[3 * 8] = {0};
    const int code = variable->type == 0 ? 0 : file->read(file, at, variable->count * wide, bytes);
    for (uint64_t i = 0; code == 0 && i < variable->count; i++) {
        reals[i] = real_at(bytes + i * wide, wide) * variable->scale;
        if (!(reals[i] - reals[i] == 0))
            return ENGINE_FAIL_BYTE(file, at, "%s: a number is infinite or not a number", cdf_names[which]);
    }
    return code;
}

/* Lengths of 0 stand for open axes, and so does a file without a cell. Some programs write no angles. */
static int take_box(const struct engine_file *file, const struct trajectory *trajectory, uint64_t number, double box[6])
{
    double length[3] = {0}, angle[3] = {90, 90, 90}, cosine[3];
    if (take_reals(file, trajectory, NC_LENGTHS, number, length) != 0 ||
        take_reals(file, trajectory, NC_ANGLES, number, angle) != 0)
        return ENGINE_INVALID;
    bool sound = true, open = false;
    for (int i = 0; i < 3; i++) {
        sound = sound && length[i] >= 0;
        open = open || length[i] == 0;
        cosine[i] = angles_cosine(angle[i]);
        box[i] = length[i];
    }
    for (int i = 0; i < 3; i++)
        sound = sound && (open || (angle[i] > 0 && angle[i] < 180));
    if (sound && (open || angles_make_box(length, cosine, box)))
        return 0;
    return ENGINE_FAIL_BYTE(
        file, trajectory->cdf.variables[NC_LENGTHS].begin + number * trajectory->cdf.variables[NC_LENGTHS].stride,
        "no box has the lengths %g %g %g and the angles %g %g %g", length[0], length[1], length[2], angle[0], angle[1],
        angle[2]);
}

static int frame_of(const struct engine_file *file, void *self, uint64_t number, struct engine_file_frame *frame)
{
    const struct trajectory *trajectory = self;
    double time[3] = {0};
    if (take_reals(file, trajectory, NC_TIME, number, time) != 0 || take_box(file, trajectory, number, frame->box) != 0)
        return ENGINE_INVALID;
    frame->time = time[0];
    frame->has |= trajectory->cdf.variables[NC_TIME].type ? (uint32_t) ENGINE_HAS_TIME : 0;
    if (frame->box[0] > 0 || frame->box[1] > 0 || frame->box[2] > 0)
        frame->has |= ENGINE_HAS_BOX;
    return 0;
}

static int read_array(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                      uint64_t count, void *out)
{
    const struct trajectory *trajectory = self;
    const struct cdf_variable *variable = &trajectory->cdf.variables[trajectory->variable[array]];
    const uint64_t wide = cdf_wide(variable);
    unsigned char *bytes = out;
    const int code = file->read(file, variable->begin + number * variable->stride + begin * wide, count * wide, out);
    for (uint64_t i = 0; code == 0 && i < count; i++) { /* from big-endian, in place */
        const double real = real_at(bytes + i * wide, wide) * variable->scale;
        if (wide == 4)
            ((float *) out)[i] = (float) real;
        else
            ((double *) out)[i] = real;
    }
    return code;
}

ENGINE_EXPORT const struct engine_file_format engine_file_format = {
    ENGINE_FILE_FORMAT("nc", "0.1.0", "particles, trajectories of Amber in NetCDF: positions, velocities and forces",
                       ".nc .ncdf .ncrst"),
    .flags = ENGINE_FORMAT_FRAMES | ENGINE_FORMAT_GROWS,
    .length = ENGINE_ANGSTROM,
    .keeps = ENGINE_HAS_TIME | ENGINE_HAS_BOX,
    .arrays = "position velocity force",
    .probe = probe,
    .open = open_file,
    .frame = frame_of,
    .read = read_array,
    .create = nc_create,
    .write = nc_write,
    .cut = nc_cut,
};
