/* A correct plugin and, for each way to break the interface, a broken one. -DBREAK=NAME chooses it. Without this option,
 * the file of the plugin has a text with the number of the way, which a test may change.
 *
 * Rule: the new value of a cell is the parity of the cell and its four neighbours. "reference" wraps the grid itself
 * and computes directly from the rule. "cpu" uses ghost cells with a depth of three, and is the implementation that is
 * broken. */
#define _GNU_SOURCE
#include <engine/plugin.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum {
    NOTHING,
    LAST_COLUMN,    /* takes its right neighbour from the same column in the last one */
    CORNER,         /* is wrong in the last cell of the last row only */
    WRITES_SOURCE,  /* clears a row of the source */
    BEYOND_GHOSTS,  /* reads a cell that no ghost holds */
    SHARED,         /* keeps the row length in a global */
    THREADS,        /* depends on the number of threads */
    CLEAR_SCRATCH,  /* takes scratch to be cleared */
    CLEAR_RESULT,   /* takes the second buffer to be cleared */
    BEHIND_END,     /* writes behind its buffer */
    BEFORE_BEGIN,   /* writes before its buffer */
    FEWER_STEPS,    /* takes two steps where three are asked for */
    STALE,          /* keeps the state from call to call and does not look at ENGINE_CALL_FRESH */
    OWN_COUNT,      /* does otherwise after five steps of its own */
    NO_REASON,      /* refuses odd widths without a word */
    NO_MEMORY,      /* crashes where scratch is refused */
    MEASURE_WRONG,  /* counts one cell too many */
    MEASURE_WRITES, /* clears a cell of what it measures */
    CRASHES,        /* at one size */
    HANGS,          /* at one size */
    TUNED,          /* a tuning parameter changes the result */
    SAYS_NOTHING,   /* fails without a reason */
    FORGETS_RESULT, /* says that the result lies in its source */
    OWN_RANGES,     /* its pack takes every range to start at 0 */
    GENERATOR,      /* makes cells by their place in the range */
    COST,           /* that is no number */
    NOT_DETERMINED, /* a race, or a clock */
    EDGES,          /* does otherwise in the last cell unless y is a torus */
    TILES,          /* does otherwise in a grid of 12 columns, which a tile of 8 with its margins of 2 is */
    PART_PLACE,     /* does otherwise in the first row of each part */
    PART_MARGINS,   /* measures the cells of the margins too */
    PART_ALONE,     /* measures a part as if it were the only one */
    EXITS,          /* ends the program */
    REFUSES,        /* its check refuses every size */
    WORDY,          /* refuses odd widths with a reason in which words of the engine occur */
    BAD_LAYOUT,     /* has a layout that is not allowed, at odd widths */
    ONE_SIZE,       /* its check takes 24 x 24 cells alone */
    OTHER_VALUE,    /* computes 2 in the last cell of its last row */
    LATE_COUNT,     /* does otherwise in some steps after twenty of its own */
    STALE_METRIC,   /* measures what its last step has left, whatever stands in the buffer */
    LATE_SCRATCH,   /* takes scratch in every call */
    LATE_SOURCE,    /* clears a row of the source from step 100 on */
    ONE_STEP,       /* does otherwise in the call that begins at step 148 */
    STEP_32_BITS,   /* does otherwise where the number of the step has more */
    WIDE,           /* does otherwise beyond the cell 1024 of a row */
    ONE_WIDTH,      /* does otherwise at a width of 17 */
    MORE_THREADS,   /* does otherwise on more than eight threads */
    BEYOND_64,      /* reads a cell that no ghost holds, at widths that are multiples of 64 */
    FULL,           /* does otherwise if its first cells are 1 */
    CLOCK,          /* does otherwise in a second of two */
    RANDOM,         /* does otherwise in a call of a thousand */
    VARIABLE,       /* does otherwise where a variable of the environment has a value */
    MANY_BLOCKS,    /* is right, and takes 300 blocks of scratch */
    SLOW,           /* is right, and waits in every call */

    /* Changes what it shares with the process, in advance: */
    ROUNDING,       /* the rounding mode */
    TASK_ROUNDING,  /* the rounding mode, in a task */
    FLUSHES,        /* flushes denormal numbers to zero */
    TRAPS,          /* a division by zero raises a signal */
    LOCALE,         /* of the process */
    THREAD_LOCALE,  /* of the thread */
    BLOCKS_SIGNAL,  /* SIGUSR1 */
    HANDLES_SIGNAL, /* ignores SIGUSR1 */
    FILE_MODES,     /* the umask */
    FOLDER,         /* the working folder */
    ENVIRONMENT,    /* sets a variable */
    LIMIT,          /* one file less may be open */
    HANDLES_LATE,   /* ignores SIGUSR1 from the 32nd call on */
    PRINTS,         /* on standard output */
    PRINTS_ERRORS,  /* on standard error, without stdio */
    CLOSES_INPUT,   /* standard input */
    CLOSES_OUTPUT,  /* standard output */
    REDIRECTS,      /* standard error, to a file */
    FORKS,          /* leaves a process that never ends */
    COPIES_ITSELF,  /* leaves a process that returns from advance, too */
    STOPS,          /* stops its process */
    PROCESSORS,     /* runs on one alone */
    X87,            /* the precision of the x87 */
    OPENMP,         /* the number of threads */
    TIMER,          /* sets one */
    MAKES_FILE,     /* opens one that is created if there is none */

    CHANGES_STEPS,    /* of its call */
    CHANGES_PLAN,     /* its seed */
    DIRTY_CHECK,      /* the check of its parameter changes the umask */
    DIRTY_PACK,       /* pack changes the umask */
    DIRTY_LOAD,       /* a constructor changes the rounding mode */
    EXITS_LOAD,       /* a constructor ends the program */
    LEAKS_HEAP,       /* create allocates what destroy does not free */
    LEAKS_MAPPING,    /* the same with mmap */
    LEAKS_DESCRIPTOR, /* the same with a file */
    LEAKS_THREAD,     /* the same with a thread */
    LEAKS_FAILED,     /* create allocates what it does not free where scratch is refused */
    SPEAKS,           /* is right, and passes a message on in every call */
    ASSERTS           /* prints why, and aborts */
};

