#include "judge/judged.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"
#include "base/type.h"
#include "ensemble/words.h"
#include "judge/resident.h"
#include "parts/config_pack.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { USUAL_SECONDS = 120 };

/* ---- How a process ended ---------------------------------------------------------------------------------------- */

/* Ends the process, and waits for it. Returns its status. */
static int end(struct judged *judged)
{
    int status = 0;
    kill((pid_t) judged->process, SIGKILL);
    while (waitpid((pid_t) judged->process, &status, 0) < 0 && errno == EINTR)
        ;
    close(judged->socket);
    judged->socket = -1;
    return status;
}

void judged_close(struct judged *judged)
{
    if (judged->socket >= 0)
        end(judged);
}

/* Its end of the connection is closed, so it is about to end, if it has not closed that on purpose. */
static int tell_end(struct judged *judged, struct engine_error *error)
{
    siginfo_t info = {0};
    const double deadline = machine_clock() + 2;
    while (!info.si_pid && machine_clock() < deadline) {
        waitid(P_PID, (id_t) judged->process, &info, WEXITED | WNOHANG | WNOWAIT);
        if (!info.si_pid)
            poll(NULL, 0, 5);
    }
    const int status = end(judged);
    if (!info.si_pid)
        return error_set(error, ENGINE_STATUS_PLUGIN, "closed its connection to the judge; a plugin leaves it alone");
    if (WIFSIGNALED(status))
        return error_set(error, ENGINE_STATUS_PLUGIN, "crashed: signal %d (%s)", WTERMSIG(status),
                         strsignal(WTERMSIG(status)));
    return error_set(error, ENGINE_STATUS_PLUGIN, "ended its process with status %d; a plugin returns an error instead",
                     WEXITSTATUS(status));
}

/* Waits a while until the connection is ready, and looks at the limits: at the memory fifty times a second. */
static int wait_for(struct judged *judged, short events, struct engine_error *error)
{
    struct pollfd ready = {.fd = judged->socket, .events = events};
    char size[32], words[WORDS];
    poll(&ready, 1, 20);
    const double now = machine_clock();
    const bool looks = now > judged->looked + 0.02;
    judged->looked = looks ? now : judged->looked;
    if (looks && resident_bytes(judged->process) > judged->memory) {
        end(judged);
        return error_set(error, ENGINE_STATUS_DEVICE, "takes more than %sB of memory; %s N sets another limit",
                         text_si((double) judged->memory, size),
                         words_of(judged->context, ENGINE_WORDS_OPTION, "memory", words));
    }
    if (now < judged->deadline)
        return 0;
    end(judged);
    return error_set(error, ENGINE_STATUS_PLUGIN, "hung: it has not answered for %u seconds; %s N gives it more time",
                     judged->seconds, words_of(judged->context, ENGINE_WORDS_OPTION, "seconds", words));
}

/* ---- Questions and answers -------------------------------------------------------------------------------------- */

static int send_bytes(struct judged *judged, const void *data, uint64_t bytes, struct engine_error *error)
{
    for (const char *at = data; bytes > 0;) {
        const ssize_t sent = send(judged->socket, at, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
            if (wait_for(judged, POLLOUT, error) != 0)
                return error->status;
        } else if (sent <= 0)
            return tell_end(judged, error);
        else {
            at += sent;
            bytes -= (uint64_t) sent;
        }
    }
    return 0;
}

static int receive_bytes(struct judged *judged, void *data, uint64_t bytes, struct engine_error *error)
{
    for (char *at = data; bytes > 0;) {
        const ssize_t got = recv(judged->socket, at, bytes, MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
            if (wait_for(judged, POLLIN, error) != 0)
                return error->status;
        } else if (got <= 0)
            return tell_end(judged, error);
        else {
            at += got;
            bytes -= (uint64_t) got;
        }
    }
    return 0;
}

/* Receives a text of the process, at most `size` - 1 bytes of it. */
static int receive_text(struct judged *judged, uint64_t bytes, char *text, size_t size, struct engine_error *error)
{
    const uint64_t kept = bytes < size ? bytes : size - 1;
    char rest;
    int status = receive_bytes(judged, text, kept, error);
    for (uint64_t i = kept; status == 0 && i < bytes && i < WIRE_TEXT; i++)
        status = receive_bytes(judged, &rest, 1, error);
    text[status == 0 ? kept : 0] = '\0';
    text_make_printable(text);
    return status;
}

static int pass_message(struct judged *judged, const struct wire_head *head, struct engine_error *error)
{
    char text[2048];
    if (receive_text(judged, head->bytes, text, sizeof text, error) != 0)
        return error->status;
    const bool known = head->status >= 0 && head->status <= ENGINE_LOG_ERROR;
    if (judged->heard)
        engine_message(judged->context, known ? head->status : ENGINE_LOG_INFO, text);
    return 0;
}

