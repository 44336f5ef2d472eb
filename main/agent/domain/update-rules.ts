import type { UpdateSettings } from '../../../shared/settings/settings.ts'

/** The rules for updates: which release of a feed a station takes. */

export type Release = {
  readonly channel: string
  readonly version: string
  /** `system` is a value of `process.platform`, and `machine` is a value of `process.arch`. */
  readonly system: string
  readonly machine: string
  readonly file: string
  readonly sizeBytes: number
  readonly sha256: string
  readonly releasedAt: string
}

export type FeedIndex = {
  /** Increases with each publication. A station refuses an older index than it has seen. */
  readonly sequence: number
  readonly expiresAtMs: number
  readonly releases: readonly Release[]
}

const compareNumbers = (one: number, other: number): number => Math.sign(one - other)

/**
 * Compares two identifiers of pre-release labels, such as `rc` and `1`. Numbers sort before words. Undefined means that
 * the label has ended, and the shorter label sorts first.
 */
const compareIdentifiers = (one: string | undefined, other: string | undefined): number => {
  if (one === other) return 0
  if (one === undefined) return -1
  if (other === undefined) return 1
  const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)]
  if (isNumber && isOtherNumber) return compareNumbers(Number(one), Number(other))
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1
  return one < other ? -1 : 1
}

/** Compares by the rules of semver.org: 1.0.0-rc.1 is older than 1.0.0. */
export const compareVersions = (one: string, other: string): number => {
  const [[numbers, labels], [otherNumbers, otherLabels]] = [split(one), split(other)]
  for (const position of [0, 1, 2]) {
    const order = compareNumbers(numbers[position] ?? 0, otherNumbers[position] ?? 0)
    if (order !== 0) return order
  }
  if (labels.length === 0 || otherLabels.length === 0)
    return compareNumbers(otherLabels.length, labels.length)
  for (let position = 0; position < Math.max(labels.length, otherLabels.length); position += 1) {
    const order = compareIdentifiers(labels[position], otherLabels[position])
    if (order !== 0) return order
  }
  return 0
}

const split = (version: string): readonly [readonly number[], readonly string[]] => {
  const [withoutBuild = ''] = version.split('+', 1)
  const dash = withoutBuild.indexOf('-')
  const [core, labels] =
    dash === -1 ? [withoutBuild, ''] : [withoutBuild.slice(0, dash), withoutBuild.slice(dash + 1)]
  return [core.split('.').map(Number), labels === '' ? [] : labels.split('.')]
}

const RING_STEPS = 10_000

/**
 * The place of the station in every rollout, from 0 to just below 100. It is a hash of the host name, so it never
 * changes: a station among the first 10 percent is also among the first 20 percent.
 */
export const ringPlaceOf = (hostName: string): number => {
  let hash = 0x811c9dc5
  for (const character of hostName.toLowerCase()) {
    hash ^= character.codePointAt(0) ?? 0
    hash = Math.imul(hash, 0x01000193) >>> 0
  }
  // FNV-1a mixes the last characters only into the low bits, and host names often differ only in their last digit. So
  // mix all bits.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0
  hash = (hash ^ (hash >>> 13)) >>> 0
  return ((hash % RING_STEPS) * 100) / RING_STEPS
}

/** The settings that decide which version the station takes. */
export type ReleaseRules = Pick<UpdateSettings, 'channel' | 'version' | 'percent'>

export type ThisProgram = {
  readonly version: string
  readonly system: string
  readonly machine: string
  readonly hostName: string
}

export type ReleaseChoice =
  /** The feed has nothing newer for this station. */
  | { readonly kind: 'none' }
  /** A newer version exists, but its rollout has not reached this station. */
  | { readonly kind: 'later'; readonly version: string }
  /** The station should have an older version. Sluice never goes back by itself. */
  | { readonly kind: 'older'; readonly version: string }
  | { readonly kind: 'newer'; readonly release: Release }

export const chooseRelease = (
  releases: readonly Release[],
  rules: ReleaseRules,
  program: ThisProgram,
): ReleaseChoice => {
  const [best] = releases
    .filter(({ system, machine }) => system === program.system && machine === program.machine)
    .filter(({ channel }) => channel === rules.channel)
    .filter(({ version }) => rules.version === undefined || version === rules.version)
    .toSorted((one, other) => compareVersions(other.version, one.version))
  if (best === undefined) return { kind: 'none' }
  const order = compareVersions(best.version, program.version)
  if (order < 0) return { kind: 'older', version: best.version }
  if (order === 0) return { kind: 'none' }
  if (ringPlaceOf(program.hostName) >= rules.percent) return { kind: 'later', version: best.version }
  return { kind: 'newer', release: best }
}
