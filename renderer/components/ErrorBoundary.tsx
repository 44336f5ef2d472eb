import { Component, type ReactNode } from 'react'
import { Button } from './Button.tsx'
import { Placeholder } from './Placeholder.tsx'

type Props = { readonly children: ReactNode }

/** Limits the failure of a screen to that screen. Uploads continue, because they run in a different process. */
export class ErrorBoundary extends Component<Props, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children
    return (
      <Placeholder
        icon="octagon"
        title="This screen failed"
        text="Something went wrong in this window. Uploads continue."
        action={<Button onPress={() => window.location.reload()}>Reload the window</Button>}
      />
    )
  }
}
