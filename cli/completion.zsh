#compdef juggle juggled jugglectl juggle-predict juggle-sim steal-sim ubench ubench-mpi cpuhog scf tce uts
# SPDX-License-Identifier: BSD-3-Clause
# Completion for zsh: every program prints its options and verbs itself, and jugglectl the jobs that there are.

# Jobs of others by UID/NAME, the user's own by NAME, too.
_juggle_jobs() {
    local -a jobs
    jobs=(${(f)"$(_call_program jobs $words[1] ${opt_args[--socket]:+--socket ${opt_args[--socket]}} jobs 2>/dev/null)"})
    jobs=(${(M)${jobs%% *}:#*/*})
    compadd -a jobs && compadd -- ${${(M)jobs:#$UID/*}#*/}
}

_juggle_operand() {
    case $line[1] in
    threads | top | release) (( CURRENT != 2 )) || _juggle_jobs ;;
    set) if (( CURRENT == 2 )); then _juggle_jobs; else compadd -S '' period=; fi ;;
    attach) _pids ;;
    esac
}

# nproc has options of its own. It is not offered, because most words there are commands to run.
local -a program=($words[1])
if [[ $program == (*/|)juggle && $CURRENT -gt 2 && $words[2] == nproc ]]; then
    program+=(nproc) words[1]=()
    (( CURRENT-- ))
fi

# The output of `--completion` as specifications of _arguments: see zshcompsys(1).
local told name argument help action
local -a specs verbs
local -i command=0
for told in ${(f)"$($program --completion 2>/dev/null)"}; do
    case $told in
    --) command=1 ;;
    --*)
        name=${told%%$'\t'*} argument=${${told#*$'\t'}%%$'\t'*} help=${told##*$'\t'}
        help=${${help//\[/\\[}//\]/\\]}
        case $argument in
        FILE | DIR | PATH) action=":${argument:l}:_files" ;;
        \[*) action="::${${argument#*=}%\]}: " ;;
        *\|*) action=":${argument%%\|*}:(${${argument//\|/ }//[A-Z]##/})" ;;
        ?*) action=":$argument: " ;;
        *) action='' ;;
        esac
        [[ $argument != \[* ]] || name+=-
        [[ $name != *=- ]] || name=${name%=-}=-
        specs+=("${name}[$help]$action") ;;
    -?)
        [[ ! $action ]] || told+=+
        specs+=("${told}[$help]$action") ;;
    ?*) verbs+=($told) ;;
    esac
done
if (( command )); then
    _arguments -S $specs '(-):command: _command_names -e' '*::arguments: _normal'
elif (( $#verbs )); then
    _arguments -S $specs "1:verb:($verbs)" '*::argument: _juggle_operand'
else
    _arguments -S $specs '*:file:_files'
fi
