# SPDX-License-Identifier: BSD-3-Clause
# Completion for bash: every program tells its options itself.

_juggle_complete() {
    local program=$1 word=$2
    [[ $word == -* ]] || return 0
    mapfile -t COMPREPLY < <(compgen -W "$("$program" --completion 2>/dev/null)" -- "$word")
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
    return 0
}

complete -o bashdefault -o default -F _juggle_complete \
    juggle juggled jugglectl juggle-predict juggle-sim ubench ubench-mpi cpuhog uts