#ifdef BREAK
static const int broken = BREAK;
#else
static volatile const char way[] = "BREAK=000";
static int broken;

/* Comes before when_loaded. */
__attribute__((constructor(101))) static void choose_way(void)
{
    for (int i = 6; i < 9; i++)
        broken = 10 * broken + way[i] - '0';
}
#endif

struct parity {
    uint8_t *between[2]; /* steps of one call but the first and the last go through here: laid out as the buffers */
    uint64_t *number;
    uint8_t *kept; /* STALE: the result of the last call */
    bool has_kept;
    uint64_t steps;    /* OWN_COUNT: taken */
    double population; /* STALE_METRIC */
};

__attribute__((weak)) void omp_set_num_threads(int count); /* of the OpenMP that the engine has */

static int64_t shared_stride;
static unsigned calls_ever, advances;

/* ---- The reference ------------------------------------------------------------------------------------------ */

static int wrap_all(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                    struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y;
    return ENGINE_OK;
}

static int one_step(const struct engine_buffer *cells, uint32_t from, uint32_t to)
{
    const uint64_t w = cells->shape->extent[0], h = cells->shape->extent[1];
    const uint8_t *in = cells->origin[from];
    uint8_t *out = cells->origin[to];
    const uint64_t row = (uint64_t) cells->row_stride;
    for (uint64_t y = 0; y < h; y++) {
        const uint8_t *here = in + y * row, *above = in + (y ? y - 1 : h - 1) * row,
                      *below = in + (y + 1 < h ? y + 1 : 0) * row;
        for (uint64_t x = 0; x < w; x++)
            out[y * row + x] = here[x] ^ here[x ? x - 1 : w - 1] ^ here[x + 1 < w ? x + 1 : 0] ^ above[x] ^ below[x];
    }
    return ENGINE_OK;
}

