import { useEffect, useState } from 'react'
import { bridge } from '../bridge.ts'
import { isMac, useShortcut } from '../data/shortcuts.ts'
import { KEYBOARD_SHORTCUTS } from '../navigation.ts'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import './keyboard-shortcuts.css'

/** Each entry of `keys` is a combination to press together. Any one of the entries works. */
type Line = { readonly action: string; readonly keys: readonly (readonly string[])[] }
type Section = { readonly title: string; readonly lines: readonly Line[] }

const commandKey = isMac ? '⌘' : 'Ctrl'

const sections: readonly Section[] = [
  {
    title: 'Everywhere',
    lines: [
      { action: 'Show keyboard shortcuts', keys: [['?']] },
      { action: 'Go to a screen, in sidebar order', keys: [[commandKey, '1–9']] },
      { action: 'Go to About & diagnostics', keys: [[commandKey, 'I']] },
      { action: 'Open the settings', keys: [[commandKey, ',']] },
      { action: 'Undo the last action, while its notice is shown', keys: [[commandKey, 'Z']] },
      { action: 'Close a dialog, a menu or the details', keys: [['Esc']] },
    ],
  },
  {
    title: 'Recordings',
    lines: [
      { action: 'Search', keys: [['/'], [commandKey, 'F']] },
      {
        action: 'Go to a different row',
        keys: [['↑'], ['↓'], ['Page Up'], ['Page Down'], ['Home'], ['End']],
      },
      { action: 'Open the details', keys: [['Enter']] },
      { action: 'Open the row menu', keys: [['Menu'], ['Shift', 'F10']] },
      { action: 'Select or deselect a row', keys: [['Space']] },
      {
        action: 'Select a range',
        keys: [
          ['Shift', '↑'],
          ['Shift', '↓'],
        ],
      },
      {
        action: 'Move without selecting',
        keys: [
          [commandKey, '↑'],
          [commandKey, '↓'],
        ],
      },
      { action: 'Select this page; press again to select all matches', keys: [[commandKey, 'A']] },
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
      isWide
      isTextOnly
      title="Keyboard shortcuts"
      onClose={close}
      actions={
        <Button look="primary" onPress={close}>
          Close
        </Button>
      }
    >
      {sections.map(({ title, lines }) => (
        <section key={title} className="keys">
          <h3>{title}</h3>
          <dl>
            {lines.map(({ action, keys }) => (
              <div key={action} className="keys-line">
                <dt>{action}</dt>
                <dd>
                  {keys.map((combination) => (
                    <span key={combination.join()} className="keys-together">
                      {combination.map((key) => (
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
