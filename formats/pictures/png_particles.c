/* Pictures of particles. Each particle is a disc with smooth edges, and discs that overlap add up (formats/pictures/discs.h). The
 * level of a pixel, the number of particles behind it or their mass, becomes a colour (formats/pictures/brightness.h). All pictures
 * of a run have the same scale and the same bounds, so that they make a film.
 *
 * The diameter of the discs follows from the mean distance of the particles in pixels. Where they are far apart, a disc
 * is several pixels wide, and almost as bright as a disc can be. Where they are close, a disc is a pixel or two wide,
 * and the picture shows the density.
 *
 * In a picture with depth, discs do not add up: the nearest particle is brightest, and hides what is behind it. */
#include "formats/pictures/png_particles.h"
#include "base/convert.h"
#include "files/file.h"
#include "files/particles.h"
#include "files/statistics.h"
#include "formats/pictures/brightness.h"
#include "formats/pictures/discs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE = 4096,         /* particles read at a time */
    SAMPLE_MAX = 1 << 16, /* particles that decide the bounds */
    LONGER_SIDE = 1024,   /* default in pixels */
    DISC_SHARE = 64,      /* a disc is at most this part of the shorter side wide, */
    HEAVY_SHARE = 16      /* or this part, if its size follows from a mass */
};

static const double BOX_MARGIN = 0.02; /* around a periodic box, as a part of its longest edge */
static const double DISC = 0.5;        /* diameter of a disc, as a part of the mean distance of the particles */
static const double DISC_LEAST = 1.4;  /* the least diameter in pixels */
static const double DISC_WIDE = 3.3;   /* from this diameter on, particles are seen one by one */
static const double ONE_DISC = 0.7;    /* shade of one particle that is seen as a disc, 0 … 1 */
static const double ONE_OF_MANY = 0.4; /* the same in a picture of the density */
static const double DEEP = 0.6;        /* with depth: diameter, as a part of the mean distance in space */
static const double FAR = 0.2;         /* shade of the farthest particles */
static const double BRIGHTEST = 0.005; /* part of the pixels with particles that have the brightest shade */
/* The level of the brightest shade is at least SPAN times the median level, because particles that are spread evenly in
 * the first picture of a film may crowd in a later one. It is WHITE_LEAST if there are no particles in the picture. */
static const double SPAN = 16, WHITE_LEAST = 4;

struct scatter {
    const struct scene *scene;
    uint32_t across, up; /* axes of the positions, 0 … 2 for x, y, z */
    double left, bottom, pixels_per_unit;
    double radius, least, most; /* of a particle of the mean mass, and of others, in pixels */
    uint32_t along;             /* the axis of view */
    double far, near;           /* coordinates along it; without depth, both 0 */
    bool weigh, scale;          /* by masses: the weight of a disc, its size */
    double *masses;             /* in units of their mean; NULL: all are the same */
    struct brightness brightness;
    struct discs discs;
};

/* Chooses the horizontal and the vertical axis for a line of sight along z, y or x. */
static void choose_axes(const struct io_options *options, uint32_t *across, uint32_t *up)
{
    *across = options->axis == 2 ? 1 : 0;
    *up = options->axis == 0 ? 1 : 2;
}

static uint32_t axis_of_view(const struct io_options *options)
{
    return 2 - options->axis;
}

static uint64_t count_of(const struct scene *scene)
{
    const struct engine_shape *shape = &scene->content->arrays.at[0].shape;
    return shape->extent[shape->rank - 1];
}

/* Calls `take` for all positions, a piece at a time, in double precision. */
static int for_positions(const struct scene *scene, void *context,
                         void (*take)(void *context, uint64_t begin, const double *positions, uint64_t count))
{
    double held[3 * PIECE], positions[3 * PIECE];
    const struct engine_file *file = scene->file;
    const uint32_t type = scene->content->arrays.at[0].shape.type;
    const uint64_t total = count_of(scene);
    for (uint64_t begin = 0; begin < total; begin += PIECE) {
        const uint64_t count = total - begin < PIECE ? total - begin : PIECE;
        const int code = file->get(file, 0, 3 * begin, 3 * count, held);
        if (code != 0)
            return code;
        convert_elements(type, held, 3 * count, ENGINE_F64, positions);
        take(context, begin, positions, count);
    }
    return 0;
}

/* ---- Bounds ------------------------------------------------------------------------------------------------- */

/* The coordinates of every stride-th particle along two axes. */
struct sample {
    uint32_t axis[2];
    uint64_t stride, count;
    double *at[2];
};

