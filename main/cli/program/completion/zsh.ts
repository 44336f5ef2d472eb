import type { Command, Value } from '../command.ts'
import { caseArms } from './case-arms.ts'
import { plainWords } from './completion-table.ts'

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The format of `_describe` in zsh: word, colon, description. */
const describe = ([word, summary]: readonly [string, string]): string =>
  quote(`${word.replaceAll(':', '\\:')}:${plainWords(summary)}`)

const offer = (value: Value): string => {
  switch (value.kind) {
    case 'file':
      return '_files'
    case 'folder':
      return '_files -/'
    case 'text':
      return `_message ${quote(value.name)}`
    case 'choice':
      return `compadd -- ${value.of.join(' ')}`
  }
}

export const zshCompletion = (commands: readonly Command[]): string => {
  const arms = caseArms(commands, {
    value: offer,
    words: (kind, words) =>
      `offered=(${words.map(describe).join(' ')}); _describe -t ${kind}s ${kind} offered`,
  })
  return `#compdef sluice
# Completion of sluice for zsh. In ~/.zshrc, after compinit: source <(sluice completion zsh)
_sluice() {
  local cur=$words[CURRENT] typed= count=0 at word
  local -a offered
  case $words[CURRENT-1] in
${arms.values}
  esac
  for ((at = 2; at < CURRENT; at++)); do
    word=$words[at]
    case $word in
      ${arms.optionsWithValue}) ((at++)) ;;
      -*) ;;
      *) typed="\${typed:+$typed }$word"; ((count++)) ;;
    esac
  done
  case $typed in
${arms.typed}
  esac
}
if [[ $funcstack[1] == _sluice ]]; then _sluice "$@"; else compdef _sluice sluice; fi
`
}
