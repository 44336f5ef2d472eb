import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { systemClock } from '../../../shared/clock/clock.ts'
import type { AgentCallName, CallAnswer, CallError, CheckedArgs } from '../../../shared/ipc/ipc.ts'
import { calls } from '../../../shared/ipc/ipc.ts'
import { isUnsent } from '../../../shared/status/recording-actions.ts'
import { problemOf } from '../domain/problems.ts'
import type { StandingContext } from '../domain/standing.ts'
import type { ReceiptScope, Recording } from '../journal/journal.ts'
import { isBusy, LOCKED_SENTENCE } from '../journal/write-lock.ts'
import { nightFiguresOf } from '../outlook/nights.ts'
import type { Log } from '../ports/clock.ts'
import { activityPage } from '../status/activity-rows.ts'
import { folderStateOf } from '../status/folder-state.ts'
import { detailOf, rowOf } from '../status/recording-rows.ts'
import { statusReport } from '../status/status-report.ts'
import { rowOfTakeOrFile, takeDetailOf } from '../status/take-rows.ts'
import { takeWatchSnapshot } from '../status/watch-snapshot.ts'
import { CallRefusedError } from './call-refused.ts'
import type { AgentCalls, CallableAgent } from './callable-agent.ts'
import * as commands from './commands.ts'
import { exportedRecordings } from './exported-recordings.ts'
import { checkFolder } from './folder-check.ts'
import { idsToIgnore, previewIgnore } from './ignore-files.ts'
import { learnFromFolder } from './learn-from-folder.ts'
import { makeReceipt } from './make-receipt.ts'
import { sendHeartbeatNow, sendTestAlert } from './monitoring-calls.ts'
import { actOnPaths, replaceEdited, uploadPathsNow } from './path-commands.ts'
import { previewRemovals } from './preview-removals.ts'
import { RecordingActions } from './recording-actions.ts'
import { createServiceCalls, requestTimeout } from './service-calls.ts'
import { checkStation } from './station-check.ts'
import { writeWhenFree } from './write-when-free.ts'

const MAX_SUPPORT_ROWS = 100
/** A receipt goes to the main process as one string. A larger string would block both processes. */
const MAX_RECEIPT_MESSAGE_BYTES = 32 * 1024 * 1024

const receiptScopeOf = (selection: CheckedArgs<'makeReceipt'>['of']): ReceiptScope => {
  if ('ids' in selection) return { kind: 'ids', ids: selection.ids }
  if ('path' in selection) return { kind: 'path', path: selection.path }
  if ('session' in selection) return { kind: 'session', session: selection.session }
  return { kind: 'period', sinceMs: Date.parse(selection.since), untilMs: Date.parse(selection.until) }
}

type Answer = (args: unknown) => unknown