static void take_sample(void *context, uint64_t begin, const double *positions, uint64_t count)
{
    struct sample *sample = context;
    for (uint64_t i = (sample->stride - begin % sample->stride) % sample->stride; i < count; i += sample->stride) {
        const double first = positions[3 * i + sample->axis[0]], second = positions[3 * i + sample->axis[1]];
        if (!isfinite(first) || !isfinite(second))
            continue;
        sample->at[0][sample->count] = first;
        sample->at[1][sample->count++] = second;
    }
}

/* Chooses a square that is 1.5 times as wide as the middle 95% of the particles. The bounds of all particles would
 * leave a few pixels to most of them where one is far out. The margin is for particles that move. */
static void choose_square(const struct sample *sample, double bounds[4])
{
    double middle[2] = {0, 0}, half = 0;
    for (int axis = 0; sample->count > 0 && axis < 2; axis++) {
        qsort(sample->at[axis], sample->count, sizeof(double), compare_doubles);
        const double low = sample->at[axis][sample->count / 40];
        const double high = sample->at[axis][sample->count - 1 - sample->count / 40];
        middle[axis] = low + 0.5 * (high - low);
        half = fmax(half, 0.75 * (high - low));
    }
    if (!(half > 0) || !isfinite(half))
        half = 1;
    for (size_t axis = 0; axis < 2; axis++) {
        bounds[2 * axis] = middle[axis] - half;
        bounds[2 * axis + 1] = middle[axis] + half;
    }
}

/* Chooses the periodic box and a margin, if the box is rectangular and holds 99 % of the particles. Returns whether it
 * does. */
static bool choose_box(const struct engine_file_frame *frame, const struct sample *sample, double bounds[4])
{
    uint64_t inside = 0;
    double low[2], edge[2];
    for (int i = 0; i < 2; i++) {
        low[i] = frame->corner[sample->axis[i]];
        edge[i] = frame->box[sample->axis[i]];
    }
    if (!(edge[0] > 0) || !(edge[1] > 0) || frame->box[3] != 0 || frame->box[4] != 0 || frame->box[5] != 0)
        return false;
    for (uint64_t i = 0; i < sample->count; i++) {
        const double x = sample->at[0][i] - low[0], y = sample->at[1][i] - low[1];
        inside += x >= 0 && x <= edge[0] && y >= 0 && y <= edge[1];
    }
    const double margin = BOX_MARGIN * fmax(edge[0], edge[1]);
    for (size_t i = 0; i < 2; i++) {
        bounds[2 * i] = low[i] - margin;
        bounds[2 * i + 1] = low[i] + edge[i] + margin;
    }
    return sample->count > 0 && (double) inside >= 0.99 * (double) sample->count;
}

static int find_bounds(const struct scene *scene, uint32_t first, uint32_t second, double bounds[4])
{
    const struct engine_file *file = scene->file;
    struct sample sample = {.axis = {first, second}, .stride = (count_of(scene) - 1) / SAMPLE_MAX + 1};
    for (int axis = 0; axis < 2; axis++)
        sample.at[axis] = file->allocate(file, SAMPLE_MAX * sizeof(double));
    const bool memory = sample.at[0] != NULL && sample.at[1] != NULL;
    const int code = memory ? for_positions(scene, &sample, take_sample) : ENGINE_NO_MEMORY;
    if (code == 0 && !choose_box(scene->frame, &sample, bounds))
        choose_square(&sample, bounds);
    file->release(file, sample.at[0]);
    file->release(file, sample.at[1]);
    return code;
}

/* Chooses the bounds and, for depth, the range along the axis of view, where the options do not have them. */
static int complete_view(const struct scene *scene, double bounds[4], double depth[2])
{
    const struct io_options *options = scene->options;
    const uint32_t view = axis_of_view(options);
    double range[4];
    uint32_t across, up;
    int code = 0;
    choose_axes(options, &across, &up);
    if (!(bounds[0] < bounds[1]))
        code = find_bounds(scene, across, up, bounds);
    if (code != 0 || !options->deep || depth[0] < depth[1])
        return code;
    code = find_bounds(scene, view, view, range);
    memcpy(depth, range, 2 * sizeof *depth);
    return code;
}

int particles_fix_bounds(const struct engine_file *file, const struct engine_file_frame *frame, void *context)
{
    struct io_options *options = context;
    const struct scene scene = {.file = file, .content = frame->content, .frame = frame, .options = options};
    return complete_view(&scene, options->bounds, options->depth);
}

/* ---- Masses ------------------------------------------------------------------------------------------------- */

/* Returns the number of the array of masses, or 0. */
static uint32_t find_masses(const struct scene *scene)
{
    const struct engine_file_array_array *arrays = &scene->content->arrays;
    for (uint32_t i = 1; i < arrays->count; i++)
        if (strcmp(arrays->at[i].name, "mass") == 0 && arrays->at[i].shape.components == 1)
            return i;
    return 0;
}

