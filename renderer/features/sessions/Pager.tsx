import { Button } from '../../components/Button.tsx'

type Props = {
  readonly status: string
  /**
   * The cursors of all pages up to this one. The way back needs them, because the service returns only the next cursor.
   */
  readonly cursors: readonly string[]
  /** Null on the last page, and while the page loads. */
  readonly nextCursor: string | null
  readonly olderWord?: string
  readonly onChange: (cursors: readonly string[]) => void
}

/** Leads to newer and older sessions, page by page. */
export function Pager({ status, cursors, nextCursor, olderWord = 'Older', onChange }: Props) {
  return (
    <div className="pager">
      <span className="quiet small" role="status">
        {status}
      </span>
      <Button
        size="small"
        icon="left"
        isDisabled={cursors.length === 0}
        onPress={() => onChange(cursors.slice(0, -1))}
      >
        Newer
      </Button>
      <Button
        size="small"
        endIcon="right"
        isDisabled={nextCursor === null}
        onPress={() => nextCursor !== null && onChange([...cursors, nextCursor])}
      >
        {olderWord}
      </Button>
    </div>
  )
}
