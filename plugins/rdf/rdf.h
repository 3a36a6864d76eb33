/* What the implementations of rdf share: fields, parameters, and the definition of a bin, which CPU and CUDA compile
 * from here.
 *
 * The definition uses floats. Every operation is rounded to nearest once, in this order; fl() is one rounding.
 *
 *   position   open axes: as given. Periodic axes: wrapped into the box in double, then rounded (rdf_wrap). In geometry
 *              plane, z is then 0 (rdf_place)
 *   d          fl(x_i - x_j) on each axis, then its nearest image (rdf_square), in planes and slabs not along z:
 *                orthorhombic   |d| or fl(L - |d|), the smaller one
 *                triclinic      for z, y, x: k = the integer nearest to d / L, fma(d, 1 / L, 3 * 2^22) - 3 * 2^22;
 *                               then fma(-k, v, d) for each component v of this edge
 *   d^2        fma(dx, dx, fma(dy, dy, fl(dz dz)))
 *   bin        floor(fl(fl(sqrt(d^2)) / dr)), where dr is r_max / bins rounded to float; counted if less than bins
 *
 * Swapping i and j changes no bit of d^2. Rounded roots and quotients and floor are monotone, and so the bin is a
 * monotone function of d^2: each edge k has one threshold, the smallest float d^2 whose bin is at least k
 * (rdf_threshold).
 *
 * r_max is at most half of the smallest of Lx, Ly, Lz; without images along z, of Lx, Ly. A lattice vector with a part
 * along c is at least Lz long; any other with a part along b is at least Ly long. So no pair has two images within
 * r_max. The image within r_max, if there is one, has |dz| <= Lz / 2, then |dy| <= Ly / 2, then |dx| <= Lx / 2, and is
 * found in every skewed box. */
#ifndef RDF_RDF_H
#define RDF_RDF_H

#ifndef ENGINE_MINOR
#define ENGINE_MINOR 12 /* for engine_plugin.extension */
#endif
#include <engine/bench.h>
#include <engine/files.h>
#include <engine/layout.h>
#include <engine/parts.h>
#include <engine/pictures.h>
#include <engine/queue.h>

#include <math.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The fields, in the order of the plugin's table. */
enum {
    RDF_POSITION,
    RDF_SPECIES,
    RDF_R,
    RDF_G,
    RDF_N,
    RDF_COUNTS,
    RDF_FRAMES,
    RDF_IDEAL,
    RDF_G_ERROR,
    RDF_BLOCK_COUNTS,
    RDF_BLOCK_IDEAL,
    RDF_Q,
    RDF_S,
    RDF_CENTRES,
    RDF_SPATIAL,
    RDF_SPATIAL_COUNTS
};

/* The parameters, in the order of the plugin's table. */
enum {
    RDF_BINS,
    RDF_R_MAX,
    RDF_BETWEEN,
    RDF_EXCLUDE_BLOCK,
    RDF_EXCLUDE,
    RDF_GEOMETRY,
    RDF_Z_MIN,
    RDF_Z_MAX,
    RDF_FINITE_SIZE,
    RDF_VOLUME,
    RDF_DENSITY,
    RDF_BLOCKS,
    RDF_Q_BINS,
    RDF_Q_MAX,
    RDF_Q_WINDOW,
    RDF_SPATIAL_BINS,
    RDF_CELLS,
    RDF_INSTRUCTIONS,
    RDF_BLOCK_SIZE,
    RDF_INDEX,
    RDF_WITHIN
};

/* Choices of cells. */
enum { RDF_CELLS_AUTO, RDF_CELLS_YES, RDF_CELLS_NO };

/* Choices of geometry. */
enum { RDF_BULK, RDF_PLANE, RDF_SLAB };

/* Choices of q_window. */
enum { RDF_LORCH, RDF_NO_WINDOW };

enum {
    RDF_BINS_MAX = 8192,
    RDF_ROWS_MAX = 64,
    RDF_GROUPS_MAX = 2 * RDF_ROWS_MAX,
    RDF_BLOCKS_MAX = 64,
    RDF_Q_BINS_MAX = 1024,
    RDF_SPATIAL_BINS_MAX = 256,
    RDF_SYMBOLS_MAX = 256 /* species that can be chosen by name */
};

#ifdef __CUDACC__
#define RDF_INLINE static inline __host__ __device__
#else
#define RDF_INLINE static inline
#endif

