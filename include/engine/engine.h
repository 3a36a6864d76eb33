/* engine/engine.h - libengine: simulations inside your own program.
 *
 *     struct engine_context *context;
 *     struct engine_config *config;
 *     struct engine_run *run;
 *     struct engine_error error;
 *     if (engine_open(NULL, &context, &error) || engine_config_open(context, "soup.ini", &config, &error) ||
 *         engine_run_plan(config, &run, &error) || engine_run_start(run, &error) ||
 *         engine_run_advance(run, 1000, NULL, NULL, &error))
 *         fprintf(stderr, "%s\n", error.text);
 *
 * Compile and link with `pkg-config --cflags --libs engine`. examples/embed is a complete program.
 *
 * Results. A function that takes `error` and returns int returns 0 for success. Otherwise it returns one of the
 * ENGINE_STATUS_… below, and puts it into *error with a sentence that says what is wrong, what was expected, and what
 * to do. `error` may not be NULL. If the function opens an object, it sets the object to NULL after an error. The
 * comment of a function names its usual statuses at the end.
 *
 * Objects. The caller closes what it opened, in the opposite order. Runs and ensembles have a copy of their
 * configuration, so the caller may close the configuration before them. Closing NULL does nothing. Several runs may be
 * open at once, on the host and on devices.
 *
 * Threads. Only one thread at a time may use a context and the objects that were opened from it. Different threads may
 * use different contexts at the same time.
 *
 * Environment. The library writes only the files that it is asked for. It prints nothing, reads no environment variable
 * and installs no signal handler. It calls the functions of struct engine_hooks with messages and progress, and to ask
 * whether to stop.
 *
 * Numbers. While a function of the library runs, its thread has the locale "C" and the default floating-point
 * environment, whatever the program has set. The functions of struct engine_hooks see the same. Before the function
 * returns, it restores the thread's own locale and environment. A plugin that calls setlocale changes the locale of the
 * whole process.
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
#include <engine/transport.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ENGINE_VERSION       "0.3.0" /* of the engine */
#define ENGINE_LIBRARY_MAJOR 0       /* of this interface; programs linked with another major version do not start */
#define ENGINE_LIBRARY_MINOR 1       /* counts additions */

struct engine_context;
struct engine_config;
struct engine_run;
struct engine_ensemble;

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
enum { ENGINE_LOG_ERROR = 3 /* something failed, and the work continues */ };

/* ---- The context ----------------------------------------------------------------------------------------------- */

/* A report of progress. If `work_unit` is set, the report is about the steps of a run; the first report of an execution
 * comes before its first step, with `taken` 0. If `activity` is set, it names other work, such as "bench: cuda, repeat
 * 2 of 5". If both are NULL, the activity or the run has ended. */
struct engine_progress {
    uint32_t size;
    uint32_t reserved;
    const char *activity;  /* or NULL; valid during the call */
    uint64_t step, steps;  /* the present step of the run, and the step at which it ends */
    uint64_t taken;        /* steps taken since the execution began */
    double seconds;        /* spent on them */
    double work_per_step;  /* work of a step, in units */
    const char *work_unit; /* plural: "cell updates"; or NULL; valid while the run is open */
};

/* A kind of memory of a device. The hooks `allocate` and `release` get it and may call its functions. It is valid
 * during the call of the hook; a copy of it is valid as long as the context. */
struct engine_memory {
    uint32_t size; /* sizeof(struct engine_memory) of the engine */
    uint32_t kind; /* ENGINE_HOST_MEMORY … */
    void *self;    /* the engine's own */

    /* Allocate and release memory as the engine does without the hooks. The caller gives `release` the size that it
     * gave `allocate`. `allocate` returns 0 or ENGINE_STATUS_DEVICE. */
    int (*allocate)(const struct engine_memory *memory, uint64_t bytes, void **address, struct engine_error *error);
    void (*release)(const struct engine_memory *memory, void *address, uint64_t bytes);

    /* Copy bytes from memory of this kind to memory of the host, and back, and wait for the copy. They return 0 or
     * ENGINE_STATUS_DEVICE. */
    int (*read)(const struct engine_memory *memory, const void *address, uint64_t bytes, void *out,
                struct engine_error *error);
    int (*write)(const struct engine_memory *memory, void *address, uint64_t bytes, const void *in,
                 struct engine_error *error);
};

/* What the caller provides. Every member except `size` may be 0. The library copies the structure with its texts. It
 * calls `progress` and `stop` in the thread that called the library, and `message` in any thread in which a plugin
 * computes. It makes only one of these calls at a time. */
struct engine_hooks {
    uint32_t size; /* sizeof(struct engine_hooks) */
    uint32_t plugin_folder_count;
    const char *const *plugin_folders; /* searched first, in this order; a folder that does not exist is an error */
    const char *plugin_path; /* searched next: folders with colons between them; one that does not exist is skipped. The
                                program `engine` passes the value of the variable ENGINE_PLUGIN_PATH */
    void *user;              /* passed to the functions below */

    /* Receives one line of text without its line feed. source: "engine", or the name of the plugin that sends it. */
    void (*message)(void *user, int level, const char *source, const char *text);

    /* Receives progress several times a second. It may read the fields of the run that it reports. */
    void (*progress)(void *user, const struct engine_progress *progress);

    /* Says whether to stop. The library calls it between two calls of a plugin. A number other than 0 stops the run
     * before the next call; struct engine_result reports the number. */
    int (*stop)(void *user);

    /* The time in seconds that one call of a plugin should take at most. The library chooses the number of steps of a
     * call accordingly. 0: 0.25 seconds. */
    double pace;

    /* The processes that share the runs of this context: see engine/transport.h. It outlives the context. NULL: this
     * process is alone. Process 0 uses the context as if it were alone; all others call engine_serve. */
    const struct engine_transport *transport;

    /* In a process that serves (engine_serve): executes members of an ensemble of process 0, and returns when
     * engine_ensemble_exchange says that all is over, or with an error, which ends all processes. The ensemble lives
     * until the function returns. NULL: process 0 cannot share its ensembles. */
    int (*members)(void *user, struct engine_ensemble *ensemble, struct engine_error *error);

