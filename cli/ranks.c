#include "ranks.h"
#include "ensemble.h"
#include "message.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder of libraries, relative to that of the program; the Makefile sets it. */
#ifndef ENGINE_LIBDIR
#define ENGINE_LIBDIR "../lib"
#endif

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
    return installed_beside(RANKS_MODULE, path) || installed_beside(ENGINE_LIBDIR "/engine/" RANKS_MODULE, path);
}

/* The engine loads NCCL itself (core/memory/nccl.c); this only looks. */
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

int ranks_join(const struct engine_transport **transport, struct engine_error *error)
{
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
    if (!open_transport || !(*transport = open_transport(reason)))
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

void ranks_leave(const struct engine_transport *transport)
{
    if (transport)
        transport->close(transport->self);
}
