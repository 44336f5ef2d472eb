import { noBreakFact } from './no-break-units.ts'

/** Facts joined with " · ". At a line break, the dot is hidden. */
export function FactLine({ facts, className = '' }: { readonly facts: string; readonly className?: string }) {
  return (
    <p className={`fact-line quiet ${className}`}>
      {facts.split(' · ').map((fact, index) => (
        <span key={fact} className="fact-item">
          {index > 0 && <span className="fact-dot"> · </span>}
          {noBreakFact(fact)}
        </span>
      ))}
    </p>
  )
}