static int reference_advance(void *self, struct engine_call *call)
{
    (void) self;
    uint32_t at = call->current;
    for (uint64_t step = 0; step < call->steps; step++, at = 1 - at)
        one_step(engine_field_buffer(call, 0), at, 1 - at);
    call->result = at;
    return ENGINE_OK;
}

static uint64_t population(const struct engine_buffer *cells, uint32_t which, uint64_t begin, uint64_t end)
{
    uint64_t count = 0;
    for (uint64_t y = begin; y < end; y++)
        for (uint64_t x = 0; x < cells->shape->extent[0]; x++)
            count += ((const uint8_t *) cells->origin[which])[y * (uint64_t) cells->row_stride + x];
    return count;
}

static int reference_measure(void *self, const struct engine_call *call, double *values)
{
    (void) self;
    values[0] = (double) population(engine_field_buffer(call, 0), call->current, 0, call->end[1]);
    return ENGINE_OK;
}

/* ---- The one that may be broken ----------------------------------------------------------------------------- */

/* Three cells of ghosts: at most three steps a call. */
static int ghosts(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                  struct engine_layout *layout)
{
    const bool odd = engine_field_shape(plan, field)->extent[0] % 2;
    if (broken == WORDY && odd)
        return ENGINE_FAIL(host, ENGINE_INVALID,
                           "the layout of field cells has no odd rows, which would be slow without a reasonable gain");
    layout->ghost[0] = layout->ghost[1] = 3;
    layout->row_align = broken == BAD_LAYOUT && odd ? 15 : 16;
    return ENGINE_OK;
}

/* The ways to change what a plugin shares with its process. */
static void disturb(int how)
{
    const int file = how == REDIRECTS || how == MAKES_FILE
                         ? open("/dev/null", O_WRONLY | (how == MAKES_FILE ? O_CREAT : 0), 0600)
                         : -1;
    const unsigned short precision = 0x27f;
    cpu_set_t processors;
    sigset_t signals;
    struct rlimit limit;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    switch (how) {
    case ROUNDING:
        fesetround(FE_UPWARD);
        break;
    case FLUSHES:
#if defined __x86_64__
        __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#elif defined __aarch64__
        __builtin_aarch64_set_fpcr(__builtin_aarch64_get_fpcr() | 1u << 24);
#endif
        break;
    case TRAPS:
        feenableexcept(FE_DIVBYZERO);
        break;
    case LOCALE:
        setlocale(LC_NUMERIC, "C.UTF-8");
        break;
    case THREAD_LOCALE:
        uselocale(newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t) 0));
        break;
    case BLOCKS_SIGNAL:
        pthread_sigmask(SIG_BLOCK, &signals, NULL);
        break;
    case HANDLES_SIGNAL:
        signal(SIGUSR1, SIG_IGN);
        break;
    case FILE_MODES:
        umask(0477);
        break;
    case FOLDER:
        if (chdir("/") != 0)
            abort();
        break;
    case ENVIRONMENT:
        setenv("PARITY", "odd", 1);
        break;
    case LIMIT:
        getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur--;
        setrlimit(RLIMIT_NOFILE, &limit);
        break;
    case PRINTS:
        printf("a step\nanother line\n");
        break;
    case PRINTS_ERRORS:
        if (write(STDERR_FILENO, "an error\n", 9) != 9)
            abort();
        break;
    case CLOSES_INPUT:
        close(STDIN_FILENO);
        break;
    case CLOSES_OUTPUT:
        close(STDOUT_FILENO);
        break;
    case REDIRECTS:
        dup2(file, STDERR_FILENO);
        close(file);
        break;
    case FORKS:
        if (fork() == 0)
            for (;;)
                pause();
        break;
    case COPIES_ITSELF:
        fork();
        break;
    case STOPS:
        raise(SIGSTOP);
        break;
    case PROCESSORS:
        CPU_ZERO(&processors);
        CPU_SET(sched_getcpu(), &processors);
        sched_setaffinity(0, sizeof processors, &processors);
        break;
    case X87:
