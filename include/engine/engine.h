/* engine/engine.h - libengine: simulations inside your own program.
 *
 *     struct engine_context *context;
 *     struct engine_config *config;
 *     struct engine_run *run;
 *     struct engine_error error;
 *     if (engine_open(NULL, &context, &error) || engine_config_open(context, "soup.ini", &config, &error) ||
 *         engine_run_plan(config, &run, &error) || engine_run_start(run, &error) ||
 *         engine_run_advance(run, 1000, &error))
 *         fprintf(stderr, "%s\n", error.text);
 *
 * Compile and link with `pkg-config --cflags --libs engine`. examples/embed is a complete program.
 *
 * Results. Every function that returns int returns 0 for success, or one of the ENGINE_STATUS_… below, which it also
 * puts into *error with a sentence that says what is wrong, what was expected, and what to do. After an error an object
 * that a function was to open is NULL. `error` may not be NULL.
 *
 * Objects. The caller closes what it opened, in the opposite order: runs before their configuration, configurations
 * before their context. Closing NULL does nothing. Several runs may be open at once, on the host and on devices.
 *
 * Threads. One thread at a time may use a context and all that was opened from it. Different threads may use different
 * contexts at the same time.
 *
 * Surroundings. The library writes only the files it is asked for. It prints nothing, reads no environment variable and
 * installs no signal handler: messages, progress and requests to stop travel through struct engine_hooks.
 *
 * Texts. A function that returns a text through `char **text` allocates it; the caller frees it with free().
 *
 * Append only: structures grow at their end. Each one that the caller fills in carries its size as the first member, so
 * that programs and libraries of different minor versions understand each other. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

/* Programs see all members of engine/plugin.h. */
#ifndef ENGINE_MINOR
#define ENGINE_MINOR ENGINE_ABI_MINOR
#endif
#include <engine/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ENGINE_VERSION       "0.1.0" /* of the engine */
#define ENGINE_LIBRARY_MAJOR 0       /* of this interface; programs linked with another major version do not start */
#define ENGINE_LIBRARY_MINOR 1       /* counts additions */

struct engine_context;
struct engine_config;
struct engine_run;
struct engine_verification;
struct engine_bench;

/* ---- Errors ---------------------------------------------------------------------------------------------------- */

/* The kinds of errors; they are also the exit statuses of the program `engine`. */
enum {
    ENGINE_STATUS_DONE = 0,
    ENGINE_STATUS_UNVERIFIED = 1, /* a promise does not hold */
    ENGINE_STATUS_USAGE = 2,      /* a configuration, or the arguments of a call */
    ENGINE_STATUS_INPUT = 3,      /* an input file */
    ENGINE_STATUS_PLUGIN = 4,     /* a plugin cannot be loaded, or failed */
    ENGINE_STATUS_DEVICE = 5,     /* a device, or memory */
    ENGINE_STATUS_OUTPUT = 6      /* writing a file */
};

/* An error. This structure never changes. */
struct engine_error {
    int status;      /* ENGINE_STATUS_… */
    char text[2048]; /* one sentence in UTF-8, without a full stop: "gun.ini:7: [run] steps: …" */
};

/* Levels of messages besides those of engine/plugin.h. */
enum { ENGINE_LOG_ERROR = 3 /* something failed, and the work goes on */ };

/* ---- The context ----------------------------------------------------------------------------------------------- */

/* What is going on. `activity` names work other than the steps of a run, as "bench: cuda, repeat 2 of 5". A report with
 * a `work_unit` is about a run; the first one of an execution comes before its first step, with `taken` 0. Where both are
 * missing, the activity or the run has ended. */
struct engine_progress {
    uint32_t size;
    uint32_t reserved;
    const char *activity;  /* or NULL; valid during the call */
    uint64_t step, steps;  /* the step that the run stands at, and the one at which it ends */
    uint64_t taken;        /* steps taken since the execution began */
    double seconds;        /* spent on them */
    double work_per_step;  /* work of a step, in units */
    const char *work_unit; /* plural: "cell updates"; or NULL */
};

/* What the caller provides. Every member but `size` may be 0. The library copies it with its texts. It calls the
 * functions from the thread that called the library, except that `message` may come from any thread in which a plugin
 * computes. No two calls overlap. */
