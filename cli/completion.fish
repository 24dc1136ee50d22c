# SPDX-License-Identifier: BSD-3-Clause
# Completion for fish: every program prints its options and verbs itself, and jugglectl the jobs that there are.
# It is read as NAME.fish, for the program of that name.

# True before the first word that is no option; the arguments are the options that take a value.
function __juggle_before_operand
    set -l words (commandline -opc)
    set -e words[1]
    while set -q words[1]
        switch $words[1]
            case --
                return 1
            case '-*'
                contains -- $words[1] $argv; and set -e words[1]
            case '*'
                return 1
        end
        set -e words[1]
    end
end

# Jobs of others by UID/NAME, the user's own by NAME, too.
function __juggle_jobs
    set -l words (commandline -opc)
    set -l socket (string match -r -- '--socket[= ][^ ]+' "$words" | string split ' ')
    for job in ($words[1] $socket jobs 2>/dev/null | string match -r '^[^ ]*/[^ ]*')
        echo $job
        string replace -f -r "^"(id -u)"/" "" $job
    end
end

# nproc has options of its own. It is not offered, because most words there are commands to run.
function __juggle_is_nproc
    set -l words (commandline -opc)
    string match -q nproc -- $words[2]
end

# Completes the options in the further arguments, which are lines of --completion, if CONDITION holds.
function __juggle_options --argument-names program condition
    set -l option
    for line in $argv[3..]
        set -l parts (string split \t -- $line)
        switch $line
            case '--*'
                set option -l (string trim -c '-=' -- $parts[1]) -d $parts[3] -n $condition
                switch $parts[2]
                    case FILE DIR PATH
                        set -a option -r -F
                    case '[*' ''
                    case '*|*'
                        set -a option -x -a (string split '|' -- $parts[2] | string match -rv '^[A-Z]+$' | string join ' ')
                    case '*'
                        set -a option -x
                end
                complete -c $program $option
            case '-*'
                complete -c $program -s (string sub -s 2 -- $line) $option
        end
    end
end

set -l program (status basename | string replace -r '\.fish$' '')
set -l told ($program --completion 2>/dev/null)
set -l takes (string match -r '^--[^=]+(?==\t(?!\[))' -- $told)
set -l verbs (string match -r '^[^-].*' -- $told)
set -l last
for line in $told
    # The letter of the option before; it takes a value if that does. Letters come first in the list: see __fish_complete_subcommand.
    string match -qr '^-[^-]$' -- $line; and test -n "$last"; and set -p takes $line
    set last (string match -r '^--.*=(?=\t)' -- $line)
end
set -l before true
if test (count $verbs) -gt 0; or contains -- -- $told
    set before "__juggle_before_operand $takes"
end
__juggle_options $program $before (string match -v -- -- $told)
if contains -- -- $told
    complete -c $program -f -n "not __juggle_is_nproc" -a "(__fish_complete_subcommand $takes)"
    __juggle_options $program __juggle_is_nproc ($program nproc --completion 2>/dev/null)
end
if test (count $verbs) -gt 0
    complete -c $program -f -n $before -a "$verbs"
    complete -c $program -f -n "__fish_seen_subcommand_from threads top release set" -a "(__juggle_jobs)"
    complete -c $program -f -n "__fish_seen_subcommand_from set" -a period=
    complete -c $program -f -n "__fish_seen_subcommand_from attach" -a "(__fish_complete_pids)"
end