#if defined __x86_64__
        __asm__ volatile("fldcw %0" : : "m"(precision));
#endif
        (void) precision;
        break;
    case OPENMP:
        if (omp_set_num_threads)
            omp_set_num_threads(1);
        break;
    case TIMER:
        setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = 1000}, NULL);
        break;
    case MAKES_FILE:
        close(file);
        break;
    case ASSERTS:
        fprintf(stderr, "parity.c: the cell is odd\n");
        abort();
    default:
        break;
    }
}

__attribute__((constructor)) static void when_loaded(void)
{
    if (broken == DIRTY_LOAD)
        disturb(ROUNDING);
    if (broken == EXITS_LOAD)
        exit(0);
}

static void *wait_forever(void *nothing)
{
    for (;;)
        pause();
    return nothing;
}

static void leak(void)
{
    pthread_t thread;
    if (broken == LEAKS_HEAP)
        *(char *volatile *) &(char *){NULL} = malloc(40);
    if (broken == LEAKS_MAPPING)
        mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (broken == LEAKS_DESCRIPTOR && open("/dev/null", O_RDONLY) < 0)
        abort();
    if (broken == LEAKS_THREAD)
        pthread_create(&thread, NULL, wait_forever, NULL);
}

static void own_pack(const struct engine_shape *shape, uint64_t begin, uint64_t count, const void *canonical,
                     void *buffer)
{
    (void) shape;
    if (broken == DIRTY_PACK)
        disturb(FILE_MODES);
    memcpy((uint8_t *) buffer + (broken == OWN_RANGES ? 0 : begin), canonical, count);
}

static void own_unpack(const struct engine_shape *shape, uint64_t begin, uint64_t count, const void *buffer,
                       void *canonical)
{
    (void) shape;
    memcpy(canonical, (const uint8_t *) buffer + begin, count);
}

static int own_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                      struct engine_layout *layout)
{
    (void) host;
    const struct engine_shape *shape = engine_field_shape(plan, field);
    layout->own_bytes = shape->extent[0] * shape->extent[1];
    layout->pack = own_pack;
    layout->unpack = own_unpack;
    return ENGINE_OK;
}

static int own_advance(void *self, struct engine_call *call)
{
    (void) self;
    struct engine_buffer dense = *engine_field_buffer(call, 0);
    dense.row_stride = (int64_t) dense.shape->extent[0];
    uint32_t at = call->current;
    for (uint64_t step = 0; step < call->steps; step++, at = 1 - at)
        one_step(&dense, at, 1 - at);
    call->result = at;
    return ENGINE_OK;
}

/* Of the parameter. */
static int check_block(const struct engine_host *host, const struct engine_value *value)
{
    (void) host, (void) value;
    if (broken == DIRTY_CHECK)
        disturb(FILE_MODES);
    return ENGINE_OK;
}

static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    const uint64_t *extent = engine_field_shape(plan, 0)->extent;
    if (broken == REFUSES)
        return ENGINE_FAIL(host, ENGINE_INVALID, "a torus of glass is needed");
    if (broken == ONE_SIZE && (extent[0] != 24 || extent[1] != 24))
        return ENGINE_FAIL(host, ENGINE_INVALID, "the grid must have 24 x 24 cells");
    return ENGINE_OK;
}

static int probe(const struct engine_host *host, const struct engine_plan *plan)
{
    (void) host;
    return broken == NO_REASON && engine_field_shape(plan, 0)->extent[0] % 2 ? ENGINE_UNSUPPORTED : ENGINE_OK;
}

