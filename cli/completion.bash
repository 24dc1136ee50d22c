# SPDX-License-Identifier: BSD-3-Clause
# Completion for bash: every program prints its options and verbs itself, and jugglectl the jobs that there are.

# Sets `verb` to the first word before the cursor that is neither an option nor an option's value, `first` to its index or
# the cursor's, `socket` to the option that names the same service, and `argument` to the number of words behind the verb. The
# long name of an option with a value ends in =, that of a flag does not.
_juggle_line() {
    local told values=' ' takes='' i word
    verb='' argument=0 first=$COMP_CWORD socket=()
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
            # If bash breaks words at =, the = is a word, too.
            [[ ${COMP_WORDS[i + 1]} != = ]] || i=$((i + 1))
            [[ $values != *" $word "* ]] || i=$((i + 1))
            [[ $word != --socket ]] || socket=(--socket "${COMP_WORDS[i]}")
        elif [[ ! $verb ]]; then
            verb=$word first=$i
        else
            argument=$((argument + 1))
        fi
    done
}

# The user's own jobs by NAME and by UID/NAME, jobs of others by UID/NAME.
_juggle_jobs() {
    local job
    "$@" jobs 2>/dev/null | while read -r job _; do
        [[ $job == */* ]] || continue
        echo "$job"
        [[ $job != "$UID"/* ]] || echo "${job#*/}"
    done
}

# True if the word is the value of an option. Sets `offered` to the words if the value is a choice; other values are not completed.
_juggle_value() {
    local option=${COMP_WORDS[COMP_CWORD - 1]} told
    [[ $option != = ]] || option=${COMP_WORDS[COMP_CWORD - 2]}
    [[ ${COMP_WORDS[COMP_CWORD]} != = ]] || word=''
    for told in "$@"; do
        [[ $told == "$option="$'\t'* ]] || continue
        told=${told#*$'\t'} told=${told%%$'\t'*}
        [[ $told == '['* ]] && return 1
        [[ $told != *'|'* ]] || mapfile -t offered < <(tr '|' '\n' <<<"$told" | grep -v '^[A-Z]*$')
        return 0
    done
    return 1
}

_juggle_complete() {
    local program=$1 word=$2 verb argument first socket table options verbs offered=() command=("$1")
    # nproc has options of its own. It is not offered, because most words here are commands to run.
    [[ $COMP_CWORD -lt 2 || ${COMP_WORDS[1]} != nproc ]] || command+=(nproc)
    mapfile -t table < <("${command[@]}" --completion 2>/dev/null)
    mapfile -t options < <(printf '%s\n' "${table[@]%%$'\t'*}" | grep -e '^-[^-]' -e '^--.')
    mapfile -t verbs < <(printf '%s\n' "${table[@]}" | grep '^[^-]')
    _juggle_line "${options[@]}"
    if [[ " ${table[*]} " == *' -- '* && ($verb || ${COMP_WORDS[COMP_CWORD - 1]} == --) ]]; then
        # The command that is run: bash-completion knows how to complete it.
        if declare -F _command_offset >/dev/null; then
            _command_offset "$first"
        elif [[ ! $verb ]]; then
            mapfile -t COMPREPLY < <(compgen -c -- "$word")
        fi
        return 0
    fi
    if _juggle_value "${table[@]}"; then
        :
    elif [[ $word == -* ]]; then
        offered=("${options[@]}")
    elif [[ ${#verbs[@]} -gt 0 ]]; then
        case $verb/$argument in
        /0) offered=("${verbs[@]}") ;;
        threads/0 | top/0 | release/0 | set/0) mapfile -t offered < <(_juggle_jobs "$program" "${socket[@]}") ;;
        set/1) offered=(period=) ;;
        attach/0) mapfile -t offered < <(pgrep -u "$UID") ;;
        esac
    elif [[ " ${table[*]} " == *' -- '* ]]; then
        mapfile -t offered < <(compgen -c -- "$word")
    fi
    mapfile -t COMPREPLY < <(compgen -W "${offered[*]}" -- "$word")
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
    return 0
}

complete -o bashdefault -o default -F _juggle_complete \
    juggle juggled jugglectl juggle-predict juggle-sim steal-sim ubench ubench-mpi cpuhog scf tce uts
