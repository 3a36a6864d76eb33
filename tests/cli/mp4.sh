#!/bin/bash
# [output] formats = mp4: what ffmpeg gets, and what becomes of its failures. A script stands in for ffmpeg: it keeps
# the pictures that it reads, which are compared with the frames of the film that the engine writes itself.
. "$(dirname "$0")/common"
use_python
printf '[run]\nplugin = life2d-bit\nsteps = 6\n[grid]\nsize = 67 31\n[init]\nsource = random\n[output]\nevery = 2\nformats = mp4 npy\nscale = 2\nrate = 25\n' >"$TMP/film.ini"
mkdir "$TMP/program" "$TMP/none"

# ffmpeg BODY: the stand-in, which answers `-version` by success.
ffmpeg() {
    printf '#!/bin/bash\nprintf "%%s\\n" "$@" >"%s"\ncase "$*" in *-version*) exit 0 ;; esac\n%s\n' "$TMP/arguments" \
        "$1" \
        >"$TMP/program/ffmpeg"
    chmod +x "$TMP/program/ffmpeg"
}
engine() { PATH="$TMP/program:$PATH" "$ENGINE" "$@"; }

# Compares concatenated PNG pictures with arrays, whose cells are white squares of the scale, and counts them.
cat >"$TMP/pictures.py" <<'PYTHON'
import glob, struct, sys, zlib
import numpy as np
pictures, folder, scale = sys.argv[1], sys.argv[2], int(sys.argv[3])
raw, at, found = open(pictures, "rb").read(), 0, []
while at < len(raw):
    assert raw[at:at + 8] == b"\x89PNG\r\n\x1a\n", "a signature"
    at, kinds, pixels = at + 8, [], b""
    while kinds[-1:] != [b"IEND"]:
        n, kind = struct.unpack(">I4s", raw[at:at + 8])
        data = raw[at + 8:at + 8 + n]
        assert struct.unpack(">I", raw[at + 8 + n:at + 12 + n])[0] == zlib.crc32(kind + data), "a CRC"
        kinds.append(kind)
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", data[:10])
        pixels += data if kind == b"IDAT" else b""
        at += 12 + n
    assert kinds in ([b"IHDR", b"IDAT", b"IEND"], [b"IHDR", b"PLTE", b"IDAT", b"IEND"]), kinds
    rows = np.frombuffer(zlib.decompress(pixels), np.uint8).reshape(height, -1)[:, 1:]
    found.append(np.unpackbits(rows, axis=1)[:, :width] if depth == 1 else rows)
files = sorted(glob.glob(folder + "/cells-*.npy"))
assert len(found) == len(files), (len(found), len(files))
for picture, file in zip(found, files):
    cells = np.kron(np.load(file), np.ones((scale, scale), np.uint8))
    if depth == 8:
        cells = (cells * 255).astype(np.uint8)
    assert (picture == cells).all(), file
print(len(found))
PYTHON
frames_of() { "$python" "$TMP/pictures.py" "$1" "$2" "${3:-2}" 2>&1 | tail -1; }
quiet_folder() { (cd "$1" && echo .tmp* *.mp4 *.apng); }

# ---- A film
ffmpeg 'cat >/dev/fd/3'
expect_status 0 engine run "$TMP/film.ini" --quiet --set "run.output=$TMP/run"
expect_equal 'the files' "$(quiet_folder "$TMP/run")" '.tmp* cells.mp4 cells.apng'
expect_equal 'ffmpeg gets the frames' "$(frames_of "$TMP/run/cells.mp4" "$TMP/run")" 4
expect 'with their rate' sh -c "tr '\n' ' ' <'$TMP/arguments' | grep -qF -e '-c:v png -framerate 25 -i pipe:0'"
expect 'and writes mp4 with even sides' sh \
    -c "tr '\n' ' ' <'$TMP/arguments' | grep -qF -e 'pad=ceil(iw/2)*2:ceil(ih/2)*2 -pix_fmt yuv420p'"
expect_equal 'the summary lists it' "$(json "$TMP/run/summary.json" '{outputs}' | grep -c 'cells.mp4$')" 1
expect_status 0 engine run "$TMP/film.ini" --quiet --set "run.output=$TMP/colours" --set output.colours=viridis \
    --set output.stride=1 --set output.reduce=mean --set output.formats='mp4 npy apng'
