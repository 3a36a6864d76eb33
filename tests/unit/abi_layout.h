/* The frozen binary interface. Sizes, offsets and values are literal numbers here, so a change of plugin.h that would break
 * compiled plugins does not compile. A new member at the end of a structure adds a line and changes the size, and
 * docs/reference/plugin-interface.md lists it. Every other line stays forever.
 *
 * Include engine/plugin.h first, and the headers of all capabilities if ENGINE_MINOR is 12 or more. The numbers apply to
 * C and C++, to every ENGINE_MINOR, and to older headers as far as their structures go. */
#ifndef ABI_LAYOUT_H
#define ABI_LAYOUT_H

#ifdef __cplusplus
#define STATIC_ASSERT static_assert
#else
#define STATIC_ASSERT _Static_assert
#endif

/* What a later member is called where it was not asked for. The header of 1.2 shows all. */
#if !defined ENGINE_MINOR || ENGINE_MINOR >= 1
#define SINCE_1_1(member) member
#else
#define SINCE_1_1(member) member##_since_1_1
#endif
#if !defined ENGINE_MINOR || ENGINE_MINOR >= 2
#define SINCE_1_2(member) member
#else
#define SINCE_1_2(member) member##_since_1_2
#endif
#if !defined ENGINE_MINOR || ENGINE_MINOR >= 4
#define SINCE_1_4(member) member
#else
#define SINCE_1_4(member) member##_since_1_4
#endif
#if !defined ENGINE_MINOR || ENGINE_MINOR >= 5
#define SINCE_1_5(member) member
#else
#define SINCE_1_5(member) member##_since_1_5
#endif
#if !defined ENGINE_MINOR || ENGINE_MINOR >= 7
#define SINCE_1_7(member) member
#else
#define SINCE_1_7(member) member##_since_1_7
#endif
#if ENGINE_MINOR >= 8
#define SINCE_1_8(member) member
#else
#define SINCE_1_8(member) member##_since_1_8
#endif
#if !defined ENGINE_MINOR || ENGINE_MINOR >= 9
#define SINCE_1_9(member) member
#else
#define SINCE_1_9(member) member##_since_1_9
#endif
#if ENGINE_MINOR >= 10
#define SINCE_1_10(member) member
#else
#define SINCE_1_10(member) member##_since_1_10
#endif
#if ENGINE_MINOR >= 11
#define SINCE_1_11(member) member
#else
#define SINCE_1_11(member) member##_since_1_11
#endif

#if ENGINE_MINOR >= 12
#define SINCE_1_12(member) member
#else
#define SINCE_1_12(member) member##_since_1_12
#endif
#if ENGINE_MINOR >= 16
#define SINCE_1_16(member) member
#else
#define SINCE_1_16(member) member##_since_1_16
#endif

#define SIZE(type, bytes)           STATIC_ASSERT(sizeof(struct type) == (bytes), "size of struct " #type)
#define MEMBER(type, member, place) STATIC_ASSERT(offsetof(struct type, member) == (place), #type "." #member)
#define VALUE(name, value)          STATIC_ASSERT((name) == (value), #name)

STATIC_ASSERT(sizeof(void *) == 8 && sizeof(double) == 8 && sizeof(int) == 4, "numbers below are for 64-bit machines");

SIZE(engine_value, 24);
MEMBER(engine_value, integer, 0);
MEMBER(engine_value, real, 8);
MEMBER(engine_value, text, 16);

MEMBER(engine_param, name, 0);
MEMBER(engine_param, help, 8);
MEMBER(engine_param, unit, 16);
MEMBER(engine_param, type, 24);
MEMBER(engine_param, flags, 28);
MEMBER(engine_param, initial, 32);
MEMBER(engine_param, min, 40);
MEMBER(engine_param, max, 48);
MEMBER(engine_param, choices, 56);
MEMBER(engine_param, check, 64);
MEMBER(engine_param, file_key, 72);
#if ENGINE_ABI_MINOR >= 10
SIZE(engine_param, 88);
MEMBER(engine_param, SINCE_1_10(spell), 80);
#else
SIZE(engine_param, 80);
#endif

SIZE(engine_param_array, 16);
MEMBER(engine_param_array, at, 0);
MEMBER(engine_param_array, count, 8);
MEMBER(engine_param_array, item_size, 12);

