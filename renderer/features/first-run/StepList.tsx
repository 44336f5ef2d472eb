import { Icon } from '../../components/Icon.tsx'

const steps = ['Service', 'Folder', 'Site'] as const

export function StepList({ step }: { readonly step: number }) {
  return (
    <ol className="steps" aria-label="Steps">
      {steps.map((word, index) => (
        <li
          key={word}
          className={index < step ? 'step step-done' : 'step'}
          aria-current={index === step ? 'step' : undefined}
        >
          <span className="step-number">{index < step ? <Icon name="check" size={12} /> : index + 1}</span>
          <span>
            {word}
            {index < step && <span className="visually-hidden"> (done)</span>}
          </span>
        </li>
      ))}
    </ol>
  )
}
