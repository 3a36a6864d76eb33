/* Pictures of particles: the number of particles behind each pixel, white on black. The scale is logarithmic. All
 * pictures of a run have the same scale and the same bounds, so that they make a film. White is 256 times the mean
 * number of particles behind a pixel, at least 8. Where particles are few for the pixels, each is a dot of several
 * pixels, because a film or a page in a browser hardly shows single pixels. */
#include "io/png_particles.h"
#include "base/convert.h"
#include "base/statistics.h"
#include "io/particles.h"
#include "io/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE = 4096,         /* particles read at a time */
    SAMPLE_MAX = 1 << 16, /* particles that decide the bounds */
    LONGER_SIDE = 1024,   /* default in pixels */
    ONE_PARTICLE = 80,    /* shade of a pixel with one particle, of 255 */
    ONE_DOT = 170,        /* the same, if particles are dots of several pixels */
    DOT_SHARE = 16,       /* all dots together take at most this part of the pixels, */
    DOT_SIDE = 128        /* and a dot takes at most this part of the shorter side */
};

struct scatter {
    struct io_document *document;
    uint32_t array;
    uint64_t width, height;
    uint32_t across, up; /* axes of the positions, 0 … 2 for x, y, z */
    double left, bottom, pixels_per_unit;
    double white; /* particles behind a pixel that make it white */
    int32_t dot;  /* diameter of a particle in pixels */
    uint32_t *counts;
};

/* Chooses the horizontal and the vertical axis for a line of sight along z, y or x. */
static void choose_axes(const struct io_options *options, uint32_t *across, uint32_t *up)
{
    *across = options->axis == 2 ? 1 : 0;
    *up = options->axis == 0 ? 1 : 2;
}

