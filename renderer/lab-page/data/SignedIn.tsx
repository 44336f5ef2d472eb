import { createContext, useContext } from 'react'
import type { Loaded } from '../../data/use-load.ts'
import type { Account, StationList } from './answers.ts'
import type { Server } from './server.ts'

export type SignedIn = {
  readonly server: Server
  readonly account: Account
  readonly stations: Loaded<StationList>
  readonly signOut: () => void
}

const SignedInContext = createContext<SignedIn | null>(null)

export const SignedInProvider = SignedInContext.Provider

export const useSignedIn = (): SignedIn => {
  const signedIn = useContext(SignedInContext)
  if (signedIn === null) throw new Error('useSignedIn outside its provider')
  return signedIn
}