struct engine_hooks {
    uint32_t size; /* sizeof(struct engine_hooks) */
    uint32_t plugin_folder_count;
    const char *const *plugin_folders; /* searched first, in this order; a folder that does not exist is an error */
    const char *plugin_path; /* searched next: folders with colons between them; one that does not exist is passed over.
                                The program gives the variable ENGINE_PLUGIN_PATH */
    void *user;              /* handed to the functions below */

    /* Receives one line of text without its line feed. source: "engine", or the name of the plugin that sends it. */
    void (*message)(void *user, int level, const char *source, const char *text);

    /* Receives progress several times a second. It may read the fields of the run that makes progress. */
    void (*progress)(void *user, const struct engine_progress *progress);

    /* Is asked between calls of a plugin. A number other than 0 stops the run after the call in flight; the number is
     * reported in struct engine_result. */
    int (*stop)(void *user);

    /* Seconds that one call of a plugin should take at most, where it takes many steps; 0: 0.25. */
    double pace;
};

/* Opens a context. `hooks` may be NULL. ENGINE_STATUS_USAGE where a plugin folder does not exist. */
ENGINE_EXPORT int engine_open(const struct engine_hooks *hooks, struct engine_context **context,
                              struct engine_error *error);
ENGINE_EXPORT void engine_close(struct engine_context *context);

/* ---- Plugins --------------------------------------------------------------------------------------------------- */

/* The names of the plugins that are found, sorted; NULL after the last. Files are not loaded. The text lives as long as
 * the context. */
ENGINE_EXPORT const char *engine_plugin_name(const struct engine_context *context, uint32_t index);

/* A plugin, loaded. It lives as long as the context. */
struct engine_plugin_info {
    uint32_t size;
    uint32_t reserved;
    const char *path;                    /* of its file */
    const struct engine_plugin *about;   /* its parameters, fields, metrics, generators, implementations */
    const struct engine_impl *reference; /* the implementation that others are compared with */
};

/* Finds and loads the plugin of that name. ENGINE_STATUS_PLUGIN. */
ENGINE_EXPORT int engine_plugin_find(struct engine_context *context, const char *name,
                                     struct engine_plugin_info *plugin, struct engine_error *error);

/* Returns why an implementation cannot run on this machine, whatever the configuration, or NULL where it can. The
 * reason may lie in *error. */
ENGINE_EXPORT const char *engine_impl_missing(struct engine_context *context, const struct engine_impl *impl,
                                                struct engine_error *error);

/* Describes a plugin as one JSON object, as `engine describe --json` prints it. name NULL: all plugins that load, as one
 * array. */
ENGINE_EXPORT int engine_plugin_json(struct engine_context *context, const char *name, char **text,
                                     struct engine_error *error);

/* ---- Configurations -------------------------------------------------------------------------------------------- */

/* Reads a configuration file. path NULL: an empty configuration, which engine_config_set fills.
 * ENGINE_STATUS_USAGE. */
ENGINE_EXPORT int engine_config_open(struct engine_context *context, const char *path, struct engine_config **config,
                                     struct engine_error *error);
ENGINE_EXPORT void engine_config_close(struct engine_config *config);

/* Sets one key: "run.steps=100". The value replaces that of the file. ENGINE_STATUS_USAGE. */
ENGINE_EXPORT int engine_config_set(struct engine_config *config, const char *assignment, struct engine_error *error);

/* The text of a key, or NULL where the configuration does not give it. It lives until the key is set or the
 * configuration is closed. */
ENGINE_EXPORT const char *engine_config_get(const struct engine_config *config, const char *section, const char *key);

/* A section of the engine's own keys, as `engine help config` lists them. A plugin's section has the plugin's name and
 * its parameters as keys. */
struct engine_section {
    const char *name, *help;
    struct engine_param_array keys;
};

/* The sections in order; NULL after the last. They live forever. */
ENGINE_EXPORT const struct engine_section *engine_section_at(uint32_t index);

/* Reads one value as the engine reads the value of a key. `value->text` points to `text`. ENGINE_STATUS_USAGE. */
ENGINE_EXPORT int engine_parse(const struct engine_param *param, const char *text, struct engine_value *value,
                               struct engine_error *error);

/* ---- Runs ------------------------------------------------------------------------------------------------------ */

/* The form of a text about an object. */
enum {
    ENGINE_TEXT = 0,   /* lines for people */
    ENGINE_JSON = 1,   /* one JSON value */
    ENGINE_CSV = 2,    /* engine_bench_print alone */
    ENGINE_SVG = 3,    /* engine_bench_print alone */
    ENGINE_HEADING = 4 /* engine_bench_print alone: the lines about machine, date and command */
};

