#include "report/report_page.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"
#include "ensemble/words.h"
#include "files/json.h"
#include "formats/pictures/plot.h"
#include "report/report_figures.h"
#include "report/report_hauls.h"

#include <json-c/json_object_iterator.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The page -------------------------------------------------------------------------------------------------- */

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
    "style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<style>body{font:16px/1.45 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse}td,th{padding:.15rem 1rem .15rem 0;text-align:left;vertical-align:top}"
    "th{font-weight:normal;color:#777}pre,code{background:#f4f4f4}pre{padding:.8rem;overflow:auto}"
    "figure{display:inline-block;margin:0 1rem 1rem 0}figcaption{color:#777}"
    "img{max-width:28rem;width:100%;image-rendering:pixelated;border:1px solid #ccc}"
    "img.large{image-rendering:auto}" /* a browser that shrinks pixels would leave out small particles */
    "img[src^='data:image/svg']{max-width:100%;width:auto;border:0}svg{max-width:100%;height:auto}"
    "</style>\n";

static void put_row(FILE *page, const char *key, const char *text)
{
    if (!text || !*text)
        return;
    fputs("<tr><th>", page);
    plot_put(page, key);
    fputs("</th><td>", page);
    plot_put(page, text);
    fputs("</td></tr>\n", page);
}

/* Six digits of a number suffice for a reader; whole numbers keep all of theirs. */
static void put_value(FILE *page, const char *key, struct json_object *value)
{
    char text[32];
    const double number = json_object_get_double(value);
    const bool whole = fabs(number) < 1e15 && number == floor(number);
    snprintf(text, sizeof text, whole ? "%.0f" : "%.6g", number);
    put_row(page, key, json_object_is_type(value, json_type_double) ? text : json_object_get_string(value));
}

/* Puts a row for each member of an object in the summary, such as its metrics. */
static void put_members(FILE *page, struct json_object *summary, const char *key)
{
    struct json_object *object = NULL;
    if (!json_object_object_get_ex(summary, key, &object) || !json_object_is_type(object, json_type_object))
        return;
    const struct json_object_iterator end = json_object_iter_end(object);
    for (struct json_object_iterator at = json_object_iter_begin(object); !json_object_iter_equal(&at, &end);
         json_object_iter_next(&at))
        put_value(page, json_object_iter_peek_name(&at), json_object_iter_peek_value(&at));
}

static void put_summary(FILE *page, const struct report_folder *folder, const char *limits)
{
    struct json_object *summary = folder->summary;
    char text[256], rate[32], threads[64];
    fputs("<table>\n", page);
    snprintf(text, sizeof text, "%s %s, %s", report_text(summary, "plugin"), report_text(summary, "plugin_version"),
             report_text(summary, "implementation"));
    put_row(page, "plugin", text);
    snprintf(text, sizeof text, "%s, %s", report_text(summary, "device"),
             text_count((uint64_t) report_number(summary, "threads"), "thread", threads));
    put_row(page, "device", text);
    if (strcmp(report_text(summary, "device"), report_text(summary, "processor")) != 0)
        put_row(page, "processor", report_text(summary, "processor"));
    put_row(page, "size", report_text(summary, "size"));
    put_row(page, "engine", report_text(summary, "engine"));
    put_row(page, "ended", report_text(summary, "date"));
    snprintf(text, sizeof text, "%s, of which this run took %s in %.6g s", report_text(summary, "step"),
             report_text(summary, "steps"), report_number(summary, "seconds"));
    put_row(page, "step", text);
    snprintf(text, sizeof text, "%s%s", text_si(report_number(summary, "rate"), rate),
             report_text(summary, "rate_unit"));
    put_row(page, "rate", text);
    put_row(page, "share of the machine's limit", limits);
    put_members(page, summary, "notes");
    put_members(page, summary, "metrics");
    put_row(page, "hash", report_text(summary, "hash"));
    fputs("</table>\n", page);
}

static void put_state(FILE *page, const struct report_folder *folder)
{
    const char *signal = folder->summary ? report_text(folder->summary, "signal") : "";
    const char *ended = folder->summary ? report_text(folder->summary, "ended") : "";
    if (!folder->summary)
        fputs("<p>This run has not ended: it is still running, or it was killed.</p>\n", page);
    else if (*signal) {
        fputs("<p>Signal ", page);
        plot_put(page, signal);
        fputs(" stopped this run; its state is saved.</p>\n", page);
    } else if (*ended) {
        fputs("<p>This run ended by its condition ", page);
        plot_put(page, ended);
        fputs(".</p>\n", page);
    }
}

static void add_plugin_folder(char *command, size_t size, const struct engine_context *context, const char *folder)
{
    char words[WORDS];
    text_quote(command, size, words_of(context, ENGINE_WORDS_OPTION, "plugins", words));
    text_quote(command, size, folder);
}

