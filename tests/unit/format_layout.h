/* The frozen binary interface of file formats, as abi_layout.h freezes that of plugins: include it first. */
#ifndef FORMAT_LAYOUT_H
#define FORMAT_LAYOUT_H

SIZE(engine_file_array, 112);
MEMBER(engine_file_array, name, 0);
MEMBER(engine_file_array, kind, 8);
MEMBER(engine_file_array, values, 12);
MEMBER(engine_file_array, lengths, 16);
#if ENGINE_FORMAT_NEEDS >= 3
MEMBER(engine_file_array, batch, 20);
#else
MEMBER(engine_file_array, reserved, 20);
#endif
MEMBER(engine_file_array, shape, 24);
MEMBER(engine_file_array, first, 64);
MEMBER(engine_file_array, stride, 88);

SIZE(engine_file_look, 24);
MEMBER(engine_file_look, range, 0);
MEMBER(engine_file_look, colours, 16);

SIZE(engine_file_pattern, 80);
MEMBER(engine_file_pattern, grid, 0);
MEMBER(engine_file_pattern, edges, 24);
MEMBER(engine_file_pattern, placed, 36);
MEMBER(engine_file_pattern, shift, 40);
MEMBER(engine_file_pattern, at, 56);

SIZE(engine_file_note, 16);
MEMBER(engine_file_note, key, 0);
MEMBER(engine_file_note, text, 8);

SIZE(engine_file_index, 48);
MEMBER(engine_file_index, ending, 0);
MEMBER(engine_file_index, head, 8);
MEMBER(engine_file_index, tail, 16);
MEMBER(engine_file_index, part, 24);

SIZE(engine_file_content, 104);
MEMBER(engine_file_content, size, 0);
MEMBER(engine_file_content, length, 4);
MEMBER(engine_file_content, arrays, 8);
MEMBER(engine_file_content, frames, 24);
MEMBER(engine_file_content, labels, 32);
MEMBER(engine_file_content, label_count, 40);
MEMBER(engine_file_content, reserved, 44);
MEMBER(engine_file_content, rule, 48);
MEMBER(engine_file_content, skipped, 56);
MEMBER(engine_file_content, pattern, 64);
MEMBER(engine_file_content, notes, 72);
MEMBER(engine_file_content, note_count, 80);
MEMBER(engine_file_content, looks, 88);
MEMBER(engine_file_content, remarks, 96);

SIZE(engine_file_frame, 112);
MEMBER(engine_file_frame, size, 0);
MEMBER(engine_file_frame, has, 4);
MEMBER(engine_file_frame, step, 8);
MEMBER(engine_file_frame, time, 16);
MEMBER(engine_file_frame, box, 24);
MEMBER(engine_file_frame, corner, 72);
MEMBER(engine_file_frame, end, 96);
MEMBER(engine_file_frame, content, 104);

SIZE(engine_file, 128);
MEMBER(engine_file, size, 0);
MEMBER(engine_file, major, 4);
MEMBER(engine_file, minor, 6);
MEMBER(engine_file, context, 8);
MEMBER(engine_file, path, 16);
MEMBER(engine_file, bytes, 24);
MEMBER(engine_file, flags, 32);
MEMBER(engine_file, reserved, 36);
MEMBER(engine_file, fail, 40);
MEMBER(engine_file, allocate, 48);
MEMBER(engine_file, release, 56);
MEMBER(engine_file, read, 64);
MEMBER(engine_file, write, 72);
MEMBER(engine_file, get, 80);
MEMBER(engine_file, write_at, 88);
MEMBER(engine_file, threads, 96);
MEMBER(engine_file, next, 104);
MEMBER(engine_file, seek, 112);
MEMBER(engine_file, find, 120);

SIZE(engine_file_format, 200);
MEMBER(engine_file_format, abi, 0);
MEMBER(engine_file_format, flags, 20);
MEMBER(engine_file_format, name, 24);
MEMBER(engine_file_format, version, 32);
MEMBER(engine_file_format, summary, 40);
MEMBER(engine_file_format, endings, 48);
MEMBER(engine_file_format, length, 56);
MEMBER(engine_file_format, keeps, 60);
MEMBER(engine_file_format, arrays, 64);
MEMBER(engine_file_format, probe, 72);
MEMBER(engine_file_format, open, 80);
MEMBER(engine_file_format, frame, 88);
MEMBER(engine_file_format, read, 96);
MEMBER(engine_file_format, create, 104);
MEMBER(engine_file_format, write, 112);
MEMBER(engine_file_format, finish, 120);
MEMBER(engine_file_format, close, 128);
MEMBER(engine_file_format, cut, 136);
MEMBER(engine_file_format, holds, 144);
MEMBER(engine_file_format, bytes, 152);
MEMBER(engine_file_format, index, 160);
MEMBER(engine_file_format, film, 168);
MEMBER(engine_file_format, encode, 176);
MEMBER(engine_file_format, check, 184);
MEMBER(engine_file_format, seek, 192);

VALUE(ENGINE_LENGTH_UNKNOWN, 0);
VALUE(ENGINE_NANOMETRE, 1);
VALUE(ENGINE_ANGSTROM, 2);
VALUE(ENGINE_HAS_STEP, 1);
VALUE(ENGINE_HAS_TIME, 2);
VALUE(ENGINE_HAS_BOX, 4);
VALUE(ENGINE_HAS_CORNER, 8);
VALUE(ENGINE_HAS_LABELS, 16);
VALUE(ENGINE_HAS_RULE, 32);
VALUE(ENGINE_HAS_PLACE, 64);
VALUE(ENGINE_HAS_GRID, 128);
VALUE(ENGINE_FILE_UNFINISHED, 1);
VALUE(ENGINE_FILE_APPEND, 2);
VALUE(ENGINE_FILE_SERIES, 4);
VALUE(ENGINE_AT_FILE, 0);
VALUE(ENGINE_AT_LINE, 1);
VALUE(ENGINE_AT_BYTE, 2);
VALUE(ENGINE_FORMAT_FRAMES, 1);
VALUE(ENGINE_FORMAT_GROWS, 2);
VALUE(ENGINE_FORMAT_RANGES, 4);
VALUE(ENGINE_FORMAT_GRIDS, 8);
VALUE(ENGINE_FORMAT_UNITS, 16);
VALUE(ENGINE_FORMAT_PACKED, 32);
VALUE(ENGINE_FORMAT_VARIES, 64);
VALUE(ENGINE_FORMAT_NOTES, 128);
VALUE(ENGINE_FORMAT_EVEN, 256);
VALUE(ENGINE_FORMAT_BATCHES, 512);
VALUE(ENGINE_FORMAT_TABLES, 1024);
VALUE(ENGINE_FORMAT_AXIS, 2048);
VALUE(ENGINE_FORMAT_PICTURE, 4096);
VALUE(ENGINE_SIZE_TEXT, 0);
VALUE(ENGINE_SIZE_EXACT, 1);
VALUE(ENGINE_SIZE_COMPRESSED, 2);
VALUE(ENGINE_SIZE_FLOATS, 3);
VALUE(ENGINE_SIZE_TREE, 4);
VALUE(ENGINE_SIZE_PICTURE, 5);
VALUE(ENGINE_PROBE_NO, 0);
VALUE(ENGINE_PROBE_YES, 1);
VALUE(ENGINE_FORMAT_MAJOR, 1);
VALUE(ENGINE_FORMAT_MINOR, 5);
STATIC_ASSERT(sizeof ENGINE_FORMAT_MAGIC == 8, "the magic fills its member, with its terminating zero");

#endif
