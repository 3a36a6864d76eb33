/* Writes PDB files. */
#include "write.h"
#include "common/angles.h"

enum { SERIAL_MODULUS = 100000, RESIDUE_MODULUS = 10000 };
enum { POSITION, SPECIES, RESIDUE };

struct writer {
    struct atoms_arrays arrays;
    uint64_t frames, frame;
};

int pdb_create(const struct engine_file *file, const struct engine_file_content *content, void **self)
{
    static const char *const names[] = {"position", "species", "residue"};
    struct writer *writer = file->allocate(file, sizeof *writer);
    if (!writer)
        return ENGINE_NO_MEMORY;
    *writer = (struct writer){.frames = content->frames};
    atoms_find_arrays(content, names, 3, &writer->arrays);
    *self = writer;
    return 0;
}

static int write_atom(const struct engine_file *file, const struct writer *writer, uint64_t atom)
{
    double position[3] = {0};
    char label[ATOMS_LABEL];
    int64_t residue = 0;
    int code = atoms_get_reals(file, &writer->arrays, POSITION, atom, -999, 9999, "coordinate", "angstrom", position);
    if (code == 0)
        code = atoms_get_label(file, &writer->arrays, SPECIES, atom, label);
    if (code == 0)
        code = atoms_get_integer(file, &writer->arrays, RESIDUE, atom, 1, &residue);
    if (code != 0)
        return code;
    if (residue < 0 || strlen(label) > 4)
        return ENGINE_FAIL_FILE(
            file,
            "atom %llu has the name '%s' and the residue %lld; expected at most 4 characters, and 0 "
            "or more",
            (unsigned long long) atom + 1, label, (long long) residue);
    return engine_put_text(file, "ATOM  %5llu %s%-*s MOL X%4lld    %8.3f%8.3f%8.3f  1.00  0.00            \n",
                           (unsigned long long) ((atom + 1) % SERIAL_MODULUS), strlen(label) < 4 ? " " : "",
                           strlen(label) < 4 ? 3 : 4, label, (long long) (residue % RESIDUE_MODULUS), position[0],
                           position[1], position[2]);
}

static int write_cell(const struct engine_file *file, const double box[6])
{
    double length[3], cosine[3];
    angles_of_box(box, length, cosine);
    if (!(box[0] > 0 && box[1] > 0 && box[2] > 0 && length[0] < 99999 && length[1] < 99999 && length[2] < 99999))
        return ENGINE_FAIL_FILE(file, "the box is open along an axis, or longer than 99999 angstrom; the format has no "
                                      "place for it");
    return engine_put_text(file, "CRYST1%9.3f%9.3f%9.3f%7.2f%7.2f%7.2f P 1           1\n", length[0], length[1],
                           length[2], angles_degrees(cosine[0]), angles_degrees(cosine[1]), angles_degrees(cosine[2]));
}

/* Models are numbered from 1. A file of one frame has no models. */
int pdb_write(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    struct writer *writer = self;
    int code = frame->has & ENGINE_HAS_BOX ? write_cell(file, frame->box) : 0;
    writer->frame++;
    if (code == 0 && writer->frames > 1)
        code = engine_put_text(file, "MODEL     %4llu\n", (unsigned long long) (writer->frame % RESIDUE_MODULUS));
    for (uint64_t i = 0; code == 0 && i < writer->arrays.at[POSITION].shape.extent[0]; i++)
        code = write_atom(file, writer, i);
    if (code == 0 && writer->frames > 1)
        code = engine_put_text(file, "ENDMDL\n");
    return code;
}

int pdb_finish(const struct engine_file *file, void *self)
{
    (void) self;
    return engine_put_text(file, "END\n");
}
