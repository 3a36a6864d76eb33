#!/bin/bash
# configs/lj-melt.ini melts before its analysis begins. The order |sum exp(i k r)| / N at Bragg vectors k of the fcc
# lattice is 1 in a crystal. 4000 particles without order give about 1 / sqrt(4000) = 0.016.
. "$(dirname "$0")/../cli/common"

from=$(sed -n 's/^from = //p' configs/lj-melt.ini)
expect_status 0 "$ENGINE" run configs/lj-melt.ini --quiet --set "run.output=$TMP/melt" --set "run.steps=$from" \
    --set output.formats=xyz --set "output.every=$from" --set analyse.every=0
# order STEP: the largest order along 111, 11-1, 200, 020 and 002. The edge of the box is that of ten cells.
order() {
    awk 'BEGIN { split("1 1 1 1 1 -1 2 0 0 0 2 0 0 0 2", h); k = 2 * atan2(0, -1) / 1.6796 }
        NR > 2 { for (v = 0; v < 5; v++) {
            phase = k * (h[3 * v + 1] * $3 + h[3 * v + 2] * $4 + h[3 * v + 3] * $5)
            c[v] += cos(phase); s[v] += sin(phase) } }
        END { for (v = 0; v < 5; v++) { o = sqrt(c[v] ^ 2 + s[v] ^ 2) / (NR - 2); most = o > most ? o : most }
            print most }' "$1"
}
first=$(echo "$TMP"/melt/*-0000000000.xyz) last=$(echo "$TMP"/melt/*-"$(printf %010d "$from")".xyz)
expect 'the run starts from a crystal' awk "BEGIN { exit !($(order "$first") > 0.98) }"
expect 'nothing of the lattice is left when the analysis begins' awk "BEGIN { exit !($(order "$last") < 0.08) }"
plan
