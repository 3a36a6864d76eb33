/* Tables of bins as comma-separated values, https://www.rfc-editor.org/rfc/rfc4180: a line of names, then a line per
 * bin. The names are those of fields and need no quotes. */
#include "io/bytes.h"
#include "io/format.h"
#include "io/table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void put_names(FILE *file, const struct table *table)
{
    char name[64];
    for (uint32_t i = 0; i < table->count; i++)
        for (uint64_t column = 0; column < table->part[i].columns; column++)
            fprintf(file, "%s%s", i + column > 0 ? "," : "", table_name(&table->part[i], column, name));
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

static int write_csv(int file, struct io_document *document, const struct io_options *options,
                     struct engine_error *error)
{
    struct table table;
    (void) options;
    if (table_open(document, &table, error) != 0)
        return error->status;
    errno = 0;
    FILE *stream = bytes_stream(file);
    if (stream != NULL) {
        put_names(stream, &table);
        for (uint64_t row = 0; row < table.rows; row++)
            put_row(stream, &table, row);
    }
    table_close(&table);
    const bool failed = stream == NULL || ferror(stream);
    if ((stream != NULL && fclose(stream) != 0) || failed)
        return error_set(error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno));
    return 0;
}

static const struct engine_file_format about = {
    ENGINE_FILE_FORMAT("csv", "1.0", "tables of bins, comma-separated", ".csv"),
    .flags = ENGINE_FORMAT_TABLES,
};

static const struct io_own own = {
    .writes = table_takes,
    .write = write_csv,
};

const struct io_format io_csv = {.about = &about, .own = &own};
