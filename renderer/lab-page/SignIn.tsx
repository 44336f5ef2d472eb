import { type SubmitEvent, useState } from 'react'
import { Banner } from '../components/Banner.tsx'
import { BrandMark } from '../components/BrandMark.tsx'
import { Button } from '../components/Button.tsx'
import { TextField } from '../components/Fields.tsx'
import { sentenceOf } from '../data/shown-error.ts'
import type { Account } from './data/answers.ts'
import { Server } from './data/server.ts'
import { isPossibleKey } from './data/stored-key.ts'

type Props = {
  /** Why the page signed the user out. Null on the first visit and after "Sign out". */
  readonly message: string | null
  readonly onSignedIn: (key: string) => void
}

export function SignIn({ message, onSignedIn }: Props) {
  const [typedKey, setTypedKey] = useState('')
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setIsBusy] = useState(false)

  const signIn = async () => {
    const key = typedKey.trim()
    if (!isPossibleKey(key)) return setError(key === '' ? 'Enter a key.' : 'This is not a key.')
    setIsBusy(true)
    try {
      await new Server(key).get<Account>('/page/account')
      onSignedIn(key)
    } catch (reason) {
      setError(sentenceOf(reason))
      setIsBusy(false)
    }
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isBusy) void signIn()
  }

  return (
    <main className="sign-in">
      <form className="sign-in-sheet" onSubmit={submit}>
        <p className="brand">
          <BrandMark />
          <span>Sluice</span>
        </p>
        <div className="stack">
          <h1>Sign in</h1>
          <p className="quiet">See the recordings of your organisation on this server.</p>
        </div>
        {message !== null && error === null && <Banner tone="warn">{message}</Banner>}
        <TextField
          label="Key"
          type="password"
          value={typedKey}
          onChange={(key) => {
            setTypedKey(key)
            setError(null)
          }}
          error={error}
          help="A read key is enough. This tab forgets the key when you close it."
          autoFocus
        />
        {/* Not `busy`: React Aria would announce a button that is gone after the sign-in. */}
        <Button look="primary" type="submit">
          {isBusy ? 'Signing in…' : 'Sign in'}
        </Button>
      </form>
    </main>
  )
}
