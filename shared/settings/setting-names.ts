import { settingsSchema } from './settings.ts'

/**
 * The name of every setting in forms, imports, activity and messages. Each name is clear without its section. A test
 * compares the table with the schema.
 */
export const settingNames = {
  service: 'Service',
  'service.base_url': 'Service address',
  'service.api_key': 'Key',
  'service.api_key_file': 'Key file',
  'service.checksum_header': 'Storage checksum header',
  'service.proxy': 'Proxy',
  'service.ca_file': 'File with extra certificates',
  'service.upload_hosts': 'Storage hosts',
  folders: 'Folders',
  'folders.path': 'Folder',
  'folders.site': 'Site',
  'folders.device': 'Device',
  'folders.notes': 'Notes sent with each recording',
  'folders.include': 'Include',
  'folders.exclude': 'Exclude',
  'folders.recursive': 'Include subfolders',
  'folders.ignore_existing': 'Skip existing files',
  'folders.settle_seconds': 'Finished when unchanged for',
  'folders.marker_suffix': 'Wait for a marker file',
  'folders.notes_sidecar': 'File with notes',
  'folders.upload_duplicates': 'Upload the same content again',
  'folders.part_size_bytes': 'Part size',
  'folders.silence': 'If no recordings arrive',
  'folders.on_deviation': 'If a recording is not as expected',
  'folders.expect': 'Expected content',
  'folders.expect.format': 'Expected format',
  'folders.expect.channels': 'Expected channels',
  'folders.expect.channels.name': 'Channel',
  'folders.expect.channels.min_rate_hz': 'Lowest rate',
  'folders.expect.channels.max_gap_seconds': 'Longest gap',
  'folders.expect.channels.not_constant': 'Not black, constant or silent',
  'folders.expect.min_seconds': 'Shortest duration',
  'folders.expect.max_seconds': 'Longest duration',
  'folders.after_upload': 'After the upload',
  'folders.after_upload.action': 'Action',
  'folders.after_upload.to': 'Move to',
  'folders.after_upload.days': 'Wait after processing',
  'folders.after_upload.keep_free_bytes': 'Earlier if free space drops below',
  transfer: 'Transfer',
  'transfer.parallel_recordings': 'Parallel recordings',
  'transfer.parallel_parts': 'Parallel parts',
  'transfer.limit_mbit_per_s': 'Speed limit',
  'transfer.windows': 'Upload hours',
  'transfer.windows.days': 'Days',
  'transfer.windows.from': 'From',
  'transfer.windows.to': 'To',
  'transfer.windows.limit_mbit_per_s': 'Limit',
  'transfer.pause_on_battery': 'Pause uploads on battery',
  follow: 'Processing',
  'follow.poll_seconds': 'Check processing every',
  webhooks: 'Events from the service',
  'webhooks.receive': 'Receive events on this PC',
  'webhooks.receive.address': 'Address',
  'webhooks.receive.port': 'Port',
  monitoring: 'Monitoring',
  'monitoring.metrics': 'Serve metrics on this PC',
  'monitoring.metrics.address': 'Address',
  'monitoring.metrics.port': 'Port',
  'monitoring.metrics.token': 'Token',
  'monitoring.heartbeat_url': 'Heartbeat URL',
  'monitoring.heartbeat_seconds': 'Heartbeat interval',
  'monitoring.alert_url': 'Alert URL',
  app: 'This app',
  'app.station_name': 'Station name',
  'app.theme': 'Theme',
  'app.start_at_login': 'Start at login',
  'app.keep_awake_while_uploading': 'Keep this PC awake while uploading',
  'app.notify_attention': 'Notify when something needs attention',
  'app.notify_overnight_done': 'Notify when the night’s recordings are done',
  'app.sound_on_deviation': 'Sound when a recording is not as expected',
  'app.quiet_hours': 'Quiet hours',
  'app.quiet_hours.from': 'Quiet from',
  'app.quiet_hours.to': 'Quiet until',
  control: 'Attached windows',
  'control.group': 'Group that may attach',
} as const

export type Section = Exclude<keyof typeof settingsSchema.shape, '$schema'>

/** In the order of the schema. */
export const sections = Object.keys(settingsSchema.shape).filter(
  (name): name is Section => name !== '$schema',
)

/** Takes the path of a field without positions: "folders.site". Returns an unknown path unchanged. */
export const settingName = (path: string): string =>
  path in settingNames ? settingNames[path as keyof typeof settingNames] : path
