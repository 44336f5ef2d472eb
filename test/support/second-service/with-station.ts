import { SecondServiceStation } from './second-service-station.ts'

/** Opens a station for one test, and closes it even if the test fails. */
export const withStation = async (use: (station: SecondServiceStation) => Promise<void>): Promise<void> => {
  const station = await SecondServiceStation.open()
  try {
    await use(station)
  } finally {
    await station.close()
  }
}
