/** A Thursday morning after the last recording of the night: the time of every screenshot. */
export const MORNING = new Date('2026-03-12T07:42:00.000Z')
