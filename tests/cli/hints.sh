#!/bin/bash
# The message about a misspelt name suggests the correct name.
. "$(dirname "$0")/common"

run=("$ENGINE" run "$TMP/good.ini")
near() {
    local wanted=$1
    shift
    run "$@"
    expect "${*: -1}: '$wanted' is offered, the exit status is not 0" \
        sh -c "[ $status != 0 ] && grep -qF \"did you mean '$wanted'?\" '$TMP/stderr'"
}

near verify "$ENGINE" verfy
near bench "$ENGINE" help bnech
near config "$ENGINE" help confg
near --force "${run[@]}" --forec
near --sweep "$ENGINE" bench "$TMP/good.ini" --sweeep=run.threads=1,2
near life2d-bit "$ENGINE" describe life2dbit
near life2d-bit "${run[@]}" --set run.plugin=life2d-bits
near rdf "${run[@]}" --set analyse.plugin=rfd
near cpu-serial "${run[@]}" --set run.implementation=cpu_serial
near auto "${run[@]}" --set run.implementation=atuo
near cuda "${run[@]}" --set run.implementation=gpu
near cpu-serial "$ENGINE" verify "$TMP/good.ini" --impl cpu-seral
near cpu-serial "$ENGINE" bench "$TMP/good.ini" --impl cpu-seral
near life2d-lut "$ENGINE" bench "$TMP/good.ini" --impl life2d-lot:cpu
near output "${run[@]}" --set ouput.every=1
near steps "${run[@]}" --set run.step=1
near steps "$ENGINE" bench "$TMP/good.ini" --sweep run.stesp=1,2
near rule "${run[@]}" --set life2d-bit.rul=B3/S23
near slice "${run[@]}" --set output.view=slcie
near random "${run[@]}" --set init.source=radnom
near center "${run[@]}" --set init.source=file --set init.file=a.rle --set init.at=centre
near png "${run[@]}" --set output.formats=pgn
near rle "${run[@]}" --set 'output.formats=npy rel'
near npy "$ENGINE" convert "$TMP/good.ini" "$TMP/a.npyy"
near float32 "$ENGINE" run "$TMP/good.ini" --set run.plugin=transpose --set matrix.element=flaot32

# Files, by the others in their folder.
cd "$TMP" || exit 1
printf 'x = 1, y = 1\no!\n' >glider.rle
near good.ini "$ENGINE" run god.ini
near good.ini "$ENGINE" check ./godo.ini
near glider.rle "${run[@]}" --set init.source=file --set init.file=gilder.rle
near glider.rle "$ENGINE" convert "$TMP/gliders.rle" "$TMP/x.npy"
mkdir -p out/good
near good "$ENGINE" resume out/god
near good "$ENGINE" report out/goood
near --set "$ENGINE" run good.ini -set
near --json "$ENGINE" list -json
expect_status 2 "$ENGINE" good.ini
expect_stderr_has 'engine run good.ini'
plan
