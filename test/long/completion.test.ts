import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commands } from '../../main/cli/program/commands.ts'
import { bashCompletion } from '../../main/cli/program/completion/bash.ts'
import { fishCompletion } from '../../main/cli/program/completion/fish.ts'
import { powershellCompletion } from '../../main/cli/program/completion/powershell.ts'
import { zshCompletion } from '../../main/cli/program/completion/zsh.ts'
import { needs, program } from '../support/needs.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-completion-'))
  mkdirSync(path.join(folder, 'a folder'))
  writeFileSync(path.join(folder, 'a receipt.json'), '')
})
afterAll(() => rmSync(folder, { recursive: true }))

const scriptFile = (name: string, text: string): string => {
  const file = path.join(folder, name)
  writeFileSync(file, text)
  return file
}

const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '')

/**
 * Each pair has the words that a user has typed, and the completions that a shell must offer for the last word. The
 * last word may be incomplete or empty.
 */
const offers: readonly (readonly [readonly string[], readonly string[]])[] = [
  [['sta'], ['status']],
  [['se'], ['service', 'sessions', 'settings']],
  [
    ['sessions', ''],
    ['delete', 'list', 'show'],
  ],
  [['sessions', 'delete', '--e'], ['--even-in-use']],
  [['--data', 'status', 'pau'], ['pause']],
  [['status', '--w'], ['--watch']],
  [
    ['receipt', '--format', ''],
    ['csv', 'json'],
  ],
  [['completion', 'b'], ['bash']],
  [['pause', '--for', ''], []],
]

describe('bash', needs(program('bash')), () => {
  const complete = (words: readonly string[]): readonly string[] => {
    const file = scriptFile('sluice.bash', bashCompletion(commands))
    const driver = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`
    const args = ['--norc', '-c', driver, 'bash', file, 'sluice', ...words]
    return linesOf(execFileSync('bash', args, { cwd: folder, encoding: 'utf8' })).toSorted()
  }

  test.each(offers)('completes %j', (words, offered) => {
    expect(complete(words)).toEqual(offered)
  })

  test('uses nothing that the bash 3.2 of macOS lacks, and quotes names with spaces even without `compopt`', () => {
    const script = bashCompletion(commands)
    // Bash 3.2 cannot source a pipe. It has no `compopt`, so the script must quote names itself.
    expect(script).not.toMatch(/mapfile|readarray|compgen -V|\$\{\w+(,,|\^\^)|declare -A|local -n|source <\(/)
    const file = scriptFile('sluice.bash', script)
    const driver = `enable -n compopt; source "$1"; COMP_WORDS=(sluice verify a); COMP_CWORD=2; _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`
    const out = execFileSync('bash', ['--norc', '-c', driver, 'bash', file], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(linesOf(out)).toContain('a\\ receipt.json')
  })

  test('offers every command and every option', () => {
    for (const { name, options } of commands) {
      expect(complete(name.split(' ')), name).toContain(name.split(' ').at(-1))
      const offered = complete([...name.split(' '), '--'])
      for (const option of Object.keys(options)) expect(offered, name).toContain(`--${option}`)
    }
  })

  test('keeps paths with spaces whole, offers only folders for folder options, and completes values after =', () => {
    expect(complete(['verify', 'a'])).toEqual(['a folder', 'a receipt.json'])
    expect(complete(['status', '--data', 'a'])).toEqual(['a folder'])
    expect(complete(['receipt', '--format', '=', 'c'])).toEqual(['csv'])
    expect(complete(['receipt', '--format', '=', 'csv', '--ou'])).toEqual(['--out'])
  })
})

describe('zsh', needs(program('zsh')), () => {
  /** Replacements for functions of zsh, which print the completions instead of drawing them. */
  const stubs = `compdef() { :; }
_describe() { compadd -- \${\${(P)@[-1]}%%:*}; }
compadd() { shift; local each; for each in "$@"; do [[ $each == $words[CURRENT]* ]] && print -- $each; done; return 0; }
_files() { :; }
_message() { :; }
`
  const complete = (words: readonly string[]): readonly string[] => {
    const file = scriptFile('_sluice', zshCompletion(commands))
    const driver = `${stubs}source "$1"; shift; words=("$@"); CURRENT=$#; _sluice`
    return linesOf(
      execFileSync('zsh', ['-f', '-c', driver, 'zsh', file, 'sluice', ...words], { encoding: 'utf8' }),
    ).toSorted()
  }

  test.each(offers)('completes %j', (words, offered) => {
    expect(complete(words)).toEqual(offered)
  })
})

describe('fish', needs(program('fish')), () => {
  const complete = (words: readonly string[]): readonly string[] => {
    const file = scriptFile('sluice.fish', fishCompletion(commands))
    const line = `sluice ${words.join(' ')}`
    const args = ['--no-config', '-c', `source ${JSON.stringify(file)}; complete -C ${JSON.stringify(line)}`]
    return linesOf(execFileSync('fish', args, { cwd: folder, encoding: 'utf8' }))
      .map((line) => line.split('\t')[0] ?? '')
      .toSorted()
  }

  test.each(offers)('completes %j', (words, offered) => {
    expect(complete(words)).toEqual(offered)
  })
})

describe('PowerShell', needs(program('pwsh')), () => {
  const complete = (words: readonly string[]): readonly string[] => {
    const file = scriptFile('sluice.ps1', powershellCompletion(commands))
    const line = `sluice ${words.join(' ')}`
    const command = `. '${file}'; (TabExpansion2 -inputScript '${line}' -cursorColumn ${line.length}).CompletionMatches.CompletionText`
    return linesOf(
      execFileSync('pwsh', ['-NoProfile', '-Command', command], { cwd: folder, encoding: 'utf8' }),
    ).toSorted()
  }

  // If the script offers nothing, PowerShell offers files by itself.
  test.each(offers.filter(([, offered]) => offered.length > 0))('completes %j', (words, offered) => {
    expect(complete(words)).toEqual(offered)
  })
})
