import type { Page } from 'playwright-core'
import type { Problem } from '../../shared/status/problem.ts'

/** Opens the details of a recording, with some fields of its problem replaced. */
export const openRecording = async (page: Page, id: number, replacedFields: Partial<Problem> = {}) => {
  await page.evaluate(
    ([to, fields]) => {
      const { getRecording } = window.sluice.call
      Object.assign(window.sluice.call, {
        getRecording: async (args: { id: number }) => {
          const answer = await getRecording(args)
          if (!answer.ok || answer.value?.problem == null) return answer
          return {
            ok: true,
            value: { ...answer.value, problem: { ...answer.value.problem, ...fields } },
          }
        },
      })
      window.scripted.navigate(to)
    },
    [`recordings/${id}`, replacedFields] as const,
  )
  await page.getByRole('heading', { name: 'Stages' }).waitFor()
  return page.getByRole('complementary').filter({ has: page.getByRole('heading', { name: 'Stages' }) })
}