/* ---- The definition ---------------------------------------------------------------------------------------------- */

enum { RDF_OPEN, RDF_ORTHORHOMBIC, RDF_TRICLINIC };

struct rdf_box {
    uint32_t form;        /* RDF_OPEN … */
    float edge[3];        /* Lx, Ly, Lz; an open axis: infinity, in a triclinic box 0 */
    float inverse[3];     /* triclinic: 1 / L, an open axis: 0 */
    float xy, xz, yz;     /* triclinic: b = (xy, Ly, 0), c = (xz, yz, Lz) */
    uint32_t periodic[3]; /* 1: wraps */
    uint32_t reserved;
};

struct rdf_bins {
    uint32_t count;
    float width; /* dr */
    float end;   /* the smallest d^2 that is not counted */
};

#define RDF_INTEGERS 12582912.0f /* 3 * 2^22: near it, floats are integers */

/* The largest coordinate: squares of differences do not overflow. */
#define RDF_FARTHEST 1e18f

RDF_INLINE int rdf_is_position(const float at[3])
{
    return fabsf(at[0]) <= RDF_FARTHEST && fabsf(at[1]) <= RDF_FARTHEST && fabsf(at[2]) <= RDF_FARTHEST;
}

/* Moves a coordinate by whole edges into [0, edge). Returns the number of edges. */
RDF_INLINE double rdf_wrap_axis(double *at, double edge)
{
    double moved = 0;
    while (!(*at >= 0 && *at < edge)) { /* again where the coordinate is 2^53 edges away */
        const double n = floor(*at / edge);
        *at = fma(-n, edge, *at);
        moved += n;
    }
    return moved;
}

/* Wraps a position into the box; rdf_is_position(at) holds. */
RDF_INLINE void rdf_wrap(const struct rdf_box *box, const float at[3], float out[3])
{
    double x = (double) at[0], y = (double) at[1], z = (double) at[2];
    if (box->periodic[2]) {
        const double n = rdf_wrap_axis(&z, (double) box->edge[2]);
        x = fma(-n, (double) box->xz, x);
        y = fma(-n, (double) box->yz, y);
    }
    if (box->periodic[1])
        x = fma(-rdf_wrap_axis(&y, (double) box->edge[1]), (double) box->xy, x);
    if (box->periodic[0])
        rdf_wrap_axis(&x, (double) box->edge[0]);
    out[0] = (float) x, out[1] = (float) y, out[2] = (float) z;
}

RDF_INLINE float rdf_nearest(float d, float inverse)
{
    return fmaf(d, inverse, RDF_INTEGERS) - RDF_INTEGERS;
}

RDF_INLINE float rdf_shorter(float d, float edge)
{
    const float own = fabsf(d), other = edge - own;
#ifdef __CUDA_ARCH__
    return fminf(own, other); /* one instruction */
#else
    return own < other ? own : other;
#endif
}

/* Axes along which a pair's nearest image is searched for. */
enum { RDF_X = 1, RDF_Y = 2, RDF_Z = 4, RDF_ALL_AXES = 7 };

/* d^2 of two wrapped positions with differences dx, dy, dz. `axes` may leave out axes along which the pair is known to
 * be its own nearest image; a search there changes no bit. */
RDF_INLINE float rdf_square_along(const struct rdf_box *box, uint32_t axes, float dx, float dy, float dz)
{
    if (box->form == RDF_ORTHORHOMBIC) {
        dx = axes & RDF_X ? rdf_shorter(dx, box->edge[0]) : dx;
        dy = axes & RDF_Y ? rdf_shorter(dy, box->edge[1]) : dy;
        dz = axes & RDF_Z ? rdf_shorter(dz, box->edge[2]) : dz;
    }
    if (box->form == RDF_TRICLINIC && axes & RDF_Z) {
        const float c = rdf_nearest(dz, box->inverse[2]);
        dx = fmaf(-c, box->xz, dx), dy = fmaf(-c, box->yz, dy), dz = fmaf(-c, box->edge[2], dz);
    }
    if (box->form == RDF_TRICLINIC && axes & RDF_Y) {
        const float b = rdf_nearest(dy, box->inverse[1]);
        dx = fmaf(-b, box->xy, dx), dy = fmaf(-b, box->edge[1], dy);
    }
    if (box->form == RDF_TRICLINIC && axes & RDF_X)
        dx = fmaf(-rdf_nearest(dx, box->inverse[0]), box->edge[0], dx);
    return fmaf(dx, dx, fmaf(dy, dy, dz * dz));
}

