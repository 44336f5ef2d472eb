import { printJson } from '../terminal.ts'
import { type Command, defineCommand } from './command.ts'
import { bashCompletion } from './completion/bash.ts'
import { fishCompletion } from './completion/fish.ts'
import { powershellCompletion } from './completion/powershell.ts'
import { zshCompletion } from './completion/zsh.ts'
import { nearest } from './nearest.ts'

const scripts = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
  powershell: powershellCompletion,
} as const satisfies Readonly<Record<string, (commands: readonly Command[]) => string>>

type Shell = keyof typeof scripts
const shells = Object.keys(scripts) as Shell[]

export const completionCommand = defineCommand({
  name: 'completion',
  group: 'about',
  summary: 'a script that completes commands and options in your shell',
  about: [
    'bash, in ~/.bashrc: eval "$(sluice completion bash)"',
    'zsh, in ~/.zshrc after compinit: source <(sluice completion zsh)',
    'fish: sluice completion fish > ~/.config/fish/completions/sluice.fish',
    'PowerShell, in $PROFILE: sluice completion powershell | Out-String | Invoke-Expression',
  ],
  data: 'none',
  operands: [
    { value: { kind: 'choice', name: 'SHELL', of: shells }, summary: 'the name of a shell', required: true },
  ],
  options: {},
  json: 'shell and script.',
  exits: { 0: 'printed' },
  examples: ['sluice completion bash'],
  carryOut: (typed, { commands }) => {
    const asked = typed.operands[0] ?? ''
    const shell = shells.find((each) => each === asked)
    if (shell === undefined) {
      const meant = nearest(asked, shells)
      throw typed.refuse(
        `Unknown shell "${asked}".${meant === null ? ` Use ${shells.join(', ')}.` : ` Did you mean ${meant}?`}`,
      )
    }
    const script = scripts[shell](commands)
    if (typed.json) printJson({ shell, script })
    else process.stdout.write(script)
    return 0
  },
})
