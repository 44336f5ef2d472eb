import { OtherStation } from './other-station.ts'

/** A station for one test, closed however the test ends. */
export const withStation = async (use: (station: OtherStation) => Promise<void>): Promise<void> => {
  const station = await OtherStation.open()
  try {
    await use(station)
  } finally {
    await station.close()
  }
}