/* d^2 with the search along all axes. */
RDF_INLINE float rdf_square(const struct rdf_box *box, float dx, float dy, float dz)
{
    return rdf_square_along(box, RDF_ALL_AXES, dx, dy, dz);
}

/* The nearest image of a displacement, with the sign that rdf_square does not need. Its d^2 has the same bits. */
static inline void rdf_nearest_image(const struct rdf_box *box, float d[3])
{
    const float edges[3][3] = {{box->edge[0], 0, 0}, {box->xy, box->edge[1], 0}, {box->xz, box->yz, box->edge[2]}};
    for (int axis = 0; axis < 3 && box->form == RDF_ORTHORHOMBIC; axis++)
        if (!(fabsf(d[axis]) < box->edge[axis] - fabsf(d[axis])))
            d[axis] = -copysignf(box->edge[axis] - fabsf(d[axis]), d[axis]);
    for (int edge = 2; edge >= 0 && box->form == RDF_TRICLINIC; edge--) {
        const float k = rdf_nearest(d[edge], box->inverse[edge]);
        for (int axis = 0; axis <= edge; axis++)
            d[axis] = fmaf(-k, edges[edge][axis], d[axis]);
    }
}

/* The bin of d^2; bins->count where d^2 is out of range. */
RDF_INLINE uint32_t rdf_bin(const struct rdf_bins *bins, float square)
{
    const float at = sqrtf(square) / bins->width;
    return at < (float) bins->count ? (uint32_t) at : bins->count;
}

/* The smallest d^2 whose bin is at least `bin`, by bisection over the bits of a float. */
static inline float rdf_threshold(const struct rdf_bins *bins, uint32_t bin)
{
    uint32_t low = 0, high = 0x7f800000; /* the bits of 0 and infinity; bin(low) < bin <= bin(high) */
    float square = 0;
    while (bin > 0 && high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        memcpy(&square, &middle, sizeof square);
        *(rdf_bin(bins, square) >= bin ? &high : &low) = middle;
    }
    if (bin > 0)
        memcpy(&square, &high, sizeof square);
    return square;
}

/* The particles that count, and what their distances are. */
struct rdf_layer {
    uint32_t geometry; /* RDF_BULK … */
    uint32_t reserved;
    double height;    /* plane and slab: the edge of the box along z, 0 if it is open; rdf_box is open along z */
    double low, high; /* particles with low <= z < high count; all of them if low = high */
};

RDF_INLINE int rdf_is_cut(const struct rdf_layer *layer)
{
    return layer->low < layer->high;
}

/* Wraps a position, and flattens it in geometry plane; rdf_is_position(at) holds. Returns 1 if the particle counts. */
RDF_INLINE int rdf_place(const struct rdf_box *box, const struct rdf_layer *layer, const float at[3], float out[3])
{
    double z = (double) at[2];
    rdf_wrap(box, at, out);
    if (layer->geometry == RDF_BULK)
        return 1;
    if (layer->height > 0)
        rdf_wrap_axis(&z, layer->height);
    out[2] = layer->geometry == RDF_PLANE ? 0 : (float) z;
    return !rdf_is_cut(layer) || (z >= layer->low && z < layer->high);
}

/* ---- plan.c: the plan, read once --------------------------------------------------------------------------------- */

/* A row of the counts: the pairs of a particle of group a and one of group b, or of two particles of one group. A group
 * is the particles of one species, those of several species, or all particles. */
struct rdf_row {
    uint32_t a, b;
};

/* The species below RDF_SYMBOLS_MAX that belong to a group, a bit each. */
struct rdf_members {
    uint64_t bits[RDF_SYMBOLS_MAX / 64];
};

/* A word of `between`, in the text of the parameter. */
struct rdf_name {
    const char *at;
    size_t length;
};

