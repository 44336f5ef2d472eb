import { closeSync, fsyncSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createOwnCopies } from '../../../../../../main/agent/platform/files/own-copies.ts'
import { createSendThrottle } from '../../../../../../main/agent/platform/files/send-throttle.ts'
import { createWrittenFiles } from '../../../../../../main/agent/platform/files/written-files.ts'
import { createDriveReads } from '../../../../../../main/agent/platform/hashing/drive-reads.ts'
import { createDriveWrites } from '../../../../../../main/agent/platform/hashing/drive-writes.ts'
import type { NativeLibrary } from '../../../../../../main/agent/platform/hashing/native-library.ts'
import { createReadAhead } from '../../../../../../main/agent/platform/hashing/read-ahead.ts'
import { restMs } from '../../../../../../main/agent/platform/hashing/read-throttle.ts'
import { createThreadPriority } from '../../../../../../main/agent/platform/hashing/thread-priority.ts'
import { temporaryFolder } from '../../../../../integration/platform-support.ts'
import { countedDrive, needs } from '../../../../../support/needs.ts'

describe('the rest period of a hash thread while a recorder writes', () => {
  const slot = { readMs: 10, hashMs: 4, fromDrive: true, hasLowPriority: true }

  it("leaves the recorder 95% of the drive's time", () => {
    expect(restMs(slot) + slot.hashMs).toBe(190)
    expect(slot.readMs / (slot.readMs + slot.hashMs + restMs(slot))).toBeCloseTo(0.05)
  })

  it("is unnecessary for cached bytes if the system lowers the thread's priority", () => {
    expect(restMs({ ...slot, readMs: 0.2, fromDrive: false })).toBe(0)
  })

  it("leaves other programs half of the processor's time if the system does not lower the thread's priority", () => {
    expect(restMs({ ...slot, fromDrive: false, hasLowPriority: false })).toBe(14)
  })
})

describe('bytes read from the drive', () => {
  it('are counted by the system, not estimated from the duration of the read', () => {
    const counters = join(temporaryFolder(), 'io')
    const setReadBytes = (bytes: number) =>
      writeFileSync(counters, `rchar: 9\nread_bytes: ${bytes}\nwrite_bytes: 7\n`)
    setReadBytes(4096)
    const fetchedBytes = createDriveReads(counters)
    expect(fetchedBytes(500)).toBe(0)
    setReadBytes(8192)
    expect(fetchedBytes(0.1)).toBe(4096)
    expect(fetchedBytes(500)).toBe(0)
  })

  it('are estimated from the duration if the system has no counter', () => {
    const fetchedBytes = createDriveReads(join(temporaryFolder(), 'none'))
    expect(fetchedBytes(7)).toBeGreaterThan(0)
    expect(fetchedBytes(0.3)).toBe(0)
  })
})

