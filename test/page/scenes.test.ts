import { describe, expect, inject, it } from 'vitest'
import { settingsSchema } from '../../shared/settings/settings.ts'
import type { Status } from '../../shared/status/status.ts'
import { fullHeadline } from '../../shared/words/words.ts'
import { MORNING } from './morning.ts'
import { initialSettings, type Scene, scenes } from './scripted/scene.ts'
import { PageStation } from './station/page-station.ts'
import { SceneJournals } from './station/scene-journals.ts'

const journals = new SceneJournals(inject('pageFixtures').journals)

const statusOf = (scene: Scene): Status => {
  const station = new PageStation({
    journals,
    scene,
    rows: 5_000,
    settings: scene === 'first-run' ? null : settingsSchema.parse(initialSettings),
    atMs: MORNING.getTime(),
    moving: false,
  })
  try {
    return station.status()
  } finally {
    station.close()
  }
}

/** The headline that the agent's own code must build for each scene. */
const expectedHeadlines: Readonly<Record<Scene, string>> = {
  busy: 'Your administrator and support must act · 1 recording needs your administrator · 1 recording needs support · 29 of 42 safe · 1 still recording · 3 uploading, 3 waiting, done about 08:56 · 3 being processed · 1 dismissed',
  calm: 'All 42 recordings are safe · Last one 4 min ago',
  silent: '4 recordings need you · 1,806 of 1,810 safe',
  dismissed: '40 of 42 recordings are safe · 2 dismissed',
  paused:
    'Paused by you, nothing uploads · Since yesterday 19:42, until you resume · 31 of 42 safe · 1 still recording · 7 waiting · 3 being processed',
  offline:
    'Folder outdoor is missing, needs you · Its files are not checked · Service unreachable · 31 of 42 known recordings safe · 1 still recording · 7 waiting · 3 being processed',
  conditions:
    'Key refused, needs your administrator · Clock wrong, needs your administrator · Storage unreachable · 31 of 42 safe · 1 still recording · 7 waiting · 3 being processed',
  keyless:
    'Key missing, needs your administrator · 31 of 42 safe · 1 still recording · 7 waiting · 3 being processed',
  many: 'Your administrator and support must act · 1 recording needs your administrator · 1 recording needs support · 4,987 of 5,000 safe · 1 still recording · 3 uploading, 3 waiting, done about 08:56 · 3 being processed · 1 dismissed',
  refused: '1,000 recordings need your administrator · 1,000 of 2,000 safe',
  empty: 'Ready for the first recording',
  'first-run': 'Sluice is not set up yet',
  damaged: 'All 42 recordings are safe · Last one 4 min ago',
  'short-of-space':
    '/data will be full about 09:00, needs you · 106 of 122 safe · 1 still recording · 2 uploading, 12 waiting, 39.8 GB not done by 09:00 · 1 being processed',
}

describe('the scenes of the screenshots', () => {
  it.each(scenes)('the agent’s code builds the expected headline for “%s”', (scene) => {
    expect(fullHeadline(statusOf(scene).station)).toBe(expectedHeadlines[scene])
  })
})
