import { createContext, useContext } from 'react'

export const LockedContext = createContext(false)

/** Whether a field or button is inside a read-only part of the page. */
export const useLocked = (): boolean => useContext(LockedContext)