/* Receives the beginning of the answer. The status is that of an error of the process, which *error then has. */
static int receive_head(struct judged *judged, enum wire_kind kind, struct wire_head *head, struct engine_error *error)
{
    do {
        if (receive_bytes(judged, head, sizeof *head, error) != 0)
            return error->status;
        if (head->kind == WIRE_MESSAGE && pass_message(judged, head, error) != 0)
            return error->status;
    } while (head->kind == WIRE_MESSAGE);
    if (head->kind != (uint32_t) kind || head->status < 0 || head->status > ENGINE_STATUS_OUTPUT) {
        end(judged);
        return error_set(error, ENGINE_STATUS_PLUGIN, "answered a question that the judge has not asked");
    }
    if (head->status == 0)
        return 0;
    char text[sizeof error->text];
    const int status = head->status;
    return receive_text(judged, head->bytes, text, sizeof text, error) != 0 ? error->status
                                                                            : error_set(error, status, "%s", text);
}

static void stop(const struct judged *judged)
{
    if (judged->socket >= 0)
        kill((pid_t) judged->process, SIGSTOP);
}

static int go_on(struct judged *judged, struct engine_error *error)
{
    if (judged->socket < 0)
        return error_set(error, ENGINE_STATUS_PLUGIN, "its process has ended before");
    kill((pid_t) judged->process, SIGCONT);
    judged->deadline = machine_clock() + judged->seconds;
    return 0;
}

static int send_question(struct judged *judged, enum wire_kind kind, const void *data, uint64_t bytes,
                         struct engine_error *error)
{
    const struct wire_head head = {kind, 0, bytes};
    return send_bytes(judged, &head, sizeof head, error) != 0 ? error->status : send_bytes(judged, data, bytes, error);
}

static int receive_answer(struct judged *judged, enum wire_kind kind, char **answer, uint64_t *bytes,
                          struct engine_error *error)
{
    struct wire_head head;
    if (receive_head(judged, kind, &head, error) != 0)
        return error->status;
    *answer = head.bytes < WIRE_TEXT ? calloc(1, head.bytes + 2) : NULL;
    *bytes = head.bytes;
    if (!*answer)
        return error_memory(error, head.bytes, "an answer");
    if (receive_bytes(judged, *answer, head.bytes, error) == 0)
        return 0;
    free(*answer);
    *answer = NULL;
    return error->status;
}

int judged_ask(struct judged *judged, enum wire_kind kind, const void *data, uint64_t bytes, char **answer,
               uint64_t *answer_bytes, struct engine_error *error)
{
    *answer = NULL;
    int status = go_on(judged, error);
    if (status == 0)
        status = send_question(judged, kind, data, bytes, error);
    if (status == 0)
        status = receive_answer(judged, kind, answer, answer_bytes, error);
    stop(judged);
    return status;
}

/* Receives an answer of a size that is known. */
static int receive_exactly(struct judged *judged, enum wire_kind kind, void *out, uint64_t bytes,
                           struct engine_error *error)
{
    struct wire_head head;
    if (receive_head(judged, kind, &head, error) != 0)
        return error->status;
    if (head.bytes == bytes)
        return receive_bytes(judged, out, bytes, error);
    end(judged);
    return error_set(error, ENGINE_STATUS_PLUGIN, "answered with %llu bytes, expected %llu",
                     (unsigned long long) head.bytes, (unsigned long long) bytes);
}

int judged_fetch(struct judged *judged, enum wire_kind kind, void *out, uint64_t bytes, struct engine_error *error)
{
    int status = go_on(judged, error);
    if (status == 0)
        status = send_question(judged, kind, NULL, 0, error);
    if (status == 0)
        status = receive_exactly(judged, kind, out, bytes, error);
    stop(judged);
    return status;
}

/* ---- Start ------------------------------------------------------------------------------------------------------ */

static void print_texts(FILE *to, const struct engine_hooks *hooks, const struct engine_config *config,
                        const struct sweeps *sweeps, uint64_t combination)
{
    for (uint32_t i = 0; i < hooks->plugin_folder_count; i++)
        fprintf(to, "%s%c", hooks->plugin_folders[i], 0);
    fprintf(to, "%c%s%c", 0, hooks->plugin_path ? hooks->plugin_path : "", 0);
    for (uint32_t i = 0; i < sweeps->count; i++)
        fprintf(to, "%s=%s%c", sweeps->at[i].name, sweep_value(sweeps, i, combination), 0);
    fputc(0, to);
    config_pack(to, config);
}

