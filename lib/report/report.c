#include "report/report.h"
#include "files/replace.h"
#include "judge/cost_share.h"
#include "report/report_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The rate against the machine's limits --------------------------------------------------------------------- */

static struct engine_cost read_cost(struct json_object *summary)
{
    struct json_object *json = NULL;
    struct engine_cost cost = {.size = sizeof cost, .operation = ENGINE_OPS_LOGIC};
    if (!json_object_object_get_ex(summary, "cost", &json))
        return cost;
    while (engine_operation_name(cost.operation) &&
           strcmp(engine_operation_name(cost.operation), report_text(json, "operation")) != 0)
        cost.operation++;
    cost.operations = report_number(json, "operations");
    cost.bytes = report_number(json, "bytes");
    return cost;
}

/* The limits of the run's device, measured with that many threads; 0: its name alone. Returns false if this machine
 * does not have the device. */
static bool limits_of(struct engine_context *context, struct json_object *summary, uint32_t threads,
                      struct engine_limits *limits)
{
    const bool cuda = strcmp(report_text(summary, "backend"), "cuda") == 0;
    struct engine_error ignored;
    *limits = (struct engine_limits){.size = sizeof *limits};
    return engine_machine_limits(context, cuda ? ENGINE_CUDA_MEMORY : ENGINE_HOST_MEMORY,
                                 (int32_t) report_count(summary, "device_number", INT32_MAX), threads, limits,
                                 &ignored) == 0 &&
           strcmp(limits->device, report_text(summary, "device")) == 0;
}

enum { THREADS_MAX = 4096 }; /* of [run] threads; another program may have written more into the summary */

/* Measures the limits, and tells the caller meanwhile. */
static bool measure(struct engine_context *context, struct json_object *summary, struct engine_limits *limits)
{
    const uint32_t threads = report_count(summary, "threads", THREADS_MAX);
    engine_activity(context, "report: measuring the limits of this machine");
    const bool known = limits_of(context, summary, threads > 0 ? threads : 1, limits);
    engine_activity(context, NULL);
    return known;
}

static const double SHORTEST = 0.01; /* seconds of a run: shorter ones say nothing of a rate */

/* Finds the limit and the share of it that the run reached. Returns the reason if they are not known. */
static const char *find_share(struct engine_context *context, struct json_object *summary, const char **limit,
                              double *share)
{
    struct json_object *notes = NULL;
    const char *settled = json_object_object_get_ex(summary, "notes", &notes) ? report_text(notes, "settled") : "";
    const struct engine_cost cost = read_cost(summary);
    const double rate = report_number(summary, "rate");
    struct engine_limits limits;
    if (!(cost.operations > 0) && !(cost.bytes > 0))
        return "the implementation does not declare the cost of its work";
    if (!(rate > 0))
        return "the run took no step";
    if (cost_is_skipped(cost_skipped(settled)))
        return "the rate counts work that was skipped";
    if (report_number(summary, "seconds") < SHORTEST)
        return "the run took less than 10 ms";
    if (!limits_of(context, summary, 0, &limits))
        return "this page was made on another machine";
    if (!measure(context, summary, &limits) || !(*limit = cost_share(&limits, &cost, rate, share)))
        return "the limit could not be measured";
    return NULL;
}

/* Writes the share of the limit, as in "93.4 % of the logic limit". */
static void compare(struct engine_context *context, struct json_object *summary, char *text, size_t size)
{
    const char *limit;
    double share;
    const char *unknown = find_share(context, summary, &limit, &share);
    if (unknown)
        snprintf(text, size, "not known: %s", unknown);
    else
        snprintf(text, size, "%.1f %% of the %s limit, measured when this page was made", 100 * share, limit);
}

/* ---- The file -------------------------------------------------------------------------------------------------- */

static int write_page(const struct report_folder *folder, struct engine_error *error)
{
    char limits[160] = "", *page;
    size_t length;
    if (folder->summary)
        compare(folder->context, folder->summary, limits, sizeof limits);
    if (report_page(folder, limits, &page, &length, error) != 0)
        return error->status;
    const int status = replace_text(folder->folder, "report.html", page, error);
    free(page);
    return status;
}

int report_write(struct engine_context *context, const char *path, struct engine_error *error)
{
    struct report_folder folder;
    int status = report_open(context, path, &folder, error);
    if (status == 0)
        status = write_page(&folder, error);
    report_close(&folder);
    return status;
}
