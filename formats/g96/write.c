/* Writes G96 files. If there are neither species nor residues, a frame has the blocks POSITIONRED and VELOCITYRED, because
 * the trajectory reader of GROMACS 2022 crashes at names. */
#include "write.h"

enum { COUNT_MODULUS = 100000, NUMBER_MODULUS = 10000000 };
enum { POSITION, SPECIES, RESIDUE, VELOCITY };

int g96_create(const struct engine_file *file, const struct engine_file_content *content, void **self)
{
    static const char *const names[] = {"position", "species", "residue", "velocity"};
    struct atoms_arrays *arrays = file->allocate(file, sizeof *arrays);
    if (!arrays)
        return ENGINE_NO_MEMORY;
    atoms_find_arrays(content, names, 4, arrays);
    *self = arrays;
    return 0;
}

static bool is_named(const struct atoms_arrays *arrays)
{
    return arrays->index[SPECIES] >= 0 || arrays->index[RESIDUE] >= 0;
}

static int write_atom(const struct engine_file *file, const struct atoms_arrays *arrays, uint64_t atom, int which)
{
    double vector[3] = {0};
    char label[ATOMS_LABEL];
    int64_t residue = 0;
    int code = atoms_get_reals(file, arrays, which, atom, -1000, 10000, which == POSITION ? "coordinate" : "velocity",
                               "in nm and ps", vector);
    if (code == 0 && !is_named(arrays))
        return engine_put_text(file, "%15.9f%15.9f%15.9f\n", vector[0], vector[1], vector[2]);
    if (code == 0)
        code = atoms_get_label(file, arrays, SPECIES, atom, label);
    if (code == 0)
        code = atoms_get_integer(file, arrays, RESIDUE, atom, 1, &residue);
    if (code == 0 && (residue < 0 || strlen(label) > 5))
        return ENGINE_FAIL_FILE(
            file, "atom %llu has the name '%s' and the residue %lld; expected at most 5 characters, and 0 or more",
            (unsigned long long) atom + 1, label, (long long) residue);
    return code != 0
               ? code
               : engine_put_text(file, "%5lld %-5s %-5s%7llu%15.9f%15.9f%15.9f\n",
                                 (long long) (residue % COUNT_MODULUS), "MOL", label,
                                 (unsigned long long) ((atom + 1) % NUMBER_MODULUS), vector[0], vector[1], vector[2]);
}

static int write_block(const struct engine_file *file, const struct atoms_arrays *arrays, const char *name, int which)
{
    if (arrays->index[which] < 0)
        return 0;
    int code = engine_put_text(file, "%s%s\n", name, is_named(arrays) ? "" : "RED");
    for (uint64_t i = 0; code == 0 && i < arrays->at[POSITION].shape.extent[0]; i++)
        code = write_atom(file, arrays, i, which);
    return code == 0 ? engine_put_text(file, "END\n") : code;
}

/* A frame that has no time gets its step as the time, as in XTC and TRR files. */
int g96_write(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    const double *box = frame->box;
    for (int i = 0; i < 6; i++)
        if (!(box[i] > -1000 && box[i] < 10000))
            return ENGINE_FAIL_FILE(file,
                                    "the box has the number %g; expected -1000 to 10000 nm, because the columns of "
                                    "the format are narrow",
                                    box[i]);
    int code = engine_put_text(file, "TITLE\nwritten by engine\nEND\nTIMESTEP\n%15llu %15.6f\nEND\n",
                               (unsigned long long) frame->step,
                               frame->has & ENGINE_HAS_TIME ? frame->time : (double) frame->step);
    if (code == 0)
        code = write_block(file, self, "POSITION", POSITION);
    if (code == 0)
        code = write_block(file, self, "VELOCITY", VELOCITY);
    if (code == 0)
        code = engine_put_text(file, "BOX\n%15.9f%15.9f%15.9f", box[0], box[1], box[2]);
    if (code == 0 && (box[3] != 0 || box[4] != 0 || box[5] != 0))
        code = engine_put_text(file, "%15.9f%15.9f%15.9f%15.9f%15.9f%15.9f", 0.0, 0.0, box[3], 0.0, box[4], box[5]);
    return code == 0 ? engine_put_text(file, "\nEND\n") : code;
}