/** Answers the calls of the window and the terminal from the journal and the service. */
export const createAgentCalls = (
  agent: CallableAgent,
  log: Log,
): ((name: AgentCallName, args: unknown) => Promise<CallAnswer<unknown>>) => {
  const { journal, progress } = agent
  const world = { clock: systemClock, random: Math.random, log }

  const pendingDriveCalls = new Map<string, Promise<unknown>>()
  const actions = new RecordingActions(journal, () => agent.standingContext)

  const findRecording = (id: number | null): Recording | null => {
    const recording = id === null ? null : journal.recordings.byId(id)
    if (id !== null && recording === null)
      throw new CallRefusedError('This recording is no longer in the journal.')
    return recording
  }

  const filesOfTake = (recording: Recording | null): readonly Recording[] =>
    recording?.take == null ? [] : journal.takes.members(recording.take)

  const toRow = (view: StandingContext) => (recording: Recording) =>
    rowOf(recording, progress, view, agent.folderOf)

  const agentCalls: AgentCalls = {
    ...createServiceCalls(agent, world),
    getStatus: () => agent.status(),
    getStatusReport: () => statusReport(journal, agent.status().station.conditions),
    getWatchSnapshot: () => takeWatchSnapshot(journal, agent.status().station.conditions),
    getExportedRecordings: ({ since, until }) =>
      exportedRecordings(journal, {
        sinceMs: since === null ? null : Date.parse(since),
        untilMs: until === null ? null : Date.parse(until),
      }),
    listRecordings: (query) => {
      const view = agent.standingContext
      const { total, hasMore, rows } = journal.list.page(query, view)
      return {
        total,
        hasMore,
        rows: rows.map((recording) =>
          query.takes ? rowOfTakeOrFile(recording, journal, toRow(view)) : toRow(view)(recording),
        ),
        outline: query.outline ? journal.list.outline(query, view) : null,
      }
    },
    locateRecording: (query) => journal.list.indexOf(query, agent.standingContext),
    getRecording: ({ id }) => {
      const recording = journal.recordings.byId(id)
      return recording === null
        ? null
        : detailOf(recording, journal, progress, agent.standingContext, agent.folderOf)
    },
    getTake: ({ id }) => {
      const recording = journal.recordings.byId(id)
      return recording === null ? null : takeDetailOf(recording, journal, toRow(agent.standingContext))
    },
    getThroughput: ({ span }) => journal.rates.throughput(span),
    listActivity: (query) => activityPage(journal, query, systemClock.wallMs()),
    getNights: () =>
      nightFiguresOf(journal, agent.settings?.folders ?? [], agent.standingContext, agent.nowMs()),
    dismissSilence: ({ path, night }) => {
      journal.nights.dismissSilence(path, night)
      agent.checkSilence()
      return null
    },
    dismissDeviation: ({ id }) => {
      const recording = journal.recordings.byId(id)
      if (recording?.problem?.code === 'take-held') commands.dismiss(journal, recording)
      else journal.inspections.dismiss(id)
      return null
    },
    learnExpectation: ({ path }) => learnFromFolder(journal, path),
    pause: ({ until }) => {
      journal.station.pause(until === null ? null : Date.parse(until))
      return null
    },
    resume: () => commands.resume(journal),
    uploadNow: ({ id }) => {
      const { settings } = agent
      if (settings === null) throw new CallRefusedError('Set up Sluice first.')
      const recording = findRecording(id)
      const unsent = filesOfTake(recording).filter(({ state }) => isUnsent(state))
      for (const file of unsent.length === 0 ? [recording] : unsent)
        commands.uploadNow(journal, settings.transfer, file, agent.nowMs())
      return null
    },
    cancelUploadNow: ({ id }) => {
      const recording = findRecording(id)
      const files = filesOfTake(recording)
      for (const file of files.length === 0 ? [recording] : files) commands.cancelUploadNow(journal, file)
      return null
    },
    retryRecordings: (selection) => actions.run('retry', selection),
    prioritiseRecordings: (selection) => actions.run('prioritise', selection),
    pauseRecordings: (selection) => actions.run('pause', selection),
    resumeRecordings: (selection) => actions.run('resume', selection),
    dismissRecordings: (selection) => actions.run('dismiss', selection),
    previewIgnore: ({ id }) => {
      const recording = findRecording(id)
      const folder = recording === null ? undefined : agent.folderOf(recording.folder)
      if (recording === null || folder === undefined)
        throw new CallRefusedError(
          'The folder of this recording is no longer in the settings, so the recording is already ignored.',
        )
      return previewIgnore(
        { journal, paths: agent.paths, view: agent.standingContext },
        recording,
        folder.path,
      )
    },
    ignoreRecordings: async ({ folder, pattern }) =>
      actions.ignore(
        await idsToIgnore({ journal, paths: agent.paths, view: agent.standingContext }, folder, pattern),
      ),
    actOnPaths: (selection) => actOnPaths(journal, selection),
    replaceEdited: (files) => {
      const replaced = replaceEdited(journal, files)
      for (const folder of new Set(replaced.map((recording) => recording.folder)))
        agent.watcherOf(folder)?.rescan()
      return replaced.map(({ path }) => path)
    },
    uploadPathsNow: (selection) => uploadPathsNow(journal, selection, agent.nowMs()),
    undoAction: async ({ undo }) => {
      const outcome = await actions.undo(undo)
      if (outcome === null) throw new CallRefusedError('This action can no longer be undone.')
      return outcome
    },
    getActionProgress: () => actions.progress,
    retryProblem: async ({ code }) => {
      await actions.retryProblem(code)
      return null
    },
    acceptOrganisation: () => {
      commands.acceptOrganisation(journal, systemClock.wallMs())
      return null
    },
    acceptReplacedFolder: ({ path }) => {
      journal.transaction(() => {
        journal.volumes.forgetVolume(path)
        journal.activity.note({ kind: 'folder-accepted', folder: path })
      })
      agent.watcherOf(path)?.rescan()
      return null
    },
    getReceiver: () => {
      const { listening, refused } = agent.webhookReceiverStatus
      const { lastAtMs, lastDay } = journal.events.figures()
      return {
        listening,
        secretCount: agent.webhookSecrets.length,
        lastEventAt: lastAtMs === null ? null : new Date(lastAtMs).toISOString(),
        eventsLastDay: lastDay,
        refused:
          refused === null
            ? null
            : {
                count: refused.count,
                lastAt: new Date(refused.lastAtMs).toISOString(),
                reason: refused.reason,
              },
      }
    },
    getMonitoring: () => agent.monitoring.state(),
    sendHeartbeat: async () => {
      const result = await sendHeartbeatNow(agent, { ...world, newKey: randomUUID }, requestTimeout())
      if (result === null) throw new CallRefusedError('Set the Heartbeat URL first.')
      return result
    },
    sendTestAlert: async () => {
      const result = await sendTestAlert(agent, { ...world, newKey: randomUUID }, requestTimeout())
      if (result === null) throw new CallRefusedError('Set the Alert URL first.')
      return result
    },
    getSupportFacts: async () => ({
      journal: await journal.health(),
      uploadHosts: journal.station.uploadHosts(),
      status: agent.status(),
      problems: journal.views
        .newestProblems(MAX_SUPPORT_ROWS)
        .map(({ path, state, changedAtMs, sessionId, problem }) => ({
          path,
          state,
          changedAt: new Date(changedAtMs).toISOString(),
          sessionId,
          problem,
        })),
      requests: journal.views.newestRequests(MAX_SUPPORT_ROWS),
    }),
    getKnownSites: () => journal.views.sites(),
    checkStation: () => {
      const { settings, systemProxy, dataFolder, paths, recordersInContainer } = agent
      const apiKey = settings === null ? null : agent.keyFor(settings.service.base_url)
      return checkStation({
        settings,
        apiKey,
        systemProxy,
        dataFolder,
        journal: () => journal,
        paths,
        recordersInContainer,
        pendingDriveCalls,
        folderProblems: (path) =>
          folderStateOf(journal, path, agent.watcherOf(path)?.state.state ?? 'scanning').problems.map(
            ({ problem }) => problem,
          ),
        ...world,
      })
    },
    makeReceipt: async ({ of, format }) => {
      const { pieces, recordings } = await makeReceipt(journal, receiptScopeOf(of), {
        station: agent.settings?.app.station_name ?? hostname(),
        format,
        nowMs: systemClock.wallMs(),
        maxBytes: MAX_RECEIPT_MESSAGE_BYTES,
      })
      return { text: pieces.join(''), recordings }
    },
    checkFolder: ({ path }) =>
      checkFolder(path, agent.settings?.folders ?? [], agent.platform.folderAccess, agent.paths),
    previewRemovals: ({ path, afterUpload }) => {
      const { files, operations } = agent.platform
      const folders = [path, ...(agent.settings?.folders ?? []).map((folder) => folder.path)]
      const world = { journal, files, operations, paths: agent.paths, nowMs: agent.nowMs() }
      return previewRemovals(world, path, afterUpload, folders)
    },
  }

  const refuse = (kind: CallError['kind'], message: string): CallAnswer<never> => ({
    ok: false,
    error: { kind, message },
  })

  return async (name, args) => {
    const parsed = calls[name].args.safeParse(args)
    if (!parsed.success) return refuse('bad-arguments', `${name}: wrong arguments`)
    try {
      // `writeWhenFree` retries only synchronous calls. Asynchronous calls retry their own writes.
      const value = await writeWhenFree(journal, () => (agentCalls[name] as Answer)(parsed.data))
      return { ok: true, value }
    } catch (error) {
      if (isBusy(error)) return refuse('refused', LOCKED_SENTENCE)
      if (error instanceof CallRefusedError) return refuse('refused', error.message)
      if (agent.reportError(error, name) === 'disk-full')
        return refuse('refused', problemOf('disk-full').sentence)
      return refuse('failed', 'Something went wrong inside Sluice. The log has the details.')
    }
  }
}