    /* Returns words of the program for a topic of messages (ENGINE_WORDS_…): its name for the subject, or how its users
     * do what the message proposes. Returns a constant, or `text`, which has `size` bytes. Any thread may call it.
     * NULL, also as a result: the library uses its own words, and proposes nothing that only the program can do. */
    const char *(*words)(uint32_t topic, const char *subject, char *text, size_t size);

    /* These two allocate and release, in place of the engine, the buffers of runs and the memory that plugins ask for
     * with host->scratch. The library calls them in any thread, and in several threads at a time. The memory need not
     * be cleared. The program aligns host memory to 4096 bytes, and to 2 MiB if there are 2 MiB or more; it aligns
     * device memory to 256 bytes. `allocate` returns 0, or ENGINE_STATUS_DEVICE with a sentence in *error. `release`
     * gets the size that `allocate` got. Set both, or leave both NULL. */
    int (*allocate)(void *user, const struct engine_memory *memory, uint64_t bytes, void **address,
                    struct engine_error *error);
    void (*release)(void *user, const struct engine_memory *memory, void *address, uint64_t bytes);

    /* Returns a table of the program, or NULL if it has none of that name and version. The library calls this function
     * when a plugin calls host->service with a name that the engine does not know, in the same thread. The table lives
     * as long as the context. */
    const void *(*service)(void *user, const char *name, uint32_t version);
};

/* The topics of messages, their subjects, and the words that the program returns. */
enum {
    ENGINE_WORDS_KEY = 0,     /* a key that an assignment sets, as "run.steps"; the program says "--set run.steps" */
    ENGINE_WORDS_OPTION = 1,  /* a member of engine_trial or engine_conversion or a flag, as "frames"; "--frames" */
    ENGINE_WORDS_PLUGINS = 2, /* no subject; a clause: "`engine list` shows the names" */
    ENGINE_WORDS_FORMATS = 3, /* no subject; a clause that says where the file formats are listed */
    ENGINE_WORDS_PLUGIN = 4,  /* the name of a plugin; a clause that says where its fields and parameters are listed */
    ENGINE_WORDS_FOLDERS = 5, /* no subject; what adds a folder of plugins, besides the key [run] plugins */
    ENGINE_WORDS_CHANGES = 6, /* "run" or "ensemble"; a clause that says which keys can change when it is resumed */
    ENGINE_WORDS_RESUME = 7,  /* the folder of a run; the command that continues it */
    ENGINE_WORDS_RESTART = 8, /* the folder of a run; the command that begins it again, at step 0 */
    ENGINE_WORDS_CONFORM = 9  /* the name of a plugin; a clause that says how to check it with a configuration */
};

/* Opens a context. `hooks` may be NULL. ENGINE_STATUS_USAGE if a folder of `plugin_folders` does not exist, or if only
 * one of `allocate` and `release` is given. */
ENGINE_EXPORT int engine_open(const struct engine_hooks *hooks, struct engine_context **context,
                              struct engine_error *error);
/* In process 0, engine_close lets the others return from engine_serve; so does engine_open if it fails. If a process
 * did not answer before, it ends all processes with the status ENGINE_STATUS_DEVICE, and does not return. */
ENGINE_EXPORT void engine_close(struct engine_context *context);

/* Takes part in the runs of process 0, in a process with another rank, until process 0 closes its context. The plugins
 * are those that this process finds in its own folders; the configuration comes from process 0, and so do the cells of
 * input files. Only process 0 calls the hooks `progress` and `stop`, and writes files, except for the files of members
 * (the hook `members`). Errors of this process end the
 * work of process 0 with a sentence that names the rank. The function returns an error itself if process 0 cannot be
 * reached; close the context then, which ends all processes. ENGINE_STATUS_DEVICE, ENGINE_STATUS_USAGE. */
ENGINE_EXPORT int engine_serve(struct engine_context *context, struct engine_error *error);

/* Returns the name of the plugin whose code runs now, or NULL if none runs. *function is the member of engine/plugin.h
 * that was called, such as "advance", or "constructor" while the file is being loaded. Both texts live as long as
 * the context. Any thread may call this function. A function that the program gave to atexit may call it too, so
 * that the program can name the plugin that called exit. */
ENGINE_EXPORT const char *engine_running(const struct engine_context *context, const char **function);

/* Sends one line of text to the hook `message`, with the source "engine". `level` is one of ENGINE_LOG_…. */
ENGINE_EXPORT void engine_message(const struct engine_context *context, int level, const char *text);

/* Reports to the hook `progress` what the program does, such as "bench: cuda, repeat 2 of 5". `activity` NULL reports
 * that the program has finished it. */
ENGINE_EXPORT void engine_activity(const struct engine_context *context, const char *activity);

/* Returns what the hook `words` returns for a topic, ENGINE_WORDS_…, and a subject. That is a constant of the program,
 * or `text`, which has `size` bytes, or NULL if the program has no words for it or no such hook. */
ENGINE_EXPORT const char *engine_words(const struct engine_context *context, uint32_t topic, const char *subject,
                                       char *text, size_t size);

/* Returns the hooks of a context: the library's copy, in which members beyond the caller's size are 0. The copy lives
 * as long as the context. */
ENGINE_EXPORT const struct engine_hooks *engine_context_hooks(const struct engine_context *context);

/* ---- Plugins --------------------------------------------------------------------------------------------------- */

/* Returns the name of plugin `index`, or NULL after the last. The plugins that the context has found come first, in
 * alphabetical order; those that engine_plugin_add has added follow. This function loads no file. The text lives as
 * long as the context. */
ENGINE_EXPORT const char *engine_plugin_name(const struct engine_context *context, uint32_t index);

/* A plugin, loaded. What the members point to lives as long as the context. */
struct engine_plugin_info {
    uint32_t size;     /* the caller sets sizeof(struct engine_plugin_info) */
    uint32_t disturbs; /* not 0: its file changed the rounding mode or the locale of the thread when the engine loaded
                          it, and the engine restored both */
    const char *path;  /* of its file; "": engine_plugin_add has added it */
    const struct engine_plugin *about;   /* its parameters, fields, metrics, generators, implementations */
    const struct engine_impl *reference; /* the implementation that others are compared with */
};

/* Finds and loads the plugin of that name. ENGINE_STATUS_PLUGIN. */
ENGINE_EXPORT int engine_plugin_find(struct engine_context *context, const char *name,
                                     struct engine_plugin_info *plugin, struct engine_error *error);

