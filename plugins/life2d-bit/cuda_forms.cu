/* 2D Life on CUDA, host code: the kernels of a rule. */
#include "cuda_batch.h"
#include "cuda_forms.cuh"
#include "cuda_network.h"
#include "square_network.h"

/* The PTX of cuda_rule.ptx.cu, which cuda_rule.c holds, and so on. */
extern "C" const char life2d_rule_ptx[];
extern "C" const char life2d_squares_ptx[];
extern "C" const char life2d_dead_x_rule_ptx[];
extern "C" const char life2d_dead_x_squares_ptx[];
extern "C" const char life2d_dead_y_rule_ptx[];
extern "C" const char life2d_dead_y_squares_ptx[];

const life_rule_supply life2d_rule_supply = {"B3/S23", 1u << 3, 1u << 2 | 1u << 3, life2d_rule_ptx,
                                             life2d_find_network};

/* The same for grids with dead edges along x, or along y alone. */
static const life_rule_supply dead_x_supply = {"B3/S23", 1u << 3, 1u << 2 | 1u << 3, life2d_dead_x_rule_ptx,
                                               life2d_find_network};
static const life_rule_supply dead_y_supply = {"B3/S23", 1u << 3, 1u << 2 | 1u << 3, life2d_dead_y_rule_ptx,
                                               life2d_find_network};

/* Sets even[9] and change[9] of struct rule_numbers, which says what they mean. A rule is a table of the next state by
 * bit 0 of the count and by index i = cell + 2 t1 + 4 t2. The loop over factors turns the table into the coefficients
 * of a polynomial mod 2 (the Reed-Muller, or Moebius, transform). */
static void set_numbers(uint32_t *numbers, uint32_t birth, uint32_t survive)
{
    uint32_t next[2][8];
    for (unsigned low = 0; low < 2; low++)
        for (unsigned i = 0; i < 8; i++) {
            const unsigned cell = i & 1, count = low + (i & 6), mask = cell ? survive : birth;
            next[low][i] = count < cell ? 0 : mask >> (count - cell) & 1;
        }
    const uint32_t changes[2] = {(birth >> 8 ^ birth) & 1, (survive >> 8 ^ survive) & 1};
    next[0][1] = (survive >> 7 & 1) ^ changes[0]; /* the count of a live cell is never 0: this entry serves 8 */
    for (unsigned low = 0; low < 2; low++)
        for (unsigned factor = 1; factor < 8; factor *= 2)
            for (unsigned i = 0; i < 8; i++)
                if (i & factor)
                    next[low][i] ^= next[low][i - factor];
    for (unsigned i = 0; i < 9; i++) {
        const uint32_t even = i < 8 ? next[0][i] : changes[0], odd = i < 8 ? next[1][i] : changes[1];
        numbers[i] = 0u - even;
        numbers[9 + i] = odd - even; /* times a word of bits 0 or 1, of which -1 means all ones */
    }
}

static cudaError_t set_settled_form(struct life2d_cuda_rule *rule, const void *built_in)
{
    const struct life2d_kernel_form form = {built_in, SETTLED_STEPS, SETTLED_WARPS, 1, SETTLED_SHARED};
    return life_set_form(&rule->settled, form, rule->source.library, "life2d_settled_passes");
}

template <class RULE> static cudaError_t set_torus_forms(struct life2d_cuda_rule *rule)
{
    ENGINE_CUDA_TRY((life2d_set_forms<life2d_torus_jobs, RULE>(rule)));
    return set_settled_form(rule, (const void *) life2d_settled<RULE>);
}

int life2d_cuda_shared_bytes(void)
{
    int most = SETTLED_SHARED;
#define STREAM(LEVELS, WARPS, BLOCKS, RING) \
    most = WARPS * stream_ring<RING>::BYTES > most ? WARPS * stream_ring<RING>::BYTES : most;
#define RESIDENT(ROWS, WARPS) most = strip_edges<WARPS>::BYTES > most ? strip_edges<WARPS>::BYTES : most;
    LIFE2D_FOR_STREAM_FORMS(STREAM)
    LIFE2D_FOR_RESIDENT_FORMS(RESIDENT)
#undef STREAM
#undef RESIDENT
    return most;
}

static const life_rule_supply *supply_of(uint32_t dead, bool batch)
{
    if (batch)
        return dead & LIFE_DEAD_X ? &life2d_dead_x_batch_supply
               : dead             ? &life2d_dead_y_batch_supply
                                  : &life2d_batch_supply;
    return dead & LIFE_DEAD_X ? &dead_x_supply : dead ? &dead_y_supply : &life2d_rule_supply;
}

cudaError_t life2d_cuda_make_rule(struct life2d_cuda_rule *rule, uint32_t birth, uint32_t survive, int kernel,
                                  uint32_t dead, bool batch)
{
    *rule = {};
    rule->dead = dead, rule->born_alone = birth & 1;
    ENGINE_CUDA_TRY(life_find_device(&rule->device));
    set_numbers(rule->numbers, birth, survive);
    ENGINE_CUDA_TRY(life_find_rule_source(&rule->source, kernel, supply_of(dead, batch), birth, survive));
    if (dead)
        return (batch ? life2d_set_dead_batch_forms : life2d_set_dead_forms)(rule);
    if (batch)
        return life2d_batch_set_forms(rule);
    return rule->source.form == LIFE_BUILT_IN ? set_torus_forms<rule_life>(rule) : set_torus_forms<rule_numbers>(rule);
}

/* A network with more operations takes two steps a launch: it is then the limit and not the memory, and four levels
 * would only fill the instruction cache. */
enum { OPERATIONS_OF_FOUR_STEPS = 32 };

static cudaError_t set_square_forms(struct life2d_cuda_rule *rule, int most_steps)
{
    struct life2d_kernel_form *form = rule->stream;
#define STREAM(LEVELS, WARPS, BLOCKS, RING) \
    if (LEVELS <= most_steps) \
        ENGINE_CUDA_TRY(life_set_form(form++, {NULL, LEVELS, WARPS, BLOCKS, WARPS * stream_ring<RING>::BYTES}, \
                                      rule->source.library, "life2d_squares_" #LEVELS));
    LIFE2D_FOR_SQUARE_FORMS(STREAM)
#undef STREAM
    return rule->dead ? cudaSuccess : set_settled_form(rule, NULL);
}

int life2d_cuda_square_steps(int operations)
{
    return operations <= OPERATIONS_OF_FOUR_STEPS ? 4 : 2;
}

cudaError_t life2d_cuda_make_squares(struct life2d_cuda_rule *rule, const struct life2d_square_network *net,
                                     bool born_alone, uint32_t dead)
{
    *rule = {};
    rule->squares = true;
    rule->dead = dead, rule->born_alone = born_alone;
    rule->source.form = LIFE_COMPILED;
    ENGINE_CUDA_TRY(life_find_device(&rule->device));
    const char *ptx = dead & LIFE_DEAD_X ? life2d_dead_x_squares_ptx
                      : dead             ? life2d_dead_y_squares_ptx
                                         : life2d_squares_ptx;
    char *text = life_write_nodes(ptx, LIFE2D_SQUARE_INPUTS, net->node, net->count);
    if (!text)
        return cudaErrorMemoryAllocation;
    const cudaError_t error = cudaLibraryLoadData(&rule->source.library, text, NULL, NULL, 0, NULL, NULL, 0);
    free(text);
    if (error != cudaSuccess) {
        rule->source.library = NULL;
        return error;
    }
    return set_square_forms(rule, life2d_cuda_square_steps(life2d_square_operations(net)));
}