expect_equal 'colours have a palette in each picture' "$(frames_of "$TMP/colours/cells.mp4" "$TMP/colours")" 4
expect_status 0 engine convert "$TMP/run/cells-0000000004.npy" "$TMP/one.mp4" --scale 2
mkdir "$TMP/one" && cp "$TMP/run/cells-0000000004.npy" "$TMP/one/"
expect_equal 'convert makes a film too' "$(frames_of "$TMP/one.mp4" "$TMP/one")" 1

# ---- A resumed run makes the film of all its frames
expect_status 0 engine run "$TMP/film.ini" --quiet --set "run.output=$TMP/more" --set run.steps=4 \
    --set checkpoint.every=2
expect_equal 'the first part' "$(frames_of "$TMP/more/cells.mp4" "$TMP/more")" 3
expect_status 0 engine resume "$TMP/more" --quiet --set run.steps=6
expect_same "$TMP/more/cells.mp4" "$TMP/run/cells.mp4"

# ---- Failures: a sentence, no file that is half done, and an older one that stays
fails() { # fails NAME TEXT BODY
    ffmpeg "$3"
    rm -rf "$TMP/fail"
    expect_status 6 engine run "$TMP/film.ini" --quiet --set "run.output=$TMP/fail"
    expect_equal "$1" "$(cat "$TMP/stderr")" "engine: $TMP/fail/cells.mp4: $2; all frames are in cells.apng"
    expect_equal "$1: nothing is left" "$(quiet_folder "$TMP/fail")" '.tmp* *.mp4 cells.apng'
}
fails 'its own last sentence' 'ffmpeg: No such encoder' \
    'cat >/dev/null; echo Something >&2; echo "No such encoder" >&2; exit 1'
fails 'a message is a failure, though the status is 0' 'ffmpeg: Error writing trailer: No space left on device' \
    'cat >/dev/fd/3; echo "Error writing trailer: No space left on device" >&2'
fails 'no message' 'ffmpeg gave up without a message, with status 3' 'cat >/dev/null; exit 3'
fails 'killed' 'ffmpeg was ended by signal 9' 'head -c 100 >/dev/null; kill -9 $$'
fails 'nothing written' 'ffmpeg has written nothing' 'cat >/dev/null'
fails 'a message with control characters' 'ffmpeg: a?[31mred' 'cat >/dev/null; printf "a\033[31mred\n" >&2; exit 1'

# A film that is larger than the buffer of the socket, which nobody reads: an error, and no signal.
ffmpeg 'exit 0'
expect_status 6 engine run "$TMP/film.ini" --quiet --set "run.output=$TMP/large" --set 'grid.size=3000 1500' \
    --set output.scale=1 \
    --set output.formats=mp4 --set output.every=1
expect_stderr_has 'ffmpeg ended before it had read all frames; all frames are in cells.apng'
expect_not 'no film' test -e "$TMP/large/cells.mp4"

# An older film is not lost.
ffmpeg 'cat >/dev/null; echo broken >&2; exit 1'
cp "$TMP/run/cells.mp4" "$TMP/older.mp4"
expect_status 6 engine convert "$TMP/run/cells-0000000004.npy" "$TMP/run/cells.mp4" --force
expect_same "$TMP/run/cells.mp4" "$TMP/older.mp4"

# ---- No ffmpeg, or none that can be started: check says so, and run writes nothing
refused 'no ffmpeg' 6 \
    'film.ini:10: [output] formats: mp4 needs the program ffmpeg, and no folder of PATH has it; install it, or write apng' \
    env PATH="$TMP/none" "$ENGINE" check "$TMP/film.ini"
refused 'run' 6 'mp4 needs the program ffmpeg' env PATH="$TMP/none" "$ENGINE" run "$TMP/film.ini" \
    --set "run.output=$TMP/out"
printf '#!/bin/bash\necho "libx264.so: cannot open shared object file" >&2\nexit 127\n' >"$TMP/program/ffmpeg"
refused 'one that does not start' 6 '[output] formats: ffmpeg: libx264.so: cannot open shared object file' \
    env PATH="$TMP/program:$PATH" "$ENGINE" check "$TMP/film.ini"
expect_status 2 "$ENGINE" check "$TMP/film.ini" --set output.formats='mp4 mp4'

# ---- The real one, where it is there
rm "$TMP/program/ffmpeg"
if command -v ffmpeg >/dev/null && command -v ffprobe >/dev/null; then
    expect_status 0 "$ENGINE" run "$TMP/film.ini" --quiet --set "run.output=$TMP/real"
    expect_equal 'frames, rate and even sides' "$(ffprobe -v error -count_frames -of csv=p=0 \
        -show_entries stream=width,height,r_frame_rate,nb_read_frames "$TMP/real/cells.mp4")" 134,62,25/1,4
fi
plan