/* Adds a plugin of the program itself, which needs no file. The context checks and copies the descriptor and its
 * arrays. The functions and texts to which they point must outlive the context. Configurations name the plugin as they
 * name any other, and the engine finds it before every other plugin of its name. ENGINE_STATUS_PLUGIN: the descriptor
 * breaks a rule of engine/plugin.h. */
ENGINE_EXPORT int engine_plugin_add(struct engine_context *context, const struct engine_plugin *plugin,
                                    struct engine_error *error);

/* Returns why an implementation cannot run on this machine with any configuration, or NULL if it can. The returned text
 * may be *error's, so it is valid as long as *error is unchanged. */
ENGINE_EXPORT const char *engine_impl_missing(struct engine_context *context, const struct engine_impl *impl,
                                              struct engine_error *error);

/* Returns 1 if an implementation is among those of which [run] implementation = `kind` chooses one, and 0 if not.
 * `kind` is "auto", "cpu" or "cuda". */
ENGINE_EXPORT int engine_impl_is_of(const struct engine_impl *impl, const char *kind);

/* Describes a plugin as one JSON object, as `engine describe --json` prints it. name NULL: all plugins that load, as
 * one array. */
ENGINE_EXPORT int engine_plugin_json(struct engine_context *context, const char *name, char **text,
                                     struct engine_error *error);

/* ---- Configurations -------------------------------------------------------------------------------------------- */

/* Reads a configuration file. path NULL: an empty configuration, which engine_config_set fills.
 * ENGINE_STATUS_USAGE. */
ENGINE_EXPORT int engine_config_open(struct engine_context *context, const char *path, struct engine_config **config,
                                     struct engine_error *error);
ENGINE_EXPORT void engine_config_close(struct engine_config *config);

/* Sets one key, as in "run.steps=100". The value replaces that of the file. ENGINE_STATUS_USAGE. */
ENGINE_EXPORT int engine_config_set(struct engine_config *config, const char *assignment, struct engine_error *error);

/* Sets one key as engine_config_set does; section, key and value are separate texts. The function removes blanks at
 * both ends of the value. ENGINE_STATUS_USAGE. */
ENGINE_EXPORT int engine_config_put(struct engine_config *config, const char *section, const char *key,
                                    const char *value, struct engine_error *error);

/* Returns the text of a key, or NULL if the configuration does not have the key. The text lives until the key is set or
 * the configuration is closed. */
ENGINE_EXPORT const char *engine_config_get(const struct engine_config *config, const char *section, const char *key);

/* Sets *section and *key to the names of key `index` and returns 1, or returns 0 after the last. Sections come in the
 * order in which the configuration first had them, and so do the keys of a section. The names live as long as the
 * configuration. */
ENGINE_EXPORT int engine_config_at(const struct engine_config *config, uint32_t index, const char **section,
                                   const char **key);

/* Copies a configuration with the places of its keys, so that keys of the copy can be set. The caller closes the copy,
 * before or after the original. ENGINE_STATUS_DEVICE: there is no memory. */
ENGINE_EXPORT int engine_config_copy(const struct engine_config *config, struct engine_config **copy,
                                     struct engine_error *error);

/* Checks the names and values of all keys, as engine_run_plan does first. The configuration may lack sizes and files.
 * ENGINE_STATUS_USAGE, ENGINE_STATUS_PLUGIN. */
ENGINE_EXPORT int engine_config_check(const struct engine_config *config, struct engine_error *error);

/* engine_config_context returns the context of a configuration: the one that opened it. engine_config_set_context gives
 * the configuration another context, to which the runs that are planned later belong. So a thread with a context of its
 * own can use a copy of a configuration. */
ENGINE_EXPORT struct engine_context *engine_config_context(const struct engine_config *config);
ENGINE_EXPORT void engine_config_set_context(struct engine_config *config, struct engine_context *context);

/* Returns the place of a key for messages: "gun.ini:7", or the program's words for an assignment, such as "run.steps".
 * If the configuration does not have the key, the place is the path of its file, or "configuration" if it has no file.
 * The text lives until the key is set or the configuration is closed. */
ENGINE_EXPORT const char *engine_config_place(const struct engine_config *config, const char *section, const char *key);

/* Returns 1 if engine_config_set or engine_config_put has set the key, and 0 if not. */
ENGINE_EXPORT int engine_config_is_assigned(const struct engine_config *config, const char *section, const char *key);

/* Writes the path of a file that the configuration names to `out`, which has `size` bytes. A relative path is relative
 * to the folder of the configuration's file. Returns out. */
ENGINE_EXPORT const char *engine_config_resolve(const struct engine_config *config, const char *path, char *out,
                                                size_t size);

/* Finds and loads a plugin as a run of the configuration does, and so also in the folder of [run] plugins. What the
 * members of *plugin point to lives as long as the context. ENGINE_STATUS_PLUGIN, ENGINE_STATUS_USAGE. */
ENGINE_EXPORT int engine_config_plugin(const struct engine_config *config, const char *name,
                                       struct engine_plugin_info *plugin, struct engine_error *error);

/* Makes the configuration that starts a run from a pattern file: a plugin that takes the rule of the file, the file,
 * and a size of the grid if the file states none. `plugin` is the only plugin that is asked, or NULL: all are, and the
 * first one counts. The caller closes the configuration. ENGINE_STATUS_INPUT: the file is not a pattern;
 * ENGINE_STATUS_PLUGIN: no plugin takes it. */
ENGINE_EXPORT int engine_config_of_pattern(struct engine_context *context, const char *path, const char *plugin,
                                           struct engine_config **config, struct engine_error *error);

/* Prints the configuration as the text of a file. ENGINE_STATUS_USAGE: a file cannot hold a value, because it contains
 * both kinds of quotes or is too long. */
ENGINE_EXPORT int engine_config_print(const struct engine_config *config, char **text, struct engine_error *error);

/* A flag of a key of the engine: people need the key for their first configurations. `engine help config` lists only
 * the keys that have it. */
enum { ENGINE_KEY_BASIC = 1u << 22 };

/* A section of the engine's own keys, as `engine help config --all` lists them. A plugin's section has the plugin's
 * name and its parameters as keys. Other bits of the flags of a key that plugin.h does not name are for the engine
 * alone. */
