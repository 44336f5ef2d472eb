import { Button as AriaButton, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { type PauseChoice, pauseChoices, pauseEnd, pauseWords } from '../../shared/pause.ts'
import { useAgent } from '../data/AgentView.tsx'
import { ask } from '../data/ask.ts'
import { useNotices } from '../data/Notices.tsx'
import { Icon } from './Icon.tsx'

export function PauseControl() {
  const { status, health } = useAgent()
  const { attempt } = useNotices()
  const isDisabled = status === null || health.state !== 'running'

  if (status?.station.paused)
    return (
      <AriaButton
        className="button button-primary button-normal"
        isDisabled={isDisabled}
        onPress={() => void attempt(() => ask('resume'), 'Uploads go on.')}
      >
        <Icon name="play" />
        <span className="button-word">Resume uploads</span>
      </AriaButton>
    )

  const pause = (choice: PauseChoice) =>
    void attempt(
      () => ask('pause', { until: pauseEnd(choice, new Date()) }),
      'Uploads are paused. Sluice still notices new recordings.',
    )
  return (
    <MenuTrigger>
      <AriaButton className="button button-plain button-normal" isDisabled={isDisabled}>
        <Icon name="pause" />
        <span className="button-word">Pause uploads</span>
      </AriaButton>
      <Popover className="popover" placement="top start" offset={4}>
        <Menu className="menu" aria-label="Pause uploads" onAction={(key) => pause(key as PauseChoice)}>
          {pauseChoices.map((choice) => (
            <MenuItem key={choice} id={choice} className="menu-item">
              {pauseWords[choice]}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
