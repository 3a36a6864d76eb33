/* A program that brings its own transport: two processes that a pair of sockets joins. The run ends in the state of one
 * process, and a process that ends early gives an error and no wait. The members of an ensemble are shared, too. */
#include "tests/library/runs.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Messages of one direction go through the socket one after the other. */
struct direction {
    uint64_t begun, done;
};

struct pair {
    struct engine_transport table;
    int socket;
    struct direction out, in;
};

struct request {
    struct direction *direction;
    uint64_t number;
    char *data;
    uint64_t left;
};

static void *begin(struct direction *direction, void *data, uint64_t bytes)
{
    struct request *request = malloc(sizeof *request);
    *request = (struct request){direction, direction->begun++, data, bytes};
    return request;
}

static void *pair_send(void *self, uint32_t to, const void *data, uint64_t bytes)
{
    assert_int_not_equal(to, ((struct pair *) self)->table.rank);
    return begin(&((struct pair *) self)->out, (void *) (uintptr_t) data, bytes);
}

static void *pair_receive(void *self, uint32_t from, void *data, uint64_t bytes)
{
    assert_int_not_equal(from, ((struct pair *) self)->table.rank);
    return begin(&((struct pair *) self)->in, data, bytes);
}

static int pair_test(void *self, void *handle)
{
    struct pair *pair = self;
    struct request *request = handle;
    if (request->direction->done != request->number)
        return 0;
    const ssize_t n = request->direction == &pair->out
                          ? send(pair->socket, request->data, request->left, MSG_DONTWAIT | MSG_NOSIGNAL)
                          : recv(pair->socket, request->data, request->left, MSG_DONTWAIT);
    if (n <= 0)
        return n < 0 && errno == EAGAIN ? 0 : -1;
    request->data += n;
    request->left -= (uint64_t) n;
    if (request->left > 0)
        return 0;
    request->direction->done++;
    free(request);
    return 1;
}

static const char *pair_reason(void *self)
{
    (void) self;
    return "the socket is closed";
}

static void pair_abort(void *self, int status)
{
    (void) self;
    _exit(status);
}

static struct pair make_pair(uint32_t rank, int socket)
{
    return (struct pair){.table = {.size = sizeof(struct engine_transport),
                                   .major = ENGINE_TRANSPORT_MAJOR,
                                   .rank = rank,
                                   .ranks = 2,
                                   .name = "sockets",
                                   .send = pair_send,
                                   .receive = pair_receive,
                                   .test = pair_test,
                                   .reason = pair_reason,
                                   .abort = pair_abort},
                         .socket = socket};
}

typedef int members_hook(void *user, struct engine_ensemble *ensemble, struct engine_error *error);

static int open_context_with(struct pair *pair, members_hook *members, struct engine_context **context,
                             struct engine_error *error)
{
    if (pair)
        pair->table.self = pair;
    const struct engine_hooks hooks = {.transport = pair ? &pair->table : NULL, .members = members};
    return open_built_context(hooks, context, error);
}

static int open_context(struct pair *pair, struct engine_context **context, struct engine_error *error)
{
    return open_context_with(pair, NULL, context, error);
}

/* Takes 50 steps and gives the hash. */
static int compute(struct engine_context *context, char hash[ENGINE_HASH_SIZE], struct engine_error *error)
{
    static const char *const settings[] = {"run.plugin=life2d-bit", "grid.size=67 41",        "init.source=random",
                                           "run.threads=1",         "run.implementation=cpu", NULL};
    struct engine_config *config = NULL;
    struct engine_run *run = NULL;
    int status = start_run(context, settings, &config, &run, error);
    if (status == 0)
        status = engine_run_advance(run, 50, NULL, NULL, error);
    if (status == 0)
        status = engine_run_hash(run, hash, error);
    engine_run_close(run);
    engine_config_close(config);
    return status;
}

/* What the second process does. Its exit status is that of engine_serve. */
static void serve(int socket, int early)
{
    struct pair pair = make_pair(1, socket);
    struct engine_context *context;
    struct engine_error error;
    if (early || open_context(&pair, &context, &error) != 0)
        _exit(9);
    const int status = engine_serve(context, &error);
    engine_close(context);
    _exit(status);
}

static void two_processes_have_the_state_of_one(void **state)
{
    char alone[ENGINE_HASH_SIZE], shared[ENGINE_HASH_SIZE];
    struct engine_context *context;
    struct engine_error error;
    int sockets[2], status;
    (void) state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    const pid_t other = fork();
    if (other == 0)
        serve(sockets[1], 0);
    close(sockets[1]);
    struct pair pair = make_pair(0, sockets[0]);
    assert_int_equal(open_context(NULL, &context, &error), 0);
    assert_int_equal(compute(context, alone, &error), 0);
    engine_close(context);
    assert_int_equal(open_context(&pair, &context, &error), 0);
    if (compute(context, shared, &error) != 0)
        fail_msg("%s", error.text);
    engine_close(context);
    assert_string_equal(shared, alone);
    assert_true(pair.out.done > 10 && pair.in.done > 10); /* the other process took part */
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(status, 0);
    close(sockets[0]);
}

