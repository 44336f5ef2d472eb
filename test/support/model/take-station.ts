import { settingsSchema } from '../../../shared/settings/settings.ts'
import { FOLDER, ModelStation } from './station.ts'

const SIZE = 10_000

export const BAG = `${FOLDER}/bag`
export const METADATA =
  'rosbag2_bagfile_information:\n  relative_file_paths:\n    - bag_0.mcap\n    - bag_1.mcap\n'
export const DELETE = { after_upload: { action: 'delete', days: 0 } }

/** A station whose folder has `take: folder`, unless a test sets a different value with `configure`. */
export class TakeStation extends ModelStation {
  constructor() {
    super()
    this.configure({})
  }

  configure(folder: object): void {
    this.settings = settingsSchema.parse({
      ...this.settings,
      folders: [{ path: FOLDER, site: 'lab', settle_seconds: 10, take: 'folder', ...folder }],
    })
    this.restart()
  }

  write(name: string, content = name): void {
    this.drive.write(`${FOLDER}/${name}`, content, SIZE)
    this.hint()
  }

  at(name: string) {
    return this.recordingAt(`${FOLDER}/${name}`)
  }

  names(): string[] {
    return this.drive.paths().map((path) => path.slice(FOLDER.length + 1))
  }

  areProcessed(): Promise<boolean> {
    return this.until(
      () => this.recordings().length > 0 && this.recordings().every(({ state }) => state === 'processed'),
    )
  }

  async passSeconds(count: number): Promise<void> {
    for (let second = 0; second < count; second += 1) {
      await this.pass(1_000)
      await this.round()
    }
  }

  /** Writes a rosbag2 folder with two files, and waits until it is processed. */
  async recordBag(): Promise<void> {
    this.write('bag/bag_0.mcap')
    this.write('bag/bag_1.mcap')
    this.write('bag/metadata.yaml', METADATA)
    if (!(await this.areProcessed())) throw new Error('the bag was not processed')
  }

  /** Makes the hash of this file fail, so that Sluice never uploads it. */
  damage(name: string): void {
    this.drive.fate = (call, path) =>
      call === 'hash' && path.endsWith(name) ? { kind: 'file-busy', code: 'EIO', detail: 'damaged' } : null
  }
}
