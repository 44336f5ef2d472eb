import {
  type Command,
  type CommandGroup,
  commandGroups,
  optionsOf,
} from '../../main/agent/entry/program/command.ts'
import { commands } from '../../main/agent/entry/program/commands.ts'
import { exitsOf, spelled, usageOf } from '../../main/agent/entry/program/help-text.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|')

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n')

const anchor = (name: string): string => `#sluice-${name.replaceAll(' ', '-')}`

const section = (command: Command): string => {
  const { name, summary, about, operands = [], json, examples } = command
  const given = [
    ...operands.map(({ value, summary: what }) => [`\`${value.name}\``, what]),
    ...optionsOf(command).map(([option, described]) => [
      `\`${spelled(option, described)}\``,
      described.summary,
    ]),
  ]
  return [
    `### sluice ${name}`,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    `\`\`\`sh\n${usageOf(command)}\n\`\`\``,
    ...about,
    table(['', ''], given),
    ...(json === null ? [] : [`With \`--json\`: ${json}`]),
    table(['exit code', 'means'], exitsOf(command)),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
  ].join('\n\n')
}

/** docs/commands.md, from the table of commands. */
export const commandsPage = (): string => `# Commands

One program, \`sluice\`, for everything that needs no window. \`npm run docs\` generates this page from the
table of commands; do not edit it.

| where | how it is typed |
| --- | --- |
| installed on Linux | \`sluice status\`, which is \`/opt/Sluice/resources/bin/sluice\`: also as root and without a display |
| installed on Windows | \`"C:\\Program Files\\Sluice\\resources\\bin\\sluice.cmd" status\` |
| installed on macOS | \`/Applications/Sluice.app/Contents/Resources/bin/sluice status\` |
| from source | \`npm run -s sluice -- status\`, or \`npx sluice status\` |

Which station is meant: \`--data FOLDER\`, else \`SLUICE_DATA\`, else the folder of this user's Sluice. \`run\` takes the
first two only. What talks to the service takes the settings of \`--settings FILE\`, else \`settings.json\` in the data
folder, under the managed settings of this PC.

Text is for people and may change. With \`--json\` a command prints one object whose fields stay; when it fails, an object
with \`error\` (\`message\`, \`exit_code\`). Sentences about failures go to stderr.

${(Object.keys(commandGroups) as CommandGroup[])
  .map(
    (group) =>
      `**${commandGroups[group]}**\n\n${table(
        ['command', ''],
        commands
          .filter((each) => each.group === group)
          .map(({ name, summary }) => [`[\`${name}\`](${anchor(name)})`, summary]),
      )}`,
  )
  .join('\n\n')}

## Exit codes

${table(
  ['code', 'means'],
  [
    ['0', 'done, and nothing is wrong'],
    [
      '1',
      'it could not be done, or was typed wrongly; of `doctor` and `settings check`: a fault was found; of `verify`: something differs',
    ],
    [
      '2',
      'something waits for somebody (`run --until-idle`, `status --check`); of `verify`: could not be checked',
    ],
    ['3', 'the journal is damaged (`run`); start again: it is then rebuilt'],
  ],
)}

## Each command

${commands.map(section).join('\n\n')}
`