/* Checks a configuration, chooses the implementation and computes all sizes. Nothing is allocated or written. The
 * configuration must outlive the run and may not change while it is open. */
ENGINE_EXPORT int engine_run_plan(const struct engine_config *config, struct engine_run **run,
                                  struct engine_error *error);
ENGINE_EXPORT void engine_run_close(struct engine_run *run);

/* Describes the plan: implementation, sizes, memory, files; what `engine check` prints. form: ENGINE_TEXT, ENGINE_JSON.
 */
ENGINE_EXPORT int engine_run_print_plan(struct engine_run *run, int form, char **text, struct engine_error *error);

/* Refuses, with figures, a run whose buffers do not fit into memory or whose files do not fit on the disk.
 * ENGINE_STATUS_DEVICE, ENGINE_STATUS_OUTPUT. */
ENGINE_EXPORT int engine_run_check_room(struct engine_run *run, struct engine_error *error);

/* Allocates the buffers, makes the first state, and creates the instance of the implementation. The run stands at step
 * 0 then. No file is written. */
ENGINE_EXPORT int engine_run_start(struct engine_run *run, struct engine_error *error);

/* Takes steps, in as few calls of the plugin as it allows. The analysis of the configuration takes what is due. Output
 * files are not written. *taken (may be NULL) is less than `steps` where the stop hook asked for it. After an error
 * *lost (may be NULL) tells whether the state is lost; otherwise the run stands where the last whole call ended. */
ENGINE_EXPORT int engine_run_advance(struct engine_run *run, uint64_t steps, uint64_t *taken, int *lost,
                                     struct engine_error *error);

/* The step that the run stands at. */
ENGINE_EXPORT uint64_t engine_run_step(const struct engine_run *run);

/* The number of steps that the configuration asks for. */
ENGINE_EXPORT uint64_t engine_run_steps(const struct engine_run *run);

/* The run's plugin and chosen implementation. They live as long as the context. */
ENGINE_EXPORT struct engine_plugin_info engine_run_plugin(const struct engine_run *run);
ENGINE_EXPORT const struct engine_impl *engine_run_impl(const struct engine_run *run);

/* ---- The state of a run, after engine_run_start ------------------------------------------------------------------
 *
 * Fields are numbered as in the plugin's table, run.about->fields. Arrays are canonical: elements of the field's type in
 * C order, (z, y, x, component), whatever the layout and the device. */

/* Finds a field by its name. ENGINE_STATUS_USAGE. */
ENGINE_EXPORT int engine_run_field(const struct engine_run *run, const char *name, uint32_t *field,
                                   struct engine_error *error);

/* The type and extents of a field at the run's step. */
ENGINE_EXPORT struct engine_shape engine_run_shape(const struct engine_run *run, uint32_t field);

/* A part of a field: cells [begin, end) along x, y, z; particles, columns, bins along x. */
struct engine_box {
    uint64_t begin[3], end[3];
};

/* Copies a field, or a box of it (NULL: all), into or out of a canonical array of the box's extents. `bytes` is the
 * size of the caller's memory and must be that of the array. After a write the run goes on from the new state.
 * ENGINE_STATUS_USAGE, ENGINE_STATUS_DEVICE. */
ENGINE_EXPORT int engine_run_read(const struct engine_run *run, uint32_t field, const struct engine_box *box, void *out,
                                  uint64_t bytes, struct engine_error *error);
ENGINE_EXPORT int engine_run_write(struct engine_run *run, uint32_t field, const struct engine_box *box, const void *in,
                                   uint64_t bytes, struct engine_error *error);

/* A field where it lies. */
struct engine_view {
    uint32_t size;     /* the caller sets sizeof(struct engine_view) */
    uint32_t memory;   /* ENGINE_HOST_MEMORY or ENGINE_CUDA_MEMORY */
    int32_t device;    /* ordinal of the CUDA device */
    uint32_t reserved; /* 0 */
    void *stream;      /* CUDA: the cudaStream_t that fills the buffer; order your work behind it. Host: NULL */
    struct engine_buffer buffer; /* origins, strides, shape and layout, as a plugin sees them */
    void *origin;                /* the one of buffer.origin that holds the state now */
};

