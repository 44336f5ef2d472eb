import { useState } from 'react'
import { Banner } from '../../components/Banner.tsx'
import { BrandMark } from '../../components/BrandMark.tsx'
import { useFolderDrop } from '../../components/FolderDrop.tsx'
import { useNotices } from '../../data/Notices.tsx'
import { useSettings } from '../../data/SettingsView.tsx'
import './first-run.css'
import { DoneStep } from './DoneStep.tsx'
import { FolderStep } from './FolderStep.tsx'
import { ServiceStep } from './ServiceStep.tsx'
import { SiteStep } from './SiteStep.tsx'
import { StepList } from './StepList.tsx'
import { emptySetup, type Setup } from './setup.ts'

const [FOLDER_STEP, SITE_STEP] = [1, 2]

type Props = { readonly onStart: () => void; readonly onDone: () => void }

/** Three steps. Each step keeps its input when the user goes back. */
export function FirstRun({ onStart, onDone }: Props) {
  const { state } = useSettings()
  const { showSuccess } = useNotices()
  const [step, setStep] = useState(0)
  const [setup, setSetup] = useState<Setup>(emptySetup)
  const change = (part: Partial<Setup>) => setSetup((before) => ({ ...before, ...part }))
  const next = () => {
    onStart()
    setStep((before) => before + 1)
  }

  useFolderDrop(
    step > SITE_STEP
      ? null
      : (path) => {
          change({ path })
          if (step === SITE_STEP) setStep(FOLDER_STEP)
          if (step < FOLDER_STEP) showSuccess('Folder saved for the next step.')
        },
  )

  const renderContent = () => {
    const props = { setup, change, onNext: next, onBack: () => setStep(step - 1) }
    switch (step) {
      case 0:
        return <ServiceStep {...props} />
      case FOLDER_STEP:
        return <FolderStep {...props} />
      case SITE_STEP:
        return <SiteStep {...props} />
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
          <StepList step={step} isKeyTested={setup.isKeyTested} />
        </header>
        {step === 0 && state?.problem != null && <Banner tone="warn">{state.problem}</Banner>}
        {renderContent()}
      </div>
    </main>
  )
}
