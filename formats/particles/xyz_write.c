/* Writes frames of extended XYZ: the comment states the box, the columns, the step and the notes. */
#include "files/particles.h"
#include "formats/particles/xyz.h"

#include <stdio.h>
#include <string.h>

/* Beside symbols, the types are the last column, so that a reader of plain XYZ finds the positions behind the
 * symbol. */
static bool ends_with_type(const struct particles_output *output)
{
    return output->species >= 0 && output->frame->content->label_count > 0;
}

static int put_properties(struct particles_output *output)
{
    const bool first = output->species >= 0 && !ends_with_type(output);
    int code = particles_print(output, "Properties=species:S:1%s", first ? ":type:I:1" : "");
    for (uint32_t i = 0; code == 0 && i < output->columns; i++) {
        const struct engine_file_array *array = particles_array(output, i);
        const bool real = array->shape.type == ENGINE_F32 || array->shape.type == ENGINE_F64;
        const char *name = strcmp(array->name, "velocity") == 0   ? "velo"
                           : strcmp(array->name, "position") == 0 ? "pos"
                                                                  : array->name;
        code = particles_print(output, ":%s:%c:%u", name, real ? 'R' : 'I', array->shape.components);
    }
    if (code == 0 && ends_with_type(output))
        code = particles_print(output, ":type:I:1");
    return code;
}

/* Other programs take a lattice with a vector of length 0 for damaged, so an open axis has the bounds of the particles. */
static int put_box(struct particles_output *output)
{
    const double *box = output->frame->box;
    double corner[3], end[3], edge[3];
    if (!(output->frame->has & ENGINE_HAS_BOX))
        return 0;
    int code = particles_bounds(output, corner, end);
    for (int axis = 0; axis < 3; axis++)
        edge[axis] = box[axis] > 0 ? box[axis] : end[axis] - corner[axis];
    if (code == 0)
        code = particles_print(output, "Lattice=\"%.17g 0 0 %.17g %.17g 0 %.17g %.17g %.17g\" pbc=\"%c %c %c\" ",
                               edge[0], box[3], edge[1], box[4], box[5], edge[2], "FT"[box[0] > 0], "FT"[box[1] > 0],
                               "FT"[box[2] > 0]);
    if (code == 0 && (corner[0] != 0 || corner[1] != 0 || corner[2] != 0))
        code = particles_print(output, "Origin=\"%.17g %.17g %.17g\" ", corner[0], corner[1], corner[2]);
    return code;
}

/* Writes the number of particles and the comment. Other programs read the comment into a kilobyte, so notes of several
 * lines are left out. */
static int put_head(struct particles_output *output)
{
    const struct engine_file_frame *frame = output->frame;
    const struct engine_file_content *content = frame->content;
    int code = particles_print(output, "%llu\n", (unsigned long long) output->count);
    if (code == 0)
        code = put_box(output);
    if (code == 0)
        code = put_properties(output);
    if (code == 0)
        code = particles_print(output, " step=%llu", (unsigned long long) frame->step);
    if (code == 0 && (frame->has & ENGINE_HAS_TIME))
        code = particles_print(output, " time=%.17g", frame->time);
    for (uint64_t i = 0; code == 0 && i < content->note_count; i++)
        if (strchr(content->notes[i].text, '\n') == NULL)
            code = particles_print(output, " %s=\"%s\"", content->notes[i].key, content->notes[i].text);
    return code != 0 ? code : particles_print(output, "\n");
}

/* Begins a row with the symbol of the species; where no species has one, with X and the type. */
static int start_row(const struct particles_output *output, char *out, int64_t id, int64_t species)
{
    (void) id;
    if (species < 0 || ends_with_type(output))
        return sprintf(out, "%s", particles_symbol(output->frame->content, species));
    return sprintf(out, "X %lld", (long long) species + 1);
}

int xyz_write(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    static const struct particles_text text = {.head = put_head, .row = start_row, .ends_with_type = ends_with_type};
    (void) self;
    return particles_write(file, frame, &text);
}
