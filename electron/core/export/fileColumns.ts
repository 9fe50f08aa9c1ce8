import type { FileColumn, TimeType } from '#shared/export/mixedTimes.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { Store } from '#core/store/store.ts'

export interface FileColumns {
  timeType: TimeType
  /** All columns except the time, by name, over all files. */
  fileColumns: FileColumn[]
}

const isNumber = (type: string) => /^(u?int|float|double|decimal|half)/i.test(type)

/** Merges the columns of files by name, as read from their footers during validation. */
export function fileColumnsOf({ files }: Store, cachedFiles: readonly CachedFile[], timeColumn: string): FileColumns {
  const columns = new Map<string, FileColumn>()
  const timeTypes = new Set<'milliseconds' | 'timestamp'>()
  for (const { series, period } of cachedFiles)
    for (const { name, type } of files.facts(series, period)?.columns ?? []) {
      if (name === timeColumn) timeTypes.add(type.startsWith('timestamp') ? 'timestamp' : 'milliseconds')
      else columns.set(name, { name, isText: !isNumber(type) || (columns.get(name)?.isText ?? false) })
    }
  const [timeType = cachedFiles[0]?.series.kind === 'raw' ? 'timestamp' : 'milliseconds'] = timeTypes
  return { timeType: timeTypes.size > 1 ? 'mixed' : timeType, fileColumns: [...columns.values()] }
}