/* engine_close ends the process then, so another one looks. */
static void a_process_that_ends_gives_an_error(void **state)
{
    int sockets[2], status;
    (void) state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    const pid_t first = fork();
    if (first == 0) {
        struct engine_context *context;
        struct engine_error error;
        char hash[ENGINE_HASH_SIZE];
        struct pair pair = make_pair(0, sockets[0]);
        close(sockets[1]);
        if (open_context(&pair, &context, &error) != 0 || compute(context, hash, &error) != ENGINE_STATUS_DEVICE ||
            !strstr(error.text, "no message can be exchanged with rank 1: the socket is closed"))
            _exit(1);
        engine_close(context);
        _exit(2);
    }
    close(sockets[0]);
    close(sockets[1]);
    assert_int_equal(waitpid(first, &status, 0), first);
    assert_int_equal(WEXITSTATUS(status), ENGINE_STATUS_DEVICE);
}

/* The largest amount of memory that this process has had, in MiB. */
static long peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss >> 10;
}

/* Random cells, a step, the hash, a snapshot and its way back. Returns a status, or -1 where the state is another one.
 * */
static int go_round(struct engine_context *context, const char *path, struct engine_error *error)
{
    static const char *const settings[] = {
        "run.plugin=life3d-naive", "grid.size=512 512 512", "init.source=random",          "run.threads=1",
        "run.implementation=cpu",  "run.margin=1",          "checkpoint.compression=none", NULL};
    char before[ENGINE_HASH_SIZE], after[ENGINE_HASH_SIZE];
    struct engine_config *config = NULL;
    struct engine_run *run = NULL;
    int status = start_run(context, settings, &config, &run, error);
    if (status == 0)
        status = engine_run_advance(run, 1, NULL, NULL, error);
    if (status == 0)
        status = engine_run_hash(run, before, error);
    if (status == 0)
        status = engine_run_save(run, path, error);
    if (status == 0)
        status = engine_run_advance(run, 1, NULL, NULL, error);
    if (status == 0)
        status = engine_run_restore(run, path, error);
    if (status == 0)
        status = engine_run_hash(run, after, error);
    engine_run_close(run);
    engine_config_close(config);
    return status == 0 && strcmp(before, after) != 0 ? -1 : status;
}

/* The grid has 128 MiB in each of two buffers. Each of the two processes has half of them; no process has the whole. */
static void no_process_needs_memory_for_the_whole(void **state)
{
    char path[] = "/tmp/test_serve_XXXXXX";
    int sockets[2], status;
    (void) state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    assert_non_null(mkdtemp(path));
    const pid_t other = fork();
    if (other == 0)
        serve(sockets[1], 0);
    const pid_t first = fork();
    if (first == 0) {
        struct engine_context *context;
        struct engine_error error = {.text = "the state of the snapshot is another one"};
        char file[64];
        struct pair pair = make_pair(0, sockets[0]);
        close(sockets[1]);
        snprintf(file, sizeof file, "%s/whole.snapshot", path);
        const long before = peak();
        const int code = open_context(&pair, &context, &error) != 0 ? 1 : go_round(context, file, &error);
        const long grown = peak() - before;
        if (code != 0 || grown > 200)
            print_message("%s; memory grew by %ld MiB\n", code != 0 ? error.text : "no error", grown);
        unlink(file);
        if (code == 0)
            engine_close(context);
        _exit(code != 0 || grown > 200);
    }
    close(sockets[0]);
    close(sockets[1]);
    assert_int_equal(waitpid(first, &status, 0), first);
    assert_int_equal(status, 0);
    assert_int_equal(waitpid(other, &status, 0), other);
    rmdir(path);
}

/* ---- Ensembles -------------------------------------------------------------------------------------------------- */

/* Executes members one after the other, and exchanges in between. *own gets their number. */
static int execute(struct engine_ensemble *ensemble, uint64_t *own, struct engine_error *error)
{
    struct engine_context *context; /* of the members: without other processes */
    int over = 0, stop = 0, more = 0, status = open_context(NULL, &context, error);
    *own = 0;
    while (status == 0 && (status = engine_ensemble_exchange(ensemble, &stop, &over, error)) == 0) {
        const uint64_t member = engine_ensemble_take(ensemble, &more);
        struct engine_result result = {.size = sizeof result};
        struct engine_run *run = NULL;
        if (member == 0 && over)
            break;
        if (member == 0)
            continue;
        status = engine_ensemble_member(ensemble, member, context, &run, error);
        if (status == 0)
            status = engine_run_execute(run, NULL, &result, error);
        if (status == 0)
            status = engine_ensemble_record(ensemble, member, run, NULL, error);
        engine_run_close(run);
        *own += 1;
    }
    engine_close(context);
    return status;
}

