import { printJson } from '../terminal.ts'
import { type Command, defineCommand } from './command.ts'
import { bashCompletion } from './completion/bash.ts'
import { fishCompletion } from './completion/fish.ts'
import { powershellCompletion } from './completion/powershell.ts'
import { zshCompletion } from './completion/zsh.ts'
import { didYouMean } from './nearest.ts'

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
  summary: 'print a script that completes commands and options in your shell',
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
  run: (input, { commands }) => {
    const name = input.operands[0] ?? ''
    const shell = shells.find((each) => each === name)
    if (shell === undefined) {
      const hint = didYouMean(name, shells) || ` Use ${shells.join(', ')}.`
      throw input.refuse(`Unknown shell "${name}".${hint}`)
    }
    const script = scripts[shell](commands)
    if (input.json) printJson({ shell, script })
    else process.stdout.write(script)
    return 0
  },
})
