import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AskUser, Question } from '../../../../../main/shell/calls/native-question.ts'
import { confirmKey, confirmRemovals } from '../../../../../main/shell/settings/confirm-removals.ts'
import { SettingsStore } from '../../../../../main/station-store/settings-store.ts'
import type { SettingsInput } from '../../../../../shared/settings/settings.ts'

/** The path as this system writes it. */
const full = (at: string): string => path.resolve(at)

/** A user confirms settings of the page that would remove more files than before. */

type Rule = NonNullable<NonNullable<SettingsInput['folders']>[number]['after_upload']>
type Change = { readonly path?: string; readonly service?: string; readonly folder?: object }

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-consent-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const settingsWith = (
  after_upload: Rule,
  { path: at = full('/rec'), service, folder: other }: Change = {},
) => ({
  service: { base_url: service ?? 'https://api.example.com' },
  folders: [{ path: at, site: 'Hall 3', after_upload, ...other }],
})

const storeWith = (settings: unknown): SettingsStore => {
  const store = new SettingsStore(folder, { refusal: () => null })
  store.load()
  expect(store.save(settings)).toEqual({ ok: true })
  return store
}

const questionsFor = async (store: SettingsStore, input: unknown, agree = true): Promise<Question[]> => {
  const asked: Question[] = []
  const ask: AskUser = async (question) => {
    asked.push(question)
    return agree
  }
  await confirmRemovals(store, ask, input)
  return asked
}

const gone: Rule = { action: 'delete', days: 7, keep_free_bytes: 1_000_000_000 }
const moved: Rule = { action: 'move', to: full('/archive'), days: 7 }

