import type { Command, Value } from '../command.ts'
import { completionTable, groupWords } from './completion-table.ts'

/** Fills COMPREPLY. macOS has bash 3.2: no mapfile, no compopt, and `source` cannot read a pipe. */
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
  const table = completionTable(commands)
  const values = [...table.values].map(([name, value]) => `    --${name}) ${offer(value)}; return ;;`)
  const words = ['', ...groupWords(table)].map((after) => {
    const next = table.words.filter((each) => each.after === after).map(({ word }) => word)
    return `    '${after}') _sluice_words '${next.join(' ')}'; return ;;`
  })
  const each = table.commands.map(({ name, options, operands, hasMany }) => {
    const flags = options.map(([option]) => `--${option}`).join(' ')
    const parts = name.split(' ').length
    const placeOf = (at: number) => (hasMany && at === operands.length - 1 ? '*' : String(parts + at))
    const places = operands.map((value, at) => `        ${placeOf(at)}) ${offer(value)} ;;`)
    const operand = places.length === 0 ? '' : `\n      case $count in\n${places.join('\n')}\n      esac`
    return `    '${name}'|'${name} '*)\n      if [[ $cur == -* ]]; then _sluice_words '${flags}'; return; fi${operand} ;;`
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
${values.join('\n')}
  esac
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    case $word in
      ${[...table.values.keys()].map((name) => `--${name}`).join('|')})
        [[ \${COMP_WORDS[at+1]} == = ]] && ((at++)); ((at++)) ;;
      -*) ;;
      *) typed="\${typed:+$typed }$word"; ((count++)) ;;
    esac
  done
  if [[ -z $typed && $cur == -* ]]; then _sluice_words '--help --version'; return; fi
  case $typed in
${words.join('\n')}
${each.join('\n')}
  esac
}
complete -F _sluice sluice
`
}
