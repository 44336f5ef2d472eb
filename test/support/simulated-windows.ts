import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { ServicePlan } from '../../main/cli/service/service-files.ts'
import type { Outcome } from '../../main/cli/service/service-manager.ts'
import type { WindowsOptions } from '../../main/cli/service/windows-task.ts'
import type { WindowsRights } from '../../main/managed/security-descriptor.ts'
import { ADMINISTRATORS, FULL, READ, SYSTEM } from './security-descriptor.ts'

export const USERS = 'S-1-5-32-545'
export const STATION = 'S-1-5-21-1-2-3-1001'
export const ADD_FILES = 0x2
export const DELETE_CHILD = 0x40

export const closed: WindowsRights = {
  owner: ADMINISTRATORS,
  allowed: [
    { sid: ADMINISTRATORS, mask: FULL },
    { sid: SYSTEM, mask: FULL },
    { sid: USERS, mask: READ },
  ],
}
export const ownersOnly = (closed.allowed ?? []).filter(({ sid }) => sid !== USERS)
export const usersMay = (mask: number): WindowsRights => ({
  ...closed,
  allowed: [...(closed.allowed ?? []), { sid: USERS, mask }],
})

/**
 * Replaces Windows' programs, so that a test can check the commands that they get. The paths in `plan` use `/`, so that
 * real folders of this PC can stand for those of Windows.
 */
export class SimulatedWindows {
  readonly base = mkdtempSync(path.join(tmpdir(), 'sluice-task-'))
  readonly plan: ServicePlan = {
    program: [`${this.base}/Programs/Sluice/Sluice.exe`, '--'],
    dataFolder: `${this.base}/Sluice/data`,
    account: 'LOCAL SERVICE',
    group: null,
    keyFile: null,
    runsAsNode: false,
  }
  ran: string[] = []
  /** The answers of the programs, by the first argument of the command. */
  answers: Record<string, Partial<Outcome>> = {}
  /** The rights of files and folders, by path below the folder of the test. */
  rights: Record<string, WindowsRights> = { '/Sluice/data': { owner: ADMINISTRATORS, allowed: ownersOnly } }
  /** The XML of the last registered task. */
  registered = ''
  /** The account whose entry `icacls` cannot remove. */
  stuckEntry: string | null = null

  readonly options: WindowsOptions = {
    environment: { SystemRoot: 'C:\\Windows' },
    rightsOf: (place) => this.rights[place.replace(this.base, '')] ?? closed,
    nameOf: (sid) => sid,
    accountSid: (name) => (name === 'HALL3\\station' ? STATION : null),
    run: (program, args) => {
      this.ran.push([program, ...args].join(' ').replaceAll(this.base, 'BASE'))
      const [place = '', , action, sid] = args
      if (action === '/remove') this.#removeEntry(place.replace(this.base, ''), sid?.slice(1) ?? '')
      if (args[0] === '/Create')
        this.registered = readFileSync(args[args.indexOf('/XML') + 1] ?? '', 'utf16le')
      return { code: 0, out: '', err: '', ...this.answers[args[0] ?? ''] }
    },
  }

  constructor() {
    mkdirSync(`${this.base}/Programs/Sluice/resources`, { recursive: true })
    writeFileSync(`${this.base}/Programs/Sluice/Sluice.exe`, '')
    writeFileSync(`${this.base}/Programs/Sluice/resources/app.asar`, '')
  }

  remove(): void {
    rmSync(this.base, { recursive: true })
  }

  #removeEntry(place: string, removed: string): void {
    const found = this.rights[place] ?? closed
    if (removed !== this.stuckEntry)
      this.rights[place] = { ...found, allowed: found.allowed?.filter(({ sid }) => sid !== removed) ?? null }
  }
}