struct engine_section {
    const char *name, *help;
    struct engine_param_array keys;
};

/* Returns section `index`, or NULL after the last. Sections are constants of the library. */
ENGINE_EXPORT const struct engine_section *engine_section_at(uint32_t index);

/* Reads a section as the engine reads its own. values[i] gets the value of section->keys.at[i], or its default. The
 * function refuses other keys in the section. Texts in the values live as long as the text of engine_config_get.
 * ENGINE_STATUS_USAGE. */
ENGINE_EXPORT int engine_config_values(const struct engine_config *config, const struct engine_section *section,
                                       struct engine_value *values, struct engine_error *error);

/* Returns the flags of a key: ENGINE_PARAM_TUNING if it changes no result, and ENGINE_PARAM_PATH if its value is a
 * path. `about` is a plugin whose parameters are keys, too, or NULL. Other bits are for the engine alone. */
ENGINE_EXPORT uint32_t engine_key_flags(const struct engine_plugin *about, const char *section, const char *key);

/* Reads one value as the engine reads the value of a key. `value->text` points to `text`. ENGINE_STATUS_USAGE. */
ENGINE_EXPORT int engine_parse(const struct engine_param *param, const char *text, struct engine_value *value,
                               struct engine_error *error);

/* ---- Runs ------------------------------------------------------------------------------------------------------ */

/* The form of a text about an object. */
enum {
    ENGINE_TEXT = 0,    /* lines for people */
    ENGINE_JSON = 1,    /* one JSON value */
    ENGINE_CSV = 2,     /* engine_bench_print alone */
    ENGINE_SVG = 3,     /* engine_bench_print alone */
    ENGINE_HEADING = 4, /* engine_bench_print alone: the lines about machine, date and command */
    ENGINE_ROOFLINE = 5 /* engine_bench_print alone: the rates below the limits of the machine, as SVG */
};

/* Checks a configuration, chooses the implementation and computes all sizes. It allocates no buffer and writes no file.
 * The run has a copy of the configuration, so the caller may change or close the configuration while the run is open.
 * */
ENGINE_EXPORT int engine_run_plan(const struct engine_config *config, struct engine_run **run,
                                  struct engine_error *error);
ENGINE_EXPORT void engine_run_close(struct engine_run *run);

/* Asks each implementation that can run the plan, and that can tell, whether it would pay for the initial state. Where
 * the buffers are not large, this allocates them, makes the initial state and takes up to a second for each such
 * implementation. engine_run_print_plan then shows the answers. ENGINE_STATUS_DEVICE: there is no memory. */
ENGINE_EXPORT int engine_run_advise(struct engine_run *run, struct engine_error *error);

/* Describes the plan as `engine check` does: implementation, sizes, memory, files. form: ENGINE_TEXT, ENGINE_JSON. */
ENGINE_EXPORT int engine_run_print_plan(struct engine_run *run, int form, char **text, struct engine_error *error);

/* Returns an error, with the sizes in its sentence, if the run's buffers do not fit into memory or its files do not fit
 * on the disk. engine_run_start checks this, too. ENGINE_STATUS_DEVICE, ENGINE_STATUS_OUTPUT. */
ENGINE_EXPORT int engine_run_check_room(struct engine_run *run, struct engine_error *error);

/* Checks the same for `count` runs like this one, of which `at_once` run at the same time. *bytes gets the bytes that
 * the buffers of `at_once` runs need on one device, also if there is no room; UINT64_MAX if the number is larger.
 * ENGINE_STATUS_DEVICE, ENGINE_STATUS_OUTPUT. */
ENGINE_EXPORT int engine_run_check_rooms(const struct engine_run *run, uint32_t at_once, uint64_t count,
                                         uint64_t *bytes, struct engine_error *error);

/* Allocates the buffers, makes the initial state, and creates the instance of the implementation. The run is then at
 * step 0. This function writes no file. */
ENGINE_EXPORT int engine_run_start(struct engine_run *run, struct engine_error *error);

/* Takes `steps` steps, in one or several calls of the plugin. If the configuration has an analysis, it takes the frames
 * that are due. This function writes no output file. *taken is the number of steps taken; it is less than `steps` if
 * the stop hook asked to stop. After an error, *lost says whether the state is lost; if not, the run is at the step
 * where the last complete call ended. `taken` and `lost` may be NULL. If the state is lost, this function and all
 * functions that use the state return ENGINE_STATUS_USAGE, until engine_run_restore or engine_run_return has filled it
 * again. */
ENGINE_EXPORT int engine_run_advance(struct engine_run *run, uint64_t steps, uint64_t *taken, int *lost,
                                     struct engine_error *error);

/* The present step of the run. */
ENGINE_EXPORT uint64_t engine_run_step(const struct engine_run *run);

/* The number of steps that the configuration asks for. */
ENGINE_EXPORT uint64_t engine_run_steps(const struct engine_run *run);

/* The run's plugin and chosen implementation. They live as long as the context. */
ENGINE_EXPORT void engine_run_plugin(const struct engine_run *run, struct engine_plugin_info *plugin);
ENGINE_EXPORT const struct engine_impl *engine_run_impl(const struct engine_run *run);

/* What a planned run will use. Until engine_run_choose has chosen the implementation of a run of engine_run_plan_steps,
 * all members but `devices`, `parts` and `device_number` are 0. */
struct engine_run_info {
    uint32_t size;         /* the caller sets sizeof(struct engine_run_info) */
    uint32_t threads;      /* on which the implementation computes */
    uint32_t devices;      /* among which the run is divided; 1: it is not */
    uint32_t parts;        /* into which it is divided; 1: it is not */
    const char *device;    /* the name of its device, or of the host; lives as long as the context */
    uint32_t memory;       /* ENGINE_HOST_MEMORY, ENGINE_CUDA_MEMORY */
    int32_t device_number; /* of [run] device */
    uint64_t bytes;        /* of all its buffers in this process */
    uint64_t kept_bytes;   /* of the copy of its states and outputs that engine_run_keep makes */
    uint64_t most_steps;   /* the most steps that a call of the plugin can take; UINT64_MAX: any number */
    double work_per_step;  /* work of a step, in units */
    const char *work_unit; /* plural: "cell updates"; lives as long as the run */
};

