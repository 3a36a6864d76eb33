/* Numbers of residues beyond 9999, which four columns cannot hold in decimal. Programs continue in different ways:
 *
 *     A000 A001 … A00F A010   hexadecimal, beginning anew at A000 (OpenMM)
 *     2710 2711 … 2719 271a   hexadecimal (VMD, Packmol), and **** beyond ffff
 *     A000 A001 … A00Z A010   hybrid-36 (Maestro, http://cci.lbl.gov/hybrid_36), and a000 after ZZZZ
 *     10000                   in five columns, the last of which is that of the insertion code */
#ifndef FORMATS_PDB_RESIDUES_H
#define FORMATS_PDB_RESIDUES_H

#include <stdbool.h>
#include <stdint.h>

enum { RESIDUES_FIRST = 22, RESIDUES_END = 26 }; /* columns */

/* Does an atom show that the file has hybrid-36 numbers, with letters beyond F? */
bool residues_are_hybrid(const char *line);

/* The residues of a frame so far. All 0: there are none. */
struct residues {
    bool hybrid;              /* the caller sets it */
    bool hexadecimal;         /* the number is one of VMD */
    char word[8], chain;      /* of the present residue */
    char atom[4], residue[3]; /* the name of its first atom, and its own name */
    int64_t number;
};

/* Takes the number of the residue of the next atom, whose line has no number as 0. Returns false if `word` of the residues,
 * the text in the columns, is not a number. */
bool residues_take(struct residues *residues, const char *line, int64_t *number);

#endif
