import { useEffect, useState } from 'react'
import { bridge } from '../bridge.ts'
import { isMac, useShortcut } from '../data/shortcuts.ts'
import { KEYBOARD_SHORTCUTS } from '../navigation.ts'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import './keyboard-shortcuts.css'

/** Keys of one entry are pressed together; entries of one line are alternatives. */
type Line = { readonly does: string; readonly keys: readonly (readonly string[])[] }
type Chapter = { readonly title: string; readonly lines: readonly Line[] }

const command = isMac ? '⌘' : 'Ctrl'

const chapters: readonly Chapter[] = [
  {
    title: 'Everywhere',
    lines: [
      { does: 'Show these keys', keys: [['?']] },
      { does: 'Go to a screen, in sidebar order', keys: [[command, '1–9']] },
      { does: 'Go to About & diagnostics', keys: [[command, 'I']] },
      { does: 'Open the settings', keys: [[command, ',']] },
      { does: 'Undo the last action, while its notice is shown', keys: [[command, 'Z']] },
      { does: 'Close a dialog, a menu or the details', keys: [['Esc']] },
    ],
  },
  {
    title: 'Recordings',
    lines: [
      { does: 'Search', keys: [['/'], [command, 'F']] },
      { does: 'Move', keys: [['↑'], ['↓'], ['Page Up'], ['Page Down'], ['Home'], ['End']] },
      { does: 'Open the details', keys: [['Enter']] },
      { does: 'Open the row menu', keys: [['Menu'], ['Shift', 'F10']] },
      { does: 'Select or deselect a row', keys: [['Space']] },
      {
        does: 'Select a range',
        keys: [
          ['Shift', '↑'],
          ['Shift', '↓'],
        ],
      },
      {
        does: 'Move without selecting',
        keys: [
          [command, '↑'],
          [command, '↓'],
        ],
      },
      { does: 'Select this page (twice: all matches)', keys: [[command, 'A']] },
    ],
  },
]

/** The keyboard shortcuts, opened by `?` or from the app menu. */
export function KeyboardShortcuts() {
  const [isOpen, setOpen] = useState(false)
  useShortcut({ key: '?' }, () => setOpen(true))
  useEffect(() => bridge.on.navigate(({ to }) => to === KEYBOARD_SHORTCUTS && setOpen(true)), [])
  const close = () => setOpen(false)
  return (
    <Dialog
      isOpen={isOpen}
      wide
      reading
      title="Keyboard shortcuts"
      onClose={close}
      actions={
        <Button look="primary" onPress={close}>
          Close
        </Button>
      }
    >
      {chapters.map(({ title, lines }) => (
        <section key={title} className="keys">
          <h3>{title}</h3>
          <dl>
            {lines.map(({ does, keys }) => (
              <div key={does} className="keys-line">
                <dt>{does}</dt>
                <dd>
                  {keys.map((together) => (
                    <span key={together.join()} className="keys-together">
                      {together.map((key) => (
                        <kbd key={key}>{key}</kbd>
                      ))}
                    </span>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  )
}
