import { Icon } from '../../components/Icon.tsx'

const steps = ['Service', 'Folder', 'Site'] as const

type Props = { readonly step: number; readonly isKeyTested: boolean }

/** The first step gets no tick if the key was not tested. */
export function StepList({ step, isKeyTested }: Props) {
  const stateOf = (index: number): 'open' | 'done' | 'untested' => {
    if (index >= step) return 'open'
    return index === 0 && !isKeyTested ? 'untested' : 'done'
  }
  return (
    <ol className="steps" aria-label="Steps">
      {steps.map((word, index) => {
        const state = stateOf(index)
        return (
          <li key={word} className={`step step-${state}`} aria-current={index === step ? 'step' : undefined}>
            <span className="step-number">
              {state === 'done' ? <Icon name="check" size={12} /> : index + 1}
            </span>
            <span>
              {word}
              {state === 'done' && <span className="visually-hidden"> (done)</span>}
              {state === 'untested' && <span> (not tested)</span>}
            </span>
          </li>
        )
      })}
    </ol>
  )
}
