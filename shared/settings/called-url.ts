import { z } from 'zod'
import { isLoopback } from './loopback.ts'

const MAX_URL_LENGTH = 2_000

/** A URL that Sluice or the service calls: https, except on this PC, and without a password. */
export const calledUrlSchema = (emptyMessage: string) =>
  z
    .string()
    .trim()
    .superRefine((value, context) => {
      const fail = (message: string) => context.addIssue({ code: 'custom', message })
      if (value === '') return fail(emptyMessage)
      if (value.length > MAX_URL_LENGTH) return fail('this is too long for a URL')
      if (!/^https?:\/\//i.test(value)) return fail('start the URL with https://')
      if (!URL.canParse(value)) return fail('this is not a valid URL')
      const url = new URL(value)
      if (url.protocol === 'http:' && !isLoopback(url.hostname))
        return fail('use https://; http:// works only for a URL on this PC')
      if (url.username !== '' || url.password !== '') return fail('leave user name and password out')
      if (url.hash !== '') return fail('leave out the part after #')
    })