/* Describes the memory of a field. Nothing is copied. The addresses stay until the run is closed; `origin` changes with
 * every advance. A caller that writes there calls engine_run_changed afterwards. */
ENGINE_EXPORT int engine_run_view(const struct engine_run *run, uint32_t field, struct engine_view *view,
                                  struct engine_error *error);
ENGINE_EXPORT void engine_run_changed(struct engine_run *run);

/* Measures the metrics: one number for each in the plugin's table. `count` is the number of values that there is space
 * for. ENGINE_STATUS_PLUGIN where the implementation does not measure. */
ENGINE_EXPORT int engine_run_measure(struct engine_run *run, double *values, uint32_t count,
                                     struct engine_error *error);

/* The hash of the state: XXH3-128 of the canonical arrays of all states and outputs, as 32 hexadecimal digits and a
 * zero. All exact implementations give the same hash. */
enum { ENGINE_HASH_SIZE = 33 };
ENGINE_EXPORT int engine_run_hash(const struct engine_run *run, char hash[ENGINE_HASH_SIZE],
                                  struct engine_error *error);

/* Writes the whole state to a snapshot file, and reads one back, on whatever implementation and device.
 * ENGINE_STATUS_OUTPUT, ENGINE_STATUS_INPUT. After an error of engine_run_restore the state is lost. */
ENGINE_EXPORT int engine_run_save(struct engine_run *run, const char *path, struct engine_error *error);
ENGINE_EXPORT int engine_run_restore(struct engine_run *run, const char *path, struct engine_error *error);

/* Writes the state to a file of the format that the ending of `path` names. It replaces an existing file.
 * ENGINE_STATUS_OUTPUT. */
ENGINE_EXPORT int engine_run_write_file(struct engine_run *run, const char *path, struct engine_error *error);

/* A state as a small grey picture, made quickly, as `engine run --watch` shows it. */
struct engine_picture {
    uint32_t size;                      /* the caller sets sizeof(struct engine_picture) */
    uint32_t reserved;                  /* 0 */
    uint64_t most_columns, most_rows;   /* set by the caller: the picture is at most so large; */
    uint64_t exact_columns, exact_rows; /* or so large, where that shows a grid of two values cell by cell; 0: never */

    uint64_t columns, rows; /* of the picture */
    uint8_t *shades;        /* 0 … 255, black … white, rows from the top; freed by engine_picture_release */
    uint64_t scale;         /* the picture would fit so many times along both axes */
    int exact;              /* every shade is a cell of two values: 0 or 255 */
    void *memory;           /* the engine's: what earlier pictures showed, so that a series has one scale */
};

/* Draws the state. A structure that is used again keeps its scale. */
ENGINE_EXPORT int engine_run_picture(struct engine_run *run, struct engine_picture *picture,
                                     struct engine_error *error);
ENGINE_EXPORT void engine_picture_release(struct engine_picture *picture);

/* ---- Whole runs: what `engine run` and `engine resume` do ----------------------------------------------------- */

enum {
    ENGINE_RUN_FORCE = 1u << 0 /* write into a folder that already holds files, over those of the same names */
};

struct engine_execution {
    uint32_t size;
    uint32_t flags; /* ENGINE_RUN_… */
    double
        deadline; /* stop before so many seconds have passed since the context was opened, with a checkpoint; 0: never
                      */
};

/* How an execution ended. */
struct engine_result {
    uint32_t size;        /* the caller sets sizeof(struct engine_result) */
    int stopped;          /* 0: it reached the end; else what the stop hook returned, or SIGALRM for the deadline */
    uint64_t first, step; /* the steps at which it began, and at which it stands */
    uint64_t saved;       /* the step of the last whole checkpoint; UINT64_MAX: none */
};

/* After engine_run_plan: makes and locks the folder of [run] output, starts the run there, takes all steps, and writes
 * every output, metric and checkpoint that is due. `execution` may be NULL. After an error, result->saved says from
 * where engine_run_resume can go on. */
ENGINE_EXPORT int engine_run_execute(struct engine_run *run, const struct engine_execution *execution,
                                     struct engine_result *result, struct engine_error *error);

/* Opens the run in a folder at its newest whole checkpoint, or at its beginning where there is none. `assignments`
 * ("run.steps=20000") change what may change; see `engine resume --help`. Where the run is at its end already, *run is
 * NULL and *summary is the text of its summary as JSON, which the caller frees; otherwise *summary is NULL. The next
 * call is engine_run_execute. */