describe('a drive with bulk writes', () => {
  const DEVICE = '65024'
  const createScene = () => {
    const state = { nowMs: 0, written: 5e12, checks: 0, isBusy: false }
    const receivesWrites = createDriveWrites(
      (device) => {
        state.checks += 1
        return device === DEVICE ? state.written : null
      },
      () => state.nowMs,
    )
    /**
     * Checks every millisecond while the drive receives writes. Returns the milliseconds until the result changes, or
     * `ms` if it does not.
     */
    const writeFor = (ms: number, bytesPerMs: number): number => {
      const before = state.isBusy
      for (let elapsedMs = 0; elapsedMs < ms; elapsedMs += 1) {
        state.isBusy = receivesWrites(DEVICE)
        if (state.isBusy !== before) return elapsedMs
        state.nowMs += 1
        state.written += bytesPerMs
      }
      return ms
    }
    return { state, receivesWrites, writeFor }
  }
  const mbPerS = (megabytes: number) => megabytes * 1000

  it.each([
    [2000, 30],
    [670, 45],
    [200, 120],
    [100, 220],
  ])(
    'is detected at %d MB/s within %d ms, and counts as idle two seconds after the last write',
    (rate, withinMs) => {
      const { writeFor } = createScene()
      expect(writeFor(1000, 0)).toBe(1000)
      expect(writeFor(withinMs, mbPerS(rate))).toBeLessThan(withinMs)
      expect(writeFor(60_000, mbPerS(rate))).toBe(60_000)
      const idleAfterMs = writeFor(10_000, 0)
      expect(idleAfterMs).toBeGreaterThan(1000)
      expect(idleAfterMs).toBeLessThanOrEqual(2010)
    },
  )

  it('is not confused with a drive for logs and databases', () => {
    const { state, writeFor } = createScene()
    expect(writeFor(60_000, mbPerS(15))).toBe(60_000)
    for (let burst = 0; burst < 60; burst += 1) {
      state.written += 8_000_000
      expect(writeFor(1000, 0)).toBe(1000)
    }
  })

  it('stays busy between the bursts of a recorder', () => {
    const { state, writeFor } = createScene()
    writeFor(100, 0)
    for (let burst = 0; burst < 10; burst += 1) {
      state.written += 100_000_000
      writeFor(40, 0)
      expect(state.isBusy).toBe(true)
      expect(writeFor(1000, 0)).toBe(1000)
    }
  })

  it('is checked at most every 10 ms', () => {
    const { state, receivesWrites, writeFor } = createScene()
    writeFor(1000, mbPerS(10))
    expect(state.checks).toBeLessThanOrEqual(100)
    expect(receivesWrites('7')).toBe(false)
  })

  it("does not count as busy because of Sluice's own copies, even if the system counts their last writes late", () => {
    const { state, receivesWrites } = createScene()
    const copies = createOwnCopies()
    const isBusyBesideOwnCopies = () => receivesWrites(DEVICE, copies.stateOf(DEVICE))
    const isBusyAfterBytes = (bytes: number, ms: number) => {
      state.nowMs += ms
      state.written += bytes
      return isBusyBesideOwnCopies()
    }
    expect(isBusyBesideOwnCopies()).toBe(false)
    const endFirst = copies.begin(DEVICE)
    const endSecond = copies.begin(DEVICE)
    expect(isBusyAfterBytes(500_000_000, 100)).toBe(false)
    endFirst()
    expect(isBusyAfterBytes(500_000_000, 100)).toBe(false)
    endSecond()
    endSecond()
    expect(isBusyAfterBytes(500_000_000, 100)).toBe(false)
    // Another program makes all later writes.
    expect(isBusyAfterBytes(500_000_000, 100)).toBe(true)
    expect(copies.stateOf('another drive')).toBe(0)
  })

  it('is detected by the real counter of the drive that this test writes to', needs(countedDrive), () => {
    const folder = temporaryFolder()
    const { dev } = statSync(folder, { bigint: true })
    let nowMs = 0
    const receivesWrites = createDriveWrites(undefined, () => nowMs)
    receivesWrites(String(dev))
    const fd = openSync(join(folder, 'take.bin'), 'w')
    for (let n = 0; n < 32; n += 1) writeSync(fd, Buffer.alloc(1_000_000, n))
    fsyncSync(fd)
    closeSync(fd)
    nowMs += 10
    expect(receivesWrites(String(dev))).toBe(true)
  })
})

describe('a drive without a write counter', () => {
  it('is never busy, and is checked at most every 10 ms', () => {
    let nowMs = 0
    let checks = 0
    const readCounter = () => {
      checks += 1
      return null
    }
    const receivesWrites = createDriveWrites(readCounter, () => nowMs)
    for (; nowMs < 100; nowMs += 0.5) expect(receivesWrites('29')).toBe(false)
    expect(checks).toBe(10)
  })
})

describe('read-ahead', () => {
  const createScene = (platform: NodeJS.Platform, load?: () => NativeLibrary) => {
    const calls: unknown[][] = []
    const library = {
      func:
        () =>
        (...args: readonly unknown[]) =>
          calls.push([...args]),
    }
    return { calls, of: createReadAhead(platform, load ?? (() => library)) }
  }

  it('can be switched off and on again for each file', () => {
    const { calls, of } = createScene('linux')
    const first = of(7)
    for (const isOn of [true, false, false, true]) first.set(isOn)
    of(7).set(false)
    expect(calls).toEqual([
      [7, 0, 0, 1],
      [7, 0, 0, 0],
      [7, 0, 0, 1],
    ])
  })

  it('can drop a range of a file from the cache', () => {
    const { calls, of } = createScene('linux')
    of(7).drop(1_048_576, 8_388_608)
    expect(calls).toEqual([[7, 1_048_576, 8_388_608, 4]])
  })

  it('does nothing on systems other than Linux, or if the C library cannot be loaded', () => {
    const onWindows = createScene('win32')
    onWindows.of(7).set(false)
    expect(onWindows.calls).toEqual([])
    const withoutLibrary = createScene('linux', () => {
      throw new Error('no such library')
    })
    withoutLibrary.of(7).set(false)
    withoutLibrary.of(7).drop(0, 1)
  })
})

describe('a read for an upload while a recorder writes', () => {
  const createScene = () => {
    const state = { nowMs: 0, isRecording: true, fromDrive: true }
    const throttle = createSendThrottle(
      () => state.isRecording,
      { monotonicMs: () => state.nowMs },
      async (ms) => {
        state.nowMs += ms
      },
      () => (state.fromDrive ? 4096 : 0),
    )
    const measureWaitMs = async (isWanted = () => true): Promise<number> => {
      const before = state.nowMs
      await throttle.waitForTurn(isWanted)
      return state.nowMs - before
    }
    return { state, throttle, measureWaitMs }
  }

  it('is followed by a rest, unless the network took longer than the rest', async () => {
    const { state, throttle, measureWaitMs } = createScene()
    throttle.addRead(10)
    expect(await measureWaitMs()).toBe(190)
    throttle.addRead(10)
    state.nowMs += 500
    expect(await measureWaitMs()).toBe(0)
  })

  it('is followed by no rest if its bytes were cached', async () => {
    const { state, throttle, measureWaitMs } = createScene()
    state.fromDrive = false
    throttle.addRead(10)
    expect(await measureWaitMs()).toBe(0)
  })

  it('is followed by a rest that ends when the recorder stops or the part is cancelled', async () => {
    const { state, throttle, measureWaitMs } = createScene()
    throttle.addRead(10_000)
    expect(await measureWaitMs(() => state.nowMs < 3000)).toBe(3000)
    state.isRecording = false
    expect(await measureWaitMs()).toBe(0)
  })
})

