# Completion of `engine` for fish, by `engine complete`.

function __engine_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    test (count $current) -gt 0; or set current ''
    for line in ($words[1] complete -- $words[2..-1] $current 2>/dev/null)
        switch $line
            case ':folders'
                __fish_complete_directories $current
            case ':files'
                __fish_complete_path $current
            case ':files *'
                __fish_complete_suffix (string replace ':files ' '' -- $line)
            case '*'
                echo $line
        end
    end
end

complete -c engine -f -a '(__engine_complete)'
