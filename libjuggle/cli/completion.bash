# SPDX-License-Identifier: BSD-3-Clause
# Completion for bash: every program tells its options and verbs itself, and jugglectl what jobs there are.

# Sets `verb` to the first word before the cursor that is neither an option nor an option's value, `socket` to what asks
# the same service, and `argument` to the words behind the verb. An option is told from a flag by the = of its long name.
_juggle_line() {
    local told values=' ' takes='' i word
    verb='' argument=0 socket=()
    for told in "$@"; do
        case $told in
        --*=) takes=1 values+="${told%=} " ;;
        --*) takes='' ;;
        -?) [[ ! $takes ]] || values+="$told " ;;
        esac
    done
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $word == -* ]]; then
            # Where bash breaks words at =, that is a word, too.
            [[ ${COMP_WORDS[i + 1]} != = ]] || i=$((i + 1))
            [[ $values != *" $word "* ]] || i=$((i + 1))
            [[ $word != --socket ]] || socket=(--socket "${COMP_WORDS[i]}")
        elif [[ ! $verb ]]; then
            verb=$word
        else
            argument=$((argument + 1))
        fi
    done
}

# One's own by NAME and by UID/NAME, others' by UID/NAME.
_juggle_jobs() {
    local job
    "$@" jobs 2>/dev/null | while read -r job _; do
        [[ $job == */* ]] || continue
        echo "$job"
        [[ $job != "$UID"/* ]] || echo "${job#*/}"
    done
}

_juggle_complete() {
    local program=$1 word=$2 verb argument socket options verbs offered=()
    mapfile -t options < <("$program" --completion 2>/dev/null | grep ^-)
    mapfile -t verbs < <("$program" --completion 2>/dev/null | grep -v ^-)
    if [[ $word == -* ]]; then
        offered=("${options[@]}")
    elif [[ ${#verbs[@]} -gt 0 ]]; then
        _juggle_line "${options[@]}"
        case $verb/$argument in
        /0) offered=("${verbs[@]}") ;;
        threads/0 | top/0 | release/0 | set/0) mapfile -t offered < <(_juggle_jobs "$program" "${socket[@]}") ;;
        set/1) offered=(period=) ;;
        attach/0) mapfile -t offered < <(pgrep -u "$UID") ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "${offered[*]}" -- "$word")
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
    return 0
}

complete -o bashdefault -o default -F _juggle_complete \
    juggle juggled jugglectl juggle-predict juggle-sim steal-sim ubench ubench-mpi cpuhog scf tce uts