static int create(const struct engine_call *call, void **self)
{
    const struct engine_host *host = call->host;
    const uint64_t bytes = engine_field_buffer(call, 0)->bytes;
    struct parity *parity = host->scratch(host, sizeof *parity, ENGINE_HOST_MEMORY);
    if (!parity && broken == LEAKS_FAILED)
        *(char *volatile *) &(char *){NULL} = malloc(40);
    for (int i = 0; broken == MANY_BLOCKS && i < 300; i++)
        if (!host->scratch(host, 64, ENGINE_HOST_MEMORY))
            return ENGINE_NO_MEMORY;
    if (!parity && broken != NO_MEMORY)
        return ENGINE_NO_MEMORY;
    memset(parity, 0, sizeof *parity);
    parity->between[0] = host->scratch(host, bytes, ENGINE_HOST_MEMORY);
    parity->between[1] = host->scratch(host, bytes, ENGINE_HOST_MEMORY);
    parity->number = host->scratch(host, sizeof *parity->number, ENGINE_HOST_MEMORY);
    parity->kept = host->scratch(host, bytes, ENGINE_HOST_MEMORY);
    if (!parity->between[0] || !parity->between[1] || !parity->number || !parity->kept)
        return ENGINE_NO_MEMORY;
    leak();
    shared_stride = engine_field_buffer(call, 0)->row_stride;
    *self = parity;
    return ENGINE_OK;
}

/* Rows of the grid with `reach` rows beyond it on each side. */
struct rows {
    const uint8_t *in;
    uint8_t *out;
    int64_t width, stride, reach, count;
};

/* A row, `reach` cells beyond the grid on each side. */
static void compute_row(const struct rows *rows, int64_t y)
{
    const int64_t w = rows->width, s = rows->stride;
    const uint8_t *in = rows->in + y * s;
    uint8_t *out = rows->out + y * s;
    for (int64_t x = -rows->reach; x < w + rows->reach; x++) {
        const uint8_t right = broken == LAST_COLUMN && x == w - 1 ? in[x] : in[x + 1];
        uint8_t cell = in[x] ^ in[x - 1] ^ right ^ in[x - s] ^ in[x + s];
        if ((broken == BEYOND_GHOSTS || (broken == BEYOND_64 && w % 64 == 0)) && x == 0 && rows->reach == 0)
            cell ^= in[-4] & 1;
        if (broken == OTHER_VALUE)
            cell &= 1;
        out[x] = broken == CLEAR_RESULT ? out[x] | cell : cell;
    }
}

/* conform looks at the thread before and after each task, so tasks of one row would take most of the time. */
enum { BAND = 8 };

static void band_task(void *argument, uint64_t index)
{
    const struct rows *rows = argument;
    if (broken == TASK_ROUNDING)
        disturb(ROUNDING);
    for (int64_t row = (int64_t) index * BAND; row < rows->count && row < (int64_t) (index + 1) * BAND; row++)
        compute_row(rows, row - rows->reach);
}

/* Steps of one call: each needs one cell of ghosts less than the one before. */
static void take_steps(struct parity *parity, const struct engine_call *call, uint64_t steps)
{
    const struct engine_buffer *cells = engine_field_buffer(call, 0);
    const int64_t row = cells->row_stride, origin = 3 * row + 16; /* three rows, and three cells aligned to 16 */
    for (uint64_t step = 0; step < steps; step++) {
        const bool first = step == 0, last = step + 1 == steps;
        struct rows rows = {
            .in = first ? cells->origin[call->current] : parity->between[step % 2] + origin,
            .out = last ? cells->origin[1 - call->current] : parity->between[1 - step % 2] + origin,
            .width = (int64_t) cells->shape->extent[0],
            .stride = broken == SHARED ? shared_stride : row,
            .reach = (int64_t) (steps - 1 - step),
        };
        rows.count = (int64_t) cells->shape->extent[1] + 2 * rows.reach;
        call->host->parallel(call->host, ((uint64_t) rows.count + BAND - 1) / BAND, band_task, &rows);
    }
}

