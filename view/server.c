#include "server.h"
#include "message.h"
#include "page.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CONNECTIONS = 32, CONNECTION_BYTES = 1 << 15, IDLE_SECONDS = 120, QUEUE = 64 };

/* A request that a thread of the server waits for. */
struct waiting {
    struct message message; /* the first member: server_take gives it */
    struct waiting *next;
    bool done;
};

struct server {
    struct guard guard;
    struct MHD_Daemon *daemons[2];
    pthread_mutex_t lock;
    pthread_cond_t answered;
    sem_t arrived; /* is posted for each request, and by server_wake */
    struct waiting *first;
    uint32_t count;
    bool closing;
};

/* ---- The queue ---------------------------------------------------------------------------------------------------- */

static bool is_ready(const struct waiting *waiting, bool patient)
{
    return patient || !waiting->message.patient;
}

bool server_has_request(struct server *server, bool patient)
{
    bool has = false;
    pthread_mutex_lock(&server->lock);
    for (const struct waiting *waiting = server->first; waiting; waiting = waiting->next)
        has = has || is_ready(waiting, patient);
    pthread_mutex_unlock(&server->lock);
    return has;
}

/* Takes the first request out of the list. */
static struct waiting *take(struct server *server, bool patient)
{
    struct waiting *found = NULL;
    pthread_mutex_lock(&server->lock);
    for (struct waiting **at = &server->first; *at && !found; at = found ? at : &(*at)->next)
        if (is_ready(*at, patient)) {
            found = *at;
            *at = found->next;
        }
    pthread_mutex_unlock(&server->lock);
    return found;
}

static void wait_for(struct server *server, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const long long ahead = until.tv_nsec + (long long) (1e9 * seconds);
    until.tv_sec += ahead / 1000000000;
    until.tv_nsec = ahead % 1000000000;
    if (seconds < 0)
        sem_wait(&server->arrived);
    else
        sem_timedwait(&server->arrived, &until);
}

struct message *server_take(struct server *server, bool patient, double seconds)
{
    struct waiting *found = take(server, patient);
    if (!found && seconds != 0) {
        wait_for(server, seconds);
        found = take(server, patient);
    }
    return found ? &found->message : NULL;
}

void server_give(struct server *server, struct message *message)
{
    pthread_mutex_lock(&server->lock);
    ((struct waiting *) message)->done = true;
    pthread_cond_broadcast(&server->answered);
    pthread_mutex_unlock(&server->lock);
}

void server_wake(struct server *server)
{
    sem_post(&server->arrived);
}

/* Puts a request at the end of the list, and waits for its answer. Returns false if there are too many. */
static bool ask(struct server *server, struct waiting *waiting)
{
    waiting->message.patient = message_is_patient(&waiting->message);
    pthread_mutex_lock(&server->lock);
    const bool taken = !server->closing && server->count < QUEUE;
    if (taken) {
        struct waiting **at = &server->first;
        while (*at)
            at = &(*at)->next;
        *at = waiting;
        server->count++;
        sem_post(&server->arrived);
        while (!waiting->done)
            pthread_cond_wait(&server->answered, &server->lock);
        server->count--;
    }
    pthread_mutex_unlock(&server->lock);
    return taken;
}

/* ---- Responses ----------------------------------------------------------------------------------------------------- */

static const char *const headers[][2] = {
    {"Content-Security-Policy", "default-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; base-uri "
                                "'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
};

static enum MHD_Result send_bytes(struct MHD_Connection *connection, unsigned status, const char *type,
                                  const void *bytes, size_t count, enum MHD_ResponseMemoryMode mode,
                                  const char *set_cookie)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(count, (void *) (uintptr_t) bytes, mode);
    if (!response)
        return MHD_NO;
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    if (set_cookie)
        MHD_add_response_header(response, MHD_HTTP_HEADER_SET_COOKIE, set_cookie);
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, POST");
    const enum MHD_Result sent = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return sent;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status, const char *sentence)
{
    return send_bytes(connection, status, "text/plain; charset=utf-8", sentence, strlen(sentence),
                      MHD_RESPMEM_PERSISTENT, NULL);
}

