import { Screen } from '../../components/Screen.tsx'
import { SettingsFileCard } from '../settings-file/SettingsFileCard.tsx'
import { AboutCard } from './AboutCard.tsx'
import './diagnostics.css'
import { ReceiptCard } from './ReceiptCard.tsx'
import { StationCheckCard } from './StationCheckCard.tsx'
import { SupportReportCard } from './SupportReportCard.tsx'

export function Diagnostics() {
  return (
    <Screen title="About & diagnostics" intro="Checks and reports for when something is wrong.">
      <div className="form">
        <StationCheckCard />
        <ReceiptCard />
        <SupportReportCard />
        <SettingsFileCard />
        <AboutCard />
      </div>
    </Screen>
  )
}
