import { z } from 'zod'
import { activityGroups } from '../status/activity.ts'
import { problemCodes } from '../status/problem.ts'
import { standings } from '../status/standing.ts'
import { recordingStates } from '../status/status.ts'
import { logLevels, logSources } from './program-log.ts'

/**
 * The queries, and the arguments that several calls share. The limits protect the main process and the agent from
 * faulty calls of a page.
 */

export const noArguments = z.undefined()
export const recordingId = z.number().int().positive()
const ids = z.strictObject({ ids: z.array(recordingId).min(1).max(100_000) })
export const instant = z.iso.datetime()

const recordingFilter = z.strictObject({
  text: z.string().max(500).default(''),
  states: z.array(z.enum(recordingStates)).max(recordingStates.length).default([]),
  problem: z.enum(problemCodes).optional(),
  /** Only recordings with these standings, by the same rules as the numbers in `Status.standings`. */
  standings: z.array(z.enum(standings)).max(standings.length).default([]),
  /** Only this recording and the recordings after it in the upload queue. */
  queuedFrom: recordingId.optional(),
  folder: z.string().max(4096).optional(),
  from: instant.optional(),
  to: instant.optional(),
})

export const recordingOrder = recordingFilter.extend({
  sort: z.enum(['found', 'name', 'state', 'bytes', 'changed']).default('found'),
  descending: z.boolean().default(true),
  /** Lists recordings that need attention first. */
  pinned: z.boolean().default(false),
  /** Lists the files of a take as one row. */
  takes: z.boolean().default(false),
})

export const recordingQuery = recordingOrder.extend({
  /** Whether the answer includes the layout of the whole list: `RecordingOutline`. */
  outline: z.boolean().default(false),
  offset: z.number().int().min(0).default(0),
  limit: z.number().int().min(1).max(500).default(100),
})

/** At most 100,000 recordings by ID, or all recordings that match a filter when the action starts. */
export const recordingSelection = z.union([
  ids.extend({
    /** True if each ID stands for a whole take, because the list shows each take as one row. */
    takes: z.boolean().optional(),
  }),
  z.strictObject({
    matching: recordingFilter,
    /** True if the list shows each take as one row. */
    takes: z.boolean().optional(),
  }),
])

/** The actions that a terminal command applies to recordings. Commands name recordings by path. */
export const pathActions = ['retry', 'prioritise', 'dismiss', 'undo-dismissal'] as const

export const recordingPaths = z.array(z.string().min(1).max(4096)).max(1_000)

/** The paths of files that were edited after the upload. `sha256`: the SHA-256 of the uploaded content. */
export const editedFiles = z
  .array(z.strictObject({ path: z.string().min(1).max(4096), sha256: z.string().length(64) }))
  .max(1_000)

export const sessionQuery = z.strictObject({
  site: z.string().max(256).optional(),
  status: z.enum(['uploading', 'uploaded', 'processing', 'processed', 'failed']).optional(),
  createdFrom: instant.optional(),
  createdBefore: instant.optional(),
  cursor: z.string().max(4096).optional(),
  limit: z.number().int().min(1).max(500).default(50),
})

export const activityQuery = z.strictObject({
  groups: z.array(z.enum(activityGroups)).max(activityGroups.length).default([]),
  text: z.string().max(500).default(''),
  from: instant.optional(),
  to: instant.optional(),
  /** Only entries older than the entry with this ID. */
  before: z.string().max(100).nullable().default(null),
  limit: z.number().int().min(1).max(500).default(100),
})

export const logQuery = z.strictObject({
  levels: z.array(z.enum(logLevels)).max(logLevels.length).default([]),
  sources: z.array(z.enum(logSources)).max(logSources.length).default([]),
  text: z.string().max(500).default(''),
  older: z.string().max(400).nullable().default(null),
  limit: z.number().int().min(1).max(500).default(200),
})
export const receiptSelection = z.union([
  ids,
  z.strictObject({ path: z.string().min(1).max(4096) }),
  z.strictObject({ session: z.string().min(1).max(200) }),
  z.strictObject({ since: instant, until: instant }),
])
export const exportQuery = z.strictObject({ since: instant.nullable(), until: instant.nullable() })