/* ---- Requests ------------------------------------------------------------------------------------------------------ */

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static struct visitor visitor_of(struct MHD_Connection *connection)
{
    return (struct visitor){.host = header(connection, MHD_HTTP_HEADER_HOST),
                            .origin = header(connection, MHD_HTTP_HEADER_ORIGIN),
                            .cookie = header(connection, MHD_HTTP_HEADER_COOKIE),
                            .site = header(connection, "Sec-Fetch-Site"),
                            .type = header(connection, MHD_HTTP_HEADER_CONTENT_TYPE),
                            .token = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token")};
}

/* Answers a GET: the page for the token or the cookie, its files for the cookie. */
static enum MHD_Result serve_page(const struct server *server, struct MHD_Connection *connection, const char *path,
                                  const struct visitor *visitor)
{
    const struct guard *guard = &server->guard;
    const struct page_file *file = page_find(path);
    const bool enters = strcmp(path, "/") == 0 && guard_knows_token(guard, visitor);
    char cookie[160];
    if (!enters && !guard_knows_cookie(guard, visitor))
        return refuse(connection, MHD_HTTP_FORBIDDEN,
                      "This page needs the whole address that engine view printed, with its token.\n");
    if (!file)
        return refuse(connection, MHD_HTTP_NOT_FOUND, "There is no such page.\n");
    snprintf(cookie, sizeof cookie, "%s=%s; HttpOnly; SameSite=Strict; Path=/", guard->name, guard->cookie);
    return send_bytes(connection, MHD_HTTP_OK, file->type, file->bytes, (size_t) (file->end - file->bytes),
                      MHD_RESPMEM_PERSISTENT, enters ? cookie : NULL);
}

/* The body of a POST while it arrives. */
struct body {
    uint8_t *bytes;
    size_t count, size;
};

static struct body *new_body(struct MHD_Connection *connection)
{
    const char *length = header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
    struct body *body = calloc(1, sizeof *body);
    if (body)
        body->size = length ? (size_t) strtoull(length, NULL, 10) : 0;
    return body;
}

/* Takes more bytes. The length was checked before. */
static bool add_bytes(struct body *body, const char *bytes, size_t count)
{
    if (!body->bytes)
        body->bytes = malloc(body->size);
    if (!body->bytes || count > body->size - body->count)
        return false;
    memcpy(body->bytes + body->count, bytes, count);
    body->count += count;
    return true;
}

static enum MHD_Result answer(struct server *server, struct MHD_Connection *connection, const struct body *body)
{
    struct waiting waiting = {.message = {.request = body->bytes, .request_bytes = body->count}};
    if (!ask(server, &waiting))
        return refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "Too many requests wait.\n");
    if (!waiting.message.answer)
        return refuse(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "There is no memory for the answer.\n");
    return send_bytes(connection, MHD_HTTP_OK, "application/octet-stream", waiting.message.answer,
                      waiting.message.answer_bytes, MHD_RESPMEM_MUST_FREE, NULL);
}

/* Checks a POST before its body is read. Returns its status, and why. */
static unsigned check_post(const struct server *server, struct MHD_Connection *connection, const char *path,
                           const struct visitor *visitor, const char **why)
{
    const char *length = header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
    *why = "This request does not come from a page of engine view.\n";
    if (!guard_knows_page(visitor) || !guard_knows_cookie(&server->guard, visitor))
        return MHD_HTTP_FORBIDDEN;
    *why = "There is no such page.\n";
    if (strcmp(path, "/message") != 0)
        return MHD_HTTP_NOT_FOUND;
    *why = "A message has a length, and at most 64 MiB.\n";
    char *end;
    return length && strtoull(length, &end, 10) - 1 < MESSAGE_MOST && *end == '\0' ? MHD_HTTP_OK
                                                                                 : MHD_HTTP_CONTENT_TOO_LARGE;
}