ENGINE_EXPORT void engine_run_about(const struct engine_run *run, struct engine_run_info *info);

/* Writes the size of a field to `text`, such as "64 x 64" or "64 x 64, batch of 1000". Fields are numbered as in the
 * plugin's table. Returns text, which is empty if there is no such field. */
ENGINE_EXPORT const char *engine_run_size(const struct engine_run *run, uint32_t field, char text[80]);

/* Returns the text of note `index` about the choices of the implementation (host->note), such as "avx512", and sets
 * *key to its key, such as "instructions". Returns NULL after the last. A run that has not started has no notes. The
 * texts live until the next function that takes steps or measures. */
ENGINE_EXPORT const char *engine_run_note(const struct engine_run *run, uint32_t index, const char **key);

/* Does the first half of engine_run_start: it allocates the buffers and makes the initial state, which becomes the
 * state of step `step`. The caller can then read, write and hash the state. Call engine_run_start next: it creates the
 * instance at that step, from what the state holds by then. This function does not check whether memory and disk have
 * room. It may be called once. ENGINE_STATUS_USAGE, ENGINE_STATUS_INPUT, ENGINE_STATUS_PLUGIN, ENGINE_STATUS_DEVICE. */
ENGINE_EXPORT int engine_run_prepare(struct engine_run *run, uint64_t step, struct engine_error *error);

/* ---- The state of a run, after engine_run_start ------------------------------------------------------------------
 *
 * Fields are numbered as in the plugin's table, the `about->fields` of engine_run_plugin. Arrays are canonical:
 * elements of the field's type in C order, (z, y, x, component), for every layout and device. */

/* Finds a field by its name. ENGINE_STATUS_USAGE. */
ENGINE_EXPORT int engine_run_field(const struct engine_run *run, const char *name, uint32_t *field,
                                   struct engine_error *error);

/* The type and extents of a field at the run's step; zeros if there is no such field. The caller sets shape->size. */
ENGINE_EXPORT void engine_run_shape(const struct engine_run *run, uint32_t field, struct engine_shape *shape);

/* A part of a field: cells [begin, end) along x, y, z; particles, columns, bins along x. */
struct engine_box {
    uint64_t begin[3], end[3];
};

/* Finds the least box with all cells of the grids of a run that differ from the background, if the grids lie in tiles:
 * the cell in the middle if there are none. Of an unbounded grid, cell 0 along an axis is element extent / 2. For other
 * runs, the box is the whole field. ENGINE_STATUS_USAGE, ENGINE_STATUS_DEVICE. */
ENGINE_EXPORT int engine_run_bounds(const struct engine_run *run, uint32_t field, struct engine_box *box,
                                    struct engine_error *error);

/* engine_run_read copies a box of a field into a canonical array of the box's extents, and engine_run_write copies such
 * an array into the field. If `box` is NULL, it is the whole field. `bytes` must be the size of the array. If the field
 * takes the values 0 … values - 1, engine_run_write refuses an array with another value, and the state stays as it was.
 * After a write, the run continues from the new state. If the plugin does not accept the values of an input, the next
 * step or measurement returns the error, and the state stays as it was. ENGINE_STATUS_USAGE, ENGINE_STATUS_DEVICE. */
ENGINE_EXPORT int engine_run_read(const struct engine_run *run, uint32_t field, const struct engine_box *box, void *out,
                                  uint64_t bytes, struct engine_error *error);
ENGINE_EXPORT int engine_run_write(struct engine_run *run, uint32_t field, const struct engine_box *box, const void *in,
                                   uint64_t bytes, struct engine_error *error);

/* engine_run_fetch and engine_run_feed do the same for `count` elements of the canonical array, from element `begin`
 * on. They differ from the functions above in one point: engine_run_feed keeps the instance, whose next call has
 * ENGINE_CALL_FRESH, also if the field is an input. After engine_run_write to an input, the engine destroys the
 * instance and creates it again. So engine_run_feed is for an input of which each call takes other values, such as the
 * frames of a trajectory. */
ENGINE_EXPORT int engine_run_fetch(const struct engine_run *run, uint32_t field, uint64_t begin, uint64_t count,
                                   void *out, struct engine_error *error);
ENGINE_EXPORT int engine_run_feed(struct engine_run *run, uint32_t field, uint64_t begin, uint64_t count,
                                  const void *in, struct engine_error *error);

/* Gives the run another periodic box: Lx Ly Lz xy xz yz, as in engine_plan.box of engine/plugin.h. The box is periodic
 * along the same axes as before. The plugin checks it; after an error, the run keeps its box. The instance stays, and its
 * next call has ENGINE_CALL_FRESH, so each frame that engine_run_feed gives may have a box of its own. If the plugin has a
 * state, the engine destroys the instance and creates it again. The next frame that the run reads from a file replaces
 * the box. ENGINE_STATUS_USAGE, or what the plugin's check returns. */
ENGINE_EXPORT int engine_run_set_box(struct engine_run *run, const double box[6], struct engine_error *error);

/* Gives each universe of a batch a plan of its own. For each universe u, open a run of this universe alone: plans[u] is a
 * copy of the plan that engine_run_seen returns for it. These runs may differ only in their seeds, in parameters with
 * ENGINE_PARAM_BY_UNIVERSE (batch.h), and in their boxes. None of them has a random initial state. Keep `plans` and these
 * runs until `run` is closed. Call this function before engine_run_prepare and engine_run_start. ENGINE_STATUS_USAGE. */
ENGINE_EXPORT int engine_run_set_universes(struct engine_run *run, const struct engine_plan *plans,
                                           struct engine_error *error);

/* A field in its own memory. */
struct engine_view {
    uint32_t size;     /* the caller sets sizeof(struct engine_view) */
    uint32_t memory;   /* ENGINE_HOST_MEMORY or ENGINE_CUDA_MEMORY */
    int32_t device;    /* ordinal of the CUDA device */
    uint32_t reserved; /* 0 */
    void *stream;      /* CUDA: the cudaStream_t that fills the buffer; your work must wait for it. Host: NULL */
    struct engine_buffer buffer; /* origins, strides, shape and layout, as a plugin sees them */
    void *origin;                /* the element of buffer.origin that holds the state now */
};

