import { Banner } from '../../components/Banner.tsx'
import type { Line } from './monitoring-draft.ts'

/** How it goes, read aloud when it changes. */
export function Lines({ lines }: { readonly lines: readonly Line[] }) {
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