static int send_config(struct judged *judged, const struct engine_config *config, const struct sweeps *sweeps,
                       uint64_t combination, struct engine_error *error)
{
    char *texts = NULL, *answer = NULL;
    uint64_t answered;
    size_t bytes;
    FILE *to = open_memstream(&texts, &bytes);
    if (!to)
        return error_memory(error, WIRE_TEXT, "a configuration");
    print_texts(to, engine_context_hooks(judged->context), config, sweeps, combination);
    if (!text_stream_close(to, &texts))
        return error_memory(error, WIRE_TEXT, "a configuration");
    const int status = judged_ask(judged, WIRE_CONFIG, texts, bytes, &answer, &answered, error);
    free(answer);
    free(texts);
    return status;
}

int judged_start(struct judged *judged, bool heard, const struct engine_trial *trial,
                 const struct engine_config *config, const struct sweeps *sweeps, uint64_t combination,
                 struct engine_error *error)
{
    *judged = (struct judged){.context = engine_config_context(config),
                              .heard = heard,
                              .socket = -1,
                              .seconds = trial->seconds ? trial->seconds : USUAL_SECONDS,
                              .memory = trial->memory ? trial->memory : resident_limit()};
    if (trial->start(engine_context_hooks(judged->context)->user, &judged->socket, &judged->process, error) != 0)
        return error->status;
    if (send_config(judged, config, sweeps, combination, error) == 0)
        return 0;
    judged_close(judged);
    return error->status;
}

/* Are these texts texts, and these numbers possible? A process may answer anything. */
static bool is_sound(struct wire_about *about)
{
    char *const texts[] = {about->impl, about->unit, about->problem};
    const size_t sizes[] = {sizeof about->impl, sizeof about->unit, sizeof about->problem};
    for (int i = 0; i < 3; i++) {
        texts[i][sizes[i] - 1] = '\0';
        text_make_printable(texts[i]);
    }
    bool sound = about->fields <= WIRE_FIELDS && about->devices > 0 && about->parts > 0 && about->threads > 0 &&
                 isfinite(about->work_per_step) && isfinite(about->tolerance);
    for (uint32_t i = 0; sound && i < about->fields; i++) {
        struct wire_field *field = &about->field[i];
        uint64_t product;
        field->name[sizeof field->name - 1] = '\0';
        sound = type_bytes(field->type) > 0 && field->components > 0 &&
                multiply(field->elements, WIRE_FIELDS * type_bytes(field->type), &product);
    }
    return sound;
}

int judged_open(struct judged *judged, const char *seed, const char *name, struct wire_about *about,
                struct engine_error *error)
{
    char texts[256], *answer = NULL;
    uint64_t bytes;
    const int length = snprintf(texts, sizeof texts, "%s%c%s", seed, 0, name);
    if (judged_ask(judged, WIRE_OPEN, texts, (uint64_t) length, &answer, &bytes, error) != 0)
        return error->status;
    const bool whole = bytes == sizeof *about;
    if (whole)
        memcpy(about, answer, sizeof *about);
    free(answer);
    return whole && is_sound(about) ? 0
                                    : error_set(error, ENGINE_STATUS_PLUGIN, "described itself in an impossible way");
}

/* ---- Steps ------------------------------------------------------------------------------------------------------ */

/* The processor's time that a process has used, on a clock that the process cannot change. */
static double processor_seconds(const struct judged *judged)
{
    clockid_t clock;
    struct timespec now;
    return clock_getcpuclockid((pid_t) judged->process, &clock) == 0 && clock_gettime(clock, &now) == 0
               ? (double) now.tv_sec + 1e-9 * (double) now.tv_nsec
               : 0;
}

static int take_run(struct judged *judged, struct judged_run *run, struct engine_error *error)
{
    const struct wire_head head = {WIRE_RUN, 0, sizeof run->steps + run->problem_bytes};
    const double before = processor_seconds(judged), begin = machine_clock();
    if (send_bytes(judged, &head, sizeof head, error) != 0 ||
        send_bytes(judged, &run->steps, sizeof run->steps, error) != 0 ||
        send_bytes(judged, run->problem, run->problem_bytes, error) != 0 ||
        receive_exactly(judged, WIRE_RUN, run->hash, sizeof run->hash, error) != 0)
        return error->status;
    run->seconds = machine_clock() - begin;
    run->processor_seconds = processor_seconds(judged) - before;
    run->hash[sizeof run->hash - 1] = '\0';
    text_make_printable(run->hash);
    return 0;
}

int judged_run(struct judged *judged, struct judged_run *run, struct engine_error *error)
{
    int status = go_on(judged, error);
    if (status == 0)
        status = send_question(judged, WIRE_READY, NULL, 0, error);
    if (status == 0)
        status = receive_exactly(judged, WIRE_READY, NULL, 0, error);
    if (status == 0)
        status = take_run(judged, run, error);
    stop(judged);
    return status;
}
