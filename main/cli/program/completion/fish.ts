import { type Command, optionsOf, type Value } from '../command.ts'
import { optionValues, plainWords, wordsAfter } from './completion-table.ts'

const quote = (text: string): string => `'${plainWords(text).replaceAll("'", "\\'")}'`

const offer = (value: Value): string => {
  switch (value.kind) {
    case 'file':
      return '-r -F'
    case 'folder':
      return "-x -a '(__fish_complete_directories)'"
    case 'text':
      return '-x'
    case 'choice':
      return `-x -a '${value.of.join(' ')}'`
  }
}

/** `-r` is only valid for the value of an option, so remove it for an operand. */
const offerOperand = (value: Value): string =>
  value.kind === 'text' ? '' : offer(value).replace('-r -F', '-F')

export const fishCompletion = (commands: readonly Command[]): string => {
  const words = [...wordsAfter(commands)].flatMap(([after, next]) =>
    [...next].map(
      ([word, summary]) => `complete -c sluice -n '__sluice_at "${after}"' -a ${word} -d ${quote(summary)}`,
    ),
  )
  const commandLines = commands.flatMap((command) => [
    ...optionsOf(command).map(([option, { value, summary }]) =>
      [
        `complete -c sluice -n '__sluice_in "${command.name}"' -l ${option}`,
        ...(value === undefined ? [] : [offer(value)]),
        `-d ${quote(summary)}`,
      ].join(' '),
    ),
    ...(command.operands ?? [])
      .map(({ value }) => offerOperand(value))
      .filter((flags) => flags !== '')
      .map((flags) => `complete -c sluice -n '__sluice_in "${command.name}"' ${flags}`),
  ])
  return `# Completion of sluice for fish. sluice completion fish > ~/.config/fish/completions/sluice.fish
function __sluice_typed
    set -l words (commandline -opc)
    set -l typed
    set -l skip 0
    for word in $words[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case ${[...optionValues(commands).keys()].map((name) => `--${name}`).join(' ')}
                set skip 1
            case '-*'
            case '*'
                set -a typed $word
        end
    end
    string join ' ' -- $typed
end
function __sluice_at
    test (__sluice_typed | string collect -a) = "$argv[1]"
end
function __sluice_in
    set -l typed (__sluice_typed | string collect -a)
    test "$typed" = "$argv[1]"; or string match -q -- "$argv[1] *" "$typed"
end
complete -c sluice -f
${words.join('\n')}
${commandLines.join('\n')}
`
}
