import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AskUser, Question } from '../../../../../main/shell/calls/native-question.ts'
import { confirmKey, confirmRemovals } from '../../../../../main/shell/settings/confirm-removals.ts'
import { SettingsStore } from '../../../../../main/station-store/settings-store.ts'
import type { SettingsInput } from '../../../../../shared/settings/settings.ts'

const toSystemPath = (at: string): string => path.resolve(at)

type Rule = NonNullable<NonNullable<SettingsInput['folders']>[number]['after_upload']>
type Change = { readonly path?: string; readonly service?: string; readonly folder?: object }

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-consent-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const settingsWith = (
  after_upload: Rule,
  { path: at = toSystemPath('/rec'), service, folder: other }: Change = {},
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

const questionsFor = async (store: SettingsStore, input: unknown, isAgreed = true): Promise<Question[]> => {
  const questions: Question[] = []
  const ask: AskUser = async (question) => {
    questions.push(question)
    return isAgreed
  }
  await confirmRemovals(store, ask, input)
  return questions
}

const deleteRule: Rule = { action: 'delete', days: 7, keep_free_bytes: 1_000_000_000 }
const moveRule: Rule = { action: 'move', to: toSystemPath('/archive'), days: 7 }

describe('settings from the page', () => {
  test.each<[string, Rule, Rule, Change]>([
    ['delete for the first time', { action: 'keep' }, deleteRule, {}],
    ['move for the first time', { action: 'keep' }, moveRule, {}],
    ['delete instead of move', moveRule, deleteRule, {}],
    ['move instead of delete', deleteRule, moveRule, {}],
    ['delete sooner', deleteRule, { ...deleteRule, days: 6 }, {}],
    ['keep more space free', deleteRule, { ...deleteRule, keep_free_bytes: 2_000_000_000 }, {}],
    ['start to keep space free', moveRule, { ...moveRule, keep_free_bytes: 1 }, {}],
    ['move elsewhere', moveRule, { ...moveRule, to: toSystemPath('/elsewhere') }, {}],
    ['delete in a different folder', deleteRule, deleteRule, { path: toSystemPath('/home') }],
    ['delete different files', deleteRule, deleteRule, { folder: { include: ['**/*.txt'] } }],
    ['trust a different service', deleteRule, deleteRule, { service: 'https://evil.example' }],
  ])('cause a question if they %s, and the question names the folder', async (_, before, after, change) => {
    const store = storeWith(settingsWith(before))
    const nextInput = settingsWith(after, change)
    const [question, ...more] = await questionsFor(store, nextInput)
    expect(more).toEqual([])
    expect(question?.detail).toContain(change.path ?? toSystemPath('/rec'))
    expect(question?.confirmLabel).toMatch(after.action === 'delete' ? /^Delete/ : /^Move/)
    await expect(questionsFor(store, nextInput, false)).rejects.toThrow('Nothing was saved')
  })

  test.each<[string, Rule, Rule, Change]>([
    ['change nothing', deleteRule, deleteRule, {}],
    ['delete later', deleteRule, { ...deleteRule, days: 8 }, {}],
    ['keep less space free', deleteRule, { action: 'delete', days: 7 }, {}],
    ['keep the files', deleteRule, { action: 'keep' }, {}],
    ['change the name of the site', deleteRule, deleteRule, { folder: { site: 'Hall 4' } }],
    ['are invalid', deleteRule, deleteRule, { path: '' }],
  ])('cause no question if they %s', async (_, before, after, change) => {
    expect(await questionsFor(storeWith(settingsWith(before)), settingsWith(after, change))).toEqual([])
  })

  test('cause a second question if the rule changed while the first question was open', async () => {
    const store = storeWith(settingsWith(deleteRule))
    const nextSettings = {
      ...settingsWith(deleteRule),
      folders: [
        ...settingsWith(deleteRule).folders,
        ...settingsWith(deleteRule, { path: toSystemPath('/two') }).folders,
      ],
    }
    const questions: string[] = []
    await confirmRemovals(
      store,
      async ({ detail }) => {
        questions.push(detail)
        store.save(settingsWith({ action: 'keep' }))
        return true
      },
      nextSettings,
    )
    expect(questions).toHaveLength(2)
    expect(questions[0]).not.toContain(`${toSystemPath('/rec')}:`)
    expect(questions[1]).toContain(`${toSystemPath('/rec')}:`)
  })

  test('cause a question if they drop an inner folder, because the rule of the outer folder then applies to its files', async () => {
    const outer = { path: toSystemPath('/takes'), site: 'Hall 3', after_upload: deleteRule }
    const inner = { path: toSystemPath('/takes/keep'), site: 'Hall 3' }
    const { service } = settingsWith(deleteRule)
    const store = storeWith({ service, folders: [outer, inner] })
    const [question, ...more] = await questionsFor(store, { service, folders: [outer] })
    expect(more).toEqual([])
    expect(question?.detail).toContain(`${toSystemPath('/takes/keep')}: `)
    expect(question?.detail).not.toContain(`${toSystemPath('/takes')}: `)
    for (const folders of [[outer, inner], [inner]])
      expect(await questionsFor(store, { service, folders })).toEqual([])
    const sameRules = storeWith({ service, folders: [outer, { ...inner, after_upload: deleteRule }] })
    expect(await questionsFor(sameRules, { service, folders: [outer] })).toEqual([])
  })

  test('cause a question if a new proxy or certificate file could let a different server answer', async () => {
    const store = storeWith(settingsWith(deleteRule))
    const { service, folders } = settingsWith(deleteRule)
    const proxy = 'http://me:hush@evil.example:8080'
    const [byProxy] = await questionsFor(store, { service: { ...service, proxy }, folders })
    expect(byProxy?.detail).toContain(`${toSystemPath('/rec')}: `)
    expect(byProxy?.detail).toContain('evil.example:8080')
    expect(byProxy?.detail).not.toContain('hush')
    const [byFile] = await questionsFor(store, {
      service: { ...service, ca_file: toSystemPath('/tmp/ca.pem') },
      folders,
    })
    expect(byFile?.detail).toContain(toSystemPath('/tmp/ca.pem'))
  })

  test('cause several questions if they contain many folders, so that the questions name every folder', async () => {
    const paths = Array.from({ length: 12 }, (_, n) => toSystemPath(`/rec-${n}`))
    const { service } = settingsWith(deleteRule)
    const manyFolders = {
      service,
      folders: paths.map((at) => ({ path: at, site: 'Hall 3', after_upload: deleteRule })),
    }
    const store = storeWith({ service, folders: [] })
    const questions = await questionsFor(store, manyFolders)
    expect(questions).toHaveLength(2)
    expect(questions[0]?.detail).toContain('After this question, Sluice asks about 4 more folders.')
    const detail = questions.map((question) => question.detail).join('\n')
    expect(paths.filter((at) => !detail.includes(`${at}: `))).toEqual([])
  })
})

describe('a new key', () => {
  const questionsForKey = async (rule: Rule, before: string | null, nextInput: string, isAgreed = true) => {
    const questions: Question[] = []
    const ask: AskUser = async (question) => {
      questions.push(question)
      return isAgreed
    }
    await confirmKey(storeWith(settingsWith(rule)), ask, { before, next: nextInput })
    return questions
  }

  test('is saved only after the user has agreed to the removal rules that it activates', async () => {
    for (const before of [null, 'svc_test_a', 'svc_live_a']) {
      const [question, ...more] = await questionsForKey(deleteRule, before, 'svc_live_b')
      expect(more).toEqual([])
      expect(question?.detail).toContain(`${toSystemPath('/rec')}: `)
      expect(question?.detail).toContain('https://api.example.com')
    }
    await expect(questionsForKey(deleteRule, 'svc_test_a', 'svc_live_b', false)).rejects.toThrow(
      'The key was not saved',
    )
  })

  test('causes no question if it activates no removal: the same key, a test key, or rules that keep all files', async () => {
    expect(await questionsForKey(deleteRule, 'svc_live_a', 'svc_live_a')).toEqual([])
    expect(await questionsForKey(deleteRule, 'svc_live_a', 'svc_test_b')).toEqual([])
    expect(await questionsForKey({ action: 'keep' }, null, 'svc_live_b')).toEqual([])
  })
})
