import { expect, test } from 'vitest'
import {
  type EventKind,
  fileNeededStates,
  isLive,
  liveStates,
  needsFile,
  nextState,
} from '../../../../../main/agent/domain/states.ts'
import { type RecordingState, recordingStates } from '../../../../../shared/status/status.ts'
import { eventKinds } from '../../../../support/event-kinds.ts'

type Step = { readonly from: RecordingState; readonly kind: EventKind; readonly to: RecordingState }

const steps: readonly Step[] = recordingStates.flatMap((from) =>
  eventKinds.flatMap((kind) => {
    const to = nextState(from, { kind })
    return to === null ? [] : [{ from, kind, to }]
  }),
)
const stepsBy = (kind: EventKind) => steps.filter((step) => step.kind === kind)
const orderOf = (state: RecordingState) => recordingStates.indexOf(state)

test('every state can lead to `processed`', () => {
  for (const start of recordingStates) {
    const reachable = new Set<RecordingState>([start])
    for (const state of reachable) for (const step of steps) if (step.from === state) reachable.add(step.to)
    expect(reachable, start).toContain('processed')
  }
})

test('a changed or missing file affects only a recording that still needs it', () => {
  for (const state of recordingStates) {
    const fileEvents = ['changed', 'vanished'] as const
    const isAffected = fileEvents.map((kind) => nextState(state, { kind }) !== null)
    expect(isAffected, state).toEqual(needsFile(state) ? [true, true] : [false, false])
  }
  for (const { from } of steps.filter(({ to }) => to === 'gone')) expect(fileNeededStates).toContain(from)
})

test('a recording goes back to an earlier state only by the listed events', () => {
  const backwards = new Set<EventKind>([
    'changed',
    'hash-abandoned',
    'rehash-needed',
    'session-abandoned',
    'parts-missing',
    'reopened',
    'retried',
    'reappeared',
    'same-content',
  ])
  for (const { from, kind, to } of steps)
    if (orderOf(to) <= orderOf(from)) expect(backwards, `${from} ${kind}`).toContain(kind)
})

test('only the listed events lead to `processing`, `processed` or `failed`', () => {
  expect(new Set(steps.filter(({ to }) => to === 'processing').map(({ kind }) => kind))).toEqual(
    new Set(['completed']),
  )
  expect(new Set(steps.filter(({ to }) => to === 'processed').map(({ kind }) => kind))).toEqual(
    new Set(['processed', 'same-content']),
  )
  expect(new Set(steps.filter(({ to }) => to === 'failed').map(({ kind }) => kind))).toEqual(
    new Set(['processing-failed', 'deleted-at-service']),
  )
})

test('only a deletion at the service ends the state `processed`, and only the listed events end `processing`', () => {
  const eventsLeaving = (state: RecordingState) =>
    steps.filter(({ from }) => from === state).map(({ kind }) => kind)
  expect(eventsLeaving('processed')).toEqual(['deleted-at-service'])
  expect(eventsLeaving('processing').toSorted()).toEqual([
    'deleted-at-service',
    'parts-missing',
    'processed',
    'processing-failed',
    'reopened',
    'session-abandoned',
  ])
})

test('an ended recording becomes active again only if the user retries it or its file reappears', () => {
  expect(recordingStates.filter((state) => !isLive(state)).toSorted()).toEqual([
    'failed',
    'gone',
    'processed',
  ])
  for (const { from, kind, to } of steps)
    if (!isLive(from) && (liveStates as readonly string[]).includes(to))
      expect(['retried', 'reappeared']).toContain(kind)
  expect(stepsBy('retried').map(({ from }) => from)).toEqual(['failed'])
})