/* Describes the memory of a field, without a copy. The addresses in buffer.origin stay valid until the run is closed.
 * `origin` may change with every engine_run_advance. If you write to this memory, call engine_run_changed
 * afterwards. A run that [run] parts divides has no such memory: ENGINE_STATUS_USAGE. */
ENGINE_EXPORT int engine_run_view(const struct engine_run *run, uint32_t field, struct engine_view *view,
                                  struct engine_error *error);
ENGINE_EXPORT void engine_run_changed(struct engine_run *run);

/* Waits until all work that was enqueued on `stream` is complete. NULL: the run's own stream, that of engine_run_view.
 * Otherwise a cudaStream_t of the run's device; 1 is the legacy default stream, and 2 that of the calling thread. If
 * your work on the memory of a view is on another stream than the run's, wait for the run's stream before it, and for
 * yours before the next function that uses the run. Host memory has no streams, so the function returns at once.
 * ENGINE_STATUS_DEVICE. */
ENGINE_EXPORT int engine_run_wait(struct engine_run *run, void *stream, struct engine_error *error);

/* Measures the metrics: one number for each in the plugin's table. `values` has space for `count` numbers.
 * ENGINE_STATUS_PLUGIN if the implementation does not measure. */
ENGINE_EXPORT int engine_run_measure(struct engine_run *run, double *values, uint32_t count,
                                     struct engine_error *error);

/* Measures each universe of a batch: `values` gets all metrics of universe 0, then those of universe 1, and so on. It
 * has space for `count` numbers. engine_run_measure gives the means over the universes. ENGINE_STATUS_PLUGIN if the
 * implementation does not measure. */
ENGINE_EXPORT int engine_run_measure_universes(struct engine_run *run, double *values, uint64_t count,
                                               struct engine_error *error);

/* Copies the states, the outputs and the step of the run `from` to the run `to`. Both runs have started, have the same
 * plugin, and have fields of the same shapes; implementation, device and division may differ. The inputs of `to` stay
 * as they are. After an error, some fields of `to` may be copied and others not. ENGINE_STATUS_USAGE,
 * ENGINE_STATUS_DEVICE. */
ENGINE_EXPORT int engine_run_copy(struct engine_run *to, const struct engine_run *from, struct engine_error *error);

/* engine_run_keep copies the step, the states and the outputs of a run to host memory. engine_run_return copies them
 * back to the same run, as often as the caller likes. It also destroys the instance and creates it again, so the
 * instance knows nothing of the steps that it took. If engine_run_advance has read frames of a trajectory, it refuses
 * to go on from an earlier step. After an error of engine_run_return the state is lost, unless only the instance could
 * not be created. Close the copy before or after the run. ENGINE_STATUS_DEVICE, ENGINE_STATUS_USAGE. */
struct engine_kept;
ENGINE_EXPORT int engine_run_keep(const struct engine_run *run, struct engine_kept **kept, struct engine_error *error);
ENGINE_EXPORT int engine_run_return(struct engine_run *run, const struct engine_kept *kept, struct engine_error *error);
ENGINE_EXPORT void engine_kept_close(struct engine_kept *kept);

/* The hash of the state: XXH3-128 of the canonical arrays of all states and outputs, as 32 hexadecimal digits and a
 * zero. All exact implementations give the same hash. */
enum { ENGINE_HASH_SIZE = 33 };
ENGINE_EXPORT int engine_run_hash(const struct engine_run *run, char hash[ENGINE_HASH_SIZE],
                                  struct engine_error *error);

/* engine_run_save writes the whole state to a snapshot file, and engine_run_restore reads one. Another implementation
 * or device may have written it. A run that reads the frames of a trajectory only takes a snapshot of its own step:
 * ENGINE_STATUS_USAGE. If the file is not a snapshot of the run's fields, the state stays as it was. If the content of
 * a field cannot be read, the state is lost. ENGINE_STATUS_OUTPUT, ENGINE_STATUS_INPUT. */
ENGINE_EXPORT int engine_run_save(struct engine_run *run, const char *path, struct engine_error *error);
ENGINE_EXPORT int engine_run_restore(struct engine_run *run, const char *path, struct engine_error *error);

/* Writes the state to a file of the format that the ending of `path` names. It replaces an existing file.
 * ENGINE_STATUS_OUTPUT. */
ENGINE_EXPORT int engine_run_write_file(struct engine_run *run, const char *path, struct engine_error *error);

/* What a picture shows. A member that is 0 has its default. */
struct engine_sight {
    uint32_t size;         /* sizeof(struct engine_sight) */
    uint32_t field;        /* 1 + the number of a state or an output; 0: the first that a picture can show */
    struct engine_box box; /* the cells of a grid; an axis whose end is not behind its begin is shown whole */
    uint32_t axis;         /* volumes: 1, 2 or 3: look along z, y or x; 0: as [output] axis and view say */
    uint32_t reserved;     /* 0 */
    uint64_t plane;   /* volumes with an axis: 1 + the plane along it, counted from the begin of the box; 0: the sum
                              over all planes, or their mean */
    double bounds[4]; /* particles: left, right, bottom, top; all 0: those that fit the first picture */
};

/* A state as a small picture, made quickly, as `engine run --watch` shows it. */
struct engine_picture {
    uint32_t size;                      /* the caller sets sizeof(struct engine_picture) */
    uint32_t reserved;                  /* 0 */
    uint64_t most_columns, most_rows;   /* the caller sets the largest size of the picture, each at least 1 */
    uint64_t exact_columns, exact_rows; /* the caller sets another limit: a grid of two values that fits into it gets
                                           one shade for each cell; 0: none */

    uint64_t columns, rows; /* of the picture */
    uint8_t *shades;        /* 0 … 255, black … white, rows from the top; freed by engine_picture_release */
    uint64_t scale;         /* how many times the picture fits into the limit along both axes */
    int exact;              /* not 0: every shade is one cell of a grid of two values: 0 or 255 */
    void *memory;           /* for the engine: what earlier pictures showed, so that a series has one scale of greys */
    uint8_t *colours;       /* red, green and blue of each shade, of particles and where the plugin gives its values
                               colours; NULL: grey. Freed by engine_picture_release */
    const struct engine_sight *sight; /* the caller sets what to show, or NULL: what [output] says */
    uint64_t block;                   /* a shade shows block x block cells of a grid; 0: no grid, or tiles of a batch */
};

