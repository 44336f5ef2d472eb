import { createContext, type ReactNode, useContext } from 'react'
import { useSettings } from '../data/SettingsView.tsx'
import { Icon } from './Icon.tsx'

const LockedContext = createContext(false)

/** For every field and button: whether it stands in a part of the page that cannot be changed. */
export const useLocked = (): boolean => useContext(LockedContext)

/** Whether an administrator has set it: "transfer.parallel_parts", or the section around it. */
export const useManaged = (path: string): boolean => {
  const { state } = useSettings()
  return (state?.managed?.locked ?? []).some((locked) => path === locked || path.startsWith(`${locked}.`))
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

/** Around whatever shows a setting: where an administrator has set it, it can be read and not changed. */
export function Managed({ path, children }: Props) {
  const isManaged = useManaged(path)
  // Said once, by the outermost.
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
