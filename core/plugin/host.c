#include "plugin/host.h"
#include "base/random.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "memory/allocate.h"
#include "memory/devices.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct host_scratch {
    struct host_scratch *next;
    void *memory;
    uint64_t bytes;
    struct device *device;
};

static struct host *host_of(const struct engine_host *table)
{
    return table->context;
}

static int fail(const struct engine_host *table, int code, const char *file, int line, const char *format, ...)
{
    struct host *host = host_of(table);
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&host->lock);
    vsnprintf(host->reason, sizeof host->reason, format, arguments);
    host->place = file;
    host->line = line;
    pthread_mutex_unlock(&host->lock);
    va_end(arguments);
    return code;
}

static void message(const struct engine_host *table, int level, const char *format, ...)
{
    struct host *host = host_of(table);
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(host->messages);
    context_pass(host->context, level, host->plugin, text);
    pthread_mutex_unlock(host->messages);
}

static struct host_note *note_slot(struct host *host, const char *key)
{
    for (uint32_t i = 0; i < host->note_count; i++)
        if (strcmp(host->notes[i].key, key) == 0)
            return &host->notes[i];
    return host->note_count < HOST_NOTES_MAX ? &host->notes[host->note_count++] : NULL;
}

static void note(const struct engine_host *table, const char *key, const char *format, ...)
{
    struct host_note *slot = note_slot(host_of(table), key);
    if (!slot)
        return;
    snprintf(slot->key, sizeof slot->key, "%s", key);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(slot->text, sizeof slot->text, format, arguments);
    va_end(arguments);
}

static void *scratch(const struct engine_host *table, uint64_t bytes, uint32_t memory)
{
    struct host *host = host_of(table);
    struct device *device = memory == ENGINE_HOST_MEMORY ? devices_host(host->context) : host->device;
    if (!device || device->memory != memory) {
        fail(table, ENGINE_UNSUPPORTED, __FILE__, __LINE__, "there is no memory of kind %u", memory);
        return NULL;
    }
    struct host_scratch *entry = calloc(1, sizeof *entry);
    struct engine_error error;
    char needed[32];
    if (!entry || memory_allocate(host->context, device, bytes, &entry->memory, &error) != 0) {
        free(entry);
        fail(table, ENGINE_NO_MEMORY, __FILE__, __LINE__, "no memory for %sB of scratch",
             text_si((double) bytes, needed));
        return NULL;
    }
    entry->bytes = bytes;
    entry->device = device;
    entry->next = host->scratch;
    host->scratch = entry;
    return entry->memory;
}

static void parallel(const struct engine_host *table, uint64_t count, void (*task)(void *argument, uint64_t index),
                     void *argument)
{
    const struct host *host = host_of(table);
    struct thread_pool *pool = host->context && host->context->devices ? devices_host(host->context)->pool : NULL;
    thread_pool_run(host->own_pool ? host->own_pool : pool, host->threads, count, task, argument);
}

static void random_service(const struct engine_host *table, uint64_t seed, uint64_t stream, uint64_t begin,
                           uint64_t count, uint32_t *out)
{
    (void) table;
    random_words(seed, stream, begin, count, out);
}

/* What the only part of a run has computed is the whole. */
static int reduce_alone(const struct engine_call *call, uint64_t *values, uint64_t count)
{
    (void) call, (void) values, (void) count;
    return 0;
}

static int gather_alone(const struct engine_call *call, void *array, uint64_t bytes, uint64_t unit)
{
    (void) call, (void) array, (void) bytes, (void) unit;
    return 0;
}

static int exchange_alone(const struct engine_call *call, const void *out, void *in, uint64_t bytes, uint64_t unit)
{
    (void) call, (void) out, (void) in, (void) bytes, (void) unit;
    return 0;
}

static const struct engine_team alone = {
    .size = sizeof alone, .reduce = reduce_alone, .gather = gather_alone, .exchange = exchange_alone};

static const void *service(const struct engine_host *table, const char *name, uint32_t version)
{
    const struct context *context = host_of(table)->context;
    if (strcmp(name, ENGINE_TEAM) == 0)
        return version == 1 ? host_of(table)->team : NULL;
    return context && context->hooks.service ? context->hooks.service(context->hooks.user, name, version) : NULL;
}

void host_init(struct host *host, const struct context *context, const char *plugin, uint32_t threads,
               struct device *device)
{
    memset(host, 0, sizeof *host);
    host->context = context;
    host->plugin = plugin;
    host->threads = threads;
    host->device = device;
    host->team = &alone;
    pthread_mutex_init(&host->lock, NULL);
    host->messages = &host->lock;
    host->table = (struct engine_host){
        .size = sizeof host->table,
        .abi_major = ENGINE_ABI_MAJOR,
        .abi_minor = ENGINE_ABI_MINOR,
        .context = host,
        .fail = fail,
        .message = message,
        .note = note,
        .scratch = scratch,
        .parallel = parallel,
        .random = random_service,
        .service = service,
    };
}

void host_release(struct host *host)
{
    while (host->scratch) {
        struct host_scratch *entry = host->scratch;
        host->scratch = entry->next;
        memory_release(host->context, entry->device, entry->memory, entry->bytes);
        free(entry);
    }
    if (host->table.size > 0)
        pthread_mutex_destroy(&host->lock);
}

void host_enter(struct host *host, const char *function)
{
    host->reason[0] = '\0';
    host->place = NULL;
    host->line = 0;
    struct engine_error ignored; /* a device that fails now fails in the plugin, too, which reports it */
    if (host->device)
        host->device->use(host->device, &ignored);
    host->call = foreign_begin(host->context, host->plugin, function);
}

void host_leave(struct host *host)
{
    foreign_end(&host->call);
}

static int status_of_code(int code)
{
    switch (abs(code)) {
    case ENGINE_INVALID:
        return ENGINE_STATUS_USAGE;
    case ENGINE_NO_MEMORY:
    case ENGINE_DEVICE:
        return ENGINE_STATUS_DEVICE;
    default:
        return ENGINE_STATUS_PLUGIN;
    }
}

const char *host_reason(const struct host *host)
{
    if (host->reason[0] != '\0')
        return host->reason;
    context_breach(host->context);
    return NULL;
}

int host_error(const struct host *host, int code, const char *who, struct engine_error *error)
{
    const char *lost = code < 0 ? "; the state is lost" : "";
    const char *reason = host_reason(host);
    if (!reason)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s: failed with code %d without a reason%s", who, code, lost);
    context_message(host->context, ENGINE_LOG_DEBUG, "%s: the plugin failed at %s:%d", who, host->place, host->line);
    return error_set(error, status_of_code(code), "%s: %s%s", who, reason, lost);
}

static const char *check_param(void *context, const struct engine_param *param, const struct engine_value *value)
{
    struct host *host = context;
    host_enter(host, "check");
    const int code = param->check(&host->table, value);
    host_leave(host);
    if (code == 0)
        return NULL;
    const char *reason = host_reason(host);
    return reason ? reason : "refused without a reason";
}

struct param_checker host_param_checker(struct host *host)
{
    return (struct param_checker){check_param, host};
}
