import type { PortfolioStore, Revision } from '#core/store/portfolioStore.ts'

/** One value that the service changed after it had published it. */
export interface ChangedValue {
  day: number | null
  createdAtMs: number | null
  column: string
  before: number | null
  after: number | null
  fetchedAtMs: number
  replacedAtMs: number
}

type Values = ReadonlyMap<string, number>

/** Lists the changed values of a history or of live answers, newest first, each with the value that replaced it. */
export function changedValues(store: PortfolioStore, requestId: number, limit: number): ChangedValue[] {
  const replacements = new Map<string, Values>()
  return store.revisions(requestId, limit).flatMap((revision) => {
    const revisionKey = `${revision.day} ${revision.createdAtMs}`
    const after = replacements.get(revisionKey) ?? currentValues(store, requestId, revision)
    const before = byColumn(revision.columns, revision.values)
    replacements.set(revisionKey, before)
    const { day, createdAtMs, fetchedAtMs, replacedAtMs } = revision
    return differences(before, after).map((each) => ({ day, createdAtMs, fetchedAtMs, replacedAtMs, ...each }))
  })
}

/**
 * Lists the tickers that joined or left ticker lists, newest first; the value of a member is 1, of any other ticker
 * null.
 */
export function changedTickers(store: PortfolioStore, requestId: number, limit: number): ChangedValue[] {
  const lists = store.tickerLists(requestId, limit + 1)
  const members = lists.map(({ tickers }) => new Map(tickers.map((ticker) => [ticker, 1])))
  return lists.slice(0, -1).flatMap(({ firstSeenAtMs }, newerIndex) =>
    differences(members[newerIndex + 1], members[newerIndex]).map((each) => ({
      day: null,
      createdAtMs: null,
      fetchedAtMs: lists[newerIndex + 1].firstSeenAtMs,
      replacedAtMs: firstSeenAtMs,
      ...each,
    })),
  )
}

function currentValues(store: PortfolioStore, requestId: number, { day, createdAtMs }: Revision): Values {
  const current = createdAtMs === null ? store.day(requestId, day) : store.snapshot(requestId, createdAtMs)
  return current ? byColumn(current.columns, current.values) : new Map()
}

function byColumn(columns: readonly string[], values: Float64Array): Values {
  return new Map(
    columns.map((name, index) => [name, values[index]] as const).filter(([, value]) => !Number.isNaN(value)),
  )
}

function differences(before: Values, after: Values) {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((column) => before.get(column) !== after.get(column))
    .map((column) => ({ column, before: before.get(column) ?? null, after: after.get(column) ?? null }))
}
