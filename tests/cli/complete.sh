#!/bin/bash
# `engine complete` offers the words that --help, describe and the configuration list, and bash completes them.
. "$(dirname "$0")/common"

cp "$TMP/good.ini" "$TMP/my.ini"
offered_by() { "$1" complete -- "${@:2}" | cut -f 1 | tr '\n' ' '; }
offered() { offered_by "$ENGINE" "$@"; }

# A program with configurations beside it, wherever this one was built.
mkdir -p "$TMP/tree/build"
cp "$ENGINE" "$TMP/tree/build/engine"
ln -s "$PWD/configs" "$TMP/tree/configs"
offered_there() { offered_by "$TMP/tree/build/engine" "$@"; }

# ---- What the engine offers
expect_equal 'verbs' "$(offered ve)" 'verify '
expect_equal 'all verbs, as --help lists them' "$(offered '')" \
    "$("$ENGINE" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p' | tr '\n' ' ')--help --version "
for verb in $("$ENGINE" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
    expect_equal "the options of $verb, as its --help lists them" "$(offered "$verb" --)" \
        "$("$ENGINE" "$verb" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p' | tr '\n' ' ')"
done
expect_equal 'plugins' "$(offered describe life2d-)" 'life2d-bit life2d-lut '
expect_equal 'topics' "$(offered help conf)" 'conform config '
expect_equal 'sections that are no verb' "$(offered help g)$(offered help ru)" 'grid run rules '
expect_equal 'configurations that came with the engine, and files' "$(offered_there run gosp)" \
    'gosper-gun.ini :files .ini '
expect_equal 'files' "$(offered convert a)" ':files '
expect_equal 'folders' "$(offered list --plugins '')" ':folders '
expect_equal 'choices of an option' "$(offered convert a.rle a.png --axis '')" 'x y z '
expect_equal 'the same behind =' "$(offered convert a.rle a.png --axis=)" '--axis=x --axis=y --axis=z '
expect_equal 'kinds of a new plugin' "$(offered new-plugin my-rule --kind '')" 'bytes floats volume particles '
expect_equal 'implementations' "$(offered verify "$TMP/my.ini" --impl cpu-)" 'cpu-serial cpu-words '
expect_equal 'implementations behind a comma' "$(offered bench "$TMP/my.ini" --impl cpu,cpu-)" \
    'cpu,cpu-serial cpu,cpu-words '
expect_equal 'of the plugin that --set says' "$(offered verify "$TMP/my.ini" --set run.plugin=transpose --impl cpu-i)" \
    'cpu-in-place '
mkdir "$TMP/folder" && cp "$TMP/my.ini" "$TMP/folder/config.ini"
expect_equal 'of the run in a folder' "$(offered audit "$TMP/folder" --impl cpu-)" 'cpu-serial cpu-words '
expect_equal 'and its parameters' "$(offered resume "$TMP/folder" --set life2d-bit.rule_)" 'life2d-bit.rule_kernel= '
expect_equal 'sections' "$(offered run "$TMP/my.ini" --set o)" 'output. '
expect_equal 'the section of its plugin' "$(offered run "$TMP/my.ini" --set life)" 'life2d-bit. '
expect_equal 'keys' "$(offered run "$TMP/my.ini" --set run.d)" 'run.device= run.devices= '
expect_equal 'parameters' "$(offered run "$TMP/my.ini" --set life2d-bit.ru)" 'life2d-bit.rule= life2d-bit.rule_kernel= '
expect_equal 'choices of a key' "$(offered run "$TMP/my.ini" --set output.view=)" \
    'output.view=projection output.view=slice '
expect_equal 'choices of a parameter' "$(offered bench "$TMP/my.ini" --sweep=life2d-bit.instructions=pl)" \
    '--sweep=life2d-bit.instructions=plain '
expect_equal 'flags' "$(offered run "$TMP/my.ini" --set matrix.fused=)" 'matrix.fused=yes matrix.fused=no '
expect_equal 'plugins as a value' "$(offered run "$TMP/my.ini" --set run.plugin=pa)" 'run.plugin=pairs '
expect_equal 'implementations as a value' "$(offered run "$TMP/my.ini" --set run.implementation=cpu-)" \
    'run.implementation=cpu-serial run.implementation=cpu-words '
expect_equal 'formats' "$(offered run "$TMP/my.ini" --set 'output.formats=npy pn')" 'output.formats=npy png '
expect_equal 'generators' "$(offered_there run nbody-3072.ini --plugins "$BUILD/plugins" --set init.source=plu)" \
    'init.source=plummer '
expect_equal 'nothing for words that are none' "$(offered frobnicate --)$(offered run --frobnicate=)" ''
expect_status 0 "$ENGINE" complete -- run "$TMP/none.ini" --help --set run.
expect 'nothing is said of what is wrong' test ! -s "$TMP/stderr"
expect_stdout_has 'run.steps='

# ---- In shells. bash cuts words at '=' and ':' before a completion sees them.
in_bash() {
    PATH=$(dirname "$ENGINE"):$PATH bash -c '
        . cli/completions/engine.bash
        compopt() { :; } # outside a completion there is nothing to set
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _engine
        echo "${COMPREPLY[*]}"' bash "$@"
}
expect_equal 'bash: a verb' "$(in_bash engine ver)" verify
expect_equal 'bash: a key' "$(in_bash engine run my.ini --set run.st 2>/dev/null)" 'run.steps='
expect_equal 'bash: only what is behind the =' "$(in_bash engine run "$TMP/my.ini" --set run.implementation = cpu-)" \
    'cpu-serial cpu-words'
expect_equal 'bash: behind two of them' "$(in_bash engine run "$TMP/my.ini" --set = run.implementation =)" \
    "$(offered run "$TMP/my.ini" --set run.implementation= | sed 's/run.implementation=//g; s/ $//')"
expect_equal 'bash: files of an ending' "$(in_bash engine run configs/gosp)" configs/gosper-gun.ini
if command -v zsh >/dev/null; then
    # zsh lists the candidates that two tabs show, with their whole names.
    cat >"$TMP/zsh" <<'ZSH'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1="> "; PATH='${ENGINE:h}':$PATH; fpath=(cli/completions $fpath); autoload -U compinit; compinit -D -u; echo re""ady'
zpty -r -m shell said '*ready*'
zpty -w -n shell "engine verify $MY --set run.implementation=cuda-"$'\t\t'
zpty -r -m shell said '*cuda-words  --*'
print -r -- "$said"
zpty -d shell
ZSH
    MY=$TMP/my.ini run timeout 30 zsh -f "$TMP/zsh"
    expect_stdout_has 'run.implementation=cuda-bytes '
    expect_stdout_has 'run.implementation=cuda-words '
else
    skip 'zsh: whole names' 'zsh is not installed'
fi
expect_equal 'bash: folders' "$(in_bash engine list --plugins confi)" configs
plan
