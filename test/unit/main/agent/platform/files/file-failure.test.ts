import { describe, expect, it } from 'vitest'
import { fileFailure } from '../../../../../../main/agent/platform/files/file-failure.ts'

const systemError = (code: string) => Object.assign(new Error(code), { code, syscall: 'open' })

describe('converting the error of a file operation to a failure', () => {
  it.each([
    ['ENOENT', { kind: 'file-vanished' }],
    ['ENOTDIR', { kind: 'file-vanished' }],
    ['EACCES', { kind: 'file-unreadable', detail: 'permission denied (EACCES)' }],
    ['EIO', { kind: 'file-busy', detail: 'the disk reported a read error (EIO)' }],
    ['EBUSY', { kind: 'file-busy', detail: 'another program holds it open (EBUSY)' }],
    ['EXOTIC', { kind: 'file-busy', detail: 'EXOTIC' }],
  ])('returns the kind of failure that fits %s on Linux', (code, failure) =>
    expect(fileFailure(systemError(code), 'linux')).toEqual(failure),
  )

  it.each(['EACCES', 'EPERM'])(
    'treats %s on Windows as a temporary lock, because a virus scanner may hold the file',
    (code) =>
      expect(fileFailure(systemError(code), 'win32')).toEqual({
        kind: 'file-busy',
        detail: `access denied, or another program holds it open (${code})`,
      }),
  )

  it('rethrows an error that does not come from the system', () => {
    const bug = Object.assign(new TypeError('wrong argument'), { code: 'ERR_INVALID_ARG_TYPE' })
    expect(() => fileFailure(bug)).toThrow(bug)
  })
})
