import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { autostartEntry } from '../../main/shell/system/autostart-entry.ts'
import { linux, needs, program } from '../support/needs.ts'
import { until } from '../support/station.ts'
import { temporaryFolder } from './platform-support.ts'

/** GLib reads the autostart file and starts the app, as GNOME and most other desktops do at login. */
const LAUNCH = `
  const { Gio } = imports.gi
  Gio.DesktopAppInfo.new_from_filename(ARGV[0]).launch([], null)`

test(
  'a desktop starts Sluice with exactly the given arguments, whatever characters they contain',
  needs(linux, program('gjs')),
  async () => {
    const folder = temporaryFolder()
    const argumentsFile = path.join(folder, 'arguments')
    // This name has no percent sign, because GLib searches for the program before it unescapes doubled percent signs.
    const programFile = path.join(folder, 'a "quoted" $HOME `id` back\\slash')
    writeFileSync(
      programFile,
      `#!/bin/sh\nprintf '%s\\0' "$@" > '${argumentsFile}.new' && mv '${argumentsFile}.new' '${argumentsFile}'\n`,
    )
    chmodSync(programFile, 0o700)
    const args = [
      '--hidden',
      '--data',
      '/srv/a b',
      '"',
      '\\',
      '\\\\n',
      '$',
      '`',
      '%',
      '%U',
      "'",
      'ä\tb\nc',
      '',
    ]
    const autostartFile = path.join(folder, 'sluice.desktop')
    writeFileSync(autostartFile, autostartEntry([programFile, ...args]))
    execFileSync('gjs', ['-c', LAUNCH, autostartFile])
    await until('the desktop has started the program', () => existsSync(argumentsFile))
    expect(readFileSync(argumentsFile, 'utf8').split('\0').slice(0, -1)).toEqual(args)
  },
)