/* Draws the state, or of grids the part that [output] region chooses. Use the same structure for all pictures of a
 * series: it keeps the scale of greys. */
ENGINE_EXPORT int engine_run_picture(struct engine_run *run, struct engine_picture *picture,
                                     struct engine_error *error);
ENGINE_EXPORT void engine_picture_release(struct engine_picture *picture);

/* ---- Whole runs: what `engine run` and `engine resume` do ----------------------------------------------------- */

enum {
    ENGINE_RUN_FORCE = 1u << 0, /* write into a folder that already holds files, and remove those of an earlier run */
    ENGINE_RUN_NO_FILES = 1u << 1, /* make no folder and write no files; `deadline` has no effect, and a run that stops
                                      saves nothing. ENGINE_STATUS_USAGE after engine_run_claim */
    ENGINE_RUN_HAS_ROOM = 1u << 2, /* engine_run_set_flags: do not check whether memory and disk have room, because the
                                      caller has checked it */
    ENGINE_RUN_GOES_ON = 1u << 3,  /* engine_run_claim: keep the files of the folder, with which the run continues */
    ENGINE_RUN_ONCE = 1u << 4      /* engine_run_set_flags: the run is executed once, and its folder is unlocked at the
                                      end of the execution, before the run is closed */
};

/* Sets the flags that hold for engine_run_start and for every execution of the run, in addition to those of struct
 * engine_execution. Call this function before engine_run_start and engine_run_execute. After it has set
 * ENGINE_RUN_NO_FILES, engine_run_print_plan and engine_run_check_room count no files. */
ENGINE_EXPORT void engine_run_set_flags(struct engine_run *run, uint32_t flags);

/* Makes the folder of [run] output, and locks it until the run is closed. With ENGINE_RUN_FORCE in `flags`, the
 * function removes the files of an earlier run. With ENGINE_RUN_GOES_ON, it keeps all files. With neither, the folder
 * must be empty. If the program does not call this function, engine_run_execute does the same. ENGINE_STATUS_OUTPUT:
 * another process has locked the folder, the folder is not empty, or it cannot be made. ENGINE_STATUS_USAGE: the run
 * is one of engine_run_plan_steps, or was executed with ENGINE_RUN_NO_FILES. */
ENGINE_EXPORT int engine_run_claim(struct engine_run *run, uint32_t flags, struct engine_error *error);

struct engine_execution {
    uint32_t size;
    uint32_t flags; /* ENGINE_RUN_… */
    /* The run stops, with a checkpoint, before this number of seconds has passed since the context was opened; 0: no
     * deadline. */
    double deadline;
};

/* How an execution ended. */
struct engine_result {
    uint32_t size;        /* the caller sets sizeof(struct engine_result) */
    int stopped;          /* 0: it reached the end; else what the stop hook returned, or SIGALRM for the deadline */
    uint64_t first, step; /* the steps at which the execution began and ended */
    uint64_t saved;       /* the step of the last complete checkpoint in the run's folder; UINT64_MAX: none */
    double seconds;       /* that its steps took */
};

/* Makes and locks the folder of [run] output, starts the run unless engine_run_start has done so, takes all steps, and
 * writes every output, metric and checkpoint that is due. It is called after engine_run_plan or engine_run_resume.
 * `execution` may be NULL. After an error, result->saved is the step from which engine_run_resume can continue. */
ENGINE_EXPORT int engine_run_execute(struct engine_run *run, const struct engine_execution *execution,
                                     struct engine_result *result, struct engine_error *error);

/* Sets *result to the result of the last execution. The caller sets result->size. */
ENGINE_EXPORT void engine_run_result(const struct engine_run *run, struct engine_result *result);

/* What executions of a run measure. */
struct engine_measured {
    uint32_t size; /* the caller sets sizeof(struct engine_measured) */
    uint32_t reserved;
    const char *path;                  /* of the plugin's file */
    const struct engine_plugin *about; /* the plugin, which has the metrics; NULL: there is no analysis */
    char file[192];                    /* the name of the file of metrics and probes over time; "": the run has none */
    /* The last execution gives these members. They are valid until the run is executed again or closed. */
    const double *values; /* one number for each metric, of the last state that was measured; or NULL */
    const char *rows;     /* what the file would hold, if the execution wrote no files; otherwise NULL */
    const char *hash;     /* of the last state; "": there is none */
};

/* Fills in *measured for the run's plugin or, if `analysis` is not 0, for the plugin of its analysis. Before the first
 * execution, `values` and `rows` are NULL, and `hash` is "". ENGINE_STATUS_DEVICE, ENGINE_STATUS_USAGE. */
ENGINE_EXPORT int engine_run_measured(const struct engine_run *run, int analysis, struct engine_measured *measured,
                                      struct engine_error *error);

/* Opens the run in a folder at its newest complete checkpoint, or at its beginning if there is none. Call
 * engine_run_execute next. `assignments` ("run.steps=20000") change the configuration; `engine resume --help` lists the
 * keys that may change. If the run has already ended, *run is NULL and *summary is its summary as JSON, which the
 * caller frees; otherwise *summary is NULL. */
ENGINE_EXPORT int engine_run_resume(struct engine_context *context, const char *folder, const char *const *assignments,
                                    uint32_t count, struct engine_run **run, char **summary,
                                    struct engine_error *error);

/* The signal of [checkpoint] signal; 0: none. After this signal, the caller's stop hook should ask to stop. */
ENGINE_EXPORT int engine_run_signal(const struct engine_run *run);

/* The folder of the run's files. */
ENGINE_EXPORT const char *engine_run_folder(const struct engine_run *run);

/* Returns the condition of [run] until that ended the last execution before its last step, with what was found, such as
 * "population < 10: it is 8", "repeats: period 30, first seen at step 1103" or "unchanged: the state is that of step
 * 41"; NULL if no condition did. The text lives until the run is closed. engine_run_advance ignores the conditions. */
ENGINE_EXPORT const char *engine_run_ended(const struct engine_run *run);

