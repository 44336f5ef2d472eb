import { type Command, type CommandGroup, commandGroups, optionsOf } from '../../main/cli/program/command.ts'
import { commands } from '../../main/cli/program/commands.ts'
import { exitsOf, optionUsage, usageOf } from '../../main/cli/program/help-text.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|')

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n')

const anchor = (name: string): string => `#sluice-${name.replaceAll(' ', '-')}`

const section = (command: Command): string => {
  const { name, summary, about, operands = [], json, examples } = command
  const inputs = [
    ...operands.map(({ value, summary: what }) => [`\`${value.name}\``, what]),
    ...optionsOf(command).map(([option, described]) => [
      `\`${optionUsage(option, described)}\``,
      described.summary,
    ]),
  ]
  return [
    `### sluice ${name}`,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    `\`\`\`sh\n${usageOf(command)}\n\`\`\``,
    ...about,
    table(['', ''], inputs),
    ...(json === null ? [] : [`With \`--json\`: ${json}`]),
    table(['exit code', 'means'], exitsOf(command)),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
  ].join('\n\n')
}

export const commandsPage = (): string => `# Commands

The program \`sluice\` does everything that needs no window. [words.md](words.md) explains the terms. The lab's server has commands of
its own, which begin with \`sluice server\`: see [server-guide.md](server-guide.md). \`npm run docs\` generates this page from the
table of commands; do not edit it.

| where | how to run it |
| --- | --- |
| installed on Linux | \`sluice status\` (\`/opt/Sluice/resources/bin/sluice\`), also as root and without a display |
| installed on Windows | \`"C:\\Program Files\\Sluice\\resources\\bin\\sluice.cmd" status\` |
| installed on macOS | \`/Applications/Sluice.app/Contents/Resources/bin/sluice status\` |
| from source | \`npm run -s sluice -- status\`, or \`npx sluice status\` |

A command uses the station in \`--data FOLDER\`, otherwise the one in \`SLUICE_DATA\`, otherwise the station of this user. \`run\` and
\`update install\` accept only the first two. A command that connects to the service reads \`--settings FILE\`, otherwise
\`settings.json\` in the data folder. The managed settings of this PC override both. While the window uses the built-in sandbox,
commands act on the journal of the try-out and report this, except with \`--json\`. Commands that need the service then fail,
because only the window knows the key of the sandbox.

Text output is for people and may change. With \`--json\`, a command prints one JSON value with stable fields, or an object with
\`error\` (\`message\`, \`exit_code\`) if it fails. \`run\` and \`status --watch\` print one object per change; \`run\` prints no object for
an error. Error messages go to stderr.

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
    ['0', 'success'],
    [
      '1',
      'the command failed or was invalid (for `verify`, this is code 2); `doctor` and `settings check` found a fault; `verify` found a difference',
    ],
    [
      '2',
      '`status --check` and `run --until-idle`: something needs attention; `run --until-idle`: something is not processed; `verify`: the command failed, or not everything could be checked; `service status`: the background service does not run',
    ],
    ['3', 'the journal is damaged (`run`); the next start repairs it'],
    ['4', 'an update is installed (`run` as a background service); the next start runs it'],
  ],
)}

## Each command

${commands.map(section).join('\n\n')}
`
