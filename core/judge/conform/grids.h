/* Properties of grids; see properties.c. */
#ifndef CORE_JUDGE_CONFORM_GRIDS_H
#define CORE_JUDGE_CONFORM_GRIDS_H

struct test;

void translations_commute(struct test *test);

#endif
