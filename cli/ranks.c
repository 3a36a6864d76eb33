#include "ranks.h"
#include "ensemble.h"
#include "message.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int ranks_number(void)
{
    /* Open MPI; PMIx, as `srun --mpi=pmix` and newer mpiruns; MPICH, Intel MPI and `srun --mpi=pmi2` */
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *text = getenv(names[i]);
        if (text && *text)
            return atoi(text);
    }
    return -1;
}

bool ranks_module(char path[INSTALLED_PATH])
{
    return installed_part(RANKS_MODULE, path);
}

/* The engine loads NCCL itself (lib/parts/nccl.c); this only looks. */
void ranks_transports(char text[128])
{
    int (*get_version)(int *) = NULL;
    int version = 0;
    void *nccl = dlopen("libnccl.so.2", RTLD_LAZY | RTLD_LOCAL);
    if (nccl)
        *(void **) &get_version = dlsym(nccl, "ncclGetVersion");
    if (get_version && get_version(&version) == 0)
        snprintf(text, 128, "peer (CUDA IPC), nccl %d.%d.%d, host", version / 10000, version / 100 % 100,
                 version % 100);
    else
        snprintf(text, 128, "peer (CUDA IPC), host; nccl not available: libnccl.so.2 does not load");
    if (nccl)
        dlclose(nccl);
}

/* A module that was built with another MPI than that of mpirun finds one process alone. */
static int check_size(const struct engine_transport *transport, struct engine_error *error)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *text = getenv(names[i]);
        if (text && *text && atoi(text) != (int) transport->ranks)
            return fail(
                error, ENGINE_STATUS_PLUGIN,
                "mpirun has started %s processes, but %s finds %u; use the mpirun of the MPI with which " RANKS_MODULE
                " was built",
                text, transport->name, transport->ranks);
    }
    return 0;
}

/* ---- Starting and ending MPI ------------------------------------------------------------------------------------ */

/* [run] patience. Only the first process needs to have the configuration; the others, or all if it cannot be read, take
 * the default. As in a run, the others are more patient, so that the first process speaks. */
static double patience_of(const struct options *options)
{
    const struct engine_param *key = option_key("run", "patience");
    struct engine_context *context = NULL;
    struct engine_config *config = NULL;
    struct engine_value value = {0};
    struct engine_error ignored;
    struct stat about;
    char path[INSTALLED_PATH];
    const char *word = options->word_count > 0 ? options->words[0] : "";
    const bool folder = stat(word, &about) == 0 && S_ISDIR(about.st_mode);
    snprintf(path, sizeof path, "%s%s", word, folder ? "/config.ini" : "");
    if (engine_open(NULL, &context, &ignored) == 0)
        options_config(options, context, path, &config, &ignored);
    const char *text = config ? engine_config_get(config, "run", "patience") : NULL;
    if (!text || engine_parse(key, text, &value, &ignored) != 0)
        engine_parse(key, key->initial, &value, &ignored);
    engine_config_close(config);
    engine_close(context);
    return ranks_number() > 0 ? 1.25 * value.real + 1 : value.real;
}

/* While MPI starts or ends, it waits for all processes without a limit, and nothing else goes on. So a thread counts the
 * time, in its own pauses, because a process that was stopped itself has not lost patience. */
struct vigil {
    pthread_t thread;
    double patience;
    const char *what;
    atomic_bool over;
};

static void *keep_vigil(void *argument)
{
    struct vigil *vigil = argument;
    const double pause = 0.02;
    for (double waited = 0; !atomic_load(&vigil->over); waited += pause) {
        if (waited > vigil->patience) {
            fprintf(stderr,
                    "engine: MPI has not %s in all processes for %.4g seconds; look at the other processes, or give a "
                    "larger [run] patience\n",
                    vigil->what, vigil->patience);
            _exit(ENGINE_STATUS_DEVICE); /* mpirun then ends the others */
        }
        nanosleep(&(struct timespec){.tv_nsec = (long) (1e9 * pause)}, NULL);
    }
    return NULL;
}

/* Without a thread, nobody counts. */
static bool begin_vigil(struct vigil *vigil, const char *what, double patience)
{
    sigset_t all, before;
    *vigil = (struct vigil){.what = what, .patience = patience};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are left to the caller's thread */
    const bool begun = pthread_create(&vigil->thread, NULL, keep_vigil, vigil) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return begun;
}

static void end_vigil(struct vigil *vigil)
{
    atomic_store(&vigil->over, true);
    pthread_join(vigil->thread, NULL);
}

static const struct engine_transport *open_watched(engine_transport_open_function *open_transport,
                                                   const struct options *options, char reason[256])
{
    struct vigil vigil;
    const bool watched = begin_vigil(&vigil, "started", patience_of(options));
    const struct engine_transport *transport = open_transport(reason);
    if (watched)
        end_vigil(&vigil);
    return transport;
}

int ranks_join(struct options *options, struct engine_error *error)
{
    const struct engine_transport **transport = &options->transport;
    char path[INSTALLED_PATH], reason[256] = "";
    engine_transport_open_function *open_transport = NULL;
    *transport = NULL;
    if (ranks_number() < 0)
        return 0;
    setenv("NCCL_NVLS_ENABLE", "0", 1); /* NVLink multicast needs set-up of the host, and gains nothing for margins */
    if (!ranks_module(path))
        return fail(error, ENGINE_STATUS_PLUGIN,
                    "mpirun has started the program, but the module " RANKS_MODULE
                    " was not built, because make found no "
                    "mpicc; install Open MPI (libopenmpi-dev) and build again, or start the program without mpirun");
    void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* Open MPI's own modules look for its symbols */
    if (!module)
        return fail(error, ENGINE_STATUS_PLUGIN, "%s: %.1800s", path, dlerror());
    *(void **) &open_transport = dlsym(module, "engine_transport_open");
    if (!open_transport || !(*transport = open_watched(open_transport, options, reason)))
        return fail(error, ENGINE_STATUS_PLUGIN, "%s: %s", path,
                    open_transport ? reason : "it is not a module of this engine");
    return check_size(*transport, error);
}

/* A hook. The terminal is the first member of the options. */
static int serve_members(void *terminal, struct engine_ensemble *ensemble, struct engine_error *error)
{
    return ensemble_serve(ensemble, terminal, error);
}

int ranks_context(struct options *options, struct engine_context **context, struct engine_error *error)
{
    const struct engine_hooks hooks = {.size = sizeof hooks,
                                       .message = terminal_message,
                                       .transport = options->transport,
                                       .members = serve_members,
                                       .pace = RANKS_PACE};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < options->folder_count; i++)
        if (access(options->folders[i], F_OK) == 0)
            options->folders[kept++] = options->folders[i];
    options->folder_count = kept;
    options->terminal.verbosity = QUIET;
    return options_context_with(options, &hooks, &options->terminal, context, error);
}

int ranks_serve(struct engine_context *context)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};
    struct engine_error error;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        signal(signals[i], SIG_IGN);
    return engine_serve(context, &error) != 0 ? report(&error) : ENGINE_STATUS_DONE;
}

void ranks_leave(const struct options *options)
{
    const struct engine_transport *transport = options->transport;
    struct vigil vigil;
    if (!transport)
        return;
    const bool watched = begin_vigil(&vigil, "ended", patience_of(options));
    transport->close(transport->self);
    if (watched)
        end_vigil(&vigil);
}
