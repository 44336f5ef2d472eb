import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readKeyFile } from '../../../../main/managed/key-file.ts'
import { readSecurityDescriptor } from '../../../../main/managed/security-descriptor.ts'
import type { WindowsSecurity } from '../../../../main/managed/windows-security.ts'
import { readWhileTrusted, UntrustedError } from '../../../../main/managed/windows-trust.ts'
import { type Trusts, whyUntrustedOnWindows } from '../../../../main/managed/windows-trust-rules.ts'
import { needs, posix } from '../../../support/needs.ts'
import {
  ADMINISTRATORS,
  EVERYONE,
  encodeSecurityDescriptor,
  FULL,
  MALLORY,
  MODIFY,
  READ,
  SELF,
  SYSTEM,
} from '../../../support/security-descriptor.ts'

const TRUSTED_INSTALLER = 'S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464'
const USERS_SID = 'S-1-5-32-545'
const CREATOR_OWNER = 'S-1-3-0'

const READ_AND_EXECUTE = 0x0012_00a9
const ADD_FILES = 0x0000_0116
const INHERIT_ONLY = 0x0b
const DENY = 1

const names: Readonly<Record<string, string>> = {
  [MALLORY]: 'HALL-3\\mallory',
  [USERS_SID]: 'BUILTIN\\Users',
}
const trusts: Trusts = { self: null, readers: USERS_SID, nameOf: (sid) => names[sid] ?? sid }
const FILE = 'C:\\ProgramData\\Sluice\\settings.json'

const administratorEntries = [
  { sid: ADMINISTRATORS, mask: FULL },
  { sid: SYSTEM, mask: FULL },
]

const whyUntrusted = (kind: 'file' | 'folder', bytes: Buffer, more: Partial<Trusts> = {}) =>
  whyUntrustedOnWindows({ path: FILE, kind, rights: readSecurityDescriptor(bytes) }, { ...trusts, ...more })

describe('a managed file on Windows', () => {
  test.each([ADMINISTRATORS, SYSTEM, TRUSTED_INSTALLER])(
    'that belongs to %s is used if others may only read it',
    (owner) => {
      expect(
        whyUntrusted(
          'file',
          encodeSecurityDescriptor(owner, [...administratorEntries, { sid: USERS_SID, mask: READ }]),
        ),
      ).toBeNull()
    },
  )

  test('is not used if it belongs to another user; the message names the owner and the command', () => {
    expect(whyUntrusted('file', encodeSecurityDescriptor(MALLORY, administratorEntries))).toBe(
      `${FILE} belongs to HALL-3\\mallory, so it is not used. Give it to the administrators: icacls "${FILE}" /setowner *S-1-5-32-544`,
    )
    expect(whyUntrusted('file', encodeSecurityDescriptor(SELF, administratorEntries))).toContain('belongs to')
    expect(whyUntrusted('file', encodeSecurityDescriptor(EVERYONE, null))).toContain('belongs to')
  })

  test('that belongs to the current user is used if this user chose its path', () => {
    const ownDescriptor = encodeSecurityDescriptor(SELF, [...administratorEntries, { sid: SELF, mask: FULL }])
    expect(whyUntrusted('file', ownDescriptor, { self: SELF })).toBeNull()
  })

  test.each([
    ['full control', FULL],
    ['modify', MODIFY],
    ['write', 0x2],
    ['append', 0x4],
    ['delete', 0x1_0000],
    ['change rights', 0x4_0000],
    ['take ownership', 0x8_0000],
    ['generic all', 0x1000_0000],
    ['generic write', 0x4000_0000],
  ])('is not used if others may change it: %s', (_, mask) => {
    for (const sid of [EVERYONE, USERS_SID, MALLORY, 'S-1-5-11'])
      expect(
        whyUntrusted(
          'file',
          encodeSecurityDescriptor(ADMINISTRATORS, [...administratorEntries, { sid, mask }]),
        ),
      ).toContain(`may change ${FILE}, so it is not used. Restrict access: icacls "${FILE}" /inheritance:r`)
  })

  test('is not used if others may change it; the command in the message leaves users the right to read', () => {
    const reasonFor = (sid: string) =>
      whyUntrusted(
        'file',
        encodeSecurityDescriptor(ADMINISTRATORS, [...administratorEntries, { sid, mask: MODIFY }]),
      )
    const grants = '/grant:r "*S-1-5-32-544:F" "*S-1-5-18:F" "*S-1-5-32-545:RX"'
    expect(reasonFor(MALLORY)).toBe(
      `HALL-3\\mallory may change ${FILE}, so it is not used. Restrict access: icacls "${FILE}" /inheritance:r /remove:g *${MALLORY} ${grants}`,
    )
    expect(reasonFor(USERS_SID)).toBe(
      `BUILTIN\\Users may change ${FILE}, so it is not used. Restrict access: icacls "${FILE}" /inheritance:r ${grants}`,
    )
  })

  test('without an access list is writable by every user, so it is not used', () => {
    expect(whyUntrusted('file', encodeSecurityDescriptor(ADMINISTRATORS, null))).toContain(
      `Everybody may change ${FILE}`,
    )
  })

  test('is used if the entries of other accounts only deny rights, or apply only to new files', () => {
    const harmlessEntries = [
      { sid: MALLORY, mask: FULL, type: DENY },
      { sid: CREATOR_OWNER, mask: 0x1000_0000, flags: INHERIT_ONLY },
    ]
    for (const kind of ['file', 'folder'] as const)
      expect(
        whyUntrusted(
          kind,
          encodeSecurityDescriptor(ADMINISTRATORS, [...administratorEntries, ...harmlessEntries]),
        ),
      ).toBeNull()
  })

  test.each([
    ['cut off', (descriptor: Buffer) => descriptor.subarray(0, descriptor.length - 4)],
    [
      'without an owner',
      (descriptor: Buffer) =>
        Buffer.concat([descriptor.subarray(0, 4), Buffer.alloc(4), descriptor.subarray(8)]),
    ],
    ['empty', () => Buffer.alloc(0)],
  ])('whose rights are %s is not used', (_, damage) => {
    const descriptor = encodeSecurityDescriptor(ADMINISTRATORS, [
      ...administratorEntries,
      { sid: USERS_SID, mask: READ },
    ])
    expect(() => readSecurityDescriptor(damage(descriptor))).toThrow()
    const unknown = encodeSecurityDescriptor(ADMINISTRATORS, [{ sid: USERS_SID, mask: READ, type: 0x77 }])
    expect(() => readSecurityDescriptor(unknown)).toThrow('type 119 is unknown')
  })
})