SIZE(engine_field, 88);
MEMBER(engine_field, name, 0);
MEMBER(engine_field, help, 8);
MEMBER(engine_field, kind, 16);
MEMBER(engine_field, role, 20);
MEMBER(engine_field, type, 24);
MEMBER(engine_field, components, 28);
MEMBER(engine_field, rank, 32);
MEMBER(engine_field, values, 36);
MEMBER(engine_field, reach, 40);
MEMBER(engine_field, reduction, 52);
MEMBER(engine_field, flags, 56);
MEMBER(engine_field, initial, 64);
MEMBER(engine_field, SINCE_1_1(range), 72);

SIZE(engine_field_array, 16);
MEMBER(engine_field_array, at, 0);
MEMBER(engine_field_array, count, 8);
MEMBER(engine_field_array, item_size, 12);

SIZE(engine_shape, 40);
MEMBER(engine_shape, size, 0);
MEMBER(engine_shape, type, 4);
MEMBER(engine_shape, components, 8);
MEMBER(engine_shape, rank, 12);
MEMBER(engine_shape, extent, 16);

SIZE(engine_shape_array, 16);
MEMBER(engine_shape_array, at, 0);
MEMBER(engine_shape_array, count, 8);
MEMBER(engine_shape_array, item_size, 12);

SIZE(engine_value_array, 16);
MEMBER(engine_value_array, at, 0);
MEMBER(engine_value_array, count, 8);
MEMBER(engine_value_array, item_size, 12);

#if ENGINE_ABI_MINOR >= 8
SIZE(engine_edges, 40);
MEMBER(engine_edges, kind, 0);
MEMBER(engine_edges, reserved, 12);
MEMBER(engine_edges, shift, 16);
MEMBER(engine_edges, value, 32);

SIZE(engine_name_array, 16);
MEMBER(engine_name_array, at, 0);
MEMBER(engine_name_array, count, 8);
MEMBER(engine_name_array, reserved, 12);

#if ENGINE_ABI_MINOR >= 16
SIZE(engine_plan, 232);
MEMBER(engine_plan, SINCE_1_16(each), 224);
VALUE(ENGINE_PARAM_BY_UNIVERSE, 4);
#else
SIZE(engine_plan, 224);
#endif
MEMBER(engine_plan, SINCE_1_7(universes), 160);
MEMBER(engine_plan, SINCE_1_8(edges), 168);
MEMBER(engine_plan, SINCE_1_8(symbols), 208);
#elif ENGINE_ABI_MINOR >= 7
SIZE(engine_plan, 168);
MEMBER(engine_plan, SINCE_1_7(universes), 160);
#elif ENGINE_ABI_MINOR >= 5
SIZE(engine_plan, 160);
#else
SIZE(engine_plan, 104);
#endif
#if ENGINE_ABI_MINOR >= 5
MEMBER(engine_plan, SINCE_1_5(part), 104);
SIZE(engine_part, 56);
MEMBER(engine_part, index, 0);
MEMBER(engine_part, count, 4);
MEMBER(engine_part, offset, 8);
MEMBER(engine_part, whole, 32);
#endif
MEMBER(engine_plan, size, 0);
MEMBER(engine_plan, threads, 4);
MEMBER(engine_plan, device, 8);
MEMBER(engine_plan, reserved, 12);
MEMBER(engine_plan, seed, 16);
MEMBER(engine_plan, params, 24);
MEMBER(engine_plan, shapes, 40);
MEMBER(engine_plan, box, 56);

SIZE(engine_layout, 80);
MEMBER(engine_layout, size, 0);
MEMBER(engine_layout, cell_bits, 4);
MEMBER(engine_layout, word_bytes, 8);
MEMBER(engine_layout, order, 12);
MEMBER(engine_layout, group_words, 16);
MEMBER(engine_layout, row_align, 20);
MEMBER(engine_layout, component_stride, 24);
MEMBER(engine_layout, planar, 28);
MEMBER(engine_layout, ghost, 32);
MEMBER(engine_layout, wraps, 44);
MEMBER(engine_layout, own_bytes, 48);
MEMBER(engine_layout, pack, 56);
MEMBER(engine_layout, unpack, 64);
MEMBER(engine_layout, SINCE_1_2(row_odd), 72);
MEMBER(engine_layout, reserved, 76);

SIZE(engine_buffer, 64);
MEMBER(engine_buffer, origin, 0);
MEMBER(engine_buffer, row_stride, 16);
MEMBER(engine_buffer, plane_stride, 24);
MEMBER(engine_buffer, component_stride, 32);
MEMBER(engine_buffer, bytes, 40);
MEMBER(engine_buffer, shape, 48);
MEMBER(engine_buffer, layout, 56);

