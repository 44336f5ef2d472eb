import { z } from 'zod'

/** The tasks in the menu of the taskbar, dock or launcher icon. `--task` accepts the same names. */
export const tasks = ['open', 'pause', 'resume', 'logs'] as const
export type Task = (typeof tasks)[number]

export const taskWords: Readonly<Record<Task, string>> = {
  open: 'Open Sluice',
  pause: 'Pause uploads',
  resume: 'Resume uploads',
  logs: 'Open log folder',
}

/** The tasks that are possible now. `isPaused` is null while the agent is not running. */
export const offeredTasks = (isPaused: boolean | null): readonly Task[] => {
  if (isPaused === null) return ['open', 'logs']
  return ['open', isPaused ? 'resume' : 'pause', 'logs']
}

export const isTask = (text: string): text is Task => tasks.some((task) => task === text)

const requestSchema = z.object({ task: z.enum(tasks) })

/** The task that a second instance passes to the first. Untrusted: any program of the same user can send it. */
export const requestedTask = (request: unknown): Task | null => {
  const parsed = requestSchema.safeParse(request)
  return parsed.success ? parsed.data.task : null
}

const enrolmentSchema = z.object({ enroll: z.string().min(1).max(4096) })

/** The path of the key file that a second instance passes to the first. */
export const requestedEnrolment = (request: unknown): string | null => {
  const parsed = enrolmentSchema.safeParse(request)
  return parsed.success ? parsed.data.enroll : null
}