/* Divides the masses by their mean. A mass that is negative or not finite counts as 0. */
static void take_mean(double *masses, uint64_t count)
{
    double sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        masses[i] = masses[i] > 0 && isfinite(masses[i]) ? masses[i] : 0;
        sum += masses[i];
    }
    for (uint64_t i = 0; sum > 0 && i < count; i++)
        masses[i] *= (double) count / sum;
}

/* Reads the masses, if the picture depends on them and there are some. */
static int read_masses(struct scatter *scatter)
{
    const struct engine_file *file = scatter->scene->file;
    const uint32_t array = scatter->weigh || scatter->scale ? find_masses(scatter->scene) : 0;
    const uint64_t count = count_of(scatter->scene);
    uint64_t held[PIECE];
    if (array == 0)
        return 0;
    scatter->masses = file->allocate(file, count * sizeof *scatter->masses);
    int code = scatter->masses != NULL ? 0 : ENGINE_NO_MEMORY;
    for (uint64_t begin = 0; code == 0 && begin < count; begin += PIECE) {
        const uint64_t n = count - begin < PIECE ? count - begin : PIECE;
        code = file->get(file, array, begin, n, held);
        if (code == 0)
            convert_elements(scatter->scene->content->arrays.at[array].shape.type, held, n, ENGINE_F64,
                             scatter->masses + begin);
    }
    if (code == 0)
        take_mean(scatter->masses, count);
    return code;
}

/* ---- Pictures ----------------------------------------------------------------------------------------------- */

/* Chooses the size of the discs. */
static void plan_discs(struct scatter *scatter, double count)
{
    const double width = (double) scatter->discs.width, height = (double) scatter->discs.height;
    const double distance = sqrt(width * height / count), shorter = fmin(width, height);
    const double diameter = fmax(DISC_LEAST, fmin(shorter / DISC_SHARE, DISC * distance));
    scatter->radius = diameter / 2;
    scatter->least = DISC_LEAST / 2;
    scatter->most = fmax(scatter->radius, shorter / HEAVY_SHARE / 2);
    scatter->brightness.one = diameter >= DISC_WIDE ? ONE_DISC : ONE_OF_MANY;
    if (scatter->discs.hide) {
        scatter->radius = fmax(DISC_LEAST, fmin(2 * scatter->most, DEEP * cbrt(width * height * shorter / count))) / 2;
        scatter->brightness.one = 1;
    }
}

/* The viewer sees z and x from their positive ends, and y from its negative end: x points to the right, and z up. */
static void plan_depth(struct scatter *scatter, const double depth[2])
{
    const struct io_options *options = scatter->scene->options;
    scatter->discs.hide = options->deep;
    scatter->along = axis_of_view(options);
    scatter->far = depth[scatter->along == 1 ? 1 : 0];
    scatter->near = depth[scatter->along == 1 ? 0 : 1];
}

/* Chooses the size in pixels, which are square. */
static int plan_scatter(struct scatter *scatter)
{
    const struct engine_file *file = scatter->scene->file;
    const struct io_options *options = scatter->scene->options;
    double bounds[4], depth[2];
    memcpy(bounds, options->bounds, sizeof bounds);
    memcpy(depth, options->depth, sizeof depth);
    if (complete_view(scatter->scene, bounds, depth) != 0)
        return ENGINE_INVALID;
    const uint64_t pixels = options->pixels != 0 ? options->pixels : LONGER_SIDE;
    const double across = bounds[1] - bounds[0], up = bounds[3] - bounds[2];
    struct discs *discs = &scatter->discs;
    choose_axes(options, &scatter->across, &scatter->up);
    scatter->weigh = options->weigh;
    scatter->scale = options->size_by_mass;
    scatter->left = bounds[0];
    scatter->bottom = bounds[2];
    scatter->pixels_per_unit = (double) pixels / fmax(across, up);
    discs->width = (uint64_t) fmax(1, round(across * scatter->pixels_per_unit));
    discs->height = (uint64_t) fmax(1, round(up * scatter->pixels_per_unit));
    plan_depth(scatter, depth);
    plan_discs(scatter, (double) count_of(scatter->scene));
    const uint64_t bytes = discs->width * discs->height * sizeof *discs->levels;
    discs->levels = file->allocate(file, bytes);
    if (discs->levels == NULL)
        return ENGINE_NO_MEMORY;
    memset(discs->levels, 0, bytes);
    return read_masses(scatter);
}

/* The weight of a disc: with depth, FAR to 1 for the farthest to the nearest particles, or 0 for those outside a given
 * range. */
static double weight_of(const struct scatter *scatter, const double *position, double mass)
{
    if (!scatter->discs.hide)
        return scatter->weigh ? mass : 1;
    const double nearness = (position[scatter->along] - scatter->far) / (scatter->near - scatter->far);
    if (scatter->scene->options->slab && !(nearness >= 0 && nearness <= 1))
        return 0;
    return FAR + (1 - FAR) * fmin(1, fmax(0, nearness));
}

