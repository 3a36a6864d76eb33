/* life2d-bit: two-dimensional Life-like cellular automata, one bit a cell. */
#include "life2d.h"

#include <common/isa_choice.h>
#include <life/cuda_choices.h>
#include <life/plugin.h>

#include <string.h>

static const char *const settled_choices[] = {"auto", "yes", "no", NULL};

static const struct engine_param params[] = {
    [LIFE2D_RULE] = LIFE_RULE_PARAM,
    [LIFE2D_BYTES_PER_THREAD] = {ENGINE_INTEGER_PARAM("bytes_per_thread",
                                                      "cpu-serial, cuda-bytes, cuda-words (whole words of 4): "
                                                      "consecutive bytes that a thread computes; 0: the plugin chooses",
                                                      "0", 0, 1 << 20),
                                 .unit = "bytes of 8 cells", .flags = ENGINE_PARAM_TUNING},
    [LIFE2D_STEPS_PER_PASS] = {ENGINE_INTEGER_PARAM(
                                   "steps_per_pass",
                                   "cpu: steps that one pass over the grid takes; 0: chosen from the grid size", "0", 0,
                                   256),
                               .unit = "steps", .flags = ENGINE_PARAM_TUNING},
    [LIFE2D_INSTRUCTIONS] = ISA_INSTRUCTIONS_PARAM(ENGINE_PARAM_TUNING),
    [LIFE2D_BLOCK_SIZE] = {ENGINE_INTEGER_PARAM("block_size", "cuda-bytes, cuda-words: threads per block", "128", 1,
                                                4096),
                           .unit = "threads", .flags = ENGINE_PARAM_TUNING},
    [LIFE2D_FORM] = {ENGINE_CHOICE_PARAM("form",
                                         "cuda: streaming: the grid passes through the chip in each launch; resident: "
                                         "it stays on the chip between steps; auto: the plugin chooses",
                                         "auto", life_forms),
                     .flags = ENGINE_PARAM_TUNING},
    [LIFE2D_RULE_KERNEL] = LIFE_RULE_KERNEL_PARAM("B3/S23"),
    [LIFE2D_BANDS] = {ENGINE_INTEGER_PARAM(
                          "bands",
                          "cuda, streaming: bands of rows that are computed in parallel; 0: as many as fill the device",
                          "0", 0, 1 << 16),
                      .flags = ENGINE_PARAM_TUNING},
    [LIFE2D_DEPTH] = {ENGINE_INTEGER_PARAM(
                          "depth", "cuda, resident: steps between two halo exchanges of the blocks; 0: 8", "0", 0, 32),
                      .unit = "steps", .flags = ENGINE_PARAM_TUNING},
    [LIFE2D_STRIP_ROWS] =
        {ENGINE_INTEGER_PARAM(
             "strip_rows",
             "cuda, resident: rows that a lane holds: 1, 2, 3 or 5; 0: the fewest with which the grid fits", "0", 0, 5),
         .unit = "rows", .flags = ENGINE_PARAM_TUNING},
    [LIFE2D_MEMORY] = {ENGINE_INTEGER_PARAM("memory", "hashlife: the most memory for the nodes of its tree", "1024", 1,
                                            1 << 17),
                       .unit = "MiB", .flags = ENGINE_PARAM_TUNING},
    [LIFE2D_SETTLED] = {ENGINE_CHOICE_PARAM("settled",
                                            "cpu, cuda: skip the regions that repeat themselves; auto: where this pays",
                                            "auto", settled_choices),
                        .flags = ENGINE_PARAM_TUNING},
};

static const struct engine_field fields[] = {[LIFE2D_CELLS] = LIFE_CELLS_FIELD};

