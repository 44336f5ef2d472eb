/** The folders that every scripted station watches. */
export const HALL = { path: '/data/recordings/hall-3', site: 'Hall 3', device: 'rig-07' } as const
export const TRACK = { path: '/mnt/nas-02/outdoor', site: 'Test track' } as const
