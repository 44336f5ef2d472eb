import { z } from 'zod'

/** What can be asked of the app from its icon in taskbar, dock or launcher, with `--task`. */
export const tasks = ['open', 'pause', 'resume', 'logs'] as const
export type Task = (typeof tasks)[number]

export const taskWords: Readonly<Record<Task, string>> = {
  open: 'Open Sluice',
  pause: 'Pause uploads',
  resume: 'Resume uploads',
  logs: 'Open log folder',
}

/** Only what can be done now; of an agent that is away it is not known whether it is paused. */
export const offeredTasks = (paused: boolean | null): readonly Task[] => {
  if (paused === null) return ['open', 'logs']
  return ['open', paused ? 'resume' : 'pause', 'logs']
}

export const isTask = (text: string): text is Task => tasks.some((task) => task === text)

const askedSchema = z.object({ task: z.enum(tasks) })

/** What a second start tells the first one. Any program of this person can say anything there. */
export const askedTask = (said: unknown): Task | null => {
  const parsed = askedSchema.safeParse(said)
  return parsed.success ? parsed.data.task : null
}

const enrolmentSchema = z.object({ enroll: z.string().min(1).max(4096) })

/** The key file that a second start brought along, by its path. */
export const askedEnrolment = (said: unknown): string | null => {
  const parsed = enrolmentSchema.safeParse(said)
  return parsed.success ? parsed.data.enroll : null
}
