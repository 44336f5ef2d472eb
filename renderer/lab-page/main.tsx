import './browser-locale.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../design/tokens.css'
import '../design/base.css'
import '../design/buttons.css'
import '../design/fields.css'
import '../design/overlays.css'
import '../design/pieces.css'
import '../design/messages.css'
import '../design/layout.css'
import './lab-page.css'
import { NoticeProvider } from '../data/Notices.tsx'
import { LabPage } from './LabPage.tsx'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <NoticeProvider>
      <LabPage />
    </NoticeProvider>
  </StrictMode>,
)