SIZE(engine_buffer_array, 16);
MEMBER(engine_buffer_array, at, 0);
MEMBER(engine_buffer_array, count, 8);
MEMBER(engine_buffer_array, item_size, 12);

SIZE(engine_call, 120);
MEMBER(engine_call, size, 0);
MEMBER(engine_call, flags, 4);
MEMBER(engine_call, host, 8);
MEMBER(engine_call, plan, 16);
MEMBER(engine_call, buffers, 24);
MEMBER(engine_call, stream, 40);
MEMBER(engine_call, first_step, 48);
MEMBER(engine_call, steps, 56);
MEMBER(engine_call, current, 64);
MEMBER(engine_call, result, 68);
MEMBER(engine_call, begin, 72);
MEMBER(engine_call, end, 96);

SIZE(engine_cost, 24);
MEMBER(engine_cost, size, 0);
MEMBER(engine_cost, operation, 4);
MEMBER(engine_cost, operations, 8);
MEMBER(engine_cost, bytes, 16);

MEMBER(engine_impl, name, 0);
MEMBER(engine_impl, help, 8);
MEMBER(engine_impl, memory, 16);
MEMBER(engine_impl, flags, 20);
MEMBER(engine_impl, rank, 24);
MEMBER(engine_impl, batch, 28);
MEMBER(engine_impl, tolerance, 32);
MEMBER(engine_impl, probe, 40);
MEMBER(engine_impl, layout, 48);
MEMBER(engine_impl, create, 56);
MEMBER(engine_impl, advance, 64);
MEMBER(engine_impl, measure, 72);
MEMBER(engine_impl, destroy, 80);
MEMBER(engine_impl, cost, 88);
#if ENGINE_ABI_MINOR >= 11
SIZE(engine_impl, 112);
MEMBER(engine_impl, SINCE_1_11(settle), 104);
#elif ENGINE_ABI_MINOR >= 9
SIZE(engine_impl, 104);
#else
SIZE(engine_impl, 96);
#endif
#if ENGINE_ABI_MINOR >= 9
MEMBER(engine_impl, SINCE_1_9(advise), 96);
#endif

SIZE(engine_impl_array, 16);
MEMBER(engine_impl_array, at, 0);
MEMBER(engine_impl_array, count, 8);
MEMBER(engine_impl_array, item_size, 12);

SIZE(engine_metric, 24);
MEMBER(engine_metric, name, 0);
MEMBER(engine_metric, unit, 8);
MEMBER(engine_metric, help, 16);

SIZE(engine_metric_array, 16);
MEMBER(engine_metric_array, at, 0);
MEMBER(engine_metric_array, count, 8);
MEMBER(engine_metric_array, item_size, 12);

MEMBER(engine_generator, name, 0);
MEMBER(engine_generator, help, 8);
#if ENGINE_ABI_MINOR >= 4
SIZE(engine_generator, 24);
MEMBER(engine_generator, SINCE_1_4(flags), 16);
MEMBER(engine_generator, SINCE_1_4(reserved), 20);
VALUE(ENGINE_GENERATOR_CONFORM, 1);
#else
SIZE(engine_generator, 16);
#endif

SIZE(engine_generator_array, 16);
MEMBER(engine_generator_array, at, 0);
MEMBER(engine_generator_array, count, 8);
MEMBER(engine_generator_array, item_size, 12);

SIZE(engine_work, 24);
MEMBER(engine_work, size, 0);
MEMBER(engine_work, reserved, 4);
MEMBER(engine_work, unit, 8);
MEMBER(engine_work, per_step, 16);

SIZE(engine_abi, 20);
MEMBER(engine_abi, magic, 0);
MEMBER(engine_abi, major, 8);
MEMBER(engine_abi, minor, 10);
MEMBER(engine_abi, struct_size, 12);
MEMBER(engine_abi, pointer_size, 16);

#if ENGINE_ABI_MINOR >= 12
SIZE(engine_plugin, 184);
MEMBER(engine_plugin, SINCE_1_7(values), 160);
MEMBER(engine_plugin, SINCE_1_8(colours), 168);
MEMBER(engine_plugin, SINCE_1_12(extension), 176);

SIZE(engine_colours, 16);
MEMBER(engine_colours, size, 0);
MEMBER(engine_colours, reserved, 4);
MEMBER(engine_colours, colours, 8);

