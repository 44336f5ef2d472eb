import { describe, expect, inject, it } from 'vitest'
import { settingsSchema } from '../../shared/settings.ts'
import type { Status } from '../../shared/status.ts'
import { MORNING } from './morning.ts'
import { type Scene, scenes, setUp } from './scripted/scene.ts'
import { PageStation } from './station/page-station.ts'
import { SceneJournals } from './station/scene-journals.ts'

const journals = new SceneJournals(inject('stageGiven').journals)

const told = (scene: Scene): Status => {
  const station = new PageStation({
    journals,
    scene,
    settings: scene === 'first-run' ? null : settingsSchema.parse(setUp),
    atMs: MORNING.getTime(),
    moving: false,
  })
  try {
    return station.status()
  } finally {
    station.close()
  }
}

/** What the pictures in docs/screenshots and the tests of the page are looked at with is what the program says. */
const headlines: Readonly<Record<Scene, string>> = {
  busy: '2 recordings need someone. In all, 29 of 42 are safe, 9 on the way (uploaded by about 08:55), 1 still recording, 1 set aside.',
  calm: 'All 42 recordings are safe. Last one 4 minutes ago.',
  silent: '4 recordings need you. In all, 1,806 of 1,810 are safe.',
  seen: 'In all, 40 of 42 are safe, 2 set aside.',
  paused: 'Paused until you resume. 8 recordings wait on this PC.',
  offline:
    '/mnt/nas-02/outdoor: The folder cannot be found. The service cannot be reached. 8 recordings wait on this PC.',
  conditions:
    'The service rejects the API key: it is wrong or has been revoked. 8 recordings wait on this PC.',
  many: '2 recordings need someone. In all, 99,987 of 100,000 are safe, 9 on the way (uploaded by about 08:55), 1 still recording, 1 set aside.',
  refused: '10,000 recordings need your administrator. In all, 10,000 of 20,000 are safe.',
  empty: 'Ready. Waiting for the first recording.',
  'first-run': 'Sluice is not set up yet.',
  damaged: 'All 42 recordings are safe. Last one 4 minutes ago.',
  short:
    '/data will be full about 09:00. In all, 106 of 122 are safe, 15 on the way (39.8 GB not done by 09:00), 1 still recording.',
}

describe('the situations of the pictures', () => {
  it.each(scenes)('%s has the headline that the program makes of it', (scene) => {
    expect(told(scene).station.headline).toBe(headlines[scene])
  })
})