struct rdf_plan {
    uint64_t particles;
    struct rdf_bins bins;
    struct rdf_box box;
    struct rdf_layer layer;
    double volume; /* in geometry plane the area; 0: unknown */
    uint32_t row_count, group_count;
    struct rdf_row rows[RDF_ROWS_MAX];
    int32_t species[RDF_GROUPS_MAX]; /* of each group; the first one where `members` has several */
    struct rdf_members members[RDF_GROUPS_MAX];
    uint32_t several;       /* 1: a group has several species */
    uint32_t digits;        /* 1: a name consists of digits, and stands for another species than its number */
    uint32_t numbers;       /* 1: a word is the number of a species */
    uint32_t everything;    /* 1: one group of all particles, whatever their species */
    uint32_t exclude_block; /* this many consecutive particles are a molecule; pairs in it are not counted */
    uint32_t finite_size;
    uint32_t cells;    /* RDF_CELLS_AUTO … */
    const char *index; /* path of an index file, the groups of which are `names`; "": groups are species */
    struct rdf_name names[RDF_GROUPS_MAX];
    const char *exclude;     /* path of a file of pairs that are not counted; "": none */
    uint32_t blocks, q_bins; /* 0: no errors, no structure factor */
    uint32_t q_window;       /* RDF_LORCH … */
    double q_max;
    uint32_t spatial_bins; /* along each axis; 0: no spatial distribution */
    float within;          /* only particles that are so near to one of within_group count; 0: all */
    uint32_t within_group;
};

/* Plan and run: every call may have another box. ENGINE_INVALID, with the reason, for values that contradict each
 * other. */
int rdf_plan_read(const struct engine_host *host, const struct engine_plan *plan, struct rdf_plan *out);

/* Plan. Reads the text of `between`: sets rows, groups, `several` and `everything`. Without a plan, it checks only that
 * the text is well formed. ENGINE_INVALID. */
int rdf_read_between(const struct engine_host *host, const struct engine_plan *plan, const char *text,
                     struct rdf_plan *out);

/* Plan. The group of a word, which is a name or a number; it is added if it is missing. ENGINE_INVALID. */
int rdf_find_group(const struct engine_host *host, const struct engine_plan *plan, const char *at, size_t length,
                   struct rdf_plan *out, uint32_t *group);

/* Writes the name of a row, as in "O-H"; "" if all particles count. */
void rdf_name_row(const struct engine_plan *plan, uint32_t row, char *name, uint64_t size);

/* Start. Refuses a species by number that no particle has, and absent particles where the density of all particles is
 * needed. `species` is in host memory; NULL: all are 0. Notes what the numbers mean. ENGINE_INVALID. */
int rdf_check_species(const struct engine_call *call, const struct rdf_plan *read, const int32_t *species);

/* ---- geometry.c -------------------------------------------------------------------------------------------------- */

/* Plan. Reads the layer, and sets box[2] to 0 if no images along z are searched. ENGINE_INVALID, with the reason. */
int rdf_read_layer(const struct engine_host *host, const struct engine_plan *plan, double box[6],
                   struct rdf_layer *layer);

/* The volume of a bin's shell; in geometry plane the area of its ring. In geometry slab, the part of the shell that lies
 * in the slab, averaged over the positions of its centre in the slab. */
double rdf_shell(const struct rdf_plan *plan, uint32_t bin);

/* ---- curves.c: r, g and n ---------------------------------------------------------------------------------------- */

/* The pairs of a row that could be counted, and the number of central particles: those of a. Where both groups are the
 * same it is half of them, since each pair then has two central particles. */
struct rdf_population {
    double pairs, centres;
};

/* For a row whose groups have `a` and `b` particles, less `excluded` pairs. */
RDF_INLINE struct rdf_population rdf_populate(uint64_t a, uint64_t b, uint32_t same, uint64_t excluded,
                                              uint32_t finite_size)
{
    struct rdf_population of;
    of.centres = same ? (double) a / 2 : (double) a;
    of.pairs = same ? (finite_size ? (double) (a > 0 ? a * (a - 1) / 2 - excluded : 0)
                                   : (double) a * (double) a / 2 - (double) excluded)
                    : (double) (a * b - excluded);
    return of;
}

/* What a frame adds to the field `ideal` of a row: pairs / volume, or centres where the volume is unknown. */
RDF_INLINE double rdf_ideal(struct rdf_population of, double volume)
{
    return volume > 0 ? of.pairs / volume : of.centres;
}

/* g from a count, the row's field `ideal` and the volume of the bin's shell. n from the sum of the counts up to the bin
 * and the row's field `centres`. Both are 0 where the divisor is 0. */
RDF_INLINE double rdf_g(uint64_t count, double ideal, double shell)
{
    const double even = ideal * shell;
    return even > 0 ? (double) count / even : 0;
}

