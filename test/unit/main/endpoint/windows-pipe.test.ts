import { describe, expect, test } from 'vitest'
import { admitGroup, isOwnPipe, restrictPipe } from '../../../../main/endpoint/windows-pipe.ts'
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

/** The tests simulate Windows: they return access lists to Sluice, and check the access lists that Sluice sets. */

const LOCAL_SERVICE = 'S-1-5-19'
const AUTHENTICATED_USERS = 'S-1-5-11'
const RECORDERS = 'S-1-5-21-1-2-3-2001'

const PIPE = '\\\\.\\pipe\\sluice-1'
const DATA = 'C:\\ProgramData\\Sluice\\data'

const ownersEntries = [
  { sid: SELF, mask: FULL },
  { sid: ADMINISTRATORS, mask: FULL },
  { sid: SYSTEM, mask: FULL },
]

const windowsWith = (descriptors: Readonly<Record<string, Buffer>>) => {
  const written: string[] = []
  return {
    written,
    security: {
      self: () => SELF,
      descriptorAt: (place: string) => descriptors[place] ?? null,
      setSecurity: (place: string, text: string) => {
        written.push(`${place} ${text}`)
        const descriptor = descriptors[place]
        if (descriptor === undefined) throw new Error('Windows did not set the access list')
        return descriptor
      },
    },
  }
}

describe("the agent's pipe on Windows", () => {
  test('admits only the account of the agent, administrators and the system', () => {
    const { written, security } = windowsWith({ [PIPE]: encodeSecurityDescriptor(SELF, ownersEntries) })
    restrictPipe(PIPE, null, security)
    expect(written).toEqual([
      `${PIPE} O:${SELF}D:P(A;;FA;;;${SELF})(A;;FA;;;${ADMINISTRATORS})(A;;FA;;;${SYSTEM})`,
    ])
  })

  test('lets the group from the settings read and write, but not change the rights of the pipe', () => {
    const entries = [...ownersEntries, { sid: RECORDERS, mask: READ }]
    const { written, security } = windowsWith({ [PIPE]: encodeSecurityDescriptor(SELF, entries) })
    restrictPipe(PIPE, RECORDERS, security)
    expect(written[0]).toMatch(new RegExp(`\\(A;;0x12019f;;;${RECORDERS}\\)$`))
  })

  test('is not used if Windows still lets others open it', () => {
    const entries = [...ownersEntries, { sid: EVERYONE, mask: READ }]
    const { security } = windowsWith({ [PIPE]: encodeSecurityDescriptor(SELF, entries) })
    expect(() => restrictPipe(PIPE, null, security)).toThrow('did not restrict the pipe')
    expect(() => restrictPipe(PIPE, null, windowsWith({}).security)).toThrow('did not set the access list')
    const withoutList = windowsWith({ [PIPE]: encodeSecurityDescriptor(SELF, null) })
    expect(() => restrictPipe(PIPE, null, withoutList.security)).toThrow('did not restrict the pipe')
  })
})

describe('a client on Windows', () => {
  const serviceEntries = [
    { sid: ADMINISTRATORS, mask: FULL },
    { sid: SYSTEM, mask: FULL },
    { sid: LOCAL_SERVICE, mask: FULL },
    { sid: RECORDERS, mask: READ },
  ]
  const serviceFolder = encodeSecurityDescriptor(ADMINISTRATORS, serviceEntries)
  const trusts = (pipeOwner: string, folder: Buffer | null, isOfService = true): boolean | null => {
    const { security } = windowsWith({
      [PIPE]: encodeSecurityDescriptor(pipeOwner, ownersEntries),
      ...(folder === null ? {} : { [DATA]: folder }),
    })
    return isOwnPipe(PIPE, { dataFolder: DATA, isOfService }, security)
  }

  test('trusts a pipe of its own account, of administrators, of the system and of accounts that may write to the data folder', () => {
    for (const owner of [LOCAL_SERVICE, ADMINISTRATORS, SYSTEM, SELF])
      expect(trusts(owner, serviceFolder), owner).toBe(true)
  })

  test('refuses a pipe of a user who may not write to the data folder', () => {
    expect(trusts(MALLORY, serviceFolder)).toBe(false)
    expect(trusts(RECORDERS, serviceFolder)).toBe(false)
    // Every signed-in user may write to this folder, but no entry names the owner of the pipe.
    const sharedFolder = encodeSecurityDescriptor(SELF, [
      ...ownersEntries,
      { sid: AUTHENTICATED_USERS, mask: MODIFY },
    ])
    expect(trusts(MALLORY, sharedFolder, false)).toBe(false)
  })

  test('refuses the pipe of a user who created the data folder of the background service', () => {
    const planted = encodeSecurityDescriptor(MALLORY, [{ sid: MALLORY, mask: FULL }])
    expect(trusts(MALLORY, planted)).toBe(false)
    // Any other data folder belongs to the user who runs the agent, so the client trusts this user.
    expect(trusts(MALLORY, planted, false)).toBe(true)
  })

  test('trusts no pipe if the rights of the folder or of the pipe cannot be read', () => {
    expect(trusts(LOCAL_SERVICE, null)).toBe(false)
    const { security } = windowsWith({ [DATA]: serviceFolder })
    expect(isOwnPipe(PIPE, { dataFolder: DATA, isOfService: true }, security)).toBeNull()
  })
})

test('the admitted group may read the file that names its pipe, and nothing else in the data folder', () => {
  const ran: string[] = []
  admitGroup({ dataFolder: DATA, record: `${DATA}\\agent-group.json` }, RECORDERS, (args) => {
    ran.push(args.join(' '))
  })
  expect(ran).toEqual([
    `${DATA} /L /grant *${RECORDERS}:(X,RA,RC,S)`,
    `${DATA}\\agent-group.json /L /grant *${RECORDERS}:R`,
  ])
})