describe('files that are open for writing', () => {
  const createScene = () => {
    const state = { nowMs: 1_000_000, sizeBytes: 0, writtenAtMs: 1_000_000 }
    const clock = { monotonicMs: () => state.nowMs, wallMs: () => state.nowMs }
    const listWritten = createWrittenFiles(async () => {
      const { sizeBytes, writtenAtMs } = state
      return new Map([['1:2', { path: '/take.raw', device: '1', sizeBytes, writtenAtMs }]])
    }, clock)
    return { state, listWritten }
  }

  it('count as being written for some seconds after their last write', async () => {
    const { state, listWritten } = createScene()
    expect(await listWritten()).toEqual([{ path: '/take.raw', bulkVolume: null }])
    state.nowMs += 11_000
    expect(await listWritten()).toEqual([])
  })

  it('count as written in bulk from 1 MB/s', async () => {
    const { state, listWritten } = createScene()
    await listWritten()
    const growAndList = async (bytes: number) => {
      state.nowMs += 2000
      state.writtenAtMs = state.nowMs
      state.sizeBytes += bytes
      return (await listWritten())[0]?.bulkVolume
    }
    expect(await growAndList(1_500_000)).toBeNull()
    expect(await growAndList(2_500_000)).toBe('1')
  })
})

describe("a hash thread's priority", () => {
  const createScene = (platform: NodeJS.Platform, arch: NodeJS.Architecture, answers: number | Error) => {
    const calls: unknown[][] = []
    const library: NativeLibrary = {
      func:
        (prototype) =>
        (...args) => {
          calls.push([/(\w+)\(/.exec(prototype)?.[1], ...args])
          if (answers instanceof Error) throw answers
          return prototype.includes('GetCurrentThread') ? 'this thread' : answers
        },
    }
    const priority = createThreadPriority({
      platform,
      arch,
      load: () => library,
      setPriority: (pid, nice) => calls.push(['setPriority', pid, nice]),
    })
    return { calls, priority }
  }

  it.each([
    ['x64', 251],
    ['arm64', 30],
  ] as const)(
    'is always low for the processor, and the lowest for drive access while a recorder writes: Linux %s',
    (arch, number) => {
      const { calls, priority } = createScene('linux', arch, 0)
      expect(priority.hasLowPriority()).toBe(true)
      for (const isOn of [false, true, true, false]) priority.setBackground(isOn)
      expect(calls).toEqual([
        ['setPriority', 0, 10],
        ['syscall', number, 1, 0, 3 << 13],
        ['syscall', number, 1, 0, 0],
      ])
    },
  )

  it('is lowered to background mode while a recorder writes: Windows', () => {
    const { calls, priority } = createScene('win32', 'x64', 1)
    expect(priority.hasLowPriority()).toBe(false)
    priority.setBackground(true)
    expect(priority.hasLowPriority()).toBe(true)
    priority.setBackground(false)
    expect(priority.hasLowPriority()).toBe(false)
    expect(calls.filter(([name]) => name === 'SetThreadPriority')).toEqual([
      ['SetThreadPriority', 'this thread', 0x10000],
      ['SetThreadPriority', 'this thread', 0x20000],
    ])
  })

  it('is lowered only for I/O while a recorder writes, so the thread must rest to free the processor: macOS', () => {
    const { calls, priority } = createScene('darwin', 'arm64', 0)
    priority.setBackground(true)
    priority.setBackground(false)
    expect(priority.hasLowPriority()).toBe(false)
    expect(calls).toEqual([
      ['setiopolicy_np', 0, 1, 3],
      ['setiopolicy_np', 0, 1, 0],
    ])
  })

  it.each<NodeJS.Platform>(['linux', 'win32', 'darwin', 'freebsd'])(
    'stays unchanged, without an error, if the library is missing or refuses: %s',
    (platform) => {
      const refusing = createScene(platform, 'x64', new Error('no'))
      refusing.priority.setBackground(true)
      const withoutLibrary = createThreadPriority({
        platform,
        arch: 'x64',
        load: () => {
          throw new Error('no such library')
        },
        setPriority: () => {
          throw new Error('not permitted')
        },
      })
      for (const isOn of [true, false]) withoutLibrary.setBackground(isOn)
      expect(withoutLibrary.hasLowPriority()).toBe(false)
    },
  )
})
