import { z } from 'zod'

/** Of one package that is shipped, as the build lists it. */
const licenceSchema = z.object({
  name: z.string().min(1).max(214),
  version: z.string().max(256),
  /** SPDX. */
  licence: z.string().max(1_000),
  /** As the package carries it, or null where it carries none. */
  text: z.string().nullable(),
})

export const licencesSchema = z.array(licenceSchema)

export type Licence = Readonly<z.infer<typeof licenceSchema>>
