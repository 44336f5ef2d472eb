import fc from 'fast-check'
import { expect, test } from 'vitest'
import { leftOutCodes, problemWithoutPath } from '../../../../../main/agent/domain/folder-problems.ts'
import { problemOf } from '../../../../../main/agent/domain/problems.ts'
import { Progress } from '../../../../../main/agent/status/progress.ts'
import { takeSnapshot } from '../../../../../main/agent/status/snapshot.ts'
import { type TrayItem, trayMenu, trayTip } from '../../../../../main/shell/tray/tray-menu.ts'
import { serviceWords, stateWords } from '../../../../../renderer/components/status-bar-words.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'
import {
  conditionCodeOf,
  conditionNames,
  conditionOf,
  stopsUploads,
} from '../../../../../shared/status/conditions.ts'
import type { DriveSpace } from '../../../../../shared/status/free-space.ts'
import { nightAt } from '../../../../../shared/status/nights.ts'
import { type Problem, problemNeedsAttention } from '../../../../../shared/status/problem.ts'
import { problemOwners } from '../../../../../shared/status/problem-terms.ts'
import type { Silence, Status } from '../../../../../shared/status/status.ts'
import { ownerWords } from '../../../../../shared/words/words.ts'
import { anyStory, writeStory } from '../../../../support/any-journal.ts'
import { calmSources, quietOutlook } from '../../../../support/calm-snapshot.ts'
import { openTempJournal } from '../../../../support/temp-journal.ts'
import { sluice } from '../../../../support/typed-command.ts'

const settings = settingsSchema.parse({
  service: { base_url: 'https://api.example.com' },
  folders: [
    { path: '/rec/hall', site: 'Hall 3' },
    { path: '/rec/the long track of all (2)', site: 'Test track' },
  ],
})
const [hall, track] = settings.folders
const names: Readonly<Record<string, string>> = {
  '/rec/hall': 'hall',
  '/rec/the long track of all (2)': 'the long track…',
}

const lowDrive = (name: string): DriveSpace => ({
  name,
  folders: [],
  space: { totalBytes: 1_000, freeBytes: 1 },
  answering: true,
  safeBytes: 0,
  fills: { kind: 'unknown' },
  low: true,
})

const silenceAt = (nowMs: number): Silence => ({
  loud: true,
  sentence: 'Hall 3 usually has 30 recordings by now; none since 18:00.',
  because: 'In the last 5 nights it had 30 recordings.',
  since: new Date(nowMs).toISOString(),
  night: nightAt(nowMs).name,
  usual: 30,
  tonight: 0,
})

/** Any set of conditions, each with one of its codes. */
const anyConditions = fc
  .tuple(
    ...conditionNames.map((name) =>
      fc.option(fc.constantFrom(...Object.keys(conditionOf(name).codes)), { freq: 2 }),
    ),
  )
  .map((codes) => codes.filter((code) => code !== null) as Problem['code'][])

const anyFolderCode = fc.option(
  fc.constantFrom('folder-offline', 'folder-replaced', 'folder-unreadable', ...leftOutCodes),
)

const anySituation = fc.record({
  story: anyStory,
  conditions: anyConditions,
  folders: fc.tuple(anyFolderCode, anyFolderCode),
  silent: fc.boolean(),
  lowDrives: fc.integer({ min: 0, max: 2 }),
  paused: fc.constantFrom<number | null | false>(false, null, 3_600_000),
})

const labelsOf = (items: readonly TrayItem[]): readonly string[] =>
  items.flatMap((item) =>
    item.kind === 'separator'
      ? []
      : item.kind === 'menu'
        ? [item.label, ...labelsOf(item.items)]
        : [item.label],
  )

/** One pattern for each fact that every text must show. If both folders have the same problem, the texts say "2 folders". */
const factsOf = (
  { needs }: Pick<Status, 'needs'>,
  situation: typeof anySituation extends fc.Arbitrary<infer T> ? T : never,
): readonly RegExp[] => {
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const [first, second] = situation.folders
  const isSameProblem = first !== null && first === second
  const folderFact = (code: string | null, path: string) =>
    code === null ? [] : [isSameProblem ? /2 folders/ : new RegExp(literal(names[path] ?? ''))]
  return [
    ...situation.conditions.map((code) => new RegExp(literal(conditionCodeOf(code)?.shortWords ?? '?'), 'i')),
    ...folderFact(first, '/rec/hall'),
    ...folderFact(second, '/rec/the long track of all (2)'),
    ...(situation.silent ? [/Folder hall is silent/] : []),
    ...(situation.lowDrives === 0 ? [] : [situation.lowDrives === 1 ? /D:\\0 is almost full/ : /2 drives/]),
    ...problemOwners
      .filter((owner) => needs[owner] > 0)
      .map(
        (owner) =>
          new RegExp(`${needs[owner]} (?:recordings? needs?|more for) ${ownerWords[owner].inSentence}`),
      ),
    ...(situation.paused === false
      ? []
      : [/Paused by you/, /(?:\bSince|Paused by you since) [\w: ]*\d,? until/]),
  ]
}

