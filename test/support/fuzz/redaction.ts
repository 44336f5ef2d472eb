import fc from 'fast-check'
import { createScrub } from '../../../main/agent/service/scrub.ts'
import { createRedact, redactJson } from '../../../shared/redaction/redact.ts'
import type { FuzzTarget } from './fuzz-target.ts'
import { hostileText } from './hostile-input.ts'

type PlantedSecret = { readonly secret: string; readonly text: string }

const alphanumerics = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
/** Long enough that no text contains the word by chance. */
const word = fc.string({ unit: fc.constantFrom(...alphanumerics), minLength: 16, maxLength: 32 })

const shapes: readonly ((secret: string) => string)[] = [
  (secret) => `svc_live_${secret}`,
  (secret) => `whsec_${secret}`,
  (secret) => `Authorization: Bearer ${secret}`,
  (secret) => `https://s.example/p/1?X-Amz-Signature=${secret}&partNumber=3`,
  (secret) => `http://user:${secret}@proxy.example:3128`,
  (secret) => JSON.stringify({ api_key: secret }),
  (secret) => `access_token=${secret}`,
]

/** A secret between hostile texts that may defeat the redaction. */
const plantedSecret: fc.Arbitrary<PlantedSecret> = fc
  .tuple(word, fc.constantFrom(...shapes), hostileText, hostileText)
  .map(([secret, shape, before, after]) => ({ secret, text: `${before} ${shape(secret)} ${after}` }))

export const redaction = (runs: number): FuzzTarget<PlantedSecret> => ({
  name: 'redaction: recognises a secret by its shape',
  runs,
  inputs: plantedSecret,
  check: ({ secret, text }) => {
    const redact = createRedact([])
    for (const shown of [redact(text), createScrub([])(text), redactJson({ message: text, list: [text] })])
      if (shown.includes(secret)) throw new Error('the secret is shown')
  },
})

export const redactionByValue = (runs: number): FuzzTarget<PlantedSecret> => ({
  name: 'redaction: recognises the known key by its value',
  runs,
  inputs: fc
    .tuple(word, hostileText, hostileText)
    .map(([secret, before, after]) => ({ secret, text: before + secret + after })),
  check: ({ secret, text }) => {
    const redact = createRedact([secret])
    for (const shown of [redact(text), createScrub([secret])(text), redactJson({ [text]: text }, redact)])
      if (shown.includes(secret)) throw new Error('the secret is shown')
  },
})
