/* Writes GRO files. */
#include "write.h"

enum { COUNT_MODULUS = 100000 };
enum { POSITION, SPECIES, RESIDUE, VELOCITY };

int gro_create(const struct engine_file *file, const struct engine_file_content *content, void **self)
{
    static const char *const names[] = {"position", "species", "residue", "velocity"};
    struct atoms_arrays *arrays = file->allocate(file, sizeof *arrays);
    if (!arrays)
        return ENGINE_NO_MEMORY;
    atoms_find_arrays(content, names, 4, arrays);
    *self = arrays;
    return 0;
}

static int write_atom(const struct engine_file *file, const struct atoms_arrays *arrays, uint64_t atom)
{
    double position[3] = {0}, velocity[3] = {0};
    char label[ATOMS_LABEL];
    int64_t residue = 0;
    int code = atoms_get_reals(file, arrays, POSITION, atom, -999, 9999, "coordinate", "in nm and ps", position);
    if (code == 0)
        code = atoms_get_label(file, arrays, SPECIES, atom, label);
    if (code == 0)
        code = atoms_get_integer(file, arrays, RESIDUE, atom, 1, &residue);
    if (code == 0 && arrays->index[VELOCITY] >= 0)
        code = atoms_get_reals(file, arrays, VELOCITY, atom, -99, 999, "velocity", "in nm and ps", velocity);
    if (code != 0)
        return code;
    if (residue < 0)
        return ENGINE_FAIL_FILE(file, "atom %llu has the residue %lld; expected 0 or more",
                                (unsigned long long) atom + 1, (long long) residue);
    if (strlen(label) > 5)
        return ENGINE_FAIL_FILE(file, "the name '%s' of a species has more than 5 characters", label);
    code =
        engine_put_text(file, "%5lld%-5s%5s%5llu%8.3f%8.3f%8.3f", (long long) (residue % COUNT_MODULUS), "MOL", label,
                        (unsigned long long) ((atom + 1) % COUNT_MODULUS), position[0], position[1], position[2]);
    if (code == 0 && arrays->index[VELOCITY] >= 0)
        code = engine_put_text(file, "%8.4f%8.4f%8.4f", velocity[0], velocity[1], velocity[2]);
    return code == 0 ? file->write(file, "\n", 1) : code;
}

int gro_write(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    const struct atoms_arrays *arrays = self;
    const uint64_t atoms = arrays->at[POSITION].shape.extent[0];
    const double *box = frame->box;
    int code = engine_put_text(file, "written by engine");
    if (code == 0 && (frame->has & ENGINE_HAS_TIME))
        code = engine_put_text(file, ", t= %.5f", frame->time);
    if (code == 0)
        code =
            engine_put_text(file, " step= %llu\n%5llu\n", (unsigned long long) frame->step, (unsigned long long) atoms);
    for (uint64_t i = 0; code == 0 && i < atoms; i++)
        code = write_atom(file, arrays, i);
    if (code == 0)
        code = engine_put_text(file, "%10.5f%10.5f%10.5f", box[0], box[1], box[2]);
    if (code == 0 && (box[3] != 0 || box[4] != 0 || box[5] != 0))
        code = engine_put_text(file, "%10.5f%10.5f%10.5f%10.5f%10.5f%10.5f", 0.0, 0.0, box[3], 0.0, box[4], box[5]);
    return code == 0 ? file->write(file, "\n", 1) : code;
}