SIZE(engine_plot, 32);
MEMBER(engine_plot, size, 0);
MEMBER(engine_plot, hidden, 4);
MEMBER(engine_plot, lengths, 8);
MEMBER(engine_plot, marked, 12);
MEMBER(engine_plot, mark, 16);
MEMBER(engine_plot, counts, 24);

SIZE(engine_plots, 16);
MEMBER(engine_plots, size, 0);
MEMBER(engine_plots, reserved, 4);
MEMBER(engine_plots, plot, 8);

SIZE(engine_advice, 16);
MEMBER(engine_advice, size, 0);
MEMBER(engine_advice, reserved, 4);
MEMBER(engine_advice, advise, 8);

SIZE(engine_tree_root, 12);
SIZE(engine_tree, 96);
MEMBER(engine_tree, size, 0);
MEMBER(engine_tree, cell_bits, 4);
MEMBER(engine_tree, open, 8);
MEMBER(engine_tree, close, 16);
MEMBER(engine_tree, block, 24);
MEMBER(engine_tree, node, 32);
MEMBER(engine_tree, cells, 40);
MEMBER(engine_tree, children, 48);
MEMBER(engine_tree, keep, 56);
MEMBER(engine_tree, collect, 64);
MEMBER(engine_tree, removals, 72);
MEMBER(engine_tree, advance, 80);
MEMBER(engine_tree, measure, 88);
#elif ENGINE_ABI_MINOR >= 8
SIZE(engine_plugin, 176);
MEMBER(engine_plugin, SINCE_1_7(values), 160);
MEMBER(engine_plugin, SINCE_1_8(colours), 168);
#elif ENGINE_ABI_MINOR >= 7
SIZE(engine_plugin, 168);
MEMBER(engine_plugin, SINCE_1_7(values), 160);
#else
SIZE(engine_plugin, 160);
#endif
MEMBER(engine_plugin, abi, 0);
MEMBER(engine_plugin, reserved, 20);
MEMBER(engine_plugin, name, 24);
MEMBER(engine_plugin, version, 32);
MEMBER(engine_plugin, summary, 40);
MEMBER(engine_plugin, params, 48);
MEMBER(engine_plugin, fields, 64);
MEMBER(engine_plugin, metrics, 80);
MEMBER(engine_plugin, generators, 96);
MEMBER(engine_plugin, impls, 112);
MEMBER(engine_plugin, shape, 128);
MEMBER(engine_plugin, check, 136);
MEMBER(engine_plugin, work, 144);
MEMBER(engine_plugin, generate, 152);

SIZE(engine_host, 72);
MEMBER(engine_host, size, 0);
MEMBER(engine_host, abi_major, 4);
MEMBER(engine_host, abi_minor, 6);
MEMBER(engine_host, context, 8);
MEMBER(engine_host, fail, 16);
MEMBER(engine_host, message, 24);
MEMBER(engine_host, note, 32);
MEMBER(engine_host, scratch, 40);
MEMBER(engine_host, parallel, 48);
MEMBER(engine_host, random, 56);
MEMBER(engine_host, service, 64);

#if ENGINE_ABI_MINOR >= 9
SIZE(engine_team, 32);
MEMBER(engine_team, SINCE_1_9(exchange), 24);
#elif ENGINE_ABI_MINOR >= 6
SIZE(engine_team, 24);
#endif
#if ENGINE_ABI_MINOR >= 6
MEMBER(engine_team, size, 0);
MEMBER(engine_team, reserved, 4);
MEMBER(engine_team, reduce, 8);
MEMBER(engine_team, gather, 16);
#endif

VALUE(ENGINE_OK, 0);
VALUE(ENGINE_INVALID, 1);
VALUE(ENGINE_UNSUPPORTED, 2);
VALUE(ENGINE_NO_MEMORY, 3);
VALUE(ENGINE_DEVICE, 4);
VALUE(ENGINE_INTERNAL, 5);

VALUE(ENGINE_PARAM_INTEGER, 0);
VALUE(ENGINE_PARAM_REAL, 1);
VALUE(ENGINE_PARAM_FLAG, 2);
VALUE(ENGINE_PARAM_TEXT, 3);
VALUE(ENGINE_PARAM_CHOICE, 4);

VALUE(ENGINE_PARAM_TUNING, 1);
#if ENGINE_ABI_MINOR >= 8
VALUE(ENGINE_PARAM_PATH, 2);
#endif

