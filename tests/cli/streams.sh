#!/bin/bash
# `engine convert` with - for standard input and output, and with --from and --to.
. "$(dirname "$0")/common"
use_python
mkdir "$TMP/temporary" && cd "$TMP" || exit 1
export TMPDIR=$TMP/temporary
printf '#CXRLE Pos=-1,-1 Gen=4\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n' >glider.rle
# from FILE NAME STATUS WORD…: converts a file on standard input. "&-" closes it.
from() {
    run bash -c 'shift; exec "$@" <'"$1" - "$1" "$ENGINE" convert "${@:4}"
    expect_equal "$2: status" "$status" "$3"
}

# ---- Reading and writing
from glider.rle 'from input to a file' 0 - glider.cells
expect_equal 'the file' "$(cat glider.cells)" $'!Rule: B3/S23\n.O.\n..O\nOOO'
expect_equal 'what is lost' "$(cat stderr)" \
    'engine: warning: glider.cells: cells files do not hold all that standard input has: the position, the step, the rule'
expect_status 0 "$ENGINE" convert glider.rle - --to rle
expect_equal 'to output' "$(cat stdout)" "$(cat glider.rle)"
from glider.rle 'from input to output' 0 - - --to life106
expect_equal 'what is written' "$(cat stdout)" $'#Life 1.06\n0 -1\n1 0\n-1 1\n0 1\n1 1'
expect_equal 'both have names' "$(cat stderr)" \
    'engine: warning: standard output: life106 files do not hold all that standard input has: the step, the rule'
expect_equal 'binary files' "$(gzip -c glider.rle | "$ENGINE" convert - - --to npy --quiet | "$ENGINE" convert - - --to rle --quiet | tail -n 1)" 'bo$2bo$3o!'
expect_equal 'a film' "$("$ENGINE" convert glider.rle - --to apng | head -c 8 | od -An -tx1 | tr -d ' ')" 89504e470d0a1a0a
from glider.rle 'a file under the name of a stream' 0 /dev/stdin stdin.rle

# ---- The formats
expect_status 0 "$ENGINE" convert glider.rle glider.lif --to life106
expect_equal '--to is for files, too' "$(head -n 1 glider.lif)" '#Life 1.06'
printf '.O.\n..O\nOOO\n' >plain
refused 'plaintext without a comment' 3 'plain: has no known format' "$ENGINE" convert plain plain.npy
expect_status 0 "$ENGINE" convert plain plain.rle --from cells
expect_equal 'its cells' "$(tail -n 1 plain.rle)" 'bo$2bo$3o!'
# RLE without a header line is known by its cells. Golly 3.3 reads the same.
for text in 'bo$2bo$3o!' $'  bo$\n2bo\n$3o!\nmore text' '3o!' '!' ' !'; do
    printf '%s\n' "$text" >bare
    from bare "RLE without a header line, $text" 0 - bare.rle --force
    expect_stderr_has "there is no header line 'x = <width>"
    expect_equal 'its cells' "$(tail -n 1 bare.rle)" "$(tr -d ' \n' <bare | sed 's/!.*/!/')"
done
printf '!Name: three\nO\n!\n' >bare
from bare 'plaintext begins with a comment' 0 - bare.cells
expect_equal 'and stays what it is' "$(cat bare.cells)" $'!Name: three\n!\nO'
for text in '3o' '.O.' 'no!' $'.O\n!comment'; do
    printf '%s\n' "$text" >bare
    from bare "no cells of RLE: $text" 3 - x.rle
    expect_stderr_has 'standard input: has no known format'
done
refused 'a wrong --from' 3 'glider.rle: is not a .npy file' "$ENGINE" convert glider.rle x.rle --from npy
refused '--from: no format' 2 "--from cels: is not the name of a format, did you mean 'cells'?" \
    "$ENGINE" convert glider.rle x.rle --from cels
refused '--to: an ending' 2 '--to lif: is not the name of a format; the format of .lif files is life105' \
    "$ENGINE" convert glider.rle x --to lif
refused '--from: an ending' 2 '--from life: is not the name of a format; the format of .life files is life106' \
    "$ENGINE" convert glider.rle x.rle --from life
refused '--from: only written' 2 '--from png: this format is only written' "$ENGINE" convert glider.rle x.rle --from png
refused '--to: only read' 2 '--to tipsy: this format is only read' "$ENGINE" convert glider.rle - --to tipsy
refused 'output without a format' 2 'give the format, as in --to rle' "$ENGINE" convert glider.rle -
expect_equal 'completion offers formats' "$("$ENGINE" complete -- convert - - --to life10 | cut -f 1 | xargs)" 'life106 life105'

# ---- What is refused
echo 'no pattern' >none
from none 'no format' 3 - x.rle
expect_stderr_has 'engine: standard input: has no known format'
from /dev/null 'nothing' 3 - x.rle
expect_stderr_has 'engine: standard input: is an empty file'
from '&-' 'a closed stream' 3 - x.rle
expect_stderr_has 'Bad file descriptor'
run bash -c 'yes | "$1" convert - x.rle' - "$ENGINE"
expect_equal 'a pipe without an end: status' "$status" 3
expect_stderr_has 'standard input: has more than 1 GiB; save it as a file, and convert the file'
for path in '/dev/stdin' '<(cat glider.rle)'; do
    run bash -c "cat glider.rle | '$ENGINE' convert $path x.rle"
    expect_equal "$path: status" "$status" 3
    expect_stderr_has 'is a device, pipe or socket; expected a regular file, or - for standard input'
done
run bash -c "'$ENGINE' convert glider.rle /dev/stdout | cat; exit \${PIPESTATUS[0]}"
expect_equal '/dev/stdout: status' "$status" 6
expect_stderr_has '/dev/stdout: is a device, pipe or socket; expected a regular file, or - for standard output'
run bash -c "'$ENGINE' convert glider.rle - --to rle >/dev/full"
expect_equal 'a full device: status' "$status" 6
expect_stderr_has 'standard output: cannot write: No space left on device'
TMPDIR=$TMP/none refused 'no folder for temporary files' 6 "standard output: $TMP/none/engine-" \
    "$ENGINE" convert glider.rle - --to rle

# ---- A reader that ends, and a terminal
"$python" -c 'import numpy; numpy.save("large.npy", numpy.zeros((1000, 1000), numpy.uint8))'
run bash -c "'$ENGINE' convert large.npy - --to npy | true; exit \${PIPESTATUS[0]}"
expect_equal 'SIGPIPE ends the program' "$status" 141
on_terminal() {
    "$python" - "$ENGINE" "$1" <<'PYTHON' | tr -d '\r'
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], ["engine", "convert", "glider.rle", "-", "--quiet", "--to", sys.argv[2]])
try:
    while piece := os.read(terminal, 4096):
        os.write(1, piece)
except OSError:
    pass
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PYTHON
}
expect_equal 'text to a terminal' "$(on_terminal cells)" $'!Rule: B3/S23\n.O.\n..O\nOOO\n0'
expect_equal 'no binary file to a terminal' "$(on_terminal npy)" \
    $'engine: standard output: is a terminal, and a file of this format is not text; send it to a file or a program, as in `> FILE`\n6'
expect_equal 'no temporary file is left' "$(ls temporary)" ''
plan
