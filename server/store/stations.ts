import { all, type Steps } from './steps.ts'

/** A station as the server knows it: a site and a device. Triggers keep the rows up to date with the sessions. */
export type StationRow = {
  readonly site: string
  /** Empty if the station sends no device name. */
  readonly device: string
  readonly sessions: number
  readonly bytes: number
  /** The time of the station's newest session, even after its deletion. */
  readonly last_session_at: number
  /** The time of the station's last completed upload, even after its session was deleted. */
  readonly last_upload_at: number | null
}

export const stations = {
  /** The station with the newest session first. */
  list: (orgId: string, limit: number): Steps<StationRow[]> =>
    all(
      `SELECT site, device, sessions, bytes, last_session_at, last_upload_at FROM stations
       WHERE org_id = @orgId ORDER BY last_session_at DESC, site, device LIMIT @limit`,
      { orgId, limit },
    ),
}