/* The state of the machine or the run, beside the cells, at which the result is wrong. */
static bool is_wrong_now(const struct parity *parity, const struct engine_call *call)
{
    const struct engine_buffer *cells = engine_field_buffer(call, 0);
    const uint8_t *in = cells->origin[call->current];
    const uint64_t w = cells->shape->extent[0], h = cells->shape->extent[1];
    switch (broken) {
    case LATE_COUNT:
        return parity->steps > 20 && parity->steps % 8 == 5;
    case ONE_STEP:
        return call->first_step == 148;
    case STEP_32_BITS:
        return call->first_step > UINT32_MAX;
    case WIDE:
        return w > 1024;
    case ONE_WIDTH:
        return w == 17;
    case MORE_THREADS:
        return call->plan->threads > 8;
    case FULL:
        return w > 5 && h > 1 && memcmp(in, "\1\1\1\1\1\1", 6) == 0 && in[-1] && in[cells->row_stride];
    case CLOCK:
        return time(NULL) % 2 == 0;
    case RANDOM:
        return rand() % 1000 == 0;
    case VARIABLE:
        return getenv("PARITY_IS_ODD") != NULL;
    default:
        return false;
    }
}

/* What goes wrong with the result. */
static void spoil(const struct parity *parity, const struct engine_call *call)
{
    const struct engine_buffer *cells = engine_field_buffer(call, 0);
    const uint64_t w = cells->shape->extent[0], h = cells->shape->extent[1];
    uint8_t *out = cells->origin[call->result], *in = cells->origin[call->current];
    uint8_t *begin = out - 3 * cells->row_stride - 16;
    if (broken == WRITES_SOURCE || (broken == LATE_SOURCE && call->first_step >= 100))
        memset(in, 0, w);
    if (broken == BEHIND_END)
        begin[cells->bytes] = 0;
    if (broken == BEFORE_BEGIN)
        begin[-1] = 0;
    const bool wrong = broken == CORNER || (broken == EDGES && engine_plan_edge(call->plan, 1) != ENGINE_EDGE_TORUS) ||
                       (broken == THREADS && call->plan->threads > 2) ||
                       (broken == CLEAR_SCRATCH && *parity->number & 1) ||
                       (broken == TUNED && engine_param_value(call->plan, 0)->integer > 2) ||
                       (broken == OWN_COUNT && parity->steps > 5) || is_wrong_now(parity, call) ||
                       (broken == NOT_DETERMINED && ++calls_ever == 2);
    if (broken == TILES && w == 12)
        out[3 * cells->row_stride + 3] ^= 1;
    if (broken == PART_PLACE && call->begin[1] > 0)
        out[(int64_t) call->begin[1] * cells->row_stride] ^= 1;
    if (broken == OTHER_VALUE)
        out[(int64_t) (call->end[1] - 1) * cells->row_stride + (int64_t) (w - 1)] = 2;
    if (wrong)
        out[(int64_t) (h - 1) * cells->row_stride + (int64_t) (w - 1)] ^= 1;
}

static int misbehave(const struct engine_call *call)
{
    const bool now = engine_field_buffer(call, 0)->shape->extent[0] == 65;
    if (broken == CRASHES && now)
        abort();
    while (broken == HANGS && now)
        ;
    if (broken == EXITS && now)
        exit(0);
    return broken == SAYS_NOTHING && now ? ENGINE_INTERNAL : ENGINE_OK;
}

/* Goes on from what it computed last, whatever stands in the buffer. */
static void keep(struct parity *parity, const struct engine_call *call, bool save)
{
    const struct engine_buffer *cells = engine_field_buffer(call, 0);
    for (uint64_t y = 0; y < cells->shape->extent[1]; y++) {
        const uint64_t w = cells->shape->extent[0];
        uint8_t *row = (uint8_t *) cells->origin[save ? call->result : call->current] + (int64_t) y * cells->row_stride;
        if (save)
            memcpy(parity->kept + y * w, row, w);
        else if (parity->has_kept && call->first_step > 0)
            memcpy(row, parity->kept + y * w, w);
    }
    parity->has_kept = true;
}

