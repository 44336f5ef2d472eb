import { type ReactNode, useRef } from 'react'
import { Header, Menu, MenuItem, MenuSection, Popover, Separator } from 'react-aria-components'
import { type RecordingAction, type RecordingRow, recordingActions } from '../../../shared/status/status.ts'
import { plural } from '../../../shared/words/format.ts'
import { Icon, type IconName } from '../../components/Icon.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { useSupportText } from '../../data/use-support-text.ts'
import { useUploadNow } from '../../data/use-upload-now.ts'
import { actionWord, actionWords } from './action-words.ts'
import type { Actions, ActionTarget } from './use-actions.ts'

export type MenuPlace = { readonly x: number; readonly y: number; readonly row: RecordingRow }

type Props = {
  readonly place: MenuPlace
  /** What the actions apply to: this row, or the selection that contains it. */
  readonly target: ActionTarget
  readonly count: number
  readonly offeredActions: readonly RecordingAction[]
  readonly actions: Actions
  readonly onOpen: (row: RecordingRow) => void
  readonly onIgnore: (id: number) => void
  readonly onClose: () => void
}

function Item(props: { readonly id: string; readonly icon: IconName; readonly children: ReactNode }) {
  return (
    <MenuItem id={props.id} className="menu-item" textValue={String(props.children)}>
      <Icon name={props.icon} size={14} />
      {props.children}
    </MenuItem>
  )
}

const isAction = (key: string): key is RecordingAction => recordingActions.some((action) => action === key)

/** The context menu of a row or of the selection. */
export function RowMenu({ place, target, count, offeredActions, actions, onOpen, onIgnore, onClose }: Props) {
  const { row, x, y } = place
  const anchor = useRef<HTMLSpanElement>(null)
  const { attempt } = useNotices()
  const makeSupportText = useSupportText()
  const isSingle = count === 1
  const uploadNow = useUploadNow().ofRecording(row)

  const copy = (text: string | Promise<string>, notice: string) =>
    void attempt(async () => navigator.clipboard.writeText(await text), notice)

  const run = (key: string) => {
    if (isAction(key)) return void actions.run(key, target)
    switch (key) {
      case 'ignore':
        return onIgnore(row.id)
      case 'upload-now':
        return void uploadNow?.run()
      case 'open':
        return onOpen(row)
      case 'show':
        return void attempt(() => ask('showRecording', { id: row.id }), 'Shown in the file manager.')
      case 'path':
        return copy(row.path, 'Path copied.')
      case 'session':
        return copy(row.sessionId ?? '', 'Session ID copied.')
      case 'support':
        return copy(
          makeSupportText({ problem: row.problem, folder: null, count: 1, ids: [row.id] }),
          'Copied for support.',
        )
    }
  }

  return (
    <>
      <span ref={anchor} className="menu-anchor" style={{ left: x, top: y }} />
      <Popover
        aria-label="Actions"
        className="popover"
        triggerRef={anchor}
        isOpen
        onOpenChange={(open) => !open && onClose()}
        placement="right top"
        offset={2}
      >
        <Menu
          className="menu"
          aria-label={isSingle ? row.name : plural(count, 'selected recording')}
          autoFocus="first"
          onAction={(key) => run(String(key))}
          onClose={onClose}
        >
          {isSingle ? (
            <MenuSection aria-label="This recording">
              <Item id="open" icon="right">
                Open details
              </Item>
              <Item id="show" icon="folder">
                Show in folder
              </Item>
              <Item id="path" icon="copy">
                Copy path
              </Item>
              {row.sessionId !== null && (
                <Item id="session" icon="copy">
                  Copy session ID
                </Item>
              )}
              <Item id="support" icon="copy">
                Copy for support
              </Item>
            </MenuSection>
          ) : null}
          {isSingle && offeredActions.length > 0 ? <Separator className="menu-line" /> : null}
          <MenuSection aria-label="Upload">
            {!isSingle && <Header className="menu-head">{plural(count, 'selected recording')}</Header>}
            {offeredActions.map((action) => (
              <Item key={action} id={action} icon={actionWords[action].icon}>
                {isSingle ? actionWord(action, row) : actionWords[action].word}
              </Item>
            ))}
            {isSingle && row.standing === 'needs-attention' && (
              <Item id="ignore" icon="minus">
                Ignore files like this…
              </Item>
            )}
            {isSingle && uploadNow !== null && (
              <Item id="upload-now" icon={uploadNow.icon}>
                {uploadNow.word}
              </Item>
            )}
          </MenuSection>
        </Menu>
      </Popover>
    </>
  )
}
