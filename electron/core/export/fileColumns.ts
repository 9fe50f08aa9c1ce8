import type { FileColumn, TimeType } from '#shared/export/mixedTimes.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { Store } from '#core/store/store.ts'

interface FileColumns {
  timeType: TimeType
  /** All columns except the time, by name, over all files. */
  fileColumns: FileColumn[]
}

const isNumber = (type: string) => /^(u?int|float|double|decimal|half)/i.test(type)

function timeTypeOf(type: string) {
  if (!type.startsWith('timestamp')) return 'milliseconds'
  return type.includes('UTC') ? 'zoned timestamp' : 'timestamp'
}

/** Merges the columns of files by name, as read from their footers during validation. */
export function fileColumnsOf({ files }: Store, cachedFiles: readonly CachedFile[], timeColumn: string): FileColumns {
  const columns = new Map<string, FileColumn>()
  // Timestamps with and without a zone are different types, because other engines unite them by the session's zone.
  const timeTypes = new Set<'milliseconds' | 'timestamp' | 'zoned timestamp'>()
  for (const { series, period } of cachedFiles)
    for (const { name, type } of files.facts(series, period)?.columns ?? []) {
      if (name === timeColumn) timeTypes.add(timeTypeOf(type))
      else columns.set(name, { name, isText: !isNumber(type) || (columns.get(name)?.isText ?? false) })
    }
  const [only = cachedFiles[0]?.series.kind === 'raw' ? 'timestamp' : 'milliseconds'] = timeTypes
  const timeType = only === 'zoned timestamp' ? 'timestamp' : only
  return { timeType: timeTypes.size > 1 ? 'mixed' : timeType, fileColumns: [...columns.values()] }
}
