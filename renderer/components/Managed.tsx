import type { ReactNode } from 'react'
import { mayMemberChange } from '../../shared/settings/member-sections.ts'
import { useAgent } from '../data/AgentView.tsx'
import { useSettings } from '../data/SettingsView.tsx'
import { Icon } from './Icon.tsx'
import { LockedContext, useLocked } from './locked.ts'

/**
 * `managed`: an administrator has set the value. `owner`: this user is only a member of `control.group`, but the value
 * belongs to the agent's account and to administrators.
 */
export type Lock = 'managed' | 'owner'

const lockWords: Readonly<Record<Lock, string>> = {
  managed: 'Set by your administrator',
  owner: 'Only the agent’s account or an administrator may do this',
}

/** Whether this user is only a member of the group that may attach to the agent. */
export const useIsMember = (): boolean => useAgent().health.attached?.isMember === true

/** Why this user cannot change the setting at `path`, such as "transfer.parallel_parts". Null if the user can. */
export const useLock = (path: string): Lock | null => {
  const { state } = useSettings()
  const isMember = useIsMember()
  const isManaged = (state?.managed?.locked ?? []).some(
    (locked) => path === locked || path.startsWith(`${locked}.`),
  )
  if (isManaged) return 'managed'
  return isMember && !mayMemberChange(path) ? 'owner' : null
}

export function LockNote({ lock }: { readonly lock: Lock }) {
  return (
    <p className="managed-note">
      <Icon name="lock" size={14} />
      {lockWords[lock]}
    </p>
  )
}

type LockedProps = { readonly lock: Lock | null; readonly children: ReactNode }

function Locked({ lock, children }: LockedProps) {
  // Of nested locked parts, only the outermost shows the note.
  if (useLocked() || lock === null) return children
  return (
    <LockedContext value={true}>
      <fieldset className="managed" disabled>
        <legend className="visually-hidden">{lockWords[lock]}</legend>
        {children}
        <LockNote lock={lock} />
      </fieldset>
    </LockedContext>
  )
}

type Props = { readonly path: string; readonly children: ReactNode }

/** Makes its children read-only if this user cannot change the setting. */
export function Managed({ path, children }: Props) {
  return <Locked lock={useLock(path)}>{children}</Locked>
}

/** Makes its children read-only for members of `control.group`: the agent would refuse their calls. */
export function OwnerOnly({ children }: { readonly children: ReactNode }) {
  return <Locked lock={useIsMember() ? 'owner' : null}>{children}</Locked>
}
