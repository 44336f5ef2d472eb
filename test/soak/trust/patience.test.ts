import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { signInPages } from '../../support/second-service/bad-answers.ts'
import { withStation } from '../../support/second-service/with-station.ts'
import { PART } from '../../support/station.ts'

describe.concurrent('--until-idle', () => {
  it('waits for problems that clear by themselves, and exits with 0 when everything is processed', ({
    expect,
  }) =>
    withStation(async (station) => {
      await station.service.setFaults({ effect: signInPages['a page with 200'] })
      const files = [station.record('one.bin'), station.record('two.bin', PART + 1)]
      const agent = station.run('--until-idle')
      await agent.waitForChange('the recording is found', () => true)
      await sleep(18_000)
      await station.service.setFaults()
      expect(await agent.ended).toBe(0)
      await station.expectFilesSafe(files)
    }))

  it('waits no longer than --patience, and exits with 2', ({ expect }) =>
    withStation(async (station) => {
      await station.service.setStorageOpen(false)
      const file = station.record('one.bin')
      expect(await station.run('--until-idle', '--patience', '3').ended).toBe(2)
      await station.service.setStorageOpen(true)
      station.run()
      await station.expectFilesSafe([file])
    }))
})
