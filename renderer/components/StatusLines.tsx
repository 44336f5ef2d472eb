import type { Tone } from '../../shared/words/words.ts'
import { Banner } from './Banner.tsx'

export type StatusLine = { readonly tone: Tone; readonly sentence: string }

/** Status messages. Screen readers announce each change. */
export function StatusLines({ lines }: { readonly lines: readonly StatusLine[] }) {
  return (
    <div role="status" className="stack">
      {lines.map(({ tone, sentence }) => (
        <Banner key={sentence} tone={tone}>
          {sentence}
        </Banner>
      ))}
    </div>
  )
}
