import { describe, expect, inject, it } from 'vitest'
import { settingsSchema } from '../../shared/settings/settings.ts'
import type { Status } from '../../shared/status/status.ts'
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

/** The headlines in docs/screenshots and page tests come from the real agent. */
const headlines: Readonly<Record<Scene, string>> = {
  busy: '1 needs your administrator, 1 needs support. 29 of 42 safe, 1 still recording, 1 dismissed, 9 uploading, done about 08:55.',
  calm: 'All safe. 42 recordings, last one 4 minutes ago.',
  silent: '4 recordings need you. 1,806 of 1,810 safe.',
  seen: '40 of 42 safe, 2 dismissed.',
  paused: 'Paused until you resume. 8 recordings wait on this PC.',
  offline:
    '/mnt/nas-02/outdoor: The folder cannot be found. The service cannot be reached. 8 recordings wait on this PC.',
  conditions:
    'The service rejects the API key: it is wrong or has been revoked. 8 recordings wait on this PC.',
  keyless: '',
  many: '1 needs your administrator, 1 needs support. 99,987 of 100,000 safe, 1 still recording, 1 dismissed, 9 uploading, done about 08:55.',
  refused: '10,000 recordings need your administrator. 10,000 of 20,000 safe.',
  empty: 'Ready. Waiting for the first recording.',
  'first-run': 'Sluice is not set up yet.',
  damaged: 'All safe. 42 recordings, last one 4 minutes ago.',
  short:
    '/data will be full about 09:00. 106 of 122 safe, 1 still recording, 15 uploading, 39.8 GB not done by 09:00.',
}

describe('the situations of the pictures', () => {
  it.each(scenes)('%s has the headline that the program makes of it', (scene) => {
    expect(told(scene).station.headline).toBe(headlines[scene])
  })
})
