/* Tables of bins as comma-separated values, https://www.rfc-editor.org/rfc/rfc4180: a line of names, then a line per
 * bin. */
#include "files/file_stream.h"
#include "formats/arrays/table.h"

#include <stdio.h>
#include <string.h>

/* The name of a pair of species may have any characters. */
static void put_name(FILE *file, const char *name)
{
    const bool quoted = strpbrk(name, ",\"") != NULL;
    fputs(quoted ? "\"" : "", file);
    for (; *name; name++)
        fprintf(file, *name == '"' ? "%c\"" : "%c", *name);
    fputs(quoted ? "\"" : "", file);
}

static void put_names(FILE *file, const struct table *table)
{
    char name[TABLE_NAME];
    for (uint32_t i = 0; i < table->count; i++)
        for (uint64_t column = 0; column < table->part[i].columns; column++) {
            fputs(i + column > 0 ? "," : "", file);
            put_name(file, table_name(&table->part[i], column, name));
        }
    fputc('\n', file);
}

static void put_row(FILE *file, const struct table *table, uint64_t row)
{
    char text[32];
    for (uint32_t i = 0; i < table->count; i++) {
        const struct table_part *part = &table->part[i];
        for (uint64_t column = 0; column < part->columns; column++)
            fprintf(file, "%s%s", i + column > 0 ? "," : "",
                    table_text(part, table_element(table, part, row, column), text));
    }
    fputc('\n', file);
}

/* The file gets everything from `write`. */
static int write_table(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    struct table table;
    (void) self;
    if (table_open(file, frame->content, &table) != 0)
        return ENGINE_INVALID;
    FILE *stream = file_stream_open(file);
    if (stream == NULL)
        return ENGINE_NO_MEMORY;
    put_names(stream, &table);
    for (uint64_t row = 0; row < table.rows; row++)
        put_row(stream, &table, row);
    return file_stream_close(file, stream, 0);
}

const struct engine_file_format csv_file_format = {
    ENGINE_FILE_FORMAT("csv", "1.0", "tables of bins, comma-separated", ".csv"),
    .flags = ENGINE_FORMAT_TABLES,
    .create = io_keep_nothing,
    .write = write_table,
    .holds = table_holds,
    .bytes = ENGINE_SIZE_TEXT,
};
