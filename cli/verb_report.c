/* engine report: a run's folder as one page. */
#include "config/config.h"
#include "options.h"
#include "plan/cost.h"
#include "report.h"
#include "run/folder.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Makes report.html in the folder that a run writes into: one file, which a browser opens without a network, with "
    "what "
    "ran where, its rate, its pictures, its metrics as curves, its hash, its configuration, and how to go on with it. "
    "On "
    "the machine that ran it, limits are measured to hold the rate against, which takes a second.\n";

static const char more[] =
    "Examples:\n"
    "  engine run film.ini && engine report out/film\n"
    "\n"
    "Exit status: 0 done, 2 command line, 3 the folder holds no run, 6 the page cannot be written.\n";

/* ---- The rate against the machine's limits --------------------------------------------------------------------- */

static struct engine_cost read_cost(struct json_object *summary)
{
    struct json_object *json = NULL;
    struct engine_cost cost = {.size = sizeof cost};
    if (!json_object_object_get_ex(summary, "cost", &json))
        return cost;
    while (cost_operation(cost.operation) &&
           strcmp(cost_operation(cost.operation), report_text(json, "operation")) != 0)
        cost.operation++;
    cost.operations = report_number(json, "operations");
    cost.bytes = report_number(json, "bytes");
    return cost;
}

/* The device that ran it, if this machine has it. */
static struct device *device_of(struct json_object *summary)
{
    struct device *device = device_host();
    struct engine_error ignored;
    if (strcmp(report_text(summary, "backend"), "cuda") == 0 &&
        device_cuda((int32_t) report_number(summary, "device_number"), &device, &ignored) != 0)
        return NULL;
    return strcmp(device->name, report_text(summary, "device")) == 0 ? device : NULL;
}

/* "93.4 % of the logic limit", or why that is not known. */
static void compare(struct json_object *summary, char *text, size_t size)
{
    const struct engine_cost cost = read_cost(summary);
    struct device *device = device_of(summary);
    struct device_limits limits;
    struct engine_error ignored;
    double share;
    if (!(cost.operations > 0) && !(cost.bytes > 0))
        snprintf(text, size, "not known: the implementation does not say what its work costs");
    else if (!device)
        snprintf(text, size, "not known: this page was made on another machine");
    else if (!device->limits ||
             device->limits(device, (uint32_t) report_number(summary, "threads"), &limits, &ignored) != 0)
        snprintf(text, size, "not known: it could not be measured");
    else {
        const char *limit = cost_share(&limits, &cost, report_number(summary, "rate"), &share);
        snprintf(text, size, "%.1f %% of %s, measured when this page was made", 100 * share, limit ? limit : "nothing");
    }
}

/* ---- The verb -------------------------------------------------------------------------------------------------- */

static int write_page(const struct report_folder *folder, struct engine_error *error)
{
    char limits[160] = "", *page;
    size_t length;
    if (folder->summary)
        compare(folder->summary, limits, sizeof limits);
    if (report_page(folder, limits, &page, &length, error) != 0)
        return error->status;
    const int status = folder_write(folder->path, "report.html", page, error);
    free(page);
    return status;
}

static int make_report(int count, char **words)
{
    struct options options;
    struct engine_error error;
    struct report_folder folder = {.path = NULL};
    if (options_read(&verb_report, count, words, &options, &error) != 0)
        return report(&error);
    if (options.help)
        return finish_stdout(ENGINE_STATUS_DONE);
    int status = report_open(options.words[0], &folder, &error);
    if (status == 0)
        status = write_page(&folder, &error);
    report_close(&folder);
    if (status != 0)
        return report(&error);
    if (host_verbosity != HOST_QUIET)
        fprintf(stderr, "%s/report.html\n", options.words[0]);
    return ENGINE_STATUS_DONE;
}

const struct verb verb_report = {
    .name = "report",
    .summary = "makes a page of a run, for a browser",
    .words = "FOLDER",
    .least = 1,
    .most = 1,
    .help = help,
    .more = more,
    .run = make_report,
};
