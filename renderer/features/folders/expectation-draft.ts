import {
  expectedChannelWords,
  NOT_CONSTANT_WORDS,
  type TakeExpectation,
} from '../../../shared/settings/take-expectation.ts'
import { parseTypedNumber } from '../../data/field-issues.ts'

/**
 * The text of the fields. A line of `channels` is, for example, "/camera/wrist, 25 Hz, 1 s, not constant". Only the
 * name is required.
 */
export type ExpectationDraft = {
  readonly format: TakeExpectation['format']
  readonly channels: string
  readonly minSeconds: string
  readonly maxSeconds: string
}

export const noExpectation: ExpectationDraft = {
  format: undefined,
  channels: '',
  minSeconds: '',
  maxSeconds: '',
}

const numberText = (value: number | undefined): string => (value === undefined ? '' : String(value))

export const expectationDraftOf = (expect: TakeExpectation | undefined): ExpectationDraft =>
  expect === undefined
    ? noExpectation
    : {
        format: expect.format,
        channels: expect.channels.map(expectedChannelWords).join('\n'),
        minSeconds: numberText(expect.min_seconds),
        maxSeconds: numberText(expect.max_seconds),
      }

const NUMBER = String.raw`[\d.]+`
const CHANNEL_LINE = new RegExp(
  `^(.*?)(?:,\\s*(${NUMBER})\\s*Hz)?(?:,\\s*(${NUMBER})\\s*s)?(?:,\\s*(${NOT_CONSTANT_WORDS}))?$`,
  'i',
)
/**
 * Matches a number without a known unit, such as ", 25 fps". As part of the name, the number would make the name match
 * no channel.
 */
const UNREAD_NUMBER = /,\s*[\d.]+\s*\w*$/

const readChannel = (line: string) => {
  const [, name = '', rate, gap, notConstant] = CHANNEL_LINE.exec(line.trim()) ?? []
  return {
    // The schema refuses an empty name, so the user sees an error.
    name: UNREAD_NUMBER.test(name) ? '' : name.trim(),
    ...(rate === undefined ? {} : { min_rate_hz: Number(rate) }),
    ...(gap === undefined ? {} : { max_gap_seconds: Number(gap) }),
    ...(notConstant === undefined ? {} : { not_constant: true }),
  }
}

/** Whether the fields still show the stored expectation, which may contain a format that the form does not show. */
export const isUnchanged = (draft: ExpectationDraft, stored: TakeExpectation): boolean => {
  const { format, channels, minSeconds, maxSeconds } = expectationDraftOf(stored)
  return (
    draft.format === format &&
    draft.channels === channels &&
    draft.minSeconds === minSeconds &&
    draft.maxSeconds === maxSeconds
  )
}

/**
 * Returns no expectation without channels and durations. Drops a format alone, because the form does not show it and
 * the user could not clear it.
 */
export const readExpectation = ({ format, channels, minSeconds, maxSeconds }: ExpectationDraft) => {
  const lines = channels.split('\n').filter((line) => line.trim() !== '')
  const min = parseTypedNumber(minSeconds)
  const max = parseTypedNumber(maxSeconds)
  if (lines.length === 0 && min === undefined && max === undefined) return {}
  return {
    expect: {
      ...(format === undefined ? {} : { format }),
      channels: lines.map(readChannel),
      ...(min === undefined ? {} : { min_seconds: min }),
      ...(max === undefined ? {} : { max_seconds: max }),
    },
  }
}
