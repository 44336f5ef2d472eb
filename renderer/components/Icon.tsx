/**
 * Line icons on a 16 px grid, drawn for Sluice. Only decoration: a text or label beside each icon has the same meaning.
 */
const paths = {
  overview: 'M2 13.5h12M3.5 11V8M6.5 11V4.5M9.5 11V6.5M12.5 11V3',
  recordings: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  sessions: 'M4.6 12.5a3 3 0 0 1-.3-6 4 4 0 0 1 7.7-.6 3.3 3.3 0 0 1-.4 6.6z',
  activity: 'M1.75 8.5h2.6l2-5.5 3.3 10 2-4.5h2.6',
  folder: 'M1.75 4.25c0-.6.4-1 1-1h3.5l1.5 1.75h5.5c.6 0 1 .4 1 1v6c0 .6-.4 1-1 1H2.75c-.6 0-1-.4-1-1z',
  key: 'M5 13.25a3.25 3.25 0 1 1 2.9-4.7H14v2.2h-1.6v1.7h-2.2v-1.7H7.9A3.25 3.25 0 0 1 5 13.25zM4.9 10h.1',
  transfer: 'M5 13V3M5 3 2.25 5.75M5 3l2.75 2.75M11 3v10M11 13l-2.75-2.75M11 13l2.75-2.75',
  monitoring:
    'M8 7.25a.75.75 0 1 0 0 1.5.75.75 0 0 0 0-1.5zM5.4 10.6a3.7 3.7 0 0 1 0-5.2M10.6 5.4a3.7 3.7 0 0 1 0 5.2M3.3 12.7a6.6 6.6 0 0 1 0-9.4M12.7 3.3a6.6 6.6 0 0 1 0 9.4',
  general:
    'M2 4.5h5.5M11.5 4.5H14M9.5 3a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3zM2 11.5h2.5M8.5 11.5H14M6.5 10a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z',
  info: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 7.25V11M8 5.01V5',
  'check-circle': 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5.4 8.2l1.8 1.8 3.4-3.9',
  'up-circle': 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 11V5.3M5.6 7.5 8 5.1l2.4 2.4',
  'pause-circle': 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.4 6v4M9.6 6v4',
  triangle: 'M8 2.2 14.4 13.3H1.6zM8 6.3v3.2M8 11.41v-.01',
  octagon: 'M5.5 2h5L14 5.5v5L10.5 14h-5L2 10.5v-5zM6 6l4 4M10 6l-4 4',
  offline: 'M4.6 12.5a3 3 0 0 1-.3-6q.1-.6.4-1.1M7 3.5a4 4 0 0 1 5 2.4 3.3 3.3 0 0 1 1.7 5.1M2 2l12 12',
  record: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 6.25a1.75 1.75 0 1 0 0 3.5 1.75 1.75 0 0 0 0-3.5z',
  clock: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.8V8l2.2 1.6',
  hash: 'M6.3 2.5 5 13.5M11 2.5 9.7 13.5M2.5 5.8h11M2.3 10.2h11',
  ready: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.5 5.4v5.2L10.7 8z',
  finish: 'M3 2.8h10M8 13.5V6M5.2 8.5 8 5.7l2.8 2.8',
  cycle: 'M13.3 6.5A5.6 5.6 0 0 0 3.2 5.2M2.7 9.5a5.6 5.6 0 0 0 10.1 1.3M3 2.2v3.1h3.1M13 13.8v-3.1H9.9',
  gone: 'M6.2 2.3a6 6 0 0 1 3.6 0M12.8 4.4a6 6 0 0 1 1.2 3M13.4 10.6a6 6 0 0 1-2.5 2.7M8 14a6 6 0 0 1-3.3-1M2.3 10a6 6 0 0 1 0-4M5.5 8h5',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3l3.4 3.4',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1',
  down: 'M4 6l4 4 4-4',
  download: 'M8 2.5v7.7M4.7 7 8 10.3 11.3 7M2.8 13.4h10.4',
  left: 'M10 4 6 8l4 4',
  right: 'M6 4l4 4-4 4',
  'sort-up': 'M8 12.5v-9M4.5 7 8 3.5 11.5 7',
  'sort-down': 'M8 3.5v9M4.5 9 8 12.5 11.5 9',
  more: 'M3.5 7.4a.6.6 0 1 0 0 1.2.6.6 0 0 0 0-1.2zM8 7.4a.6.6 0 1 0 0 1.2.6.6 0 0 0 0-1.2zM12.5 7.4a.6.6 0 1 0 0 1.2.6.6 0 0 0 0-1.2z',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3.5 8h9',
  trash: 'M2.5 4.3h11M6 4.3v-2h4v2M4 4.3l.6 9.4h6.8l.6-9.4M6.7 7v4M9.3 7v4',
  first: 'M3 2.8h10M4.2 10.4 8 6.6l3.8 3.8M4.2 13.8 8 10l3.8 3.8',
  play: 'M5 3.2v9.6L12.6 8z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  external: 'M9 2.5h4.5V7M13.5 2.5 8 8M12 9.5v4H2.5V4h4',
  edit: 'M3 13h2.2l7.6-7.6-2.2-2.2L3 10.8zM9.2 4.6l2.2 2.2',
  check: 'M3 8.5l3.2 3.2L13 4.5',
  person: 'M8 2.25a2.75 2.75 0 1 0 0 5.5 2.75 2.75 0 0 0 0-5.5zM2.75 13.75a5.25 5.25 0 0 1 10.5 0z',
  support: 'M2.75 10V8a5.25 5.25 0 0 1 10.5 0v2M2.75 9.25h2v4h-2zM11.25 9.25h2v4h-2z',
  lock: 'M4.9 7V5.1a3.1 3.1 0 0 1 6.2 0V7M3.5 7h9v6.5h-9zM8 9.4v1.7',
} as const

export type IconName = keyof typeof paths

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
