/** The text format of Prometheus, version 0.0.4. */

export type Labels = Readonly<Record<string, string>>
export type Sample = { readonly labels?: Labels; readonly value: number }

export type Family = {
  readonly name: string
  readonly type: 'gauge' | 'counter'
  readonly help: string
  readonly samples: readonly Sample[]
}

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

/** The format is UTF-8, which cannot encode the lone surrogates that a path may contain. */
const escapeValue = (text: string): string => escapeHelp(text.toWellFormed()).replaceAll('"', '\\"')

const labelsOf = (labels: Labels): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeValue(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const linesOf = (name: string, samples: readonly Sample[], common: Labels): readonly string[] => {
  const values = new Map<string, number>()
  // A receiver may reject the whole answer if a series occurs twice, so keep only the first value.
  for (const { labels, value } of samples) {
    const series = `${name}${labelsOf({ ...common, ...labels })}`
    if (!values.has(series) && !Number.isNaN(value)) values.set(series, value)
  }
  return [...values].map(([series, value]) => `${series} ${value}`)
}

/** Adds the `common` labels to every sample. Omits a family without samples: its value is unknown, not 0. */
export const formatExposition = (families: readonly Family[], common: Labels): string =>
  families
    .map(({ name, type, help, samples }) => {
      const lines = linesOf(name, samples, common)
      return lines.length === 0
        ? ''
        : [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
    })
    .join('')