describe('settings from the page', () => {
  test.each<[string, Rule, Rule, Change]>([
    ['delete for the first time', { action: 'keep' }, gone, {}],
    ['move for the first time', { action: 'keep' }, moved, {}],
    ['delete instead of move', moved, gone, {}],
    ['move instead of delete', gone, moved, {}],
    ['delete sooner', gone, { ...gone, days: 6 }, {}],
    ['keep more free', gone, { ...gone, keep_free_bytes: 2_000_000_000 }, {}],
    ['keep some free', moved, { ...moved, keep_free_bytes: 1 }, {}],
    ['move elsewhere', moved, { ...moved, to: full('/elsewhere') }, {}],
    ['delete in a different folder', gone, gone, { path: full('/home') }],
    ['delete other files', gone, gone, { folder: { include: ['**/*.txt'] } }],
    ['trust a different service', gone, gone, { service: 'https://evil.example' }],
  ])('ask the user if they %s, and name the folder', async (_what, before, after, change) => {
    const store = storeWith(settingsWith(before))
    const next = settingsWith(after, change)
    const [question, ...more] = await questionsFor(store, next)
    expect(more).toEqual([])
    expect(question?.detail).toContain(change.path ?? full('/rec'))
    expect(question?.confirmLabel).toMatch(after.action === 'delete' ? /^Delete/ : /^Move/)
    await expect(questionsFor(store, next, false)).rejects.toThrow('Nothing was saved')
  })

  test.each<[string, Rule, Rule, Change]>([
    ['change nothing', gone, gone, {}],
    ['delete later', gone, { ...gone, days: 8 }, {}],
    ['keep less free', gone, { action: 'delete', days: 7 }, {}],
    ['keep the files', gone, { action: 'keep' }, {}],
    ['change the name of the site', gone, gone, { folder: { site: 'Hall 4' } }],
    ['cannot be read', gone, gone, { path: '' }],
  ])('do not ask if they %s', async (_what, before, after, change) => {
    expect(await questionsFor(storeWith(settingsWith(before)), settingsWith(after, change))).toEqual([])
  })

  test('ask again if the rule changed while the question was open', async () => {
    const store = storeWith(settingsWith(gone))
    const wanted = {
      ...settingsWith(gone),
      folders: [...settingsWith(gone).folders, ...settingsWith(gone, { path: full('/two') }).folders],
    }
    const asked: string[] = []
    await confirmRemovals(
      store,
      async ({ detail }) => {
        asked.push(detail)
        store.save(settingsWith({ action: 'keep' }))
        return true
      },
      wanted,
    )
    expect(asked).toHaveLength(2)
    expect(asked[0]).not.toContain(`${full('/rec')}:`)
    expect(asked[1]).toContain(`${full('/rec')}:`)
  })

  test('ask when the removal of an inner folder puts its files under the rule of the outer folder', async () => {
    const outer = { path: full('/takes'), site: 'Hall 3', after_upload: gone }
    const inner = { path: full('/takes/keep'), site: 'Hall 3' }
    const { service } = settingsWith(gone)
    const store = storeWith({ service, folders: [outer, inner] })
    const [question, ...more] = await questionsFor(store, { service, folders: [outer] })
    expect(more).toEqual([])
    expect(question?.detail).toContain(`${full('/takes/keep')}: `)
    expect(question?.detail).not.toContain(`${full('/takes')}: `)
    for (const folders of [[outer, inner], [inner]])
      expect(await questionsFor(store, { service, folders })).toEqual([])
    const sameRules = storeWith({ service, folders: [outer, { ...inner, after_upload: gone }] })
    expect(await questionsFor(sameRules, { service, folders: [outer] })).toEqual([])
  })

  test('ask when a new proxy or certificate file could let a different server answer', async () => {
    const store = storeWith(settingsWith(gone))
    const { service, folders } = settingsWith(gone)
    const proxy = 'http://me:hush@evil.example:8080'
    const [byProxy] = await questionsFor(store, { service: { ...service, proxy }, folders })
    expect(byProxy?.detail).toContain(`${full('/rec')}: `)
    expect(byProxy?.detail).toContain('evil.example:8080')
    expect(byProxy?.detail).not.toContain('hush')
    const [byFile] = await questionsFor(store, {
      service: { ...service, ca_file: full('/tmp/ca.pem') },
      folders,
    })
    expect(byFile?.detail).toContain(full('/tmp/ca.pem'))
  })

  test('name every folder, in several questions if there are many', async () => {
    const paths = Array.from({ length: 12 }, (_, n) => full(`/rec-${n}`))
    const { service } = settingsWith(gone)
    const many = { service, folders: paths.map((at) => ({ path: at, site: 'Hall 3', after_upload: gone })) }
    const store = storeWith({ service, folders: [] })
    const asked = await questionsFor(store, many)
    expect(asked).toHaveLength(2)
    expect(asked[0]?.detail).toContain('The next question names 4 more folders.')
    const detail = asked.map((question) => question.detail).join('\n')
    expect(paths.filter((at) => !detail.includes(`${at}: `))).toEqual([])
  })
})

describe('a new key', () => {
  const questions = async (rule: Rule, before: string | null, next: string, agree = true) => {
    const asked: Question[] = []
    const ask: AskUser = async (question) => {
      asked.push(question)
      return agree
    }
    await confirmKey(storeWith(settingsWith(rule)), ask, { before, next })
    return asked
  }

  test('is saved only after the user has agreed to the removal rules that it activates', async () => {
    for (const before of [null, 'svc_test_a', 'svc_live_a']) {
      const [question, ...more] = await questions(gone, before, 'svc_live_b')
      expect(more).toEqual([])
      expect(question?.detail).toContain(`${full('/rec')}: `)
      expect(question?.detail).toContain('https://api.example.com')
    }
    await expect(questions(gone, 'svc_test_a', 'svc_live_b', false)).rejects.toThrow('The key was not saved')
  })

  test('asks nothing if it removes nothing: the same key, a test key, or rules that keep', async () => {
    expect(await questions(gone, 'svc_live_a', 'svc_live_a')).toEqual([])
    expect(await questions(gone, 'svc_live_a', 'svc_test_b')).toEqual([])
    expect(await questions({ action: 'keep' }, null, 'svc_live_b')).toEqual([])
  })
})