/* The exit status of the second process tells that it has executed members. */
static int serve_members(void *user, struct engine_ensemble *ensemble, struct engine_error *error)
{
    uint64_t own;
    (void) user;
    const int status = execute(ensemble, &own, error);
    return status == 0 && own == 0 ? ENGINE_STATUS_DEVICE : status;
}

/* Executes an ensemble in a folder. */
static int ensemble(struct engine_context *context, const char *folder, uint64_t *own, struct engine_error *error)
{
    static const char *const settings[] = {"run.plugin=life2d-bit", "grid.size=67 41", "init.source=random",
                                           "run.steps=40", "ensemble.sweep=init.seed=1..30"};
    char output[128];
    struct engine_config *config;
    struct engine_ensemble *members = NULL;
    int status = engine_config_open(context, NULL, &config, error);
    for (size_t i = 0; status == 0 && i < sizeof settings / sizeof settings[0]; i++)
        status = engine_config_set(config, settings[i], error);
    snprintf(output, sizeof output, "run.output=%s", folder);
    if (status == 0)
        status = engine_config_set(config, output, error);
    if (status == 0)
        status = engine_ensemble_plan(config, &members, error);
    if (status == 0)
        status = engine_ensemble_open(members, 0, error);
    if (status == 0)
        status = execute(members, own, error);
    if (status == 0)
        status = engine_ensemble_finish(members, error);
    struct engine_ensemble_info about = {.size = sizeof about};
    if (status == 0)
        engine_ensemble_about(members, &about);
    if (status == 0 && (about.done != 30 || about.failed != 0 || about.ranks != (*own < 30 ? 2 : 1)))
        status = error->status = ENGINE_STATUS_UNVERIFIED;
    engine_ensemble_close(members);
    engine_config_close(config);
    return status;
}

/* Do both folders have this file, with the same bytes? */
static int same(const char *a, const char *b, const char *name)
{
    char command[512];
    snprintf(command, sizeof command, "cmp %s/%s %s/%s", a, name, b, name);
    return system(command) == 0;
}

static void the_members_of_an_ensemble_are_shared(void **state)
{
    char folder[] = "/tmp/test_members_XXXXXX", alone[64], shared[64], command[128];
    struct engine_context *context;
    struct engine_error error = {.text = ""};
    uint64_t own;
    int sockets[2], status;
    (void) state;
    assert_non_null(mkdtemp(folder));
    snprintf(alone, sizeof alone, "%s/alone", folder);
    snprintf(shared, sizeof shared, "%s/shared", folder);
    assert_int_equal(open_context(NULL, &context, &error), 0);
    if (ensemble(context, alone, &own, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(own, 30);
    engine_close(context);
    for (int hook = 0; hook < 2; hook++) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
        const pid_t other = fork();
        if (other == 0) {
            struct pair pair = make_pair(1, sockets[1]);
            status = open_context_with(&pair, hook ? serve_members : NULL, &context, &error);
            if (status == 0)
                status = engine_serve(context, &error);
            _exit(status);
        }
        close(sockets[1]);
        struct pair pair = make_pair(0, sockets[0]);
        assert_int_equal(open_context(&pair, &context, &error), 0);
        status = ensemble(context, hook ? shared : folder, &own, &error);
        if (hook) {
            if (status != 0)
                fail_msg("%s", error.text);
            assert_true(own < 30);
            assert_true(same(alone, shared, "metrics.csv"));
        } else {
            assert_int_equal(status, ENGINE_STATUS_OUTPUT); /* the folder is not empty */
            snprintf(command, sizeof command, "%s/none", folder);
            assert_int_equal(ensemble(context, command, &own, &error), ENGINE_STATUS_USAGE);
            assert_non_null(strstr(error.text, "rank 1: the program here executes no members"));
        }
        engine_close(context);
        assert_int_equal(waitpid(other, &status, 0), other);
        assert_int_equal(status, 0);
        close(sockets[0]);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void the_first_process_does_not_serve(void **state)
{
    struct pair pair = make_pair(0, -1);
    struct engine_context *context;
    struct engine_error error;
    (void) state;
    pair.table.ranks = 1;
    assert_int_equal(open_context(&pair, &context, &error), 0);
    assert_int_equal(engine_serve(context, &error), ENGINE_STATUS_USAGE);
    engine_close(context);
    pair.table.major = 99;
    assert_int_equal(open_context(&pair, &context, &error), ENGINE_STATUS_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_processes_have_the_state_of_one), cmocka_unit_test(a_process_that_ends_gives_an_error),
        cmocka_unit_test(no_process_needs_memory_for_the_whole), cmocka_unit_test(the_first_process_does_not_serve),
        cmocka_unit_test(the_members_of_an_ensemble_are_shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