ENGINE_EXPORT int engine_run_resume(struct engine_context *context, const char *folder, const char *const *assignments,
                                    uint32_t count, struct engine_run **run, char **summary,
                                    struct engine_error *error);

/* The signal of [checkpoint] signal, on which the caller's stop hook should ask to stop; 0: none. */
ENGINE_EXPORT int engine_run_signal(const struct engine_run *run);

/* The folder of the run's files. */
ENGINE_EXPORT const char *engine_run_folder(const struct engine_run *run);

/* The summary of an execution: rate, notes, metrics, hash, files. form: ENGINE_TEXT, ENGINE_JSON. */
ENGINE_EXPORT int engine_run_print_summary(struct engine_run *run, int form, char **text, struct engine_error *error);

/* Writes report.html into a run's folder: one page with pictures, curves, hash and configuration. */
ENGINE_EXPORT int engine_report(struct engine_context *context, const char *folder, struct engine_error *error);

/* ---- Comparing and timing implementations --------------------------------------------------------------------- */

/* What engine_verify, engine_bench and engine_conform try. Members that are 0 have their defaults. */
struct engine_trial {
    uint32_t size;
    uint32_t repeats;          /* bench: of each row; 0: 5 */
    const char *impls;         /* names with commas between them; NULL: all that can run here. bench also takes
                                  plugin:implementation */
    const char *const *sweeps; /* "section.key=v1,v2"; every combination is tried */
    uint32_t sweep_count;
    uint32_t seconds;  /* conform: for each property; 0: 120 */
    uint64_t steps;    /* verify: the most; 0: 100. bench: of one repeat; 0: as many as take half a second */
    uint32_t position; /* conform: not 0: the rule depends on where a cell lies */
    uint32_t reserved; /* 0 */

    /* verify: receives the text about each combination as soon as it is known, or NULL. */
    void (*print)(void *user, const char *text);
    void *user;
};

/* Compares every implementation with the plugin's reference, as `engine verify` does. What an implementation does wrong
 * is a result and no error. Implementations that fail, and combinations that cannot be tried, are also sent to the
 * message hook with the level ENGINE_LOG_ERROR. The configuration is not changed. ENGINE_STATUS_USAGE. */
ENGINE_EXPORT int engine_verify(const struct engine_config *config, const struct engine_trial *trial,
                                struct engine_verification **verification, struct engine_error *error);
ENGINE_EXPORT void engine_verification_close(struct engine_verification *verification);

/* 0 where every promise holds; ENGINE_STATUS_UNVERIFIED where one does not, else the status of the first failure, with
 * the sentence about it in *error. An implementation that cannot run is a failure where it was asked for by name. */
ENGINE_EXPORT int engine_verification_status(const struct engine_verification *verification,
                                             struct engine_error *error);

/* The results of all combinations. form: ENGINE_TEXT, ENGINE_JSON. */
ENGINE_EXPORT int engine_verification_print(const struct engine_verification *verification, int form, char **text,
                                            struct engine_error *error);

/* Times implementations side by side, as `engine bench` does. Keys of [bench] stand in for members that are 0. */
ENGINE_EXPORT int engine_bench(const struct engine_config *config, const struct engine_trial *trial,
                               struct engine_bench **bench, struct engine_error *error);
ENGINE_EXPORT void engine_bench_close(struct engine_bench *bench);

/* One implementation with one combination of swept values. */
struct engine_bench_row {
    const char *impl;  /* with its plugin in front where that was named */
    const char *error; /* a sentence where it did not run or its state differs; NULL */
    int status;        /* of that error; 0 */
    uint32_t repeats;
    const double *seconds; /* of each repeat, in the order they were run */
    uint64_t steps;        /* of one repeat */
    double rate;           /* units of work a second, by the median */
    const char *unit;      /* of work, plural */
    const char *limit;     /* the hardware limit that binds: "copy", "logic", …; NULL: not known */
    double share;          /* of that limit */
    double speedup;        /* over the first row of the same problem */
};

/* The rows in order; returns 0 after the last. What it points to lives as long as the bench. */
ENGINE_EXPORT int engine_bench_row(const struct engine_bench *bench, uint32_t index, struct engine_bench_row *row);

/* 0; ENGINE_STATUS_UNVERIFIED where states differ; where no row ran, the status of the first error, with its sentence in
 * *error. */