RDF_INLINE double rdf_n(uint64_t sum, double centres)
{
    return centres > 0 ? (double) sum / centres : 0;
}

/* The bins of all rows. */
RDF_INLINE uint64_t rdf_bins_of(const struct rdf_plan *plan)
{
    return (uint64_t) plan->row_count * plan->bins.count;
}

/* Run. Warns if all counts are 0. */
void rdf_warn_empty(const struct rdf_plan *plan, const struct engine_call *call, const uint64_t *counts);

struct rdf_frame;

/* Run, in host memory. Adds to all outputs what all parts have counted in this call, rdf_bins_of(plan) numbers, which
 * then are their sums. `transform` is that of rdf_make_transform. Returns what the service `team` returns. */
int rdf_finish(const struct rdf_plan *plan, const struct engine_call *call, const struct rdf_frame *frame,
               const double *transform, uint64_t *counted);

/* ---- spatial.c: displacements ------------------------------------------------------------------------------------ */

/* The bins of the cube, spatial_bins^3. */
RDF_INLINE uint64_t rdf_spatial_count(const struct rdf_plan *plan)
{
    return (uint64_t) plan->spatial_bins * plan->spatial_bins * plan->spatial_bins;
}

/* Plan. ENGINE_INVALID if spatial_bins cannot be used with the other parameters. */
int rdf_check_spatial(const struct engine_host *host, const struct rdf_plan *plan);

/* Run, any thread. Adds `by` to the bin of the displacement d = r_b - r_a of a pair of the one row, before its nearest
 * image is taken, if the pair is in range. If both groups of the row are the same, also to the bin of -d. */
void rdf_spatial_add(const struct rdf_plan *plan, uint64_t *spatial, float dx, float dy, float dz, uint64_t by);

/* Run. Adds what all parts have counted in this call to the outputs, and clears `spatial`. Returns what the service
 * `team` returns. */
int rdf_spatial_finish(const struct rdf_plan *plan, const struct engine_call *call, uint64_t *spatial);

/* ---- blocks.c: errors -------------------------------------------------------------------------------------------- */

/* Run, before the call's frames are added to `frames`. Adds a call's counts, and what each row has added to `ideal` for
 * each of its frames, to the blocks; sets g_error. */
void rdf_add_to_blocks(const struct rdf_plan *plan, const struct engine_call *call, const uint64_t *counted,
                       const double *ideal);

/* ---- structure.c: S(q) ------------------------------------------------------------------------------------------- */

/* Start. Sets *transform to the matrix (q_bins, bins) that makes S(q) - 1 out of density * (g - 1); NULL if q_bins is 0.
 * ENGINE_NO_MEMORY. */
int rdf_make_transform(const struct engine_host *host, const struct rdf_plan *plan, const double **transform);

/* Run. Sets q, and s of a row from its g and the number density of all particles. */
void rdf_set_structure(const struct rdf_plan *plan, const struct engine_call *call, const double *transform,
                       uint32_t row, double density);

/* ---- exclusions.c: pairs that are not counted -------------------------------------------------------------------- */

/* Pairs of particles, the first with the smaller number, in ascending order, each once. */
struct rdf_pairs {
    uint32_t (*at)[2];
    uint64_t count;
};

/* Plan, start. Reads the file plan->exclude, without the pairs of one molecule. The caller frees pairs->at. */
int rdf_read_exclusions(const struct engine_host *host, const struct rdf_plan *plan, struct rdf_pairs *pairs);

/* ---- index.c: index files of GROMACS ----------------------------------------------------------------------------- */

#define RDF_NO_GROUP UINT32_MAX

/* Where a line stands, for messages: the parameter that names the file, its path, and the number of the line. */
struct rdf_index_line {
    const char *param, *path;
    uint64_t number, particles;
};

/* Takes the next number of a line at *at, which moves behind it: *particle is one less, or UINT64_MAX at the end of the
 * line. ENGINE_INVALID for anything else. */
int rdf_take_index(const struct engine_host *host, const struct rdf_index_line *line, char **at, uint64_t *particle);

/* Plan, start. Reads the file plan->index: the group of each particle, or RDF_NO_GROUP. */
int rdf_read_index(const struct engine_host *host, const struct rdf_plan *plan, uint32_t *groups);

/* Plan. Refuses a file plan->index that does not fit `between`. */
int rdf_check_index(const struct engine_host *host, const struct rdf_plan *plan);

