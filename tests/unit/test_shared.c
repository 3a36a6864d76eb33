/* Documents of a file that is parsed once (files/shared.h). */
#define PATTERN_FILE "in.mc"
#include "files/file_self.h"
#include "files/shared.h"
#include "formats/patterns/mc_tree.h"
#include "pattern_files.h"

static void put(const char *text)
{
    FILE *file = fopen(path_of("in.mc"), "wb");
    fputs(text, file);
    fclose(file);
}

static struct io_document *shared(struct shared_files *files)
{
    struct engine_error error = {0};
    struct io_document *document;
    if (shared_files_read(files, io_format_named("mc"), path_of("in.mc"), NULL, &document, &error) != 0)
        fail_msg("%s", error.text);
    return document;
}

static void expect_cells(struct io_document *document, const char *cells, uint64_t count)
{
    struct engine_error error = {0};
    uint8_t read[16];
    assert_int_equal(document->arrays[0].shape.extent[0] * document->arrays[0].shape.extent[1], count);
    assert_int_equal(document->read(document, 0, 0, count, read, &error), 0);
    assert_memory_equal(read, cells, count);
}

static void a_file_is_parsed_once_while_a_document_is_open(void **state)
{
    (void) state;
    struct shared_files files;
    shared_files_open(&files);
    put("[M2]\n**$.*$\n4 1 0 0 0\n");
    struct io_document *first = shared(&files), *second = shared(&files);
    assert_ptr_equal(file_self(first, &mc_file_format), file_self(second, &mc_file_format));
    first->close(first);
    expect_cells(second, "\1\1\0\1", 4);
    put("[M2]\n***$\n4 1 0 0 0\n"); /* of another size */
    struct io_document *third = shared(&files);
    expect_cells(third, "\1\1\1", 3);
    expect_cells(second, "\1\1\0\1", 4);
    second->close(second);
    shared_files_close(&files);
    expect_cells(third, "\1\1\1", 3);
    third->close(third);
}

static void a_bad_file_is_refused_each_time(void **state)
{
    (void) state;
    struct shared_files files;
    struct engine_error error = {0};
    struct io_document *document;
    shared_files_open(&files);
    put("[M2]\n**$\n");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(shared_files_read(&files, io_format_named("mc"), path_of("in.mc"), NULL, &document, &error),
                         ENGINE_STATUS_INPUT);
        assert_non_null(strstr(error.text, "cut short"));
    }
    put("[M2]\n**$\n4 1 0 0 0\n");
    document = shared(&files);
    expect_cells(document, "\1\1", 2);
    document->close(document);
    shared_files_close(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_parsed_once_while_a_document_is_open),
        cmocka_unit_test(a_bad_file_is_refused_each_time),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