/* Calls `take` for all positions, a piece at a time, in double precision. */
static int for_positions(struct io_document *document, uint32_t array, void *context,
                         void (*take)(void *context, uint64_t begin, const double *positions, uint64_t count),
                         struct engine_error *error)
{
    double held[3 * PIECE], positions[3 * PIECE];
    const struct engine_shape *shape = &document->arrays[array].shape;
    const uint64_t total = shape->extent[shape->rank - 1];
    for (uint64_t begin = 0; begin < total; begin += PIECE) {
        const uint64_t count = total - begin < PIECE ? total - begin : PIECE;
        if (document->read(document, array, 3 * begin, 3 * count, held, error) != 0)
            return error->status;
        convert_elements(shape->type, held, 3 * count, ENGINE_F64, positions);
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

static int find_bounds(struct io_document *document, uint32_t array, const struct io_options *options, double bounds[4],
                       struct engine_error *error)
{
    const struct engine_shape *shape = &document->arrays[array].shape;
    const uint64_t total = shape->extent[shape->rank - 1];
    struct sample sample = {.stride = (total - 1) / SAMPLE_MAX + 1};
    choose_axes(options, &sample.axis[0], &sample.axis[1]);
    for (int axis = 0; axis < 2; axis++)
        sample.at[axis] = malloc(SAMPLE_MAX * sizeof(double));
    int status = sample.at[0] != NULL && sample.at[1] != NULL
                     ? for_positions(document, array, &sample, take_sample, error)
                     : error_memory(error, SAMPLE_MAX * sizeof(double), "the bounds of a picture");
    if (status == 0)
        choose_square(&sample, bounds);
    free(sample.at[0]);
    free(sample.at[1]);
    return status;
}

static bool bounds_given(const struct io_options *options)
{
    return options->bounds[0] < options->bounds[1];
}

int io_fix_bounds(struct io_document *document, struct io_options *options, struct engine_error *error)
{
    for (uint32_t i = 0; !bounds_given(options) && i < document->count; i++)
        if (particles_are_positions(&document->arrays[i]))
            return find_bounds(document, i, options, options->bounds, error);
    return 0;
}

/* ---- Pictures ----------------------------------------------------------------------------------------------- */

/* Chooses the size in pixels, which are square. */
static int plan_scatter(struct scatter *scatter, const struct io_options *options, struct engine_error *error)
{
    double bounds[4];
    memcpy(bounds, options->bounds, sizeof bounds);
    if (!bounds_given(options) && find_bounds(scatter->document, scatter->array, options, bounds, error) != 0)
        return error->status;
    const uint64_t pixels = options->pixels != 0 ? options->pixels : LONGER_SIDE;
    const double across = bounds[1] - bounds[0], up = bounds[3] - bounds[2];
    const struct engine_shape *shape = &scatter->document->arrays[scatter->array].shape;
    choose_axes(options, &scatter->across, &scatter->up);
    scatter->left = bounds[0];
    scatter->bottom = bounds[2];
    scatter->pixels_per_unit = (double) pixels / fmax(across, up);
    scatter->width = (uint64_t) fmax(1, round(across * scatter->pixels_per_unit));
    scatter->height = (uint64_t) fmax(1, round(up * scatter->pixels_per_unit));
    const double count = (double) shape->extent[shape->rank - 1];
    const double area = (double) (scatter->width * scatter->height);
    const double most = (double) (scatter->width < scatter->height ? scatter->width : scatter->height) / DOT_SIDE;
    scatter->dot = (int32_t) fmax(1, fmin(most, sqrt(area / (DOT_SHARE * count))));
    scatter->white = fmax(8, 256 * count / area);
    scatter->counts = calloc(scatter->width * scatter->height, sizeof *scatter->counts);
    return scatter->counts != NULL ? 0 : error_memory(error, scatter->width * scatter->height, "a picture");
}

/* Counts a particle at the pixel (x, y), or as a disc around it. */
static void count_dot(struct scatter *scatter, double x, double y)
{
    const int64_t width = (int64_t) scatter->width, height = (int64_t) scatter->height;
    const int64_t dot = scatter->dot;
    if (!(x > (double) -dot && x < (double) (width + dot) && y > (double) -dot && y < (double) (height + dot)))
        return;
    for (int64_t v = 0; v < dot; v++)
        for (int64_t u = 0; u < dot; u++) {
            const int64_t right = 2 * u - dot + 1, up = 2 * v - dot + 1; /* from the middle, in half pixels */
            const int64_t column = (int64_t) x + u - dot / 2, row = (int64_t) y + v - dot / 2;
            if (right * right + up * up < dot * dot && column >= 0 && column < width && row >= 0 && row < height)
                scatter->counts[row * width + column]++;
        }
}

static void count_positions(void *context, uint64_t begin, const double *positions, uint64_t count)
{
    struct scatter *scatter = context;
    (void) begin;
    for (uint64_t i = 0; i < count; i++) {
        const double x = floor((positions[3 * i + scatter->across] - scatter->left) * scatter->pixels_per_unit);
        const double y = floor((positions[3 * i + scatter->up] - scatter->bottom) * scatter->pixels_per_unit);
        count_dot(scatter, x, y);
    }
}

static uint8_t grey(const struct scatter *scatter, uint32_t count)
{
    if (count == 0)
        return 0;
    const double one = scatter->dot > 1 ? ONE_DOT : ONE_PARTICLE;
    const double level = one + (255 - one) * log(count) / log(scatter->white);
    return level < 255 ? (uint8_t) round(level) : 255;
}

/* Gives the rows from the top: the first row has the highest coordinates. */
static int scatter_row(void *context, uint64_t row, uint8_t *samples, struct engine_error *error)
{
    const struct scatter *scatter = context;
    const uint32_t *counts = scatter->counts + (scatter->height - 1 - row) * scatter->width;
    (void) error;
    for (uint64_t x = 0; x < scatter->width; x++)
        samples[x] = grey(scatter, counts[x]);
    return 0;
}

static int count_all(struct scatter *scatter, const struct io_options *options, struct engine_error *error)
{
    const int status = plan_scatter(scatter, options, error);
    return status != 0 ? status : for_positions(scatter->document, scatter->array, scatter, count_positions, error);
}

int particles_shades(struct io_document *document, uint32_t array, const struct io_options *options, uint64_t size[2],
                     uint8_t **shades, struct engine_error *error)
{
    struct scatter scatter = {.document = document, .array = array};
    int status = count_all(&scatter, options, error);
    *shades = status == 0 ? malloc(scatter.width * scatter.height) : NULL;
    if (status == 0 && *shades == NULL)
        status = error_memory(error, scatter.width * scatter.height, "a picture");
    for (uint64_t row = 0; status == 0 && row < scatter.height; row++)
        status = scatter_row(&scatter, row, *shades + row * scatter.width, error);
    size[0] = scatter.width;
    size[1] = scatter.height;
    free(scatter.counts);
    return status;
}

int particles_draw(int file, struct io_document *document, uint32_t array, const struct io_options *options,
                   struct engine_error *error)
{
    struct scatter scatter = {.document = document, .array = array};
    int status = count_all(&scatter, options, error);
    if (status == 0) {
        const struct picture picture = {.width = scatter.width,
                                        .height = scatter.height,
                                        .scale = 1,
                                        .title = document->arrays[array].name,
                                        .colours = options->colours,
                                        .header = &document->header,
                                        .row = scatter_row,
                                        .context = &scatter};
        status = picture_write(file, &picture, error);
    }
    free(scatter.counts);
    return status;
}
