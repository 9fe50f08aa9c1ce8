import { wholeTime } from '#shared/units/instants.ts'

/** Says from when on a call sums up, which is no fault of its values. */
export const startNote = (call: string, startMs: number): string => `${call} from ${wholeTime(startMs, 'utc')}`

/** Tells a note of a start from those that warn of the values. */
export const isStartNote = (note: string): boolean => / from \d{4}-\d\d-\d\d(?: [\d:.]+ UTC)?$/.test(note)