static enum MHD_Result handle(void *user, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *bytes, size_t *count, void **memory)
{
    struct server *server = user;
    const struct visitor visitor = visitor_of(connection);
    struct body *body = *memory;
    const char *why;
    (void) version;
    if (body && *count > 0) {
        const bool taken = add_bytes(body, bytes, *count);
        *count = 0;
        return taken ? MHD_YES : MHD_NO;
    }
    if (body)
        return answer(server, connection, body);
    if (!guard_knows_host(&server->guard, &visitor))
        return refuse(connection, MHD_HTTP_FORBIDDEN, "This server has another name.\n");
    if (strcmp(method, MHD_HTTP_METHOD_GET) == 0)
        return serve_page(server, connection, path, &visitor);
    if (strcmp(method, MHD_HTTP_METHOD_POST) != 0)
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET and POST are allowed.\n");
    const unsigned status = check_post(server, connection, path, &visitor, &why);
    if (status != MHD_HTTP_OK)
        return refuse(connection, status, why);
    *memory = new_body(connection);
    return *memory ? MHD_YES : MHD_NO;
}

static void end_request(void *user, struct MHD_Connection *connection, void **memory,
                        enum MHD_RequestTerminationCode code)
{
    struct body *body = *memory;
    (void) user, (void) connection, (void) code;
    if (body)
        free(body->bytes);
    free(body);
}

/* ---- Opening ------------------------------------------------------------------------------------------------------- */

static struct MHD_Daemon *listen_at(struct server *server, const struct sockaddr *address, unsigned flags)
{
    return MHD_start_daemon(MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | flags, 0, NULL, NULL,
                            handle, server, MHD_OPTION_SOCK_ADDR, address, MHD_OPTION_CONNECTION_LIMIT,
                            (unsigned) CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned) IDLE_SECONDS,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t) CONNECTION_BYTES,
                            MHD_OPTION_NOTIFY_COMPLETED, end_request, NULL, MHD_OPTION_END);
}

static bool listen_on(struct server *server, uint16_t port)
{
    const struct sockaddr_in four = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    server->daemons[0] = listen_at(server, (const struct sockaddr *) &four, 0);
    if (!server->daemons[0])
        return false;
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemons[0], MHD_DAEMON_INFO_BIND_PORT);
    guard_set_port(&server->guard, info ? info->port : port);
    const struct sockaddr_in6 six = {
        .sin6_family = AF_INET6, .sin6_port = htons(server->guard.port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    server->daemons[1] = listen_at(server, (const struct sockaddr *) &six, MHD_USE_IPv6);
    return true;
}

int server_open(uint16_t port, struct server **out, struct engine_error *error)
{
    struct server *server = calloc(1, sizeof *server);
    *out = NULL;
    if (!server || !guard_open(&server->guard)) {
        free(server);
        return fail(error, ENGINE_STATUS_DEVICE, "there is no memory, or no random numbers, for a server");
    }
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->answered, NULL);
    sem_init(&server->arrived, 0, 0);
    if (!listen_on(server, port)) {
        const int reason = errno;
        server_close(server);
        return fail(error, ENGINE_STATUS_DEVICE, "port %u of 127.0.0.1 cannot be used: %s", port, strerror(reason));
    }
    *out = server;
    return 0;
}

/* Requests that wait are answered by nobody. */
static void dismiss(struct server *server)
{
    pthread_mutex_lock(&server->lock);
    server->closing = true;
    for (struct waiting *waiting = server->first; waiting; waiting = waiting->next)
        waiting->done = true;
    server->first = NULL;
    pthread_cond_broadcast(&server->answered);
    pthread_mutex_unlock(&server->lock);
}

void server_close(struct server *server)
{
    if (!server)
        return;
    dismiss(server);
    for (int i = 0; i < 2; i++)
        if (server->daemons[i])
            MHD_stop_daemon(server->daemons[i]);
    sem_destroy(&server->arrived);
    pthread_cond_destroy(&server->answered);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

const struct guard *server_guard(const struct server *server)
{
    return &server->guard;
}
