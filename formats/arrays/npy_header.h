/* The header of a .npy file: a Python dictionary such as
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (100, 3), }
 */
#ifndef FORMATS_ARRAYS_NPY_HEADER_H
#define FORMATS_ARRAYS_NPY_HEADER_H

#include <engine/format.h>

#define NPY_MAGIC "\x93NUMPY"
enum { NPY_HEADER_MAX = 65535 };

/* Fills in type, values and shape of the array from a dictionary of `length` characters, ended by '\0'. The axes of the
 * file are (y, x) or (z, y, x); a fourth axis numbers components. Returns 0, or a code with the
 * reason recorded. */
int npy_parse_header(const struct engine_file *file, const char *header, uint64_t length,
                     struct engine_file_array *array);

/* Writes everything before the elements, in version 1.0, as NumPy does. Returns its bytes. `size` is 512 or more. */
uint64_t npy_make_header(const struct engine_shape *shape, char *out, uint64_t size);

#endif
