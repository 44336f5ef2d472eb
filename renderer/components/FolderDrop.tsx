import { createContext, type ReactNode, use, useCallback, useEffect, useRef, useState } from 'react'
import { bridge } from '../bridge.ts'
import { useNotices } from '../data/Notices.tsx'
import { Icon } from './Icon.tsx'
import './folder-drop.css'

type Taker = {
  /** Null if a dropped folder is not accepted here. */
  readonly take: ((path: string) => void) | null
  readonly inDialog: boolean
}

const DropContext = createContext<((taker: () => Taker) => () => void) | null>(null)

const carriesFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true

/** The first dropped folder, or a sentence why there is none. */
const droppedFolder = (transfer: DataTransfer): { readonly path: string } | { readonly refusal: string } => {
  const items = [...transfer.items].filter(({ kind }) => kind === 'file')
  const folder = items.find((item) => item.webkitGetAsEntry()?.isDirectory === true)
  if (folder === undefined) return { refusal: 'Drop a folder, not a file.' }
  const path = bridge.pathOf(folder.getAsFile())
  return path === ''
    ? { refusal: 'This folder has no path. Choose it with “Watch another folder”.' }
    : { path }
}

/**
 * Accepts a folder dropped anywhere on the window. The component mounted last takes the folder. Components behind an open
 * dialog take none. Without this provider, the window would navigate to a dropped file.
 */
export function FolderDropProvider({ children }: { readonly children: ReactNode }) {
  const [isOver, setOver] = useState(false)
  const takers = useRef<(() => Taker)[]>([])
  const { refused } = useNotices()

  const register = useCallback((taker: () => Taker) => {
    takers.current.push(taker)
    return () => {
      takers.current = takers.current.filter((one) => one !== taker)
    }
  }, [])

  useEffect(() => {
    const taking = () => {
      const taker = takers.current.at(-1)?.()
      const behindDialog = taker?.inDialog !== true && document.querySelector('.modal') !== null
      return behindDialog ? null : (taker?.take ?? null)
    }
    const over = (event: DragEvent) => {
      if (!carriesFiles(event) || event.dataTransfer === null) return
      event.preventDefault()
      const takes = taking() !== null
      event.dataTransfer.dropEffect = takes ? 'copy' : 'none'
      setOver(takes)
    }
    const leave = (event: DragEvent) => {
      // This event also fires between elements. It has no related target if the pointer leaves the window.
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent) => {
      if (!carriesFiles(event) || event.dataTransfer === null) return
      event.preventDefault()
      setOver(false)
      const take = taking()
      if (take === null) return
      const dropped = droppedFolder(event.dataTransfer)
      if ('path' in dropped) take(dropped.path)
      else refused(dropped.refusal)
    }
    window.addEventListener('dragover', over)
    window.addEventListener('dragleave', leave)
    window.addEventListener('drop', drop)
    return () => {
      window.removeEventListener('dragover', over)
      window.removeEventListener('dragleave', leave)
      window.removeEventListener('drop', drop)
    }
  }, [refused])

  return (
    <DropContext value={register}>
      {children}
      {isOver && (
        <div className="drop-place">
          <div className="drop-sign">
            <Icon name="folder" size={32} />
            <p className="placeholder-title">Drop a folder to watch it</p>
            <p className="quiet">Nothing changes until you confirm.</p>
          </div>
        </div>
      )}
    </DropContext>
  )
}

/** Takes dropped folders while mounted. */
export const useFolderDrop = (take: Taker['take'], { inDialog = false } = {}): void => {
  const register = use(DropContext)
  const current = useRef<Taker>({ take, inDialog })
  useEffect(() => {
    current.current = { take, inDialog }
  })
  useEffect(() => register?.(() => current.current), [register])
}
