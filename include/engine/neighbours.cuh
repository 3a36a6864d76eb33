/* engine/neighbours.cuh - makes a CUDA implementation of a rule that is written with engine/neighbours.h.
 *
 * Include it in one .cu file, behind the rule. It defines engine_neighbours_cuda_probe, _create, _advance and _measure.
 *
 * Particles are sorted by cells. The list of a particle holds all within reach and skin, in the order of cells. Four
 * lanes (NEIGHBOURS_LANES) share the list of a particle, because the particles that four successive entries name are
 * mostly in one or two lines of the cache:
 *
 *     lanes     0   1   2   3 |  4   5   6   7 |  8 …          a warp reads 32 entries that follow each other in memory
 *     first    12  13  17  18 | 12  13  14  18 |
 *     then     31  33  40  41 | 30  31  33  40 |
 *
 * So the lanes of a block take the particles of the block in four turns, and leave the sums in shared memory. Then each
 * thread moves one particle.
 *
 * One launch sums, moves, begins the next step, and writes the new places into a second array, because
 * other threads still read the old ones. If a particle has moved by half the skin, it tells the launches that follow:
 * these do nothing. The host reads this after a series of launches, makes new lists, and goes on. Sums are integers, so
 * neither the order of particles nor the age of lists changes a bit.
 *
 * The parts of a divided run sort all particles, in the same order. Each part makes the lists of a range of the sorted
 * particles, and moves them. After each step, the parts send each other the places of particles near other
 * ranges, and whether lists are too old. Before new lists, they send all places, and the states of particles that come
 * to the range of another part (engine/neighbours_borders.cuh). In the last step of a call, and in all steps if the
 * plugin adds to the sums, they send all sums, and each part moves all particles. */
#ifndef ENGINE_NEIGHBOURS_CUH
#define ENGINE_NEIGHBOURS_CUH

#include <engine/neighbours_borders.cuh>