static int advance(void *self, struct engine_call *call)
{
    struct parity *parity = self;
    const int code = misbehave(call);
    if (code)
        return code;
    disturb(broken);
    if (broken == HANDLES_LATE && ++advances == 32)
        disturb(HANDLES_SIGNAL);
    if (broken == CHANGES_PLAN)
        ((struct engine_plan *) (uintptr_t) call->plan)->seed++;
    if (broken == SPEAKS)
        call->host->message(call->host, ENGINE_LOG_WARNING, "parity takes a step");
    if (broken == LATE_SCRATCH)
        call->host->scratch(call->host, 64, ENGINE_HOST_MEMORY);
    if (broken == SLOW)
        usleep(20000);
    if (broken == STALE)
        keep(parity, call, false);
    take_steps(parity, call, broken == FEWER_STEPS && call->steps == 3 ? 2 : call->steps);
    call->result = 1 - call->current;
    parity->steps += call->steps;
    spoil(parity, call);
    if (broken == FORGETS_RESULT)
        call->result = call->current;
    if (broken == STALE)
        keep(parity, call, true);
    if (broken == STALE_METRIC)
        parity->population =
            (double) population(engine_field_buffer(call, 0), call->result, call->begin[1], call->end[1]);
    if (broken == CHANGES_STEPS)
        call->steps = 0;
    return ENGINE_OK;
}

static int measure(void *self, const struct engine_call *call, double *values)
{
    const struct engine_buffer *cells = engine_field_buffer(call, 0);
    const struct parity *parity = self;
    if (broken == STALE_METRIC && parity->steps > 0) {
        values[0] += parity->population;
        return ENGINE_OK;
    }
    const bool whole = broken == PART_MARGINS;
    const uint64_t begin = whole ? 0 : call->begin[1], end = whole ? cells->shape->extent[1] : call->end[1];
    values[0] = (broken == PART_ALONE ? 0 : values[0]) + (double) population(cells, call->current, begin, end) +
                (broken == MEASURE_WRONG);
    if (broken == MEASURE_WRITES)
        *(uint8_t *) cells->origin[call->current] = 0;
    return ENGINE_OK;
}

static int cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *result)
{
    (void) host, (void) plan;
    result->operation = ENGINE_OPS_LOGIC;
    result->operations = broken == COST ? -1 : 4;
    result->bytes = 2;
    return ENGINE_OK;
}

/* Every third cell. */
static int generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t begin, uint64_t count, void *out)
{
    (void) host, (void) plan, (void) generator, (void) field;
    for (uint64_t i = 0; i < count; i++)
        ((uint8_t *) out)[i] = (broken == GENERATOR ? i : begin + i) % 3 == 0;
    return ENGINE_OK;
}

static const struct engine_param params[] = {
    {.name = "block",
     .help = "for speed",
     .type = ENGINE_PARAM_INTEGER,
     .flags = ENGINE_PARAM_TUNING,
     .initial = "2",
     .min = 1,
     .max = 9,
     .check = check_block},
};

static const struct engine_field fields[] = {
    {.name = "cells", .help = "0 or 1", .components = 1, .rank = 2, .values = 2, .reach = {1, 1, 0}},
};

static const struct engine_metric metrics[] = {{.name = "population", .help = "cells of value 1"}};
static const struct engine_generator generators[] = {{.name = "thirds", .help = "every third cell"}};

static const struct engine_impl impls[] = {
    {.name = "reference",
     .help = "the rule's words",
     .flags = ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_OVERWRITES,
     .layout = wrap_all,
     .advance = reference_advance,
     .measure = reference_measure},
    {.name = "cpu",
     .help = "ghosts of three cells",
     .flags = ENGINE_EXACT | ENGINE_DIVISIBLE | ENGINE_UNIFORM,
     .rank = 1,
     .probe = probe,
     .layout = ghosts,
     .create = create,
     .advance = advance,
     .measure = measure,
     .cost = cost},
    {.name = "own",
     .help = "a layout of its own",
     .flags = ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_DIVISIBLE,
     .layout = own_layout,
     .advance = own_advance},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    .abi = ENGINE_ABI(0),
    .name = "parity",
    .version = "1.0",
    .summary = "parity of a cell and its four neighbours",
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .generators = ENGINE_ARRAY(generators),
    .impls = ENGINE_ARRAY(impls),
    .check = check,
    .generate = generate,
};
