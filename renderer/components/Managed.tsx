import { createContext, type ReactNode, useContext } from 'react'
import { useSettings } from '../data/SettingsView.tsx'
import { Icon } from './Icon.tsx'

const LockedContext = createContext(false)

/** Whether a field or button is inside a read-only part of the page. */
export const useLocked = (): boolean => useContext(LockedContext)

/** Whether an administrator has set this path ("transfer.parallel_parts") or its section. */
export const useManaged = (path: string): boolean => {
  const { state } = useSettings()
  return (state?.managed?.locked ?? []).some(
    (lockedPath) => path === lockedPath || path.startsWith(`${lockedPath}.`),
  )
}

export function ManagedNote() {
  return (
    <p className="managed-note">
      <Icon name="lock" size={14} />
      Set by your administrator
    </p>
  )
}

type Props = { readonly path: string; readonly children: ReactNode }

/** Makes its children read-only if an administrator has set the setting. */
export function Managed({ path, children }: Props) {
  const isManaged = useManaged(path)
  // Only the outermost component shows the note.
  if (useLocked() || !isManaged) return children
  return (
    <LockedContext value={true}>
      <fieldset className="managed" disabled>
        <legend className="visually-hidden">Set by your administrator</legend>
        {children}
        <ManagedNote />
      </fieldset>
    </LockedContext>
  )
}
