/* The program engine-view, which `engine view` starts: it shows a simulation in a browser. */
#include "installed.h"
#include "moment.h"
#include "options.h"
#include "server.h"
#include "stop.h"
#include "words.h"

#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double SHARE = 0.01;             /* of the time, for pictures while the simulation plays */
static const double PICTURES_PER_SECOND = 30; /* at most */
static const double PACE = 0.02;              /* seconds of a call of the plugin: the viewer waits no longer */
static const double PATIENCE = 0.2;           /* seconds of a wait, after which a signal is noticed */

struct view {
    struct options options;
    struct scene scene;
    struct server *server;
    double due; /* when the next picture may be made */
};

/* ---- Hooks ---------------------------------------------------------------------------------------------------------- */

static void take_message(void *user, int level, const char *source, const char *text)
{
    struct view *view = user;
    terminal_message(&view->options.terminal, level, source, text);
}

/* Only steps are interrupted, and not the reading of a file; and for a picture only those of a simulation that plays. */
static int should_stop(void *user)
{
    struct view *view = user;
    return stop_signal(NULL) != 0 ||
           (view->scene.stepping && server_has_request(view->server, !view->scene.counted && seconds_now() >= view->due));
}

/* ---- Opening -------------------------------------------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int set_keys(const struct options *options, struct engine_config *config, struct engine_error *error)
{
    int status = 0;
    for (uint32_t i = 0; status == 0 && i < options->set_count; i++)
        status = engine_config_set(config, options->set[i], error);
    return status;
}

/* Opens the configuration of what the command line names: a folder of a run, a pattern, or a configuration. */
static int open_config(const struct options *options, struct engine_context *context, struct engine_config **config,
                       struct engine_error *error)
{
    const char *word = options->words[0];
    char path[MOMENT_PATH];
    if (!is_folder(word))
        return options_config(options, context, word, config, error);
    snprintf(path, sizeof path, "%s/config.ini", word);
    const int status = engine_config_open(context, path, config, error);
    return status != 0 ? status : set_keys(options, *config, error);
}

static int refuse_others(const struct engine_config *config, struct engine_error *error)
{
    struct engine_ensemble *ensemble;
    if (engine_ensemble_plan(config, &ensemble, error) != 0)
        return error->status;
    engine_ensemble_close(ensemble);
    return ensemble ? fail(error, ENGINE_STATUS_USAGE,
                           "a view shows one run, and the configuration asks for an ensemble; leave its section out")
                    : 0;
}

static int open_scene(struct view *view, struct engine_context *context, struct engine_error *error)
{
    const struct options *options = &view->options;
    const char *word = options->words[0];
    const char *name = strrchr(word, '/') && strrchr(word, '/')[1] ? strrchr(word, '/') + 1 : word;
    struct engine_config *config = NULL;
    snprintf(view->scene.title, sizeof view->scene.title, "%.90s", name);
    view->scene.read_only = options->read_only;
    if (open_config(options, context, &config, error) != 0 || refuse_others(config, error) != 0) {
        engine_config_close(config);
        return error->status;
    }
    if (scene_open(&view->scene, config, is_folder(word) ? word : NULL, error) == 0)
        return 0;
    options_explain(config, error);
    return error->status;
}

/* ---- The browser ---------------------------------------------------------------------------------------------------- */

/* Every user of the machine can see the words of a process, so the address with its token is in a file that only this
 * user can read. */
static void start_browser(const char *address, char folder[MOMENT_PATH])
{
    struct engine_error error;
    char path[MOMENT_PATH + 16];
    pid_t browser;
    *folder = '\0';
    if ((!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) || moment_make(folder, &error) != 0)
        return;
    snprintf(path, sizeof path, "%s/view.html", folder);
    FILE *file = fopen(path, "wx");
    if (!file)
        return;
    fprintf(file, "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=%s\"><title>engine view</title>\n",
            address);
    char *words[] = {(char[]){"xdg-open"}, path, NULL};
    if (fclose(file) == 0)
        posix_spawnp(&browser, words[0], NULL, NULL, words, environ);
}

/* ---- The loop ------------------------------------------------------------------------------------------------------- */

static void answer(struct view *view, struct message *message)
{
    const double begin = seconds_now();
    const bool patient = message->patient;
    message_answer(&view->scene, message);
    server_give(view->server, message);
    const double end = seconds_now();
    if (patient)
        view->due = end + fmax(1 / PICTURES_PER_SECOND, (end - begin) / SHARE);
}

static void serve(struct view *view)
{
    while (stop_signal(NULL) == 0) {
        const bool patient = !view->scene.playing || seconds_now() >= view->due;
        struct message *message = server_take(view->server, patient, 0);
        const double wait = message ? 0 : scene_play(&view->scene);
        if (wait != 0)
            message = server_take(view->server, true, wait < 0 ? PATIENCE : fmin(wait, PATIENCE));
        if (message)
            answer(view, message);
    }
}

static int show(struct view *view, struct engine_error *error)
{
    char address[128], folder[MOMENT_PATH] = "";
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the threads of the server take no signals */
    const int status = server_open(view->options.port, &view->server, error);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (status != 0)
        return status;
    const struct guard *guard = server_guard(view->server);
    snprintf(address, sizeof address, "http://127.0.0.1:%u/?token=%s", guard->port, guard->token);
    printf("%s\n", address);
    fflush(stdout);
    if (!view->options.no_browser)
        start_browser(address, folder);
    serve(view);
    server_close(view->server);
    moment_remove(folder);
    return 0;
}

int main(int count, char **words)
{
    umask(077); /* what the program writes for a moment is for its user alone */
    struct view *view = calloc(1, sizeof *view);
    struct engine_context *context = NULL;
    struct engine_error error;
    const struct engine_hooks hooks = {
        .size = sizeof hooks, .message = take_message, .stop = should_stop, .pace = PACE};
    int status = view ? options_read(&verb_view, count - 1, words + 1, &view->options, &error)
                      : fail(&error, ENGINE_STATUS_DEVICE, "there is no memory");
    if (status == 0 && !view->options.help) {
        stop_catch_signals(0);
        status = options_context_with(&view->options, &hooks, view, &context, &error);
        if (status == 0)
            status = open_scene(view, context, &error);
        if (status == 0)
            status = show(view, &error);
        scene_close(&view->scene);
        engine_close(context);
    }
    if (status != 0)
        status = report(&error);
    free(view);
    return finish_stdout(status);
}
