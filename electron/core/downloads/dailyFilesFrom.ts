import { dailyFilesFrom as documented } from '#shared/catalog/dailyFiles.ts'
import { connectionOfOwner } from '#shared/contract/computedOwner.ts'
import { parseDay, type Day } from '#shared/time.ts'
import type { Store } from '#core/store/store.ts'

/** The last answer of each store, because calendars ask for every series and the catalog rarely changes. */
const known = new WeakMap<Store['coverage'], Map<string, { body: string; day: Day }>>()

/** Reads from a connection's raw catalog since when its files are daily; the documented day where the catalog says none. */
export function dailyFilesFromOf({ coverage }: Store, owner: string): Day {
  const connectionId = connectionOfOwner(owner)
  const body = coverage.document(connectionId, 'raw-catalog')?.body
  if (body === undefined) return documented
  const ofStore = known.get(coverage) ?? new Map<string, { body: string; day: Day }>()
  known.set(coverage, ofStore)
  const last = ofStore.get(connectionId)
  if (last?.body === body) return last.day
  const { catalog } = JSON.parse(body) as { catalog?: { daily_files_from?: unknown } }
  const said = catalog?.daily_files_from
  const day = typeof said === 'string' && parseDay(said) !== null ? said : documented
  ofStore.set(connectionId, { body, day })
  return day
}
