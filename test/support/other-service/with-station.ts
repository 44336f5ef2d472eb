import { OtherStation } from './other-station.ts'

/** Opens a station for one test, and closes it even if the test fails. */
export const withStation = async (use: (station: OtherStation) => Promise<void>): Promise<void> => {
  const station = await OtherStation.open()
  try {
    await use(station)
  } finally {
    await station.close()
  }
}