ENGINE_EXPORT int engine_bench_status(const struct engine_bench *bench, struct engine_error *error);

/* form: ENGINE_TEXT (the heading and a table), ENGINE_JSON, ENGINE_CSV, ENGINE_SVG, ENGINE_HEADING. `command` is printed
 * as the command that repeats the figures. */
ENGINE_EXPORT int engine_bench_print(const struct engine_bench *bench, int form, const char *command, char **text,
                                     struct engine_error *error);

enum { ENGINE_HOLDS = 0, ENGINE_BROKEN = 1, ENGINE_NOT_APPLICABLE = 2 };

/* One property of one implementation. */
struct engine_property {
    const char *plugin;   /* its name */
    const char *impl;     /* NULL: of the plugin as a whole */
    const char *property; /* "equals the reference, whatever the steps of a call" */
    int outcome;          /* ENGINE_HOLDS … */
    const char *reason;   /* why it is broken or does not apply, one line; "" */
};

/* Holds a plugin to every promise of the interface, as `engine conform` does. `plugin` is a file, "./my-rule.so", or a
 * name. Each property runs in a process of its own, made by fork: the caller has one thread and has not used a device.
 * `assignments` ("section.key=value") belong to every configuration that is tried. `report` is called for each property
 * as soon as its outcome is known. A broken property is no error; a plugin that does not load breaks the property
 * "loads". ENGINE_STATUS_USAGE where trial->impls names an implementation that the plugin does not have. */
ENGINE_EXPORT int engine_conform(struct engine_context *context, const char *plugin, const struct engine_trial *trial,
                                 const char *const *assignments, uint32_t count,
                                 void (*report)(void *user, const struct engine_property *property), void *user,
                                 struct engine_error *error);

/* ---- Files ----------------------------------------------------------------------------------------------------- */

struct engine_format {
    const char *name; /* "rle": its word in [output] formats, and its ending */
    const char *help;
    int reads, writes; /* not 0 where the engine can */
};

/* The formats in order; returns 0 after the last. */
ENGINE_EXPORT int engine_format_at(uint32_t index, struct engine_format *format);

/* How engine_convert writes. Members that are 0 have their defaults. */
struct engine_conversion {
    uint32_t size;
    int force;       /* not 0: replace an existing file */
    uint32_t scale;  /* png: pixels of a cell; 0: chosen */
    uint32_t axis;   /* png of three axes: the axis to look along, 0: z, 1: y, 2: x */
    int slice;       /* png of three axes: not 0: show the plane `plane` alone; 0: add up the live cells */
    int colours;     /* png: index of a choice of [output] colours */
    int64_t plane;   /* -1: the middle one */
    double range[2]; /* png of grids: the values that are darkest and brightest; the same: as the file says */
};

/* Reads a file of any format and writes it in the format that the ending of `out` names. `conversion` may be NULL.
 * ENGINE_STATUS_USAGE, ENGINE_STATUS_INPUT, ENGINE_STATUS_OUTPUT. */
ENGINE_EXPORT int engine_convert(struct engine_context *context, const char *in, const char *out,
                                 const struct engine_conversion *conversion, struct engine_error *error);

/* ---- Words ----------------------------------------------------------------------------------------------------- */

/* Writes ", did you mean 'name'?" for the name of the list that is nearest to `word`, or "" where none is near.
 * name_at(list, i) returns the i-th name and NULL after the last. Returns hint. */
ENGINE_EXPORT const char *engine_nearest(char hint[128], const char *word,
                                         const char *(*name_at)(const void *list, uint32_t index), const void *list);

/* The same for a path: the nearest name in its folder. */
ENGINE_EXPORT const char *engine_nearest_file(char hint[128], const char *path);

/* The name of an element type, ENGINE_U8 …: "uint8"; NULL after the last. */
ENGINE_EXPORT const char *engine_type_name(uint32_t type);

/* 1234567 as "1.23 M": three digits and an SI prefix. Returns text. */
ENGINE_EXPORT const char *engine_si(double number, char text[32]);

/* Appends a blank and a word of a command line, quoted as a shell reads it, to the text, which has `size` bytes. */
ENGINE_EXPORT void engine_quote(char *text, size_t size, const char *word);

/* "0.1.0 (15bcf03)": the version with the commit where it is known. The text lives forever. */
ENGINE_EXPORT const char *engine_version(void);

#ifdef __cplusplus
}
#endif

#endif