VALUE(ENGINE_U8, 0);
VALUE(ENGINE_I8, 1);
VALUE(ENGINE_U16, 2);
VALUE(ENGINE_I16, 3);
VALUE(ENGINE_U32, 4);
VALUE(ENGINE_I32, 5);
VALUE(ENGINE_U64, 6);
VALUE(ENGINE_I64, 7);
VALUE(ENGINE_F32, 8);
VALUE(ENGINE_F64, 9);
VALUE(ENGINE_C64, 10);
VALUE(ENGINE_C128, 11);
VALUE(ENGINE_CONFIGURED, 255);

VALUE(ENGINE_GRID, 0);
VALUE(ENGINE_PARTICLES, 1);
VALUE(ENGINE_MATRIX, 2);
VALUE(ENGINE_BINS, 3);

VALUE(ENGINE_STATE, 0);
VALUE(ENGINE_INPUT, 1);
VALUE(ENGINE_OUTPUT, 2);

VALUE(ENGINE_REDUCE_NONE, 0);
VALUE(ENGINE_REDUCE_SUM, 1);

VALUE(ENGINE_FIELD_OPTIONAL, 1);
#if ENGINE_ABI_MINOR >= 12
VALUE(ENGINE_FIELD_PERIODIC, 2);
#endif
#if ENGINE_ABI_MINOR >= 15
VALUE(ENGINE_FIELD_ABSENT, 4);
#endif

VALUE(ENGINE_ORDER_LINEAR, 0);
VALUE(ENGINE_ORDER_REVERSED, 1);
VALUE(ENGINE_ORDER_STRIPED, 2);

VALUE(ENGINE_AXIS_X, 1);
VALUE(ENGINE_AXIS_Y, 2);
VALUE(ENGINE_AXIS_Z, 4);

VALUE(ENGINE_CALL_FRESH, 1);

VALUE(ENGINE_HOST_MEMORY, 0);
VALUE(ENGINE_CUDA_MEMORY, 1);

VALUE(ENGINE_EXACT, 1);
VALUE(ENGINE_REFERENCE, 2);
VALUE(ENGINE_IN_PLACE, 4);
VALUE(ENGINE_OVERWRITES, 8);
VALUE(ENGINE_ENQUEUES, 16);
VALUE(ENGINE_SUBBOX, 32);
#if ENGINE_ABI_MINOR >= 4
VALUE(ENGINE_SERIAL, 64);
VALUE(ENGINE_SEEDED, 128);
#endif
#if ENGINE_ABI_MINOR >= 5
VALUE(ENGINE_DIVISIBLE, 256);
#endif
#if ENGINE_ABI_MINOR >= 6
VALUE(ENGINE_TEAMWORK, 512);
#endif
#if ENGINE_ABI_MINOR >= 7
VALUE(ENGINE_BATCH, 1024);
#endif
#if ENGINE_ABI_MINOR >= 8
VALUE(ENGINE_DEAD_EDGES, 2048);
#endif
#if ENGINE_ABI_MINOR >= 12
VALUE(ENGINE_OWN_ROWS, 4096);
#endif
#if ENGINE_ABI_MINOR >= 13
VALUE(ENGINE_SEPARATE_EDGES, 8192);
#endif
#if ENGINE_ABI_MINOR >= 14
VALUE(ENGINE_TIMED, 16384);
#endif
#if ENGINE_ABI_MINOR >= 15
VALUE(ENGINE_UNIFORM, 1 << 15);
#endif
#if ENGINE_ABI_MINOR >= 8
VALUE(ENGINE_EDGE_TORUS, 0);
VALUE(ENGINE_EDGE_DEAD, 1);
VALUE(ENGINE_EDGE_FIXED, 2);
VALUE(ENGINE_EDGE_MIRROR, 3);
VALUE(ENGINE_EDGE_TWISTED, 4);
VALUE(ENGINE_EDGE_SPHERE, 5);
#endif

VALUE(ENGINE_OPS_NONE, 0);
VALUE(ENGINE_OPS_LOGIC, 1);
VALUE(ENGINE_OPS_FMA, 2);
VALUE(ENGINE_OPS_FMA64, 3);
VALUE(ENGINE_OPS_LOOKUP, 4);

VALUE(ENGINE_LOG_DEBUG, 0);
VALUE(ENGINE_LOG_INFO, 1);
VALUE(ENGINE_LOG_WARNING, 2);

VALUE(ENGINE_ABI_MAJOR, 1);
STATIC_ASSERT(sizeof ENGINE_MAGIC == 8, "the magic fills its member, with its terminating zero");

#endif
