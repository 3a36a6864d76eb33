#!/bin/bash
# A disk becomes full during a run: the program ends with status 6 and names the file, and no damaged file has its final
# name. The engine refuses in advance a run that cannot fit.
. "$(dirname "$0")/common"

mkdir "$TMP/disk"
mount -t tmpfs -o size=64k none "$TMP/disk" 2>/dev/null || skip_all 'only root may mount a small disk'
trap 'umount "$TMP/disk"; rm -rf "$TMP"' EXIT

refused 'npy: more than the disk has' 6 "$TMP/disk/npy: " "$ENGINE" run "$TMP/good.ini" \
    --set "run.output=$TMP/disk/npy" --set 'grid.size=400 300' --set output.every=1 --set run.steps=100
expect_stderr_has 'at least 12.1 MB'
expect 'npy: no folder is made' test ! -e "$TMP/disk/npy"

for format in vti rle png snapshot; do
    run "$ENGINE" run "$TMP/good.ini" --set "run.output=$TMP/disk/$format" --set 'grid.size=400 300' \
        --set "output.formats=$format" --set output.every=1 --set run.steps=100
    expect_equal "$format: status 6" "$status" 6
    expect_stderr_has "$TMP/disk/$format/"
    expect "$format: the message says why" grep -qiE 'no space|disk' "$TMP/stderr"
    expect "$format: nothing under a temporary name" sh \
        -c "! find '$TMP/disk/$format' -name '*tmp*' -o -name '.*.*' | grep -q ."
    # Those that are there are whole: a .vti file and a pattern have their ends, a picture its last chunk.
    for file in "$TMP/disk/$format/"cells-*; do
        [ -e "$file" ] || continue
        case $format in
        vti) expect 'a file that is there is whole' sh -c "tail -c 12 '$file' | grep -qa '</VTKFile>'" ;;
        rle) expect 'a file that is there is whole' sh -c "tail -c 8 '$file' | grep -q '!'" ;;
        snapshot) expect 'a file that is there is whole' "$ENGINE" convert "$file" "$TMP/whole.npy" --force ;;
        png) expect 'a file that is there is whole' sh -c "tail -c 8 '$file' | grep -qa IEND" ;;
        esac
    done
    rm -rf "${TMP:?}/disk/$format"
done

# The figures differ although both are small: the disk has 65536 bytes, the array 65792 (257 x 256).
printf 'x = 257, y = 256, rule = B3/S23:T257,256\no!' >"$TMP/small.rle"
refused 'convert: more than the disk has' 6 'no space on the disk: 65.8 kB needed, 256 B more than is free' \
    "$ENGINE" convert "$TMP/small.rle" "$TMP/disk/small.npy"
plan
