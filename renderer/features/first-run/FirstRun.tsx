import { useState } from 'react'
import { Button } from '../../components/Button.tsx'
import { BrandMark } from '../../components/Sidebar.tsx'
import './first-run.css'
import { DoneStep } from './DoneStep.tsx'
import { FolderStep } from './FolderStep.tsx'
import { ServiceStep } from './ServiceStep.tsx'
import { SiteStep } from './SiteStep.tsx'
import { StepList } from './StepList.tsx'
import { emptySetup, type Setup } from './setup.ts'

type Props = { readonly onStart: () => void; readonly onDone: () => void }

/** Three questions. What was typed in a step stays when one goes back to it. */
export function FirstRun({ onStart, onDone }: Props) {
  const [step, setStep] = useState(0)
  const [setup, setSetup] = useState<Setup>(emptySetup)
  const change = (part: Partial<Setup>) => setSetup((before) => ({ ...before, ...part }))
  const next = () => {
    onStart()
    setStep((before) => before + 1)
  }

  const content = () => {
    switch (step) {
      case 0:
        return <ServiceStep setup={setup} change={change} onNext={next} />
      case 1:
        return <FolderStep setup={setup} change={change} onNext={next} />
      case 2:
        return <SiteStep setup={setup} change={change} onNext={next} />
      default:
        return <DoneStep setup={setup} onDone={onDone} />
    }
  }

  return (
    <main className="first-run">
      <div className="first-run-sheet">
        <header className="first-run-head">
          <p className="brand">
            <BrandMark size={26} />
            Sluice
          </p>
          <StepList step={step} />
        </header>
        {content()}
        {step > 0 && step < 3 && (
          <div className="first-run-back">
            <Button look="quiet" size="small" icon="left" onPress={() => setStep(step - 1)}>
              Back
            </Button>
          </div>
        )}
      </div>
    </main>
  )
}
