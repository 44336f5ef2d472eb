import { useState } from 'react'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { sentenceOf } from '../../data/shown-error.ts'

type SaveState =
  | { readonly phase: 'idle' | 'saving' }
  | { readonly phase: 'saved'; readonly path: string }
  | { readonly phase: 'failed'; readonly reason: string }

/** Lists the contents of the report before it is saved. */
export function SupportReportCard() {
  const { showError } = useNotices()
  const [saveState, setSaveState] = useState<SaveState>({ phase: 'idle' })

  const save = async () => {
    setSaveState({ phase: 'saving' })
    try {
      const savedFile = await ask('saveSupportReport')
      setSaveState(savedFile === null ? { phase: 'idle' } : { phase: 'saved', path: savedFile.path })
    } catch (error) {
      setSaveState({ phase: 'failed', reason: sentenceOf(error) })
    }
  }

  return (
    <Card title="Report for support">
      <div className="report-contents">
        <div>
          <h3>It contains</h3>
          <ul className="bullets">
            <li>versions, system and the settings of this station;</li>
            <li>its state, its newest problems and their request IDs;</li>
            <li>names and paths of folders and recordings;</li>
            <li>the newest log lines and the journal’s health.</li>
          </ul>
        </div>
        <div>
          <h3>It never contains</h3>
          <ul className="bullets">
            <li>a key or a password;</li>
            <li>a signed URL;</li>
            <li>anything from inside a recording.</li>
          </ul>
        </div>
      </div>
      <div>
        <Button look="primary" busy={saveState.phase === 'saving'} onPress={() => void save()}>
          {saveState.phase === 'saving' ? 'Saving…' : 'Save a report for support…'}
        </Button>
      </div>
      <div role="status" className="report-status">
        {saveState.phase === 'saved' && (
          <Banner
            tone="good"
            action={
              <Button size="small" onPress={() => void ask('showSupportReport').catch(showError)}>
                Show in folder
              </Button>
            }
          >
            Saved as <span className="selectable report-path">{saveState.path}</span>
          </Banner>
        )}
      </div>
      {saveState.phase === 'failed' && <Banner tone="bad">{saveState.reason}</Banner>}
    </Card>
  )
}
