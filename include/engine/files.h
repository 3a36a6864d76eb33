/* engine/files.h - what a plugin shares with the files that a run reads and writes: parameters in pattern files, paths,
 * species, and fields whose type or presence the input decides. */
#ifndef ENGINE_FILES_H
#define ENGINE_FILES_H

#include <engine/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* engine_param.file_key: a key in the header of pattern files, such as "rule" in patterns of Life. The value in the
 * file sets this parameter, unless the configuration sets it. The engine writes the value into the pattern files of the
 * run.
 *
 * engine_param.spell, since 1.10: plan phase, one thread a plan. Optional, for a text with a file_key. Writes the usual
 * spelling of a value that `check` has accepted into `text`, which has room for `size` bytes. The engine writes this
 * spelling into files, so that other programs read it. If the function does not return 0, files get the value as the
 * user wrote it. */

/* A flag of a parameter of ENGINE_PARAM_TEXT, since 1.8: the name of a file or folder. A relative one in a
 * configuration is relative to the configuration, and the plugin gets its path. Checkpoints do not record it, so that
 * files may move.
 *
 * Results of a plugin that reads such a file depend on more than the parameters. So `check` notes, with host->note,
 * what they depend on, such as the checksum of the file. Such a note is not shown. It is part of checkpoints, and
 * `engine resume` refuses to continue if check then notes something else. */
#define ENGINE_PARAM_PATH (1 << 1)

/* A flag of an ENGINE_INPUT: it may be absent; then its origins are NULL. */
#define ENGINE_FIELD_OPTIONAL (1 << 0)

/* A flag of an ENGINE_INPUT of positions in single precision, since 1.12: the plugin moves them into the periodic box. If a
 * file has double precision, the engine moves positions that are far outside into the box before it converts them. */
#define ENGINE_FIELD_PERIODIC (1 << 1)

/* A flag of the ENGINE_INPUT `species`, since 1.15: a particle of a negative species is absent. If frames of a file have
 * different numbers of particles, the rows beyond those of a frame are such particles. */
#define ENGINE_FIELD_ABSENT (1 << 2)

/* engine_field.type: the type comes from [matrix] element, the input file or the bound field. */
#define ENGINE_CONFIGURED 255

/* The symbol of a species, as the first frame in the file of the field `species` has it: "O", "HW1". NULL where the
 * file has none. */
static inline const char *engine_plan_symbol(const struct engine_plan *plan, uint32_t species)
{
    const size_t needed = offsetof(struct engine_plan, ENGINE_SINCE_1_8(symbols)) + sizeof(struct engine_name_array);
    if (plan->size < needed || species >= plan->ENGINE_SINCE_1_8(symbols).count)
        return NULL;
    const char *symbol = plan->ENGINE_SINCE_1_8(symbols).at[species];
    return *symbol ? symbol : NULL;
}

/* The extension of a plugin whose particles need a periodic box, version 1 (engine_plugin.extension), since 1.12. */
#define ENGINE_BOX "engine.box"

struct engine_chosen_box {
    uint32_t size;     /* sizeof(struct engine_chosen_box) */
    uint32_t reserved; /* 0 */

    /* Plan phase, one thread a plan. The engine calls it if neither [particles] box nor a file gives a box, and before
     * `check`; plan->params are set, but not plan->shapes. Writes the box of `count` particles, as in engine_plan.box,
     * or leaves its zeros. `from_file`: a file gives the particles, and otherwise a generator, random numbers or the
     * program. The box is then in plan->box, in the configuration that the run writes, and in its files. */
    int (*box)(const struct engine_host *host, const struct engine_plan *plan, uint64_t count, uint32_t from_file,
               double box[6]);
};

/* The extension of a plugin whose outputs depend on its parameters, version 1, since 1.12. */
#define ENGINE_OUTPUTS "engine.outputs"

struct engine_outputs {
    uint32_t size;     /* sizeof(struct engine_outputs) */
    uint32_t reserved; /* 0 */

    /* Any phase, any thread. Optional. Is 0 for an output that the parameters switch off. A run writes such an output
     * only if [output] fields names it. */
    int (*is_asked)(const struct engine_plan *plan, uint32_t field);

    /* Any phase, any thread. Optional. Writes the name of row `row` of the outputs that have several rows of bins, such
     * as "O-H", into `name`, which has room for `size` bytes. In tables the names are those of columns. */
    void (*name_row)(const struct engine_plan *plan, uint32_t row, char *name, uint64_t size);
};

#ifdef __cplusplus
}
#endif

#endif