/* A condition of [run] until. */
enum {
    ENGINE_UNTIL_METRIC = 0,    /* a metric or its relative change is compared with a number */
    ENGINE_UNTIL_REPEATS = 1,   /* the state was there before */
    ENGINE_UNTIL_UNCHANGED = 2, /* the state is that of the step before */
    ENGINE_UNTIL_SETTLED = 3,   /* all but departing spaceships is periodic */
    ENGINE_UNTIL_EDGE = 4       /* live cells are at an edge of the grid */
};

struct engine_condition {
    uint32_t size;    /* the caller sets sizeof(struct engine_condition) */
    uint32_t kind;    /* ENGINE_UNTIL_… */
    const char *text; /* as in the configuration; it lives as long as the run */
    uint64_t every;   /* steps between two looks at the conditions */
};

/* Copies condition `index` of a planned run to *condition and returns 1; returns 0 after the last. */
ENGINE_EXPORT int engine_run_condition(const struct engine_run *run, uint32_t index,
                                       struct engine_condition *condition);

/* The summary of an execution: rate, notes, metrics, hash, files. form: ENGINE_TEXT, ENGINE_JSON. */
ENGINE_EXPORT int engine_run_print_summary(struct engine_run *run, int form, char **text, struct engine_error *error);

/* Writes report.html into a run's folder: one page with pictures, curves, hash and configuration. */
ENGINE_EXPORT int engine_report(struct engine_context *context, const char *folder, struct engine_error *error);

/* ---- Files ----------------------------------------------------------------------------------------------------- */

struct engine_format {
    uint32_t size; /* the caller sets sizeof(struct engine_format) */
    uint32_t reserved;
    const char *name; /* "rle": its word in [output] formats, and its ending */
    const char *help;
    int reads, writes;   /* not 0: the engine can read or write it */
    const char *endings; /* of file names, separated by spaces: ".rle .rle.gz" */
    int frames;          /* not 0: a file that the engine writes may hold several frames */
};

/* Copies format `index` to *format and returns 1; returns 0 after the last. */
ENGINE_EXPORT int engine_format_at(uint32_t index, struct engine_format *format);

/* A file format of a context: one of the engine's own, or one of a library in the folders of plugins
 * (engine/format.h). */
struct engine_format_info {
    uint32_t size;   /* the caller sets sizeof(struct engine_format_info) */
    uint32_t length; /* the unit of lengths in its files, ENGINE_NANOMETRE … of engine/format.h; 0: none */
    struct engine_format format; /* its texts live as long as the context */
    const char *library;         /* the file of its library; NULL: it is one of the engine's own */
};

/* Returns the name of format `index` of the context, NULL after the last. Libraries are not loaded. */
ENGINE_EXPORT const char *engine_format_name(const struct engine_context *context, uint32_t index);

/* Finds the format of that name and loads its library. ENGINE_STATUS_PLUGIN. */
ENGINE_EXPORT int engine_format_find(struct engine_context *context, const char *name, struct engine_format_info *info,
                                     struct engine_error *error);

/* How engine_convert writes. A member that is 0 has its default. */
struct engine_conversion {
    uint32_t size;
    int force;          /* not 0: replace an existing file */
    uint32_t scale;     /* png: pixels along a side of a cell; 0: the engine chooses */
    uint32_t axis;      /* png of three axes: the axis to look along, 0: z, 1: y, 2: x */
    int slice;          /* png of three axes: not 0: show the plane `plane` alone; 0: add up the live cells */
    int colours;        /* png: index of a choice of [output] colours */
    int64_t plane;      /* -1: the middle one */
    double range[2];    /* png of grids: the darkest and the brightest value; if both are the same: as the file says */
    const char *frames; /* which frames, "first:end:stride" as [init] frames; NULL: all */
    uint32_t component; /* png of grids of several components: the one to show, counted from 1; 0: none */
    uint32_t universe;  /* of a batch: the one to write, counted from 1; 0: all */
    const char *from;   /* the name of the format of the file that is read; NULL: its content says it */
    const char *to;     /* that of the file that is written; NULL: the ending of its name says it */
    int lines;          /* png of grids: not 0: lines between cells of 8 pixels or more */
    int captions;       /* png: not 0: a strip below, with a bar of a known length and the step */
    int deep;           /* png of particles: not 0: nearer particles are brighter and hide others */
    int reserved;
    double depth[2]; /* deep: the range along the axis that is shown; if both are the same: all particles */
};

/* Reads a file of any format and writes it in the format that the ending of `out` names. `conversion` may be NULL.
 * The function writes all frames, and refuses to write several frames to a file that can hold only one. It sends a
 * warning to the hook `message` that names what the file does not hold, such as velocities or the box. If the hook
 * `stop` stops the function, it writes no file and returns 128 + the number that the hook returned.
 * ENGINE_STATUS_USAGE, ENGINE_STATUS_INPUT, ENGINE_STATUS_OUTPUT. */
ENGINE_EXPORT int engine_convert(struct engine_context *context, const char *in, const char *out,
                                 const struct engine_conversion *conversion, struct engine_error *error);

/* ---- Words ----------------------------------------------------------------------------------------------------- */

/* Finds the name of a list that is most similar to `word`, and writes ", did you mean 'name'?" to `hint`, or "" if no
 * name is similar. name_at(list, i) returns the i-th name and NULL after the last. Returns hint. */
ENGINE_EXPORT const char *engine_nearest(char hint[128], const char *word,
                                         const char *(*name_at)(const void *list, uint32_t index), const void *list);

/* The same for a path: finds the most similar name in its folder. */
ENGINE_EXPORT const char *engine_nearest_file(char hint[128], const char *path);

/* The name of an element type, ENGINE_U8 …: "uint8"; NULL after the last. */
ENGINE_EXPORT const char *engine_type_name(uint32_t type);

/* Writes a number with three digits and an SI prefix: 1234567 as "1.23 M". Returns text. */
ENGINE_EXPORT const char *engine_si(double number, char text[32]);

/* Appends a space and `word`, quoted for a shell, to `text`, a string in a buffer of `size` bytes. */
ENGINE_EXPORT void engine_quote(char *text, size_t size, const char *word);

/* Returns the version, with the commit if it is known: "0.3.0 (15bcf03)". The text is a constant of the library. */
ENGINE_EXPORT const char *engine_version(void);

#ifdef __cplusplus
}
#endif

#include <engine/ensemble.h>
#include <engine/identify.h>
#include <engine/judge.h>

#endif
