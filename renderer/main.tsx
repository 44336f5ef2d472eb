import './user-locale.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { PANEL_HASH, SETUP_HASH } from '../shared/ipc/channel.ts'
import './design/tokens.css'
import './design/base.css'
import './design/buttons.css'
import './design/fields.css'
import './design/overlays.css'
import './design/pieces.css'
import './design/messages.css'
import './design/layout.css'
import { App } from './App.tsx'
import { AgentProvider } from './data/AgentView.tsx'
import { Panel } from './features/panel/Panel.tsx'

if (window.location.hash === SETUP_HASH) void import('./first-run.ts')

/** The panel uses the window's bundle, whose compiled code is already in the cache. */
const isPanel = window.location.hash === PANEL_HASH

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    {isPanel ? (
      <AgentProvider>
        <Panel />
      </AgentProvider>
    ) : (
      <App />
    )}
  </StrictMode>,
)