describe('the folder of a managed file on Windows', () => {
  test('is accepted with the rights that it inherits from %ProgramData%, where every user may add files', () => {
    const inheritedEntries = [
      ...administratorEntries,
      { sid: CREATOR_OWNER, mask: 0x1000_0000, flags: INHERIT_ONLY },
      { sid: USERS_SID, mask: READ_AND_EXECUTE },
      { sid: USERS_SID, mask: ADD_FILES },
    ]
    expect(whyUntrusted('folder', encodeSecurityDescriptor(ADMINISTRATORS, inheritedEntries))).toBeNull()
  })

  test.each([
    ['remove its content', 0x40],
    ['rename it', 0x1_0000],
    ['change its rights', 0x4_0000],
  ])('is not accepted if others may %s', (_, mask) => {
    expect(whyUntrusted('folder', encodeSecurityDescriptor(ADMINISTRATORS, [{ sid: USERS_SID, mask }]))).toBe(
      `BUILTIN\\Users may change ${FILE}, so it is not used. Restrict access: icacls "${FILE}" /inheritance:r /grant:r "*S-1-5-32-544:(OI)(CI)F" "*S-1-5-18:(OI)(CI)F" "*S-1-5-32-545:(OI)(CI)RX"`,
    )
  })

  test('has the same rights in the installer, in the guide and in the command of the message', () => {
    const sentence = whyUntrusted(
      'folder',
      encodeSecurityDescriptor(ADMINISTRATORS, [{ sid: USERS_SID, mask: FULL }]),
    )
    const [grants = 'none'] = /\/inheritance:r .*/.exec(sentence ?? '') ?? []
    const text = (name: string) => readFileSync(path.join(import.meta.dirname, '../../../..', name), 'utf8')
    for (const name of ['scripts/building/windows-package.mjs', 'docs/admin-guide.md'])
      expect(text(name)).toContain(grants)
  })

  test('is not accepted if it belongs to another user', () => {
    expect(whyUntrusted('folder', encodeSecurityDescriptor(MALLORY, administratorEntries))).toContain(
      'belongs to HALL-3\\mallory',
    )
  })
})

