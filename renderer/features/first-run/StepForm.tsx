import { type ReactNode, useEffect, useRef } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../../components/Button.tsx'

type Props = {
  readonly title: string
  readonly intro: string
  readonly children: ReactNode
  readonly submitLabel: string
  readonly isReady: boolean
  readonly busy?: boolean
  readonly onSubmit: () => void
  /** Shown at the left of the main button. */
  readonly aside: ReactNode
}

export function BackButton({ onPress }: { readonly onPress: () => void }) {
  return (
    <Button look="quiet" icon="left" onPress={onPress}>
      Back
    </Button>
  )
}

export function StepForm({
  title,
  intro,
  children,
  submitLabel,
  isReady,
  busy = false,
  onSubmit,
  aside,
}: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <Form
      className="first-run-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady && !busy) onSubmit()
      }}
    >
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <p className="quiet">{intro}</p>
      </div>
      {children}
      <div className="first-run-foot">
        {aside}
        <Button type="submit" look="primary" isDisabled={!isReady} busy={busy}>
          {submitLabel}
        </Button>
      </div>
    </Form>
  )
}
