/** A Thursday morning, a little after the night's last recording: the moment of every picture. */
export const MORNING = new Date('2026-03-12T07:42:00.000Z')
