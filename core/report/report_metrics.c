/* Metrics over steps, as curves: a panel each. */
#include "io/plot.h"
#include "report/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 256, WIDTH = 720, LEFT = 110, RIGHT = 20, TOP = 26, PANEL = 110, GAP = 40 };

struct metric_table {
    uint32_t columns;
    char *names[COLUMNS_MAX];
    uint64_t rows;
    double *numbers; /* column by column behind each other, `rows` apart once they are all there */
};

/* Names of the first line, cut apart in place. */
static void read_names(struct metric_table *table, char *line)
{
    char *rest = NULL;
    for (char *name = strtok_r(line, ",", &rest); name && table->columns < COLUMNS_MAX;
         name = strtok_r(NULL, ",", &rest))
        table->names[table->columns++] = name;
}

/* The numbers of a line; false: it has fewer, as a last line that was cut short. */
static bool read_row(const struct metric_table *table, const char *line, uint64_t row, uint64_t room)
{
    for (uint32_t column = 0; column < table->columns; column++) {
        char *end;
        table->numbers[column * room + row] = strtod(line, &end);
        if (end == line || (*end != ',' && column + 1 < table->columns))
            return false;
        line = end + (*end == ',');
    }
    return true;
}

static uint64_t count_lines(const char *text)
{
    uint64_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* `text` is cut apart, and names point into it. */
static int read_table(struct metric_table *table, char *text, struct engine_error *error)
{
    const uint64_t room = count_lines(text) + 1;
    char *rest = NULL, *line = strtok_r(text, "\n", &rest);
    *table = (struct metric_table){.columns = 0};
    if (line)
        read_names(table, line);
    table->numbers = calloc(room * (table->columns + 1u), sizeof *table->numbers);
    if (!table->numbers)
        return error_memory(error, room * sizeof *table->numbers, "metrics");
    while ((line = strtok_r(NULL, "\n", &rest)) && read_row(table, line, table->rows, room))
        table->rows++;
    for (uint32_t column = 1; column < table->columns; column++)
        memmove(table->numbers + column * table->rows, table->numbers + column * room,
                table->rows * sizeof *table->numbers);
    return 0;
}

static void put_panel(FILE *page, const struct metric_table *table, uint32_t column)
{
    const double *steps = table->numbers, *numbers = steps + column * table->rows;
    struct plot_axis along = plot_axis_of(steps, table->rows, 0.1, 8), up = plot_axis_of(numbers, table->rows, 0.2, 3);
    plot_round(&up);
    along.begin = LEFT;
    along.end = WIDTH - RIGHT;
    up.end = TOP + (double) (column - 1) * (PANEL + GAP);
    up.begin = up.end + PANEL;
    plot_axes(page, &along, &up);
    plot_curve(page, &along, &up, steps, numbers, table->rows, plot_color(column - 1));
    plot_text(page, LEFT, up.end - 6, "start", plot_color(column - 1), table->names[column]);
}

static void put_table(FILE *page, const struct metric_table *table, const char *name)
{
    fputs("<h2>", page);
    plot_escape(page, name, (int) strlen(name));
    fputs("</h2>\n", page);
    plot_begin(page, WIDTH, TOP + (int) (table->columns - 1) * (PANEL + GAP));
    for (uint32_t column = 1; column < table->columns; column++)
        put_panel(page, table, column);
    plot_end(page);
}

int report_metrics(FILE *page, const char *path, struct engine_error *error)
{
    const char *slash = strrchr(path, '/');
    struct metric_table table;
    char folder[4352], *text;
    size_t count;
    snprintf(folder, sizeof folder, "%.*s", (int) (slash - path), path);
    if (report_read(folder, slash + 1, &text, &count, error) != 0)
        return error->status;
    const int status = read_table(&table, text, error);
    if (status == 0 && table.rows > 1)
        put_table(page, &table, slash + 1);
    free(table.numbers);
    free(text);
    return status;
}
