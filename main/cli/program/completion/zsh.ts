import type { Command, Value } from '../command.ts'
import { completionTable, groupWords, plainWords } from './completion-table.ts'

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The format of zsh's _describe: word, colon, description. */
const described = (word: string, summary: string): string =>
  quoted(`${word.replaceAll(':', '\\:')}:${plainWords(summary)}`)

const offer = (value: Value): string => {
  switch (value.kind) {
    case 'file':
      return '_files'
    case 'folder':
      return '_files -/'
    case 'text':
      return `_message ${quoted(value.name)}`
    case 'choice':
      return `compadd -- ${value.of.join(' ')}`
  }
}

export const zshCompletion = (commands: readonly Command[]): string => {
  const table = completionTable(commands)
  const values = [...table.values].map(([name, value]) => `    --${name}) ${offer(value)}; return ;;`)
  const words = ['', ...groupWords(table)].map((after) => {
    const next = table.words.filter((each) => each.after === after)
    const list = next.map(({ word, summary }) => described(word, summary)).join(' ')
    return `    '${after}') offered=(${list}); _describe -t commands command offered; return ;;`
  })
  const each = table.commands.map(({ name, options, operands, hasMany }) => {
    const list = options.map(([option, { summary }]) => described(`--${option}`, summary)).join(' ')
    const parts = name.split(' ').length
    const placeOf = (at: number) => (hasMany && at === operands.length - 1 ? '*' : String(parts + at))
    const places = operands.map((value, at) => `        ${placeOf(at)}) ${offer(value)} ;;`)
    const operand = places.length === 0 ? '' : `\n      case $count in\n${places.join('\n')}\n      esac`
    return `    '${name}'|'${name} '*)
      if [[ $words[CURRENT] == -* ]]; then offered=(${list}); _describe -t options option offered; return; fi${operand} ;;`
  })
  return `#compdef sluice
# Completion of sluice for zsh. In ~/.zshrc, after compinit: source <(sluice completion zsh)
_sluice() {
  local typed= count=0 at word
  local -a offered
  case $words[CURRENT-1] in
${values.join('\n')}
  esac
  for ((at = 2; at < CURRENT; at++)); do
    word=$words[at]
    case $word in
      ${[...table.values.keys()].map((name) => `--${name}`).join('|')}) ((at++)) ;;
      -*) ;;
      *) typed="\${typed:+$typed }$word"; ((count++)) ;;
    esac
  done
  case $typed in
${words.join('\n')}
${each.join('\n')}
  esac
}
if [[ $funcstack[1] == _sluice ]]; then _sluice "$@"; else compdef _sluice sluice; fi
`
}
