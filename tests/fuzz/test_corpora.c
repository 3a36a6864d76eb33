/* Gives the files of seeds/ and regressions/ to their targets as the fuzzer does: whole, cut short and damaged. This
 * needs no clang and is the same each time. Seeds are good files; a target that refuses them would test nothing. */
#include "fuzz.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FILE_MAX = 4096, DAMAGED_MAX = 1024, HEADER = 96 };

struct sample {
    uint8_t bytes[FILE_MAX];
    size_t size;
};

static void read_sample(const char *path, struct sample *sample)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    sample->size = fread(sample->bytes, 1, sizeof sample->bytes, file);
    assert_true(feof(file) || fgetc(file) == EOF);
    fclose(file);
}

/* Calls `use` with every file of the target's folder, and returns their number. */
static uint32_t each_sample(const char *kind, const struct fuzz_target *target,
                            void (*use)(const struct fuzz_target *target, const struct sample *sample,
                                        const char *path))
{
    char folder[256], path[600];
    uint32_t count = 0;
    struct sample sample;
    snprintf(folder, sizeof folder, "tests/fuzz/%s/%s", kind, target->name);
    DIR *open = opendir(folder);
    for (struct dirent *entry; open != NULL && (entry = readdir(open)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        read_sample(path, &sample);
        use(target, &sample, path);
        count++;
    }
    if (open != NULL)
        closedir(open);
    return count;
}

static void accept(const struct fuzz_target *target, const struct sample *sample, const char *path)
{
    if (!target->run(target, sample->bytes, sample->size))
        fail_msg("%s is refused", path);
}

static void survive(const struct fuzz_target *target, const struct sample *sample, const char *path)
{
    (void) path;
    target->run(target, sample->bytes, sample->size);
}

static void cut(const struct fuzz_target *target, const struct sample *sample, const char *path)
{
    (void) path;
    for (size_t size = 0; size < sample->size; size++)
        target->run(target, sample->bytes, size);
}

/* Flips each bit of the first bytes, where the header is, and then every ninth bit. */
static void damage(const struct fuzz_target *target, const struct sample *sample, const char *path)
{
    struct sample damaged = *sample;
    (void) path;
    for (size_t bit = 0; bit < 8 * sample->size && bit < 8 * DAMAGED_MAX; bit += bit < 8 * HEADER ? 1 : 9) {
        damaged.bytes[bit / 8] ^= (uint8_t) (1u << bit % 8);
        target->run(target, damaged.bytes, damaged.size);
        damaged.bytes[bit / 8] ^= (uint8_t) (1u << bit % 8);
    }
}

static void every_target_takes_its_seeds(void **state)
{
    const struct fuzz_target *target;
    (void) state;
    for (uint32_t i = 0; (target = fuzz_target_at(i)) != NULL; i++)
        if (each_sample("seeds", target, accept) == 0)
            fail_msg("%s has no seeds", target->name);
}

static void what_broke_a_parser_once_does_not_again(void **state)
{
    const struct fuzz_target *target;
    (void) state;
    for (uint32_t i = 0; (target = fuzz_target_at(i)) != NULL; i++)
        each_sample("regressions", target, survive);
}

static void seeds_may_be_cut_at_every_byte(void **state)
{
    const struct fuzz_target *target;
    (void) state;
    for (uint32_t i = 0; (target = fuzz_target_at(i)) != NULL; i++)
        each_sample("seeds", target, cut);
}

static void seeds_may_be_damaged(void **state)
{
    const struct fuzz_target *target;
    (void) state;
    for (uint32_t i = 0; (target = fuzz_target_at(i)) != NULL; i++)
        each_sample("seeds", target, damage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_target_takes_its_seeds),
        cmocka_unit_test(what_broke_a_parser_once_does_not_again),
        cmocka_unit_test(seeds_may_be_cut_at_every_byte),
        cmocka_unit_test(seeds_may_be_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