test('headline, tray, status bar and terminal always show every pause, every condition and every fact that needs attention', async () => {
  await fc.assert(
    fc.asyncProperty(anySituation, async (situation) => {
      const clock = { nowMs: Date.now() }
      const { journal, folder: dataFolder, close } = openTempJournal(() => clock.nowMs)
      try {
        if (hall === undefined || track === undefined) throw new Error('two folders are needed')
        writeStory(journal, clock, [hall, track], situation.story)
        journal.station.resume()
        if (situation.paused !== false)
          journal.station.pause(situation.paused === null ? null : clock.nowMs + situation.paused)
        const conditions = situation.conditions.map((code) => problemOf(code))
        journal.station.setConditions(conditions)
        for (const [index, { path }] of settings.folders.entries()) {
          const code = situation.folders[index] ?? null
          journal.folders.save(
            path,
            code === null ? 'watching' : 'offline',
            code === null ? [] : [problemWithoutPath(problemOf(code))],
          )
        }
        const silence = situation.silent ? silenceAt(clock.nowMs) : null
        if (silence !== null) journal.station.setSilences([{ folder: '/rec/hall', ...silence }])
        const driveSpace = Array.from({ length: situation.lowDrives }, (_, at) => lowDrive(`D:\\${at}`))
        journal.station.saveOutlook({
          atMs: clock.nowMs,
          transfer: { windows: [] },
          folders: settings.folders.map(({ path }) => path),
          recent: { bytes: 0, seconds: 0, limitBytesPerSecond: null },
          driveSpace,
        })
        const stop = conditions.find(({ code }) => stopsUploads(code)) ?? null
        const status = takeSnapshot({
          ...calmSources,
          journal,
          progress: new Progress({ wallMs: () => clock.nowMs, monotonicMs: () => 0 }),
          settings,
          view: {
            service: journal.station.serviceInUse(),
            sending: situation.paused === false && stop === null,
          },
          outlook: quietOutlook(journal),
          driveSpace,
          stop,
          conditions,
          folderState: ({ path }) => {
            const problems = journal.folders.of(path)?.problems ?? []
            return { state: 'watching', problem: problems[0]?.problem ?? null, problems }
          },
          silenceOf: ({ path }) => (path === '/rec/hall' ? silence : null),
          nowMs: clock.nowMs,
        })
        const { headline, detail, state } = status.station
        expect(headline.split(/\s+/).length).toBeLessThanOrEqual(8)
        expect(headline).not.toMatch(/https?:|req_|[[\]]/)
        const view = {
          status,
          health: { state: 'running', restarts: 0 },
          startAtLogin: false,
          system: 'linux',
        } as const
        const tray = labelsOf(trayMenu(view)).join('\n')
        expect(trayTip(view)).toContain(headline)
        const bar = stateWords(status.station)
        const statusBar = `${bar.title} · ${serviceWords(status.station)}`
        const terminal = (await sluice('status', '--data', dataFolder)).out.replaceAll(/\s+/g, ' ')
        for (const fact of factsOf(status, situation)) {
          expect(`${headline} · ${detail}`).toMatch(fact)
          expect(tray).toMatch(fact)
          expect(terminal).toMatch(fact)
          expect(statusBar).toMatch(fact)
        }
        for (const text of [`${headline} · ${detail}`, tray, terminal, statusBar]) {
          // Only a PC without a network shows "Waiting for the network".
          expect(text.includes('Waiting for the network')).toBe(
            situation.conditions.includes('network-missing'),
          )
          expect(text).not.toMatch(/not reachable/i)
        }
        // Even without its tooltip, the status bar shows the need for attention, the pause and every condition.
        const visibleText = `${bar.word} · ${serviceWords(status.station)}`
        if (state === 'attention') expect(visibleText).toContain(headline)
        if (situation.paused !== false) expect(visibleText).toContain('Paused')
        for (const code of situation.conditions)
          expect(visibleText).toContain(conditionCodeOf(code)?.shortWords)
        const isNeeded =
          status.needAttention > 0 ||
          conditions.some(problemNeedsAttention) ||
          situation.folders.some((code) => code !== null) ||
          situation.silent ||
          situation.lowDrives > 0
        expect([headline, state === 'attention']).toEqual([headline, isNeeded])
      } finally {
        close()
      }
    }),
    { numRuns: 25 },
  )
})

test.each([
  ['a silent folder set to “loud”', true, false, 2],
  ['a silent folder set to “gentle”', false, false, 0],
  ['a drive that is almost full', null, true, 2],
  ['a drive with enough space', null, false, 0],
] as const)(
  '`status --check` fails if, and only if, a problem needs attention: %s',
  async (_, loud, low, exitCode) => {
    const nowMs = Date.now()
    const { journal, folder: dataFolder, close } = openTempJournal(() => nowMs)
    try {
      if (loud !== null) journal.station.setSilences([{ folder: '/rec/hall', ...silenceAt(nowMs), loud }])
      journal.station.saveOutlook({
        atMs: nowMs,
        transfer: { windows: [] },
        folders: ['/rec/hall'],
        recent: { bytes: 0, seconds: 0, limitBytesPerSecond: null },
        driveSpace: [{ ...lowDrive('D:\\'), low }],
      })
      expect((await sluice('status', '--check', '--data', dataFolder)).code).toBe(exitCode)
    } finally {
      close()
    }
  },
)
