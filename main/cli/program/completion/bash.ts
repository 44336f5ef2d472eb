import type { Command, Value } from '../command.ts'
import { caseArms } from './case-arms.ts'

/**
 * Returns shell code that fills `COMPREPLY`. The code must run in bash 3.2, the version on macOS. It has no `mapfile`
 * and no `compopt`, and its `source` cannot read a pipe.
 */
const offer = (value: Value): string => {
  switch (value.kind) {
    case 'file':
      return '_sluice_paths -f'
    case 'folder':
      return '_sluice_paths -d'
    case 'text':
      return 'COMPREPLY=()'
    case 'choice':
      return `_sluice_words '${value.of.join(' ')}'`
  }
}

export const bashCompletion = (commands: readonly Command[]): string => {
  const arms = caseArms(commands, {
    value: offer,
    words: (_, words) => `_sluice_words '${words.map(([word]) => word).join(' ')}'`,
  })
  return `# Completion of sluice for bash. In ~/.bashrc: eval "$(sluice completion bash)"
_sluice_words() {
  local IFS=$' \\t\\n'
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}
_sluice_paths() {
  local IFS=$'\\n' at
  COMPREPLY=($(compgen "$1" -- "$cur"))
  if type compopt >/dev/null 2>&1; then compopt -o filenames 2>/dev/null; return; fi
  for ((at = 0; at < \${#COMPREPLY[@]}; at++)); do COMPREPLY[at]=$(printf %q "\${COMPREPLY[at]}"); done
}
_sluice() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} typed= count=0 at word
  COMPREPLY=()
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  case $prev in
${arms.values}
  esac
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    case $word in
      ${arms.optionsWithValue})
        [[ \${COMP_WORDS[at+1]} == = ]] && ((at++)); ((at++)) ;;
      -*) ;;
      *) typed="\${typed:+$typed }$word"; ((count++)) ;;
    esac
  done
  if [[ -z $typed && $cur == -* ]]; then _sluice_words '--help --version'; return; fi
  case $typed in
${arms.typed}
  esac
}
complete -F _sluice sluice
`
}
