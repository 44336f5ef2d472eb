import { setTimeout as sleep } from 'node:timers/promises'
import { it } from 'vitest'
import { signInPages, unreadableAnswers } from '../../support/second-service/bad-answers.ts'
import type { FaultRule } from '../../support/second-service/fault-rules.ts'
import { withStation } from '../../support/second-service/with-station.ts'
import { chooseSeed, seeded } from '../../support/seeded.ts'
import { PART } from '../../support/station.ts'

const kills = 10
const slowCompletion = { workMs: 2_000, gatewayMs: 200, statusMeanwhile: 'uploading' } as const

const faultRules: readonly FaultRule[] = [
  { effect: signInPages['a page with 200'] },
  { on: 'control', path: '/complete$', effect: { kind: 'lose' } },
  { on: 'control', method: 'POST', path: '/sessions$', effect: { kind: 'lose' } },
  { on: 'control', path: '/complete$', effect: { kind: 'answer', status: 504, body: '<html>504</html>' } },
  { on: 'control', method: 'GET', effect: unreadableAnswers['broken JSON'] },
  { on: 'control', method: 'GET', effect: unreadableAnswers['a different shape'] },
  { on: 'storage', effect: { kind: 'lose' } },
  { on: 'storage', effect: { kind: 'drop-half-way' } },
  { on: 'storage', effect: { kind: 'delay', ms: 300 } },
  { on: 'control', effect: { kind: 'cut-headers' } },
  { on: 'control', effect: { kind: 'answer', status: 401, body: '{}' } },
]

it('after ten kills among random faults, each recording has exactly one session and is processed', () =>
  withStation(async (station) => {
    const random = seeded(chooseSeed('kills and faults'))
    const files = [
      station.record('a.bin', 3 * PART),
      station.record('b.bin'),
      station.record('c.bin', PART + 1),
    ]
    for (let kill = 0; kill < kills; kill += 1) {
      const agent = station.run()
      if (kill % 3 === 1)
        files.push(station.record(`later-${kill}.bin`, Math.floor(random() * PART * 1.5) + 1))
      const rounds = 1 + Math.floor(random() * 3)
      for (let round = 0; round < rounds; round += 1) {
        await station.service.setFaults(...faultRules.filter(() => random() < 0.15))
        await station.service.setStorageOpen(random() > 0.2)
        await station.service.setBehaviour({
          isKeyRevoked: random() < 0.1,
          slowComplete: random() < 0.2 ? slowCompletion : null,
        })
        await sleep(200 + random() * 900)
      }
      await agent.kill()
    }
    await station.service.setFaults()
    await station.service.setStorageOpen(true)
    await station.service.setBehaviour({ isKeyRevoked: false, slowComplete: null })
    station.run()
    await station.expectFilesSafe(files)
  }))
