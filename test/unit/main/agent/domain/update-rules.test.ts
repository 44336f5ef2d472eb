import { expect, test } from 'vitest'
import { compareVersions, ringPlaceOf } from '../../../../../main/agent/domain/update-rules.ts'

test('versions are ordered as semver.org says', () => {
  const ordered = [
    '0.9.9',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
    '1.2.0',
    '1.10.0',
    '2.0.0',
  ]
  for (const [index, version] of ordered.entries())
    for (const [otherIndex, other] of ordered.entries())
      expect(compareVersions(version, other), `${version} ${other}`).toBe(Math.sign(index - otherIndex))
})

test('the places of stations in a gradual rollout are spread evenly and ignore the case of names', () => {
  expect(ringPlaceOf('HALL-3')).toBe(ringPlaceOf('hall-3'))
  const places = Array.from({ length: 1_000 }, (_, index) => ringPlaceOf(`station-${index}`))
  expect(places.every((place) => place >= 0 && place < 100)).toBe(true)
  for (const percent of [10, 25, 50, 90]) {
    const share = places.filter((place) => place < percent).length / 10
    expect(Math.abs(share - percent)).toBeLessThan(5)
  }
})
