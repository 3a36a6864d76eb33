#include "base/context.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

void context_message(const struct context *context, int level, const char *format, ...)
{
    char text[2560];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_make_printable(text);
    text_name_once(text);
    context_pass(context, level, "engine", text);
}

void context_pass(const struct context *context, int level, const char *source, const char *text)
{
    if (context && context->hooks.message)
        context->hooks.message(context->hooks.user, level, source, text);
}

void context_progress(const struct context *context, const struct engine_progress *progress)
{
    if (context && context->hooks.progress)
        context->hooks.progress(context->hooks.user, progress);
}

void context_idle(const struct context *context)
{
    context_progress(context, &(struct engine_progress){.size = sizeof(struct engine_progress)});
}

void context_enter(const struct context *context, const char *plugin, const char *function)
{
    if (!context || !context->running)
        return;
    atomic_fetch_add_explicit(&context->running->count, 1, memory_order_relaxed);
    atomic_store_explicit(&context->running->function, function, memory_order_relaxed);
    atomic_store_explicit(&context->running->plugin, plugin, memory_order_relaxed);
}

void context_leave(const struct context *context)
{
    if (context && context->running &&
        atomic_fetch_sub_explicit(&context->running->count, 1, memory_order_relaxed) == 1)
        atomic_store_explicit(&context->running->plugin, NULL, memory_order_relaxed);
}

const char *context_running(const struct context *context, const char **function)
{
    *function = atomic_load_explicit(&context->running->function, memory_order_relaxed);
    return atomic_load_explicit(&context->running->plugin, memory_order_relaxed);
}

const char *context_said(const struct context *context, uint32_t topic, const char *subject, char words[CONTEXT_WORDS])
{
    return context && context->hooks.words ? context->hooks.words(topic, subject, words, CONTEXT_WORDS) : NULL;
}

const char *context_words(const struct context *context, uint32_t topic, const char *subject, char words[CONTEXT_WORDS])
{
    const char *said = context_said(context, topic, subject, words);
    return said ? said : subject;
}

const char *context_clause(const struct context *context, uint32_t topic, const char *subject,
                           char clause[CONTEXT_WORDS])
{
    char words[CONTEXT_WORDS];
    const char *said = context_said(context, topic, subject, words);
    snprintf(clause, CONTEXT_WORDS, "%s%.*s", said ? "; " : "", CONTEXT_WORDS - 3, said ? said : "");
    return clause;
}

void context_breach(const struct context *context)
{
    if (context && context->running)
        atomic_fetch_add(&context->running->breaches, 1);
}

int context_stop(const struct context *context)
{
    return context && context->hooks.stop ? context->hooks.stop(context->hooks.user) : 0;
}
