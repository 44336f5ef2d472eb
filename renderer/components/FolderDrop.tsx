import { createContext, type ReactNode, use, useCallback, useEffect, useRef, useState } from 'react'
import { bridge } from '../bridge.ts'
import { useNotices } from '../data/Notices.tsx'
import { Icon } from './Icon.tsx'
import './folder-drop.css'

type DropTarget = {
  /** Null if this component accepts no folder. */
  readonly accept: ((path: string) => void) | null
  readonly inDialog: boolean
}

const DropContext = createContext<((target: () => DropTarget) => () => void) | null>(null)

const carriesFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true

/** Returns the first dropped folder, or a sentence that explains why there is none. */
const findDroppedFolder = (
  transfer: DataTransfer,
): { readonly path: string } | { readonly refusal: string } => {
  const items = [...transfer.items].filter(({ kind }) => kind === 'file')
  const folder = items.find((item) => item.webkitGetAsEntry()?.isDirectory === true)
  if (folder === undefined) return { refusal: 'Drop a folder, not a file.' }
  const path = bridge.pathOf(folder.getAsFile())
  return path === ''
    ? { refusal: 'This folder has no path. Choose it with “Watch another folder”.' }
    : { path }
}

/**
 * Accepts a folder dropped anywhere on the window. The component that was mounted last gets the folder. Components behind
 * an open dialog get none. Without this provider, the window would navigate to a dropped file.
 */
export function FolderDropProvider({ children }: { readonly children: ReactNode }) {
  const [isDraggedOver, setDraggedOver] = useState(false)
  const targets = useRef<(() => DropTarget)[]>([])
  const { refused } = useNotices()

  const register = useCallback((target: () => DropTarget) => {
    targets.current.push(target)
    return () => {
      targets.current = targets.current.filter((other) => other !== target)
    }
  }, [])

  useEffect(() => {
    const findAccept = () => {
      const target = targets.current.at(-1)?.()
      const behindDialog = target?.inDialog !== true && document.querySelector('.modal') !== null
      return behindDialog ? null : (target?.accept ?? null)
    }
    const over = (event: DragEvent) => {
      if (!carriesFiles(event) || event.dataTransfer === null) return
      event.preventDefault()
      const isAccepted = findAccept() !== null
      event.dataTransfer.dropEffect = isAccepted ? 'copy' : 'none'
      setDraggedOver(isAccepted)
    }
    const leave = (event: DragEvent) => {
      // This event also fires between elements. It has no related target if the pointer leaves the window.
      if (event.relatedTarget === null) setDraggedOver(false)
    }
    const drop = (event: DragEvent) => {
      if (!carriesFiles(event) || event.dataTransfer === null) return
      event.preventDefault()
      setDraggedOver(false)
      const accept = findAccept()
      if (accept === null) return
      const dropped = findDroppedFolder(event.dataTransfer)
      if ('path' in dropped) accept(dropped.path)
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
      {isDraggedOver && (
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

/** Calls `accept` with each dropped folder while the component is mounted. */
export const useFolderDrop = (accept: DropTarget['accept'], { inDialog = false } = {}): void => {
  const register = use(DropContext)
  const current = useRef<DropTarget>({ accept, inDialog })
  useEffect(() => {
    current.current = { accept, inDialog }
  })
  useEffect(() => register?.(() => current.current), [register])
}
