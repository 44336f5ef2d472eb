import { type Command, optionsOf, type Value } from '../command.ts'
import { optionValues, plainWords, wordsAfter } from './completion-table.ts'

const quote = (text: string): string => `'${plainWords(text).replaceAll("'", "''")}'`

/** Empty for paths and free text: PowerShell then offers files by itself. */
const choices = (value: Value | undefined): readonly string[] => (value?.kind === 'choice' ? value.of : [])

type Row = readonly [key: string, offered: readonly (readonly [word: string, summary: string])[]]

const tableLine = ([key, offered]: Row): string => {
  const pairs = offered.map(([word, summary]) => `@(${quote(word)}, ${quote(summary)})`)
  return `    ${quote(key)} = @(${pairs.join(', ')})`
}

export const powershellCompletion = (commands: readonly Command[]): string => {
  const nextWords = [...wordsAfter(commands)].map(([after, words]): Row => [after, [...words]])
  const operands = commands.map(
    ({ name, operands: [first] = [] }): Row => [name, choices(first?.value).map((each) => [each, each])],
  )
  const words = [...nextWords, ...operands.filter(([, offered]) => offered.length > 0)].map(tableLine)
  const options = commands.map((command) =>
    tableLine([command.name, optionsOf(command).map(([option, { summary }]) => [`--${option}`, summary])]),
  )
  const values = [...optionValues(commands)].map(
    ([name, value]) => `    '--${name}' = @(${choices(value).map(quote).join(', ')})`,
  )
  return `# Completion of sluice for PowerShell. In $PROFILE: sluice completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName sluice -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @{
${words.join('\n')}
  }
  $options = @{
${options.join('\n')}
  }
  $values = @{
${values.join('\n')}
  }
  $typed = @()
  $before = ''
  $skip = $false
  foreach ($element in ($commandAst.CommandElements | Select-Object -Skip 1)) {
    if ($element.Extent.EndOffset -ge $cursorPosition -and $wordToComplete -ne '') { break }
    $text = $element.ToString()
    $before = $text
    if ($skip) { $skip = $false; continue }
    if ($values.ContainsKey($text)) { $skip = $true; continue }
    if ($text -notlike '-*') { $typed += $text }
  }
  if ($skip) { $found = @($values[$before] | ForEach-Object { , @($_, $_) }) }
  elseif ($wordToComplete -like '-*') {
    $name = ($options.Keys | Where-Object { "$($typed -join ' ') " -like "$_ *" } | Sort-Object Length -Descending | Select-Object -First 1)
    $found = if ($name) { $options[$name] } else { @() }
  }
  else { $found = $words[($typed -join ' ')] }
  $found | Where-Object { $_ -and $_[0] -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_[0], $_[0], 'ParameterValue', $_[1])
  }
}
`
}