static void add_positions(void *context, uint64_t begin, const double *positions, uint64_t count)
{
    struct scatter *scatter = context;
    for (uint64_t i = 0; i < count; i++) {
        const double x = (positions[3 * i + scatter->across] - scatter->left) * scatter->pixels_per_unit;
        const double y = (positions[3 * i + scatter->up] - scatter->bottom) * scatter->pixels_per_unit;
        const double mass = scatter->masses ? scatter->masses[begin + i] : 1;
        double radius = scatter->radius;
        if (scatter->scale) /* balls of one density */
            radius = fmin(scatter->most, fmax(scatter->least, radius * cbrt(mass)));
        discs_add(&scatter->discs, x, y, radius, weight_of(scatter, positions + 3 * i, mass));
    }
}

static double choose_white(const struct discs *discs)
{
    return fmax(WHITE_LEAST, fmax(discs_level(discs, BRIGHTEST), SPAN * discs_level(discs, 0.5)));
}

static int add_all(struct scatter *scatter)
{
    int code = plan_scatter(scatter);
    if (code == 0)
        code = for_positions(scatter->scene, scatter, add_positions);
    const double white = scatter->scene->options->white;
    if (code == 0)
        scatter->brightness.white = white > 0 ? white : choose_white(&scatter->discs);
    return code;
}

static void release(const struct scatter *scatter)
{
    const struct engine_file *file = scatter->scene->file;
    file->release(file, scatter->discs.levels);
    file->release(file, scatter->masses);
}

/* Gives the rows from the top: the first row has the highest coordinates. */
static int scatter_row(void *context, uint64_t row, uint8_t *samples)
{
    const struct scatter *scatter = context;
    const float *levels = scatter->discs.levels + (scatter->discs.height - 1 - row) * scatter->discs.width;
    for (uint64_t x = 0; x < scatter->discs.width; x++)
        samples[x] = brightness_shade(&scatter->brightness, (double) levels[x]);
    return 0;
}

static void make_palette(const struct scatter *scatter, enum io_colours colours, uint8_t palette[256][3])
{
    const bool discs = 2 * scatter->radius >= DISC_WIDE && !scatter->discs.hide;
    brightness_colours(&scatter->brightness, colours, discs, palette);
}

int particles_fix_white(const struct engine_file *file, const struct engine_file_frame *frame, void *context)
{
    struct io_options *options = context;
    const struct scene scene = {.file = file, .content = frame->content, .frame = frame, .options = options};
    struct scatter scatter = {.scene = &scene};
    if (options->white > 0 || options->deep)
        return 0;
    const int code = add_all(&scatter);
    if (code == 0)
        options->white = scatter.brightness.white;
    release(&scatter);
    return code;
}

int particles_shades(const struct engine_file *file, const struct engine_file_frame *frame, void *context)
{
    struct particles_shades *made = context;
    const struct scene scene = {.file = file, .content = frame->content, .frame = frame, .options = file_options(file)};
    struct scatter scatter = {.scene = &scene};
    int code = add_all(&scatter);
    const uint64_t width = made->size[0] = scatter.discs.width, height = made->size[1] = scatter.discs.height;
    made->shades = code == 0 ? malloc(width * height) : NULL;
    if (code == 0 && made->shades == NULL)
        code = file->fail(file, ENGINE_NO_MEMORY, ENGINE_AT_FILE, 0, "no memory for a picture");
    for (uint64_t row = 0; code == 0 && row < height; row++)
        code = scatter_row(&scatter, row, made->shades + row * width);
    make_palette(&scatter, scene.options->colours, made->palette);
    release(&scatter);
    return code;
}

int particles_draw(const struct scene *scene)
{
    struct scatter scatter = {.scene = scene};
    const enum io_colours colours = scene->options->colours;
    const char *length = document_length(file_document(scene->file));
    uint8_t palette[256][3];
    int code = add_all(&scatter);
    if (code == 0) {
        make_palette(&scatter, colours, palette);
        const struct picture picture = {.width = scatter.discs.width,
                                        .height = scatter.discs.height,
                                        .scale = 1,
                                        .colours = colours == IO_GREY ? IO_GREY : IO_AUTO,
                                        .own = colours == IO_GREY ? NULL : (const uint8_t(*)[3]) palette,
                                        .samples_per_unit = scatter.pixels_per_unit,
                                        .unit = length ? length : "units of length",
                                        .scene = scene,
                                        .row = scatter_row,
                                        .context = &scatter};
        code = picture_write(&picture);
    }
    release(&scatter);
    return code;
}
