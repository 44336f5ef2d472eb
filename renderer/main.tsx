import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { z } from 'zod'
import './design/tokens.css'
import './design/base.css'
import './design/controls.css'
import './design/layout.css'
import { App } from './App.tsx'

// The page's policy forbids code made from strings, which zod would otherwise try for speed.
z.config({ jitless: true })

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
