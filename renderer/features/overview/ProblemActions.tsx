import { type ReactNode, useState } from 'react'
import { Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover } from 'react-aria-components'
import { problemNeedsAttention } from '../../../shared/status/problem.ts'
import type { ProblemGroup } from '../../../shared/status/status.ts'
import { plural } from '../../../shared/words/format.ts'
import { ownerOf } from '../../../shared/words/words.ts'
import { Button } from '../../components/Button.tsx'
import { Icon, type IconName } from '../../components/Icon.tsx'
import { IgnoreDialog } from '../../components/IgnoreDialog.tsx'
import { useIsMember, useLock } from '../../components/Managed.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { useSupportText } from '../../data/use-support-text.ts'
import type { Place } from '../../navigation.ts'
import { fixWords, type RefusedField, refusedField, refusesName } from '../../refused-field.ts'
import { useActions } from '../recordings/use-actions.ts'
import { canTryNow } from './attention.ts'

type Props = {
  readonly group: ProblemGroup
  readonly isOfStation: boolean
  /** True for at most one card on the screen. */
  readonly hasFilledButton: boolean
  readonly goTo: (place: Place) => void
}

type Action = {
  readonly word: string
  readonly icon: IconName
  readonly run: () => void
}

/** A button for the most helpful action, a menu for the rest, and a Dismiss button if the problem can be dismissed. */
export function ProblemActions({ group, isOfStation, hasFilledButton, goTo }: Props) {
  const { problem, count, folder, examples } = group
  const { attempt, showError } = useNotices()
  const makeSupportText = useSupportText()
  const actions = useActions()
  /** Retrying ten thousand recordings takes a while, and a second press would double the work. */
  const [isRetrying, setIsRetrying] = useState(false)
  const [firstRecording] = examples
  const [isIgnoring, setIsIgnoring] = useState(false)
  const isLocked = useLock('folders') !== null
  const isMember = useIsMember()
  const isForUserToDecide = problem.endsBy === 'person'
  const isDismissable = count > 0 && !isOfStation && problemNeedsAttention(problem)

  const retry = async () => {
    setIsRetrying(true)
    const message = `Trying ${plural(count, 'recording')} ${isForUserToDecide ? 'again' : 'now'}.`
    await attempt(() => ask('retryProblem', { code: problem.code }), message)
    setIsRetrying(false)
  }

  // One card can cover several folders. This opens the folder of the first recording, with the message of that
  // recording.
  const fix = async (field: RefusedField) => {
    try {
      const { rows } = await ask('listRecordings', { problem: problem.code, limit: 1 })
      const [row] = rows
      if (row === undefined) return goTo({ screen: 'folders' })
      const sentence = row.problem?.sentence ?? problem.sentence
      goTo({ screen: 'folders', fix: { folder: row.folder, field, sentence } })
    } catch (error) {
      showError(error)
    }
  }

  const show = () =>
    goTo({
      screen: 'recordings',
      problem: problem.code,
      ...(count === 1 && firstRecording !== undefined ? { recordingId: firstRecording.id } : {}),
    })

  const copy = () =>
    void attempt(
      async () =>
        navigator.clipboard.writeText(
          await makeSupportText({
            problem,
            folder: folder ?? null,
            count,
            ids: examples.map(({ id }) => id),
          }),
        ),
      'Copied for support.',
    )

  const fieldToFix = refusedField(problem)
  const candidates: readonly (Action | false)[] = [
    problem.code.startsWith('key-') && {
      word: problem.code === 'key-missing' ? 'Add the key' : 'Change the key',
      icon: 'key',
      run: () => goTo({ screen: 'service' }),
    },
    fieldToFix !== null && { word: fixWords[fieldToFix], icon: 'edit', run: () => void fix(fieldToFix) },
    refusesName(problem) &&
      firstRecording !== undefined && {
        word: count === 1 ? 'Show the file' : 'Show the first file',
        icon: 'folder',
        run: () =>
          void attempt(() => ask('showRecording', { id: firstRecording.id }), 'Shown in the file manager.'),
      },
    isOfStation &&
      canTryNow(problem.code) && {
        word: 'Try now',
        icon: 'cycle',
        run: () => void attempt(() => ask('reconnect'), 'Trying to connect now.'),
      },
    folder !== undefined &&
      problem.code === 'folder-offline' &&
      !isLocked && {
        word: 'Choose the folder again',
        icon: 'folder',
        run: () => goTo({ screen: 'folders', fix: { folder, field: 'path', sentence: problem.sentence } }),
      },
    folder !== undefined && {
      word: 'Open folder settings',
      icon: 'folder',
      run: () => goTo({ screen: 'folders' }),
    },
    ownerOf(problem) === 'service' && { word: 'Copy for support', icon: 'copy', run: copy },
    problem.code === 'key-other-organisation' &&
      !isMember && {
        word: 'Accept this organisation',
        icon: 'check',
        run: () =>
          void attempt(() => ask('acceptOrganisation'), 'Recordings now go to this key’s organisation.'),
      },
    count > 0 && { word: count === 1 ? 'Show it' : 'Show them', icon: 'recordings', run: show },
    // Sluice retries nothing of a removed folder.
    count > 0 &&
      problem.endsBy !== 'folder' && {
        word: `${count === 1 ? 'Try' : 'Try all'} ${isForUserToDecide ? 'again' : 'now'}`,
        icon: 'cycle',
        run: () => void retry(),
      },
    isDismissable &&
      firstRecording !== undefined && {
        word: 'Ignore files like this…',
        icon: 'minus',
        run: () => setIsIgnoring(true),
      },
    ownerOf(problem) !== 'service' && { word: 'Copy for support', icon: 'copy', run: copy },
  ]
  const [mainAction, ...otherActions] = candidates.filter((action) => action !== false)
  if (mainAction === undefined) return null
  return (
    <>
      <Button size="small" look={hasFilledButton ? 'primary' : 'plain'} onPress={mainAction.run}>
        {mainAction.word}
      </Button>
      {isDismissable && (
        <Button
          size="small"
          busy={actions.running !== null}
          onPress={() =>
            void actions.run('dismiss', {
              matching: { problem: problem.code, standings: ['needs-attention'] },
            })
          }
        >
          {count === 1 ? 'Dismiss' : 'Dismiss all'}
        </Button>
      )}
      {otherActions.length > 0 && (
        <MoreMenu code={problem.code} isRetrying={isRetrying}>
          {otherActions.map(({ word, icon, run }) => (
            <MenuItem key={word} id={word} className="menu-item" onAction={run}>
              <Icon name={icon} />
              {word}
            </MenuItem>
          ))}
        </MoreMenu>
      )}
      {isIgnoring && firstRecording !== undefined && (
        <IgnoreDialog id={firstRecording.id} onClose={() => setIsIgnoring(false)} />
      )}
    </>
  )
}

type MoreProps = { readonly code: string; readonly isRetrying: boolean; readonly children: ReactNode }

/** A menu with the problem code as its heading, because the troubleshooting guide lists the codes. */
function MoreMenu({ code, isRetrying, children }: MoreProps) {
  return (
    <MenuTrigger>
      <Button size="small" look="quiet" icon="more" label="More actions" busy={isRetrying} />
      <Popover className="popover" placement="bottom end" offset={4}>
        <Menu className="menu" aria-label="More actions">
          <MenuSection>
            <Header className="menu-head mono">{code}</Header>
            {children}
          </MenuSection>
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
