import { z } from 'zod'
import { recordingFormats } from '../status/inspection.ts'

const NAME_MESSAGE = 'give the name of a channel, such as /camera/wrist or /camera/*'
const positive = z.number('type a number').positive().max(1e9)

const expectedChannel = z.strictObject({
  /** `*` stands for any characters, including slashes. */
  name: z.string().trim().regex(/./, NAME_MESSAGE).max(256),
  min_rate_hz: positive.optional(),
  max_gap_seconds: positive.optional(),
  /** Reports a black or constant picture and silent sound, if Sluice can check the content of the channel. */
  not_constant: z.boolean().optional(),
})

/** The content that every recording of a folder should have. Sluice reports a deviation. */
export const takeExpectationSchema = z
  .strictObject({
    /** Sluice checks only recordings of this format. Default: every format that it can inspect. */
    format: z.enum(recordingFormats).exclude(['other']).optional(),
    channels: z.array(expectedChannel).max(200).default([]),
    min_seconds: positive.optional(),
    max_seconds: positive.optional(),
  })
  .superRefine(({ channels, min_seconds, max_seconds }, context) => {
    if (min_seconds !== undefined && max_seconds !== undefined && min_seconds > max_seconds)
      context.addIssue({
        code: 'custom',
        path: ['max_seconds'],
        message: `use ${min_seconds} or more: max_seconds must not be below min_seconds`,
      })
    channels.forEach(({ name }, index) => {
      const firstIndex = channels.findIndex((channel) => channel.name === name)
      if (firstIndex !== index)
        context.addIssue({
          code: 'custom',
          path: ['channels', index, 'name'],
          message: `${name} is listed twice: remove one of them`,
        })
    })
  })

export type TakeExpectation = z.output<typeof takeExpectationSchema>
export type ExpectedChannel = TakeExpectation['channels'][number]

export const NOT_CONSTANT_WORDS = 'not constant'

/** "/camera/wrist, 25 Hz, 1 s, not constant": a channel with its lowest rate and longest gap, as in the dialog. */
export const expectedChannelWords = ({
  name,
  min_rate_hz,
  max_gap_seconds,
  not_constant,
}: ExpectedChannel): string =>
  [
    name,
    ...(min_rate_hz === undefined ? [] : [`${min_rate_hz} Hz`]),
    ...(max_gap_seconds === undefined ? [] : [`${max_gap_seconds} s`]),
    ...(not_constant === true ? [NOT_CONSTANT_WORDS] : []),
  ].join(', ')

/** "format mcap; /imu, 90 Hz, 1 s; at least 10 s; at most 60 s". */
export const expectationWords = ({ format, channels, min_seconds, max_seconds }: TakeExpectation): string =>
  [
    ...(format === undefined ? [] : [`format ${format}`]),
    ...channels.map(expectedChannelWords),
    ...(min_seconds === undefined ? [] : [`at least ${min_seconds} s`]),
    ...(max_seconds === undefined ? [] : [`at most ${max_seconds} s`]),
  ].join('; ') || 'only that the file is complete'
