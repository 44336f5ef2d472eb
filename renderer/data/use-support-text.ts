import type { Problem } from '../../shared/status/problem.ts'
import { supportText } from '../features/diagnostics/support-text.ts'
import { useAgent } from './AgentView.tsx'
import { ask } from './ask.ts'

type Subject = {
  readonly problem: Problem | null
  readonly folder: string | null
  readonly count: number
  /** The IDs of the recordings whose details the text contains. */
  readonly ids: readonly number[]
}

export type SupportText = (subject: Subject) => Promise<string>

/** Builds the support text on demand, from the current state. */
export const useSupportText = (): SupportText => {
  const { status } = useAgent()
  return async ({ problem, folder, count, ids }) => {
    const [{ version, platform }, details] = await Promise.all([
      ask('getAppInfo'),
      Promise.all(ids.map((id) => ask('getRecording', { id }))),
    ])
    return supportText({
      station: status?.station.name ?? '',
      version,
      platform,
      at: new Date().toISOString(),
      problem,
      folder,
      count,
      recordings: details.filter((recording) => recording !== null),
    })
  }
}
