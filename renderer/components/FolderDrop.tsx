import { createContext, type ReactNode, use, useCallback, useEffect, useRef, useState } from 'react'
import { bridge } from '../bridge.ts'
import { useNotices } from '../data/Notices.tsx'
import { Icon } from './Icon.tsx'
import './folder-drop.css'

type DropTarget = {
  /** Null if this component accepts no folder. */
  readonly accept: ((path: string) => void) | null
  readonly isInDialog: boolean
}

const DropContext = createContext<((target: () => DropTarget) => () => void) | null>(null)

const carriesFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true

/** Returns the path of the first dropped folder, or a sentence that explains why there is no path. */
const findDroppedFolder = (
  transfer: DataTransfer,
): { readonly path: string } | { readonly refusal: string } => {
  const items = [...transfer.items].filter(({ kind }) => kind === 'file')
  const folder = items.find((item) => item.webkitGetAsEntry()?.isDirectory === true)
  if (folder === undefined) return { refusal: 'Drop a folder, not a file.' }
  const path = bridge.pathOf(folder.getAsFile())
  return path === ''
    ? { refusal: 'Sluice cannot read the path of this folder. Choose it with “Watch another folder”.' }
    : { path }
}

/**
 * Accepts a folder dropped anywhere on the window. The most recently mounted component with `useFolderDrop` gets the
 * folder, unless an open dialog covers that component.
 */
export function FolderDropProvider({ children }: { readonly children: ReactNode }) {
  const [isDraggedOver, setDraggedOver] = useState(false)
  const targets = useRef<(() => DropTarget)[]>([])
  const { showRefusal } = useNotices()

  const register = useCallback((target: () => DropTarget) => {
    targets.current.push(target)
    return () => {
      targets.current = targets.current.filter((other) => other !== target)
    }
  }, [])

  useEffect(() => {
    const findAccept = () => {
      const target = targets.current.at(-1)?.()
      const isBehindDialog = target?.isInDialog !== true && document.querySelector('.modal') !== null
      return isBehindDialog ? null : (target?.accept ?? null)
    }
    const onDragOver = (event: DragEvent) => {
      if (!carriesFiles(event) || event.dataTransfer === null) return
      event.preventDefault()
      const isAccepted = findAccept() !== null
      event.dataTransfer.dropEffect = isAccepted ? 'copy' : 'none'
      setDraggedOver(isAccepted)
    }
    const onDragLeave = (event: DragEvent) => {
      // This event also fires between elements. Without a related target, the pointer has left the window.
      if (event.relatedTarget === null) setDraggedOver(false)
    }
    const onDrop = (event: DragEvent) => {
      if (!carriesFiles(event) || event.dataTransfer === null) return
      event.preventDefault()
      setDraggedOver(false)
      const accept = findAccept()
      if (accept === null) return
      const droppedFolder = findDroppedFolder(event.dataTransfer)
      if ('path' in droppedFolder) accept(droppedFolder.path)
      else showRefusal(droppedFolder.refusal)
    }
    window.addEventListener('dragover', onDragOver)
    window.addEventListener('dragleave', onDragLeave)
    window.addEventListener('drop', onDrop)
    return () => {
      window.removeEventListener('dragover', onDragOver)
      window.removeEventListener('dragleave', onDragLeave)
      window.removeEventListener('drop', onDrop)
    }
  }, [showRefusal])

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

/** Calls `accept` with a dropped folder. A component that was mounted later, or an open dialog, takes precedence. */
export const useFolderDrop = (accept: DropTarget['accept'], { isInDialog = false } = {}): void => {
  const register = use(DropContext)
  const latestTarget = useRef<DropTarget>({ accept, isInDialog })
  useEffect(() => {
    latestTarget.current = { accept, isInDialog }
  })
  useEffect(() => register?.(() => latestTarget.current), [register])
}
