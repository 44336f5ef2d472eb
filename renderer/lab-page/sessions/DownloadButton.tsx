import { useState } from 'react'
import { formatBytes } from '../../../shared/words/format.ts'
import { Button } from '../../components/Button.tsx'
import { useNotices } from '../../data/Notices.tsx'
import type { DownloadLink, SessionDetails } from '../data/answers.ts'
import { useSignedIn } from '../data/SignedIn.tsx'

/** Opens a signed link, because the browser's download cannot send the key. The link never contains the key. */
export function DownloadButton({ session }: { readonly session: SessionDetails }) {
  const { server } = useSignedIn()
  const { showSuccess, showError } = useNotices()
  const [isBusy, setIsBusy] = useState(false)

  const download = async () => {
    setIsBusy(true)
    try {
      const { url } = await server.get<DownloadLink>(`/page/sessions/${session.id}/download`)
      const link = document.createElement('a')
      link.href = url
      // With this, the browser reports a refused link as a failed download, and does not leave the page.
      link.download = ''
      link.click()
      showSuccess('The download has started.')
    } catch (error) {
      showError(error)
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <div>
      <Button look="primary" icon="download" busy={isBusy} onPress={() => void download()}>
        {`Download original, ${formatBytes(session.bytes)}`}
      </Button>
    </div>
  )
}