describe('a checked read', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-trust-'))
    writeFileSync(pathOf('settings.json'), 'content')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  const pathOf = (name: string) => path.join(folder, name)

  /** Simulates Windows. The keys are file names, and `.` is the folder. If the rights are null, reading them fails. */
  const windowsWith = (rights: Readonly<Record<string, Buffer | null>>) => {
    const events: string[] = []
    const security: Pick<WindowsSecurity, 'open' | 'self' | 'nameOf'> = {
      open: (place) => {
        const name = place === folder ? '.' : path.basename(place)
        const descriptor = rights[name]
        if (descriptor === undefined) return null
        events.push(`open ${name}`)
        return {
          descriptor: () => {
            if (descriptor === null) throw new Error('Windows does not report its rights')
            return descriptor
          },
          close: () => events.push(`close ${name}`),
        }
      },
      self: () => SELF,
      nameOf: trusts.nameOf,
    }
    return { events, world: { platform: 'win32' as const, load: () => security } }
  }
  const readOnlyDescriptor = encodeSecurityDescriptor(ADMINISTRATORS, [
    ...administratorEntries,
    { sid: USERS_SID, mask: READ },
  ])
  const request = () => ({ file: pathOf('settings.json'), trustsSelf: false, holdsKey: false })

  test('keeps the file and its folder open, so that nobody can replace the file before the read', () => {
    const windows = windowsWith({ '.': readOnlyDescriptor, 'settings.json': readOnlyDescriptor })
    const read = () => {
      windows.events.push('read')
      return 'content'
    }
    expect(readWhileTrusted(request(), read, windows.world)).toBe('content')
    expect(windows.events).toEqual(['open .', 'open settings.json', 'read', 'close .', 'close settings.json'])
  })

  test.each([
    [
      'of another user',
      { '.': readOnlyDescriptor, 'settings.json': encodeSecurityDescriptor(MALLORY, administratorEntries) },
      'belongs to HALL-3\\mallory',
    ],
    [
      'in a folder of another user',
      { '.': encodeSecurityDescriptor(MALLORY, administratorEntries), 'settings.json': readOnlyDescriptor },
      'belongs to HALL-3\\mallory',
    ],
    [
      'whose rights cannot be read',
      { '.': readOnlyDescriptor, 'settings.json': null },
      'Sluice cannot read who may change',
    ],
    ['that Windows does not open', { '.': readOnlyDescriptor }, 'Sluice cannot read who may change'],
  ])('of a file %s is refused, and all handles are closed', (_, rights, sentence) => {
    const windows = windowsWith(rights)
    expect(() => readWhileTrusted(request(), () => 'content', windows.world)).toThrow(UntrustedError)
    expect(() => readWhileTrusted(request(), () => 'content', windows.world)).toThrow(sentence)
    const countOf = (event: string) => windows.events.filter((each) => each.startsWith(event)).length
    expect(countOf('open')).toBe(countOf('close'))
  })

  test('without the library for native calls is refused', () => {
    const load = () => {
      throw new Error('no koffi')
    }
    expect(() => readWhileTrusted(request(), () => 'content', { platform: 'win32', load })).toThrow(
      /^Sluice cannot read who may change .*settings\.json, so it is not used \(no koffi\)\.$/,
    )
  })

  test('of a missing file throws Node’s own error', () => {
    const read = () => {
      throw Object.assign(new Error('gone'), { code: 'ENOENT' })
    }
    expect(() =>
      readWhileTrusted(
        { ...request(), file: pathOf('none') },
        read,
        windowsWith({ '.': readOnlyDescriptor }).world,
      ),
    ).toThrow('gone')
  })

  test('of a link is refused', needs(posix), () => {
    symlinkSync(pathOf('settings.json'), pathOf('link.json'))
    const windows = windowsWith({ '.': readOnlyDescriptor, 'link.json': readOnlyDescriptor })
    expect(() =>
      readWhileTrusted({ ...request(), file: pathOf('link.json') }, () => '', windows.world),
    ).toThrow(/link\.json is a link, so it is not used\. Put the file itself there\.$/)
  })

  test('refuses a key file of another user, or one that others may change', () => {
    writeFileSync(pathOf('key'), 'svc_live_abc', { mode: 0o600 })
    const readKeyWith = (rights: Readonly<Record<string, Buffer>>) =>
      readKeyFile(pathOf('key'), (keyRequest, read) =>
        readWhileTrusted(keyRequest, read, windowsWith(rights).world),
      )
    const ownDescriptor = encodeSecurityDescriptor(SELF, [...administratorEntries, { sid: SELF, mask: FULL }])
    expect(readKeyWith({ '.': ownDescriptor, key: ownDescriptor })).toEqual({ ok: true, key: 'svc_live_abc' })
    expect(
      readKeyWith({ '.': ownDescriptor, key: encodeSecurityDescriptor(MALLORY, administratorEntries) }),
    ).toMatchObject({
      sentence: expect.stringContaining('belongs to HALL-3\\mallory'),
    })
    const writable = encodeSecurityDescriptor(ADMINISTRATORS, [{ sid: USERS_SID, mask: MODIFY }])
    expect(readKeyWith({ '.': ownDescriptor, key: writable })).toMatchObject({
      sentence: expect.stringContaining(
        `/remove:g *${USERS_SID} /grant:r "*${ADMINISTRATORS}:F" "*${SYSTEM}:F" "*${SELF}:RX"`,
      ),
    })
  })

  test('makes no native calls outside Windows', () => {
    expect(
      readWhileTrusted(request(), () => 'content', { platform: 'linux', load: () => expect.unreachable() }),
    ).toBe('content')
  })
})
