/* Reads pictures with libpng's simplified reader, which the engine does not use. */
#ifndef TESTS_UNIT_PNG_FILES_H
#define TESTS_UNIT_PNG_FILES_H

#include <png.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct png_size {
    uint32_t width, height;
};

/* Reads the pixels in a format such as PNG_FORMAT_GRAY. They take at most `room` bytes. */
static inline struct png_size read_png(const char *path, png_uint_32 format, uint8_t *pixels, size_t room)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = format;
    assert_true(PNG_IMAGE_SIZE(image) <= room);
    assert_true(png_image_finish_read(&image, NULL, pixels, 0, NULL));
    return (struct png_size){image.width, image.height};
}

#endif
