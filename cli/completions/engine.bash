# Completion of `engine` for bash, by `engine complete`.
# shellcheck shell=bash

_engine()
{
    # Bash treats '=' and ':' as separate words. Join them with their neighbours again.
    local -a words=()
    local i joined='' text
    for ((i = 1; i <= COMP_CWORD; i++)); do
        text=${COMP_WORDS[i]}
        if [[ ${#words[@]} -gt 0 && ($text == [=:]* || $joined == yes) ]]; then
            words[-1]+=$text
        else
            words+=("$text")
        fi
        [[ $text == *[=:] ]] && joined=yes || joined=
    done

    # `kept` is the part of the last word that readline does not replace.
    local word=${words[-1]} current=${COMP_WORDS[COMP_CWORD]} kept candidate
    [[ $current == [=:] ]] && current=
    kept=${word%"$current"}

    COMPREPLY=()
    while IFS= read -r candidate; do
        case $candidate in
        :folders) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$current") ;;
        :files*)
            compopt -o filenames
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(
                compgen -f -X "!*${candidate#:files}" -- "$current"
                [[ $candidate == :files ]] || compgen -d -- "$current"
            )
            ;;
        *) candidate=${candidate%%$'\t'*} COMPREPLY+=("${candidate#"$kept"}") ;;
        esac
    done < <("${COMP_WORDS[0]/#\~/$HOME}" complete -- "${words[@]}" 2>/dev/null | sed 's/^:files /:files/')
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[.=] ]] && compopt -o nospace
    return 0
}

complete -F _engine engine
