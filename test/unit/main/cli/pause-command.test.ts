import { expect, test } from 'vitest'
import { sluice } from '../../../support/typed-command.ts'

test.each(['30m', '2h', '1d'])('`pause --until %s` names the option for a duration', async (duration) => {
  const { code, err } = await sluice('pause', '--until', duration)
  expect(code).toBe(1)
  expect(err).toContain(
    `--until takes a time such as 2026-03-12T06:00. For a duration, use --for ${duration}.`,
  )
})
