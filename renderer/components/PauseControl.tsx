import { type ReactNode, useEffect, useRef } from 'react'
import {
  Button as AriaButton,
  Menu,
  MenuItem,
  MenuTrigger,
  Popover,
  Tooltip,
  TooltipTrigger,
} from 'react-aria-components'
import { type PauseChoice, pauseChoices, pauseEnd, pauseWords } from '../../shared/status/pause.ts'
import { useAgent } from '../data/AgentView.tsx'
import { ask } from '../data/ask.ts'
import { useNotices } from '../data/Notices.tsx'
import { useResume } from '../data/use-resume.ts'
import { Icon } from './Icon.tsx'

/** A tooltip for the narrow sidebar, which shows only icons. */
function WithTooltip({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <TooltipTrigger delay={300}>
      {children}
      <Tooltip className="tooltip nav-tip" placement="right" offset={10}>
        {name}
      </Tooltip>
    </TooltipTrigger>
  )
}

export function PauseControl() {
  const { status, health } = useAgent()
  const { attempt } = useNotices()
  const resume = useResume()
  const isDisabled = status === null || health.state !== 'running'
  const isPaused = status?.station.paused === true
  const button = useRef<HTMLButtonElement>(null)
  const wasPressed = useRef(false)

  // Pause and Resume replace each other, so the new button takes the focus from the old one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `isPaused` swaps the buttons.
  useEffect(() => {
    if (wasPressed.current && document.activeElement === document.body) button.current?.focus()
    wasPressed.current = false
  }, [isPaused])

  if (isPaused)
    return (
      <WithTooltip name="Resume uploads">
        <AriaButton
          ref={button}
          // While something needs attention, only the first card on Overview may have a filled button.
          className={`button button-${status.station.state === 'attention' ? 'plain' : 'primary'} button-normal`}
          isDisabled={isDisabled}
          onPress={() => {
            wasPressed.current = true
            resume()
          }}
        >
          <Icon name="play" />
          <span className="button-word">Resume uploads</span>
        </AriaButton>
      </WithTooltip>
    )

  const pause = (choice: PauseChoice) => {
    wasPressed.current = true
    void attempt(
      () => ask('pause', { until: pauseEnd(choice, new Date()) }),
      'Uploads paused. New recordings are still queued.',
    )
  }
  return (
    <MenuTrigger>
      <WithTooltip name="Pause uploads">
        <AriaButton ref={button} className="button button-plain button-normal" isDisabled={isDisabled}>
          <Icon name="pause" />
          <span className="button-word">Pause uploads</span>
        </AriaButton>
      </WithTooltip>
      <Popover className="popover" placement="top start" offset={4}>
        <Menu className="menu" aria-label="Pause uploads" onAction={(key) => pause(key as PauseChoice)}>
          {pauseChoices.map((choice) => (
            <MenuItem key={choice} id={choice} className="menu-item">
              {pauseWords(choice)}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