static const struct engine_metric metrics[] = {LIFE_POPULATION_METRIC};

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu-serial", "one thread, eight cells at a time: the reference", 1,
                      ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_SERIAL | ENGINE_DIVISIBLE | ENGINE_UNIFORM),
     .layout = life2d_bytes_layout, .advance = life2d_serial_advance, .measure = life_measure,
     .cost = life2d_serial_cost},
    {ENGINE_HOST_IMPL("cpu", "all threads, vector instructions, many steps per pass, in place", 10,
                      ENGINE_EXACT | ENGINE_IN_PLACE | ENGINE_DIVISIBLE | ENGINE_UNIFORM | ENGINE_BATCH |
                          ENGINE_DEAD_EDGES),
     .batch = 48, .probe = life2d_cpu_probe, .layout = life2d_cpu_layout, .create = life2d_cpu_create,
     .advance = life2d_cpu_advance, .measure = life2d_cpu_measure, .destroy = life2d_cpu_destroy,
     .cost = life2d_cpu_cost},
    {ENGINE_HOST_IMPL("cpu-words",
                      "all threads, 64 cells at a time, one step per pass: for edges that cpu does not take", 5,
                      ENGINE_EXACT | ENGINE_DIVISIBLE | ENGINE_UNIFORM),
     .probe = life2d_words_probe, .layout = life2d_words_layout, .create = life2d_words_create,
     .advance = life2d_words_advance, .measure = life_measure, .cost = life2d_words_cost},
    {ENGINE_HOST_IMPL("hashlife",
                      "all threads, computes equal squares of cells once: for regular patterns and very many steps", 0,
                      ENGINE_EXACT | ENGINE_IN_PLACE | ENGINE_DEAD_EDGES),
     .batch = 1 << 14, .probe = life2d_hashlife_probe, .layout = life2d_hashlife_layout,
     .create = life2d_hashlife_create, .advance = life2d_hashlife_advance, .measure = life2d_hashlife_measure,
     .destroy = life2d_hashlife_close},
    {
        ENGINE_CUDA_IMPL("cuda-bytes", "counts neighbours for one byte of eight cells at a time, one step per launch",
                         12, ENGINE_EXACT | ENGINE_ENQUEUES | ENGINE_DIVISIBLE | ENGINE_UNIFORM),
#ifdef ENGINE_WITH_CUDA
        .layout = life2d_bytes_layout,
        .create = life2d_cuda_bytes_create,
        .advance = life2d_cuda_bytes_advance,
        .measure = life2d_cuda_count_measure,
        .cost = life2d_cuda_bytes_cost,
#endif
    },
    {
        ENGINE_CUDA_IMPL("cuda-words", "counts neighbours for one word of 32 cells at a time, one step per launch", 14,
                         ENGINE_EXACT | ENGINE_ENQUEUES | ENGINE_DIVISIBLE | ENGINE_UNIFORM),
#ifdef ENGINE_WITH_CUDA
        .probe = life2d_cuda_words_probe,
        .layout = life2d_cuda_words_layout,
        .create = life2d_cuda_words_create,
        .advance = life2d_cuda_words_advance,
        .measure = life2d_cuda_count_measure,
        .cost = life2d_cuda_words_cost,
#endif
    },
    {
        ENGINE_CUDA_IMPL(
            "cuda",
            "bit-sliced adders in registers, eight steps per launch, or all steps with the grid resident on the chip",
            20,
            ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_ENQUEUES | ENGINE_DIVISIBLE | ENGINE_UNIFORM | ENGINE_BATCH |
                ENGINE_DEAD_EDGES),
        .batch = 24, /* three launches of eight steps, or two passes of twelve */
#ifdef ENGINE_WITH_CUDA
        .probe = life2d_cuda_probe,
        .layout = life2d_cuda_layout,
        .create = life2d_cuda_create,
        .advance = life2d_cuda_advance,
        .measure = life2d_cuda_measure,
        .destroy = life2d_cuda_destroy,
        .cost = life2d_cuda_cost,
#endif
    },
};

static const void *extension(const char *name, uint32_t version)
{
    static const struct engine_advice advice = {.size = sizeof advice, .advise = life2d_hashlife_advise};
    if (version != 1)
        return NULL;
    return strcmp(name, ENGINE_ADVICE("hashlife")) == 0 ? (const void *) &advice
           : strcmp(name, ENGINE_TREE("hashlife")) == 0 ? &life2d_tree
                                                        : NULL;
}

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("life2d-bit", "0.1.0", "2D Life and its relatives B…/S…, one bit per cell"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
    .extension = extension,
};
