/** Units of times that are whole numbers without a word on their unit: a number below the bound is of that unit. */
export const wholeTimeUnits = [
  { unit: 's', below: 1e11, us: 1e6 },
  { unit: 'ms', below: 1e14, us: 1e3 },
  { unit: 'us', below: 1e17, us: 1 },
] as const

/** Returns the microseconds of the unit of a time; a number beyond all bounds counts nanoseconds. */
export const wholeTimeUs = (time: number): number =>
  wholeTimeUnits.find(({ below }) => Math.abs(time) < below)?.us ?? 1e-3