/* ---- within.c: particles near to a group ------------------------------------------------------------------------- */

/* Plan. Reads the parameter `within`, after `between`; then, after the box, checks the distance. ENGINE_INVALID. */
int rdf_read_within(const struct engine_host *host, const struct engine_plan *plan, struct rdf_plan *out);
int rdf_check_within(const struct engine_host *host, const struct rdf_plan *plan);

struct rdf_frame;

/* Run. Takes the particles that are too far away out of their groups. */
void rdf_take_within(const struct rdf_plan *plan, const struct engine_call *call, struct rdf_frame *frame);

/* ---- frame.c: particles in host memory --------------------------------------------------------------------------- */

/* One frame, in the order of the input. The caller owns the arrays, which have `particles` elements. */
struct rdf_frame {
    float *wrapped[3];               /* wrapped positions: x, y, z */
    uint32_t *group;                 /* of each particle, or RDF_NO_GROUP */
    uint32_t *centres;               /* the particles of plan->within_group; NULL: there is none */
    uint64_t sizes[RDF_GROUPS_MAX];  /* particles of each group */
    uint64_t excluded[RDF_ROWS_MAX]; /* pairs of each row that are not counted */
    struct rdf_pairs listed;         /* pairs of the file `exclude` */
    uint32_t *indexed;               /* the group of each particle, or RDF_NO_GROUP, by the index file; NULL: none */
    uint64_t *spatial;               /* rdf_spatial_count(plan) counts of this call and part; NULL: none */
};

/* Start. Memory for a frame, and rdf_check_species. ENGINE_NO_MEMORY. */
int rdf_frame_make(const struct engine_call *call, const struct rdf_plan *plan, struct rdf_frame *frame);

/* Run. Reads the input fields of a call. ENGINE_INVALID for a position that is not finite or too large. */
int rdf_frame_read(const struct rdf_plan *plan, const struct engine_call *call, struct rdf_frame *frame);

/* Run. Takes a pair of particles out of the counts of all rows and of frame->spatial, which may wrap below 0. */
void rdf_take_out(const struct rdf_plan *plan, const struct rdf_frame *frame, uint64_t i, uint64_t j, uint64_t *counts);

/* The group of a species; a particle of a negative species is absent. `any`: there is one group, of any species.
 * `members`: plan->members, or NULL if each group has one species. */
RDF_INLINE uint32_t rdf_group_of_species(uint32_t any, uint32_t groups, const int32_t *first,
                                         const struct rdf_members *members, int32_t species)
{
    const uint32_t number = (uint32_t) species, known = members && number < RDF_SYMBOLS_MAX;
    for (uint32_t group = 0; group < groups && species >= 0; group++)
        if (any || first[group] == species || (known && (members[group].bits[number / 64] >> number % 64 & 1) != 0))
            return group;
    return RDF_NO_GROUP;
}

/* Nonzero if a pair of particles of these groups belongs to a row. */
RDF_INLINE int rdf_in_row(struct rdf_row row, uint32_t first, uint32_t second)
{
    return (first == row.a && second == row.b) || (first == row.b && second == row.a);
}

/* ---- generate.c -------------------------------------------------------------------------------------------------- */

int rdf_generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                 uint64_t begin, uint64_t count, void *out);

/* ---- cpu_serial.c, cpu.c ----------------------------------------------------------------------------------------- */

int rdf_serial_create(const struct engine_call *call, void **self);
int rdf_serial_advance(void *self, struct engine_call *call);
int rdf_pair_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);

int rdf_cpu_probe(const struct engine_host *host, const struct engine_plan *plan);
int rdf_cpu_create(const struct engine_call *call, void **self);
int rdf_cpu_advance(void *self, struct engine_call *call);
int rdf_cpu_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);

/* ---- cuda*.cu ---------------------------------------------------------------------------------------------------- */

/* The implementations differ in the instance that create makes. */
int rdf_cuda_naive_create(const struct engine_call *call, void **self);
int rdf_cuda_shared_create(const struct engine_call *call, void **self);
int rdf_cuda_create(const struct engine_call *call, void **self);
int rdf_cuda_advance(void *self, struct engine_call *call);
int rdf_cuda_settle(void *self, const struct engine_call *call);
void rdf_cuda_destroy(void *self);
int rdf_cuda_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);

#ifdef __cplusplus
}
#endif

#endif
