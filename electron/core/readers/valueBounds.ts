import type { ColumnMetaData } from 'hyparquet'

/**
 * Most pages have no checksum, but nearly all say between which values theirs lie: a value beyond was damaged on its way
 * into the cache. NaN (also in place of a null) is beyond nothing, and not every writer counts infinities.
 */
export function checkBounds(
  { statistics }: Pick<ColumnMetaData, 'statistics'>,
  values: Float64Array,
  from: number,
  to: number,
): void {
  const low = boundOf(statistics?.min_value ?? statistics?.min, -Infinity)
  const high = boundOf(statistics?.max_value ?? statistics?.max, Infinity)
  if (low === -Infinity && high === Infinity) return
  for (let i = from; i < to; i++) {
    const value = values[i]
    if ((value < low && value !== -Infinity) || (value > high && value !== Infinity))
      throw new Error('its values are not what the file says of them')
  }
}

/** Returns the stated bound if it is a usable number; dates and NaN give no bound. */
function boundOf(stated: unknown, otherwise: number): number {
  const bound = typeof stated === 'bigint' ? Number(stated) : stated
  return typeof bound === 'number' && !Number.isNaN(bound) ? bound : otherwise
}
