import { z } from 'zod'

/** The licence of one shipped package, as listed by the build. */
const licenceSchema = z.object({
  name: z.string().min(1).max(214),
  version: z.string().max(256),
  /** An SPDX licence expression. */
  licence: z.string().max(1_000),
  /** The licence text in the package. Null if it has none. */
  text: z.string().nullable(),
})

export const licencesSchema = z.array(licenceSchema)

export type Licence = Readonly<z.infer<typeof licenceSchema>>
