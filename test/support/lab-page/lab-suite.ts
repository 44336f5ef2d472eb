import { afterAll, beforeAll, expect, test } from 'vitest'
import { revokeKey } from '../../../server/cli/organisations.ts'
import { createIdMaker, systemRandom } from '../../../server/ids.ts'
import { audit } from '../../../server/store/audit.ts'
import { meta } from '../../../server/store/meta.ts'
import { sessions } from '../../../server/store/sessions.ts'
import type { Steps } from '../../../server/store/steps.ts'
import { expectError, patterned, sha256 } from '../../contract/service.ts'
import { type LabBackEnd, LabService } from './lab-service.ts'

const recording = patterned(2_500)

/** The promises of the page's routes. They hold on every back end. */
export const testLabRoutes = (openBackEnd: () => Promise<LabBackEnd>): void => {
  let lab: LabService
  let id: string
  beforeAll(async () => {
    lab = await LabService.start(await openBackEnd())
    id = await lab.upload(recording, {
      site: 'Hall 1',
      device: 'arm-left',
      filename: 'Lauf "ä"; x=1.bin',
      notes: 'After 100% calibration',
    })
    await lab.upload(patterned(1_500), { site: 'Hall 2', filename: 'other_run.bin' })
  })
  afterAll(() => lab.close())

  const linkOf = async (sessionId = id, key = lab.keys.read): Promise<string> => {
    const answer = await lab.call('GET', `/page/sessions/${sessionId}/download`, key)
    expect(answer.status, answer.text).toBe(200)
    return (answer.json() as { url: string }).url
  }
  const download = async (link: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') => {
    const answer = await fetch(`${lab.baseUrl}${link}`, { method, headers })
    return {
      status: answer.status,
      headers: answer.headers,
      body: Buffer.from(await answer.arrayBuffer()),
    }
  }
  const search = async (query: Readonly<Record<string, string>>) => {
    const answer = await lab.call('GET', `/page/sessions?${new URLSearchParams(query)}`)
    return answer.json() as {
      data: { filename: string }[]
      has_more: boolean
      next_cursor?: string
      searched_to?: string
    }
  }

  test('a signed link downloads the original, whole and in ranges across parts', async () => {
    const link = await linkOf()
    const whole = await download(link)
    expect([whole.status, sha256(whole.body)]).toEqual([200, sha256(recording)])
    expect(whole.headers.get('accept-ranges')).toBe('bytes')
    const ranges = [
      ['bytes=0-0', 0, 1],
      ['bytes=900-2099', 900, 2_100],
      ['bytes=1000-1999', 1_000, 2_000],
      ['bytes=2400-', 2_400, 2_500],
      ['bytes=-100', 2_400, 2_500],
      ['bytes=2000-99999', 2_000, 2_500],
    ] as const
    for (const [range, start, end] of ranges) {
      const part = await download(link, { range })
      expect([part.status, part.headers.get('content-range')], range).toEqual([
        206,
        `bytes ${start}-${end - 1}/2500`,
      ])
      expect(part.body.equals(recording.subarray(start, end)), range).toBe(true)
    }
    const beyond = await download(link, { range: 'bytes=2500-' })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */2500'])
  })

  test('a browser resumes a download only if the file is the same', async () => {
    const link = await linkOf()
    const head = await download(link, {}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), head.body.length]).toEqual([200, '2500', 0])
    const resume = (etag: string) => download(link, { range: 'bytes=2000-', 'if-range': etag })
    expect((await resume(head.headers.get('etag')!)).status).toBe(206)
    expect((await resume('"different"')).status).toBe(200)
  })

  test('a download is an attachment that cannot run as a page', async () => {
    const { headers } = await download(await linkOf())
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="Lauf ____ x_1.bin"; filename*=UTF-8''Lauf%20%22%C3%A4%22%3B%20x%3D1.bin`,
    )
    expect(headers.get('content-type')).toBe('application/octet-stream')
    expect(headers.get('content-security-policy')).toContain('sandbox')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('an empty recording downloads as an empty file', async () => {
    const emptyId = await lab.upload(Buffer.alloc(0), { site: 'Hall 2', filename: 'empty.bin' })
    const answer = await download(await linkOf(emptyId))
    expect([answer.status, answer.body.length]).toEqual([200, 0])
    expect((await lab.call('DELETE', `/v1/sessions/${emptyId}`, lab.keys.write)).status).toBe(200)
  })

  test('refuses a link that was changed in any way', async () => {
    const link = await linkOf()
    const { data } = await search({ search: 'other_run' })
    const otherId = (data[0] as unknown as { id: string }).id
    const lastDigit = link.endsWith('0') ? '1' : '0'
    const forgedLinks = [
      link.replace(id, otherId),
      link.replace(/expires=\d+/, 'expires=99999999999'),
      link.replace(/key=key_\w+/, 'key=key_0'),
      link.replace('&epoch=0', '&epoch=1'),
      `${link.slice(0, -1)}${lastDigit}`,
      `${link}&extra=1`,
      link.replace(/&signature=.*/, ''),
      `/page/downloads/${id}`,
    ]
    for (const forged of forgedLinks)
      expectError(await lab.call('GET', forged, null), 403, 'permission', 'link_invalid')
  })

  test('a link expires after its time, when the URL epoch is raised, and when its key is revoked', async () => {
    const link = await linkOf()
    lab.clock.setOffsetMs(3_601_000)
    expectError(await lab.call('GET', link, null), 403, 'permission', 'link_expired')
    lab.clock.setOffsetMs(0)
    expect((await lab.call('GET', link, null)).status).toBe(200)
    await lab.store.write(() => meta.raiseUrlEpoch())
    expectError(await lab.call('GET', link, null), 403, 'permission', 'link_expired')
    const newLink = await linkOf(id, lab.keys.spare)
    expect((await lab.call('GET', newLink, null)).status).toBe(200)
    const context = {
      store: lab.store,
      makeId: createIdMaker(systemRandom),
      random: systemRandom,
      now: Date.now,
      actor: 'operator:test',
    }
    await revokeKey(context, lab.keyIds.spare)
    expectError(await lab.call('GET', newLink, null), 403, 'permission', 'link_expired')
  })

  test('a link of a deleted session answers 404, and an incomplete upload has no link', async () => {
    const deletedId = await lab.upload(patterned(1_200, 3), { site: 'Hall 2', filename: 'deleted.bin' })
    const link = await linkOf(deletedId)
    await lab.call('DELETE', `/v1/sessions/${deletedId}`, lab.keys.write)
    expectError(await lab.call('GET', link, null), 404, 'not_found', 'session_not_found')
    const { id: openId } = await lab.create(patterned(1_100, 4), { site: 'Hall 2' })
    const answer = await lab.call('GET', `/page/sessions/${openId}/download`)
    expectError(answer, 409, 'conflict', 'session_not_complete')
    await lab.call('DELETE', `/v1/sessions/${openId}`, lab.keys.write)
  })

  test('every route except a signed link needs a key, and shows only the organisation of this key', async () => {
    const routes = ['/page/account', '/page/stations', '/page/sessions?search=run', `/page/sessions/${id}`]
    for (const route of [...routes, `/page/sessions/${id}/download`])
      expectError(await lab.call('GET', route, null), 401, 'authentication', 'key_missing')
    for (const route of [`/page/sessions/${id}`, `/page/sessions/${id}/download`])
      expectError(await lab.call('GET', route, lab.keys.other), 403, 'permission', 'other_organisation')
    expect((await lab.call('GET', '/page/account', lab.keys.other)).json()).toMatchObject({
      organisation: 'Other lab',
      used: { bytes: 0, sessions: 0 },
    })
    for (const route of ['/page/stations', '/page/sessions?search=run'])
      expect((await lab.call('GET', route, lab.keys.other)).json()).toMatchObject({
        data: [],
        has_more: false,
      })
  })

  test('a search covers name, device, notes and ID, and works together with the filters of the list', async () => {
    const namesOf = async (query: Readonly<Record<string, string>>) =>
      (await search(query)).data.map(({ filename }) => filename)
    expect(await namesOf({ search: 'OTHER_run' })).toEqual(['other_run.bin'])
    expect(await namesOf({ search: 'Arm-Left' })).toEqual(['Lauf "ä"; x=1.bin'])
    expect(await namesOf({ search: '100% cal' })).toEqual(['Lauf "ä"; x=1.bin'])
    expect(await namesOf({ search: id })).toEqual(['Lauf "ä"; x=1.bin'])
    expect(await namesOf({ search: '.bin' })).toEqual(['other_run.bin', 'Lauf "ä"; x=1.bin'])
    expect(await namesOf({ search: '.bin', site: 'Hall 1' })).toEqual(['Lauf "ä"; x=1.bin'])
    expect(await namesOf({ search: '.bin', status: 'failed' })).toEqual([])
    // `%` and `_` are not wildcards in a search.
    expect(await namesOf({ search: 'other%run' })).toEqual([])
    expect(await namesOf({ search: 'otherxrun' })).toEqual([])
    expect(await namesOf({ search: "'; DROP TABLE sessions; --" })).toEqual([])
    for (const text of ['', 'x'.repeat(201), 'a\0b'])
      expectError(
        await lab.call('GET', `/page/sessions?${new URLSearchParams({ search: text })}`),
        400,
        'invalid_request',
        'parameter_invalid',
      )
  })

  test('a search reads a limited number of sessions per request, and its pages together contain every match', async () => {
    const createdAt = lab.clock.now()
    // Several transactions: PostgreSQL is slow if one transaction changes a counter thousands of times.
    const inBatches = async (change: (n: number) => Steps<unknown>) => {
      for (let first = 0; first < 5_200; first += 100)
        await lab.store.write(function* () {
          for (let n = first; n < first + 100; n += 1) yield* change(n)
        })
    }
    const idOf = (n: number) => `ses_many${String(n).padStart(5, '0')}`
    await inBatches((n) =>
      sessions.insert({
        id: idOf(n),
        org_id: lab.orgId,
        site: 'Archive',
        device: null,
        filename: n % 2_000 === 7 ? `needle-${n}.bin` : `straw-${n}.bin`,
        bytes: 1,
        sha256: '',
        part_size: 1_000,
        notes: null,
        created_at: createdAt + n,
      }),
    )
    const found: string[] = []
    let pages = 0
    let cursor: string | undefined
    do {
      const query = { search: 'needle', limit: '2' }
      const page = await search(cursor === undefined ? query : { ...query, cursor })
      found.push(...page.data.map(({ filename }) => filename))
      expect(page.searched_to !== undefined || page.data.length === 2 || !page.has_more).toBe(true)
      cursor = page.next_cursor
      pages += 1
    } while (cursor !== undefined)
    expect(found).toEqual(['needle-4007.bin', 'needle-2007.bin', 'needle-7.bin'])
    expect(pages).toBe(2)
    const stations = (await lab.call('GET', '/page/stations')).json() as { data: { site: string }[] }
    expect(stations.data[0]).toMatchObject({ site: 'Archive', sessions: 5_200, bytes: 5_200 })
    await inBatches((n) => sessions.remove(idOf(n)))
  })

  test('lists the stations with their last upload, but no station without sessions', async () => {
    const listed = async () =>
      (
        (await lab.call('GET', '/page/stations')).json() as {
          data: { site: string; last_upload_at?: string }[]
        }
      ).data
    const { id: openId } = await lab.create(patterned(1_100, 5), { site: 'Yard', device: 'rover' })
    const before = await listed()
    expect(before.map(({ site }) => site).sort()).toEqual(['Hall 1', 'Hall 2', 'Yard'])
    expect(before[0]).toEqual({
      site: 'Yard',
      device: 'rover',
      sessions: 1,
      bytes: 1_100,
      last_session_at: expect.any(String),
    })
    expect(before.find(({ site }) => site === 'Hall 1')?.last_upload_at).toEqual(expect.any(String))
    await lab.call('DELETE', `/v1/sessions/${openId}`, lab.keys.write)
    expect((await listed()).map(({ site }) => site).sort()).toEqual(['Hall 1', 'Hall 2'])
    expect((await lab.call('GET', '/page/account')).json()).toEqual({
      organisation: 'Robotics lab',
      key: { name: 'office', can_write: false },
      used: { bytes: 4_000, sessions: 2 },
      limit: { bytes: null, sessions: null },
    })
  })

  test('shows a session and how many of its parts have arrived, but no URL of a part', async () => {
    const details = (await lab.call('GET', `/page/sessions/${id}`)).json()
    expect(details).toMatchObject({
      id,
      status: 'processed',
      notes: 'After 100% calibration',
      uploaded_at: expect.any(String),
      parts: { total: 3, received: 3, received_bytes: 2_500 },
    })
    const { id: openId } = await lab.create(patterned(2_500, 6), { site: 'Hall 2' })
    const open = await lab.call('GET', `/page/sessions/${openId}`)
    expect(open.json()).toMatchObject({ parts: { total: 3, received: 0, received_bytes: 0 } })
    expect(open.text).not.toContain('X-Amz-Signature')
    await lab.call('DELETE', `/v1/sessions/${openId}`, lab.keys.write)
  })

  test('the audit log names the key that requested a download link, and the server log contains no signature and no key', async () => {
    await download(await linkOf())
    const entries = await lab.store.read(audit.page({ orgId: lab.orgId, afterSeq: 0, limit: 10_000 }))
    expect(entries).toContainEqual(
      expect.objectContaining({ action: 'session.download', object: id, actor: lab.keyIds.read }),
    )
    const log = lab.log.join('\n')
    expect(log).toContain(`GET /page/downloads/${id} 200`)
    expect(log).not.toContain('signature=')
    expect(log).not.toContain(lab.keys.read)
  })
}