/* Adds the folders of plugins that the run was given, or those that the report was given if there is no summary. */
static void add_plugins(char *command, size_t size, const struct report_folder *folder)
{
    const struct engine_hooks *hooks = engine_context_hooks(folder->context);
    struct json_object *folders = json_member(folder->summary, "plugin_folders", json_type_array);
    for (size_t i = 0; folders && i < json_object_array_length(folders); i++)
        if (json_object_is_type(json_object_array_get_idx(folders, i), json_type_string))
            add_plugin_folder(command, size, folder->context,
                              json_object_get_string(json_object_array_get_idx(folders, i)));
    for (uint32_t i = 0; !folders && i < hooks->plugin_folder_count; i++)
        add_plugin_folder(command, size, folder->context, hooks->plugin_folders[i]);
}

/* Puts the command of the caller's program that continues the run, if it has one. */
static void put_command(FILE *page, const struct report_folder *folder)
{
    char command[16384], words[WORDS];
    const char *resume = engine_words(folder->context, ENGINE_WORDS_RESUME, folder->path, words, sizeof words);
    if (!resume)
        return;
    snprintf(command, sizeof command, "%s", resume);
    add_plugins(command, sizeof command, folder);
    fputs("<h2>Continuing the run</h2>\n<pre>", page);
    plot_put(page, command);
    if (folder->summary && *report_text(folder->summary, "ended"))
        fprintf(page, " %s=", words_of(folder->context, ENGINE_WORDS_KEY, "run.until", words));
    if (folder->summary && !*report_text(folder->summary, "signal"))
        fprintf(page, " %s=%.0f", words_of(folder->context, ENGINE_WORDS_KEY, "run.steps", words),
                2 * report_number(folder->summary, "step"));
    fputs("</pre>\n", page);
}

/* Leaves the folders out of absolute paths, because people send pages to others. A rule such as /2/3 is no path. */
static void hide_folders(char *config)
{
    for (char *value = config; (value = strstr(value, " = "));) {
        value += strlen(" = ");
        value += strspn(value, "\"'");
        char *end = value + strcspn(value, "\n"), *name = end;
        if (*value != '/' || value + strspn(value, "0123456789/") == end)
            continue;
        while (name[-1] != '/')
            name--;
        memmove(value, name, strlen(name) + 1);
    }
}

static void put_config(FILE *page, const struct report_folder *folder)
{
    hide_folders(folder->config);
    fputs("<h2>Configuration</h2>\n<pre>", page);
    plot_put(page, folder->config);
    fputs("</pre>\n", page);
}

static void put_files(FILE *page, const struct report_folder *folder)
{
    char count[64];
    fprintf(page, "<details><summary>%s</summary><pre>", text_count(folder->count, "file", count));
    for (uint32_t i = 0; i < folder->count; i++) {
        plot_put(page, folder->files[i]);
        fputc('\n', page);
    }
    fputs("</pre></details>\n", page);
}

static bool is_metrics(const char *name)
{
    static const char ending[] = "metrics.csv";
    const size_t length = strlen(name), size = sizeof ending - 1;
    return length >= size && strcmp(name + length - size, ending) == 0;
}

static int put_metrics(FILE *page, const struct report_folder *folder, struct engine_error *error)
{
    for (uint32_t i = 0; i < folder->count; i++)
        if (is_metrics(folder->files[i]) && report_metrics(page, folder, folder->files[i], error) != 0)
            return error->status;
    return 0;
}

static int put_page(FILE *page, const struct report_folder *folder, const char *limits, struct engine_error *error)
{
    char date[32];
    fputs(head, page);
    fputs("<title>", page);
    plot_put(page, folder->path);
    fputs("</title></head><body>\n<h1>", page);
    plot_put(page, folder->path);
    fputs("</h1>\n", page);
    put_state(page, folder);
    if (folder->summary)
        put_summary(page, folder, limits);
    report_hauls(page, folder);
    if (report_pictures(page, folder, error) != 0 || put_metrics(page, folder, error) != 0)
        return error->status;
    put_command(page, folder);
    put_config(page, folder);
    put_files(page, folder);
    fprintf(page, "<p style=\"color:#777\">report by engine %s, %s</p>\n</body></html>\n", machine_version(),
            machine_date(date));
    return 0;
}

int report_page(const struct report_folder *folder, const char *limits, char **page, size_t *length,
                struct engine_error *error)
{
    *page = NULL;
    FILE *to = open_memstream(page, length);
    if (!to)
        return error_memory(error, 1, "a report");
    int status = put_page(to, folder, limits, error);
    if (!text_stream_close(to, page) && status == 0)
        status = error_memory(error, *length, "a report");
    if (status != 0) {
        free(*page);
        *page = NULL;
    }
    return status;
}