namespace engine_neighbours
{

/* ---- A step ------------------------------------------------------------------------------------------------------ */

/* What a launch does, in this order. */
enum { SUM = 1, MOVE = 2, STORE = 4, FIRST = 8, KEEP = 16 };

struct launch_of {
    uint64_t step;  /* of the move, or of the begin if there is no move */
    uint32_t index; /* in the series */
    uint32_t taken; /* steps of the call before this one */
};

/* The particle has a new position: sets its place, and finds out whether lists are too old. */
template <bool OPEN>
static __device__ __forceinline__ void place_particle(const world &world, uint32_t i, const engine_particle &particle,
                                                      const launch_of &launch, uint32_t step)
{
    uint32_t built[NEIGHBOURS_AXES];
    float way[NEIGHBOURS_AXES];
    kept_seen kept;
    kept.seen = engine_seen_of(&world.space, &particle);
    world.next_seen[i] = kept;
    for (uint32_t c = 0; c < NEIGHBOURS_AXES; c++)
        built[c] = world.built[c * (size_t) world.space.count + i];
    if (!(engine_apart(&world.space, kept.seen.place, built, way, OPEN) <= world.space.moved2))
        world.report->stale[launch.index + 1] = 1;
    if (!engine_particle_has_place(&particle)) {
        world.report->lost = 1;
        atomicMin(&world.report->first_lost, (unsigned long long) step << 32 | world.now.id[i]);
    }
}

template <int DOES, bool OPEN, class Rule>
__global__
__launch_bounds__(THREADS) void take_step(const __grid_constant__ Rule rule, const __grid_constant__ world world,
                                          const __grid_constant__ engine_neighbours_fields fields, launch_of launch)
{
    const uint32_t block = blockIdx.x + (DOES & SUM ? world.own : 0), i = block * THREADS + threadIdx.x;
    if (world.report->stale[launch.index]) {
        if (i == 0)
            world.report->stale[launch.index + 1] = 1;
        return;
    }
    engine_sums sums;
    int64_t *const numbers = (int64_t *) &sums;
    if (DOES & SUM)
        sums = sums_of_block<OPEN>(rule, world, block * THREADS);
    if (i >= world.space.count)
        return;
    const uint32_t id = world.now.id[i];
    if (!(DOES & SUM))
        for (uint32_t k = 0; k < ENGINE_NEIGHBOURS_SUMS; k++)
            numbers[k] = world.sums[(size_t) i * ENGINE_NEIGHBOURS_SUMS + k];
    if (DOES & KEEP)
        for (uint32_t k = 0; k < ENGINE_NEIGHBOURS_SUMS; k++)
            world.sums[(size_t) i * ENGINE_NEIGHBOURS_SUMS + k] = numbers[k];
    if (!(DOES & (MOVE | FIRST)))
        return;
    engine_particle particle = particle_at(world, i);
    if (DOES & MOVE)
        move(&rule, &particle, &sums, id, launch.step);
    if (DOES & STORE)
        engine_particle_put(&fields, id, &particle);
    if constexpr ((DOES & FIRST) != 0)
        begin(&rule, &particle, &sums, id, launch.step + (DOES & MOVE ? 1 : 0));
    keep_particle(world, i, particle);
    if (!BEGIN || DOES & FIRST)
        place_particle<OPEN>(world, i, particle, launch, launch.taken + (BEGIN && DOES & MOVE ? 1 : 0));
}

/* ---- The instance ------------------------------------------------------------------------------------------------ */

/* Launches what a plugin adds to world.sums of all particles beside what their neighbours give, such as bonds. The
 * kernel does nothing if world.report->stale[at.index] is set. It may report a lost particle, as place_particle does, for
 * the step at.taken. Bit 31 of the particle's number is then the plugin's own. */
typedef cudaError_t add_to_sums(void *plugin, const engine_call *call, const world &world, const launch_of &at);

struct instance {
    struct world world;
    particles spare;
    uint32_t *cell, *rank, *counts, *blocks;
    struct report *told; /* the report, in host memory */
    double *tallies, *tallies_here;
    bool loaded, open, stale;
    unsigned age, lasted;    /* launches since the lists were made, and those that the last ones lasted for */
    uint32_t part, parts;    /* of the run */
    uint32_t own_blocks;     /* blocks of THREADS particles from world.own on */
    bool scattered;          /* the states of particles outside the own share are old */
    uint32_t depth, deepest; /* of a message with places, and of one with all particles of a share */
    message *messages;       /* of all parts */
    int failed;              /* what the service `team` returned, if it was not 0 */
    uint64_t sorts;          /* how often the particles have been sorted */
    add_to_sums *add;        /* set by a plugin with NEIGHBOURS_OWN_CUDA and NEIGHBOURS_BEGIN, or NULL */
    void *plugin;            /* its argument */
};

/* A call with its rule. */
template <class Rule> struct job {
    instance *own;
    const engine_call *call;
    Rule rule;
    cudaStream_t stream;
    engine_neighbours_fields fields;
};

inline unsigned blocks_of(const instance *own, unsigned threads)
{
    return engine_cuda_blocks(own->world.space.count, threads);
}

inline range own_share(const instance *own)
{
    return share_of(own->part, own->parts, own->world.space.count);
}

/* What the service `team` returned. */
inline cudaError_t team_error(instance *own, int status)
{
    own->failed = status;
    return status ? cudaErrorUnknown : cudaSuccess;
}

/* Gets the elements that the other parts have computed. The array has an element of `size` bytes for each particle. */
inline cudaError_t gather(instance *own, const engine_call *call, void *array, uint64_t size)
{
    return team_error(own,
                      engine_host_team(call->host)->gather(call, array, own->world.space.count * size, THREADS * size));
}

/* Sends records of the particles at the ends of the own share to all other parts, and takes theirs. */
template <class Record>
cudaError_t share_ends(instance *own, const engine_call *call, const world &world, uint32_t depth, uint32_t launch)
{
    const cudaStream_t stream = engine_cuda_stream(call);
    const uint64_t size = message_size<Record>(depth), records = 2 * (uint64_t) depth + 1;
    message *const out = (message *) ((char *) own->messages + own->part * size);
    const dim3 one(engine_cuda_blocks(records, OTHERS)), all(one.x, own->parts);
    put_message<Record><<<one, OTHERS, 0, stream>>>(world, own_share(own), depth, launch, out);
    ENGINE_CUDA_TRY(cudaGetLastError());
    ENGINE_CUDA_TRY(
        team_error(own, engine_host_team(call->host)->gather(call, own->messages, own->parts * size, size)));
    take_messages<Record><<<all, OTHERS, 0, stream>>>(world, own->part, own->parts, depth, launch, own->messages);
    return cudaGetLastError();
}

inline cudaError_t look(instance *own, cudaStream_t stream)
{
    ENGINE_CUDA_TRY(cudaMemcpyAsync(own->told, own->world.report, sizeof *own->told, cudaMemcpyDeviceToHost, stream));
    return cudaStreamSynchronize(stream);
}

/* Nothing is stale, and nothing is lost. */
inline cudaError_t clear_report(instance *own, cudaStream_t stream)
{
    ENGINE_CUDA_TRY(cudaMemsetAsync(own->world.report, 0, offsetof(report, first_lost), stream));
    return cudaMemsetAsync(&own->world.report->first_lost, 0xff, sizeof own->told->first_lost, stream);
}

/* Divides open axes where the particles are. */
inline cudaError_t divide(instance *own, cudaStream_t stream)
{
    double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    report *const report = own->world.report;
    ENGINE_CUDA_TRY(cudaMemsetAsync(report->low, 0xff, sizeof report->low, stream));
    ENGINE_CUDA_TRY(cudaMemsetAsync(report->high, 0, sizeof report->high, stream));
    find_bounds<<<blocks_of(own, OTHERS), OTHERS, 0, stream>>>(own->world);
    ENGINE_CUDA_TRY(cudaGetLastError());
    ENGINE_CUDA_TRY(look(own, stream));
    for (int c = 0; c < NEIGHBOURS_AXES; c++)
        if (!(own->world.space.edge[c] > 0)) {
            low[c] = from_ordered(own->told->low[c]);
            high[c] = from_ordered(own->told->high[c]);
        }
    engine_space_divide(&own->world.space, low, high);
    return cudaSuccess;
}

inline void swap_seen(world &world)
{
    kept_seen *const seen = world.seen;
    world.seen = world.next_seen;
    world.next_seen = seen;
}

/* Makes the order of particles the same in all parts, and gets the states of those that come to the own share. */
inline cudaError_t share_order(instance *own, const engine_call *call)
{
    const cudaStream_t stream = engine_cuda_stream(call);
    const unsigned blocks = blocks_of(own, OTHERS);
    report *const report = own->world.report;
    uint32_t *const members = own->spare.id; /* nothing is there yet */
    ENGINE_CUDA_TRY(cudaMemsetAsync(&report->states, 0, sizeof report->states + sizeof report->places, stream));
    list_members<<<blocks, OTHERS, 0, stream>>>(own->world, own->cell, own->rank, members);
    ENGINE_CUDA_TRY(cudaGetLastError());
    order_members<<<blocks, OTHERS, 0, stream>>>(own->world, own->cell, own->rank, members, own->parts);
    ENGINE_CUDA_TRY(cudaGetLastError());
    ENGINE_CUDA_TRY(look(own, stream));
    const uint32_t states = own->told->states, places = own->told->places, most = own->deepest;
    own->depth = places < most ? places : most;
    if (!own->scattered || states == 0)
        return cudaSuccess;
    return share_ends<struct states>(own, call, own->world, states < most ? states : most, 0);
}

/* Sorts the particles by cells and makes their lists. */
inline cudaError_t make_new_lists(instance *own, const engine_call *call)
{
    const cudaStream_t stream = engine_cuda_stream(call);
    world &world = own->world;
    const unsigned others = blocks_of(own, OTHERS);
    if (own->scattered)
        ENGINE_CUDA_TRY(gather(own, call, world.seen, sizeof *world.seen));
    if (own->open)
        ENGINE_CUDA_TRY(divide(own, stream));
    const uint32_t cells =
        world.space.cells[0] * world.space.cells[1] * (NEIGHBOURS_AXES == 3 ? world.space.cells[2] : 1);
    const unsigned scans = engine_cuda_blocks(cells, SCAN_CELLS);
    ENGINE_CUDA_TRY(cudaMemsetAsync(own->counts, 0, cells * sizeof *own->counts, stream));
    count_particles<<<others, OTHERS, 0, stream>>>(world, own->cell, own->rank, own->counts);
    ENGINE_CUDA_TRY(cudaGetLastError());
    add_cells<<<scans, OTHERS, 0, stream>>>(own->counts, cells, own->blocks);
    ENGINE_CUDA_TRY(cudaGetLastError());
    find_first<<<scans, OTHERS, 0, stream>>>(own->counts, cells, own->blocks, world.first);
    ENGINE_CUDA_TRY(cudaGetLastError());
    if (own->parts > 1)
        ENGINE_CUDA_TRY(share_order(own, call));
    sort_particles<<<others, OTHERS, 0, stream>>>(world, own->spare, world.next_seen, own->cell, own->rank,
                                                  own->scattered ? own_share(own) : range{0, world.space.count});
    ENGINE_CUDA_TRY(cudaGetLastError());
    const particles sorted = own->spare;
    own->spare = world.now;
    world.now = sorted;
    swap_seen(world);
    own->sorts++;
    if (own->own_blocks > 0 && own->open)
        make_lists<SOMETIMES_OPEN><<<own->own_blocks, THREADS, 0, stream>>>(world);
    else if (own->own_blocks > 0)
        make_lists<false><<<own->own_blocks, THREADS, 0, stream>>>(world);
    own->stale = false;
    own->age = 0;
    return cudaGetLastError();
}

/* ---- Series of launches ------------------------------------------------------------------------------------------ */

template <int DOES, class Rule> cudaError_t launch(const job<Rule> &job, const world &world, launch_of launch)
{
    const unsigned blocks = DOES & SUM ? job.own->own_blocks : blocks_of(job.own, THREADS);
    if (blocks == 0)
        return cudaSuccess;
    if (job.own->open)
        take_step<DOES, SOMETIMES_OPEN><<<blocks, THREADS, 0, job.stream>>>(job.rule, world, job.fields, launch);
    else
        take_step<DOES, false><<<blocks, THREADS, 0, job.stream>>>(job.rule, world, job.fields, launch);
    return cudaGetLastError();
}

/* Sets world.sums of all particles. */
template <class Rule> cudaError_t keep_sums(const job<Rule> &job, const world &world, launch_of at)
{
    ENGINE_CUDA_TRY(launch<SUM | KEEP>(job, world, at));
    if (job.own->parts > 1)
        ENGINE_CUDA_TRY(gather(job.own, job.call, world.sums, ENGINE_NEIGHBOURS_SUMS * sizeof *world.sums));
    return job.own->add ? job.own->add(job.own->plugin, job.call, world, at) : cudaSuccess;
}

/* Makes a launch that sums and does something else too. The sums have a launch of their own in two cases: if the plugin
 * adds to the sums, and in the last step of a call of a divided run. After this step, every part has all particles. */
template <int DOES, class Rule> cudaError_t launch_sum(const job<Rule> &job, const world &world, launch_of at)
{
    instance *const own = job.own;
    if (!own->add && (own->parts == 1 || !(DOES & STORE))) {
        ENGINE_CUDA_TRY(launch<DOES | SUM>(job, world, at));
        own->scattered = own->parts > 1;
        return own->scattered ? share_ends<kept_seen>(own, job.call, world, own->depth, at.index) : cudaSuccess;
    }
    if (own->scattered)
        ENGINE_CUDA_TRY(share_ends<states>(own, job.call, world, own->deepest, at.index));
    ENGINE_CUDA_TRY(keep_sums(job, world, at));
    return launch<DOES & ~KEEP>(job, world, at);
}

/* Launch `number` of a call. With `begin` there are steps + 1 launches: the begin of the first step, all steps but the
 * last with the begins of those that follow, and the last. */
template <class Rule>
cudaError_t launch_number(const job<Rule> &job, const world &world, uint64_t number, uint32_t index)
{
    const uint64_t steps = job.call->steps, first = job.call->first_step;
    if constexpr (!BEGIN) {
        const launch_of at = {first + number, index, (uint32_t) number};
        return number + 1 < steps ? launch_sum<MOVE>(job, world, at) : launch_sum<MOVE | STORE>(job, world, at);
    } else {
        const uint64_t taken = number == 0 ? 0 : number - 1;
        const launch_of at = {first + taken, index, (uint32_t) taken};
        if (number == 0)
            return launch<FIRST>(job, world, at);
        return number < steps ? launch_sum<MOVE | FIRST>(job, world, at)
                              : launch_sum<MOVE | STORE | KEEP>(job, world, at);
    }
}

/* Does launch `number` set places? */
template <class Rule> bool sets_places(const job<Rule> &job, uint64_t number)
{
    return !BEGIN || number < job.call->steps;
}

/* Enqueues launches from `number` on, up to `count`; returns in *done how many of them did their work. */
template <class Rule> cudaError_t take_series(const job<Rule> &job, uint64_t number, unsigned count, unsigned *done)
{
    instance *const own = job.own;
    world ahead = own->world;
    ENGINE_CUDA_TRY(clear_report(own, job.stream));
    for (unsigned q = 0; q < count; q++) {
        ENGINE_CUDA_TRY(launch_number(job, ahead, number + q, q));
        if (sets_places(job, number + q))
            swap_seen(ahead);
    }
    ENGINE_CUDA_TRY(look(own, job.stream));
    for (*done = 1; *done < count && !own->told->stale[*done];)
        ++*done;
    own->stale = own->told->stale[*done] != 0;
    for (unsigned q = 0; q < *done; q++)
        if (sets_places(job, number + q))
            swap_seen(own->world);
    return cudaSuccess;
}

/* The length of the next series. New lists are expected to last as long as the last ones did; launches that find them
 * too old do nothing, but take a few microseconds each. */
inline unsigned series_of(const instance *own)
{
    const unsigned rest = own->lasted > own->age ? own->lasted - own->age : own->lasted / 4 + 1;
    return rest < SERIES ? rest : SERIES;
}

/* Records how long lists last. */
inline void grow_older(instance *own, unsigned done)
{
    own->age += done;
    if (own->stale || own->age > own->lasted)
        own->lasted = own->age;
}

/* Takes the steps of a call. *lost: a particle lost its place, see `told`. */
template <class Rule> cudaError_t take_steps(const job<Rule> &job, bool *lost)
{
    instance *const own = job.own;
    const uint64_t launches = job.call->steps + (BEGIN ? 1 : 0);
    *lost = false;
    for (uint64_t number = 0; number < launches && !*lost;) {
        /* The launch of a begin alone needs no lists. */
        if (own->stale && !(BEGIN && number == 0))
            ENGINE_CUDA_TRY(make_new_lists(own, job.call));
        unsigned count = series_of(own), done;
        count = launches - number < count ? (unsigned) (launches - number) : count;
        ENGINE_CUDA_TRY(take_series(job, number, count, &done));
        grow_older(own, done);
        number += done;
        *lost = own->told->lost != 0;
    }
    own->scattered = false;
    return cudaSuccess;
}

/* Reads the particles from the fields. */
template <class Rule> cudaError_t load(const job<Rule> &job, bool *lost)
{
    instance *const own = job.own;
    own->scattered = false;
    ENGINE_CUDA_TRY(clear_report(own, job.stream));
    for (kept_seen *const seen : {own->world.seen, own->world.next_seen}) /* see append_range */
        ENGINE_CUDA_TRY(cudaMemsetAsync(seen + own->world.space.count, 0, SEARCH * sizeof *seen, job.stream));
    load_particles<<<blocks_of(own, OTHERS), OTHERS, 0, job.stream>>>(own->world, job.fields);
    ENGINE_CUDA_TRY(cudaGetLastError());
    ENGINE_CUDA_TRY(look(own, job.stream));
    *lost = own->told->lost != 0;
    if (*lost)
        return cudaSuccess;
    ENGINE_CUDA_TRY(make_new_lists(own, job.call));
    if constexpr (BEGIN) { /* sums at the positions of the fields, for the first begin */
        ENGINE_CUDA_TRY(keep_sums(job, own->world, launch_of{0, 0, 0}));
        if (own->add) {
            ENGINE_CUDA_TRY(look(own, job.stream));
            *lost = own->told->lost != 0;
        }
    }
    own->loaded = true;
    return cudaSuccess;
}

template <class Rule> job<Rule> job_of(void *self, const engine_call *call, const Rule &rule)
{
    return {(instance *) self, call, rule, engine_cuda_stream(call), engine_neighbours_fields_of(call, call->current)};
}

/* Takes the steps of a call. Sets *lost to the number of a particle that lost its place in step *step, or to
 * UINT64_MAX. Then the state is lost if the step is not UINT64_MAX, which stands for the start. */
template <class Rule>
int advance(void *self, const engine_call *call, const Rule &rule, const double *box, uint64_t *lost, uint64_t *step)
{
    job<Rule> job = job_of(self, call, rule);
    instance *const own = job.own;
    bool some = false;
    *lost = *step = UINT64_MAX;
    if (!own->loaded || call->flags & ENGINE_CALL_FRESH) {
        own->loaded = false;
        const int status = engine_space_set(&own->world.space, call->host, box, rule.reach, NEIGHBOURS_SKIN(&rule),
                                            own->world.space.room);
        if (status != 0)
            return status;
        own->open = engine_space_open(&own->world.space);
        const cudaError_t error = load(job, &some);
        if (own->failed)
            return own->failed;
        ENGINE_CUDA_CHECK(call->host, error);
    }
    if (!some) {
        job.fields = engine_neighbours_fields_of(call, call->result);
        const cudaError_t error = take_steps(job, &some);
        if (own->failed)
            return own->failed;
        if (error != cudaSuccess)
            return ENGINE_CUDA_FAIL(call->host, -ENGINE_DEVICE, error, "take_steps");
        *step = call->first_step + (own->told->first_lost >> 32);
    }
    if (some) {
        *lost = own->told->first_lost & UINT32_MAX;
        own->loaded = false;
    }
    return 0;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

inline void *take_memory(const engine_host *host, uint64_t number, size_t size, bool *enough)
{
    void *const memory = *enough ? host->scratch(host, number * size, ENGINE_CUDA_MEMORY) : nullptr;
    *enough = *enough && memory;
    return memory;
}

inline particles take_particles(const engine_host *host, uint64_t count, bool *enough)
{
    particles particles;
#define ENGINE_NEIGHBOURS_ALLOCATE(type, name, components) \
    particles.name = (type *) take_memory(host, count * (components), sizeof(type), enough);
    NEIGHBOURS_PARTICLE(ENGINE_NEIGHBOURS_ALLOCATE)
    NEIGHBOURS_INPUTS(ENGINE_NEIGHBOURS_ALLOCATE)
    particles.id = (uint32_t *) take_memory(host, count, sizeof(uint32_t), enough);
    return particles;
}

inline int allocate(instance *own, const engine_host *host)
{
    world &world = own->world;
    const uint64_t count = world.space.count, cells = engine_space_cells_max(count);
    bool enough = true;
    world.now = take_particles(host, count, &enough);
    own->spare = take_particles(host, count, &enough);
    world.seen = (kept_seen *) take_memory(host, count + SEARCH, sizeof *world.seen, &enough);
    world.next_seen = (kept_seen *) take_memory(host, count + SEARCH, sizeof *world.seen, &enough);
    world.built = (uint32_t *) take_memory(host, count * NEIGHBOURS_AXES, sizeof *world.built, &enough);
    world.first = (uint32_t *) take_memory(host, cells + 1, sizeof *world.first, &enough);
    world.rows = (world.space.room + FULL - 1) / FULL * AHEAD;
    world.list =
        (uint32_t *) take_memory(host, engine_divide_up(count, GROUPS) * world.rows * 32, sizeof *world.list, &enough);
    world.length = (uint32_t *) take_memory(host, count, sizeof *world.length, &enough);
    world.sums = (int64_t *) take_memory(host, BEGIN || own->parts > 1 ? count * ENGINE_NEIGHBOURS_SUMS : 1,
                                         sizeof *world.sums, &enough);
    if (own->parts > 1) {
        const size_t places = message_size<kept_seen>(own->deepest), all = message_size<states>(own->deepest);
        own->messages = (message *) take_memory(host, own->parts, places > all ? places : all, &enough);
    }
    world.report = (report *) take_memory(host, 1, sizeof *world.report, &enough);
    own->cell = (uint32_t *) take_memory(host, count, sizeof *own->cell, &enough);
    own->rank = (uint32_t *) take_memory(host, count, sizeof *own->rank, &enough);
    own->counts = (uint32_t *) take_memory(host, cells, sizeof *own->counts, &enough);
    own->blocks = (uint32_t *) take_memory(host, cells / SCAN_CELLS + 1, sizeof *own->blocks, &enough);
    const uint64_t tallies = (count / ENGINE_TALLY_BLOCK + 1) * (NEIGHBOURS_METRICS + 1);
    own->tallies = (double *) take_memory(host, tallies, sizeof *own->tallies, &enough);
    own->tallies_here =
        (double *) (enough ? host->scratch(host, tallies * sizeof(double), ENGINE_HOST_MEMORY) : nullptr);
    own->told = (report *) (enough ? host->scratch(host, sizeof *own->told, ENGINE_HOST_MEMORY) : nullptr);
    return own->told && own->tallies_here ? 0 : ENGINE_NO_MEMORY;
}

/* Makes an instance; `room` as in engine_space_set. */
inline int create(const engine_call *call, void **self, const double *box, double reach, double skin, uint32_t room)
{
    const engine_host *host = call->host;
    instance *own = (instance *) host->scratch(host, sizeof *own, ENGINE_HOST_MEMORY);
    if (!own)
        return ENGINE_NO_MEMORY;
    memset((void *) own, 0, sizeof *own);
    own->world.space.count = (uint32_t) engine_neighbours_count(call->plan);
    own->lasted = 4;
    const engine_part part = engine_neighbours_part(call->plan);
    own->part = part.index;
    own->parts = part.count;
    const unsigned blocks = blocks_of(own, THREADS);
    own->world.own = (uint32_t) engine_share_begin(own->part, own->parts, blocks);
    own->own_blocks = (uint32_t) engine_share_begin(own->part + 1, own->parts, blocks) - own->world.own;
    own->deepest = (share_of(0, own->parts, own->world.space.count).end + 1) / 2; /* no share is larger */
    const int status = engine_space_set(&own->world.space, host, box, reach, skin, room);
    *self = own;
    return status ? status : allocate(own, host);
}

/* ---- Metrics ----------------------------------------------------------------------------------------------------- */

#if NEIGHBOURS_METRICS > 0
/* A warp adds up a block of particles, as the CPU does. */
template <class Rule>
__global__ void tally_particles(const __grid_constant__ Rule rule,
                                const __grid_constant__ engine_neighbours_fields fields, uint32_t count, double *sums)
{
    double own[NEIGHBOURS_METRICS] = {};
    for (uint32_t k = threadIdx.x; k < ENGINE_TALLY_BLOCK; k += 32) {
        const uint32_t i = blockIdx.x * ENGINE_TALLY_BLOCK + k;
        if (i < count) {
            const engine_particle particle = engine_particle_get(&fields, i);
            tally(&rule, &particle, own);
        }
    }
    for (int k = 0; k < NEIGHBOURS_METRICS; k++) {
        for (int apart = 16; apart > 0; apart /= 2)
            own[k] += __shfl_down_sync(~0u, own[k], apart);
        if (threadIdx.x == 0)
            sums[blockIdx.x * NEIGHBOURS_METRICS + k] = own[k];
    }
}
#endif

} // namespace engine_neighbours

int engine_neighbours_cuda_probe(const engine_host *host, const engine_plan *plan)
{
    return engine_neighbours_probe(host, plan);
}

#ifndef NEIGHBOURS_OWN_CUDA /* the plugin has its own functions around engine_neighbours::create and advance */

int engine_neighbours_cuda_create(const engine_call *call, void **self)
{
    const struct rule rule = rule_of(call);
    const int status = engine_neighbours_check_all(call);
    return status ? status
                  : engine_neighbours::create(call, self, call->plan->box, rule.reach, NEIGHBOURS_SKIN(&rule),
                                              NEIGHBOURS_ROOM);
}

int engine_neighbours_cuda_advance(void *self, engine_call *call)
{
    uint64_t lost, step;
    const int status = engine_neighbours::advance(self, call, rule_of(call), call->plan->box, &lost, &step);
    if (status != 0 || lost == UINT64_MAX)
        return status;
    return engine_neighbours_lost(call->host, step == UINT64_MAX ? nullptr : &step, lost);
}

int engine_neighbours_cuda_measure(void *self, const engine_call *call, double *values)
{
#if NEIGHBOURS_METRICS > 0
    using namespace engine_neighbours;
    instance *const own = (instance *) self;
    const cudaStream_t stream = engine_cuda_stream(call);
    const unsigned blocks = blocks_of(own, ENGINE_TALLY_BLOCK);
    const uint64_t numbers = (uint64_t) blocks * NEIGHBOURS_METRICS;
    tally_particles<<<blocks, 32, 0, stream>>>(rule_of(call), engine_neighbours_fields_of(call, call->current),
                                               own->world.space.count, own->tallies);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, tally_particles);
    ENGINE_CUDA_CHECK(call->host, cudaMemcpyAsync(own->tallies_here, own->tallies, numbers * sizeof(double),
                                                  cudaMemcpyDeviceToHost, stream));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
    for (int k = 0; k < NEIGHBOURS_METRICS; k++)
        values[k] = 0;
    for (uint64_t i = 0; i < numbers; i++)
        values[i % NEIGHBOURS_METRICS] += own->tallies_here[i];
#else
    (void) self, (void) call, (void) values;
#endif
    return 0;
}
#endif

#endif
