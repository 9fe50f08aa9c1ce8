import {
  endpointSpec,
  parameterSpec,
  type PortfolioEndpoint,
  type PortfolioParameter,
} from '#shared/catalog/portfolioEndpoints.ts'
import { queryOf, type LiveRequest } from '#shared/catalog/portfolioRequest.ts'
import type { CallOutput } from '#shared/contract/calls.ts'
import { fieldColumns } from '#shared/sheet/sheet.ts'
import { parseDay } from '#shared/time.ts'
import { action, exit } from './command.ts'
import { findConnection } from './connections.ts'
import { Failure } from './failure.ts'
import { liveDocument, liveLines } from './portfolioAnswers.ts'
import { recordLines } from './sheetLines.ts'
import { snapshotsText as text } from './text/commands.ts'
import { failureText, noteText, usageText } from './text/messages.ts'
import { instantOption } from './timeRange.ts'
import { UsageError } from './usageError.ts'

const kinds = ['weights', 'factors', 'overlay', 'regime'] as const
type Kind = (typeof kinds)[number]

/** Live endpoint of each kind of snapshot, and the parameter whose value is the snapshot's name. */
const endpointByKind = {
  weights: { endpoint: 'weights', nameParameter: 'portfolio' },
  factors: { endpoint: 'factors-live', nameParameter: 'id' },
  overlay: { endpoint: 'overlay-live', nameParameter: 'overlay' },
  regime: { endpoint: 'regime-live', nameParameter: 'overlay' },
} as const satisfies Record<Kind, { endpoint: PortfolioEndpoint; nameParameter: PortfolioParameter }>

const filterNames = ['portfolio', 'id', 'tickers', 'overlay', 'smoothing', 'exchange', 'asOf'] as const
type FilterName = (typeof filterNames)[number]
const optionOf = (name: FilterName) => (name === 'asOf' ? 'as-of' : name)

type Snapshot = CallOutput<'portfolio.keptSnapshots'>[number]
type GivenOptions = Partial<Record<string, string | string[] | boolean>>

const filterOption = (name: FilterName) => {
  const { description, values } = parameterSpec(name)
  const value = optionOf(name).toUpperCase().replace('-', '_')
  return name === 'tickers'
    ? ({ type: 'list', value: `${value}[,…]`, description } as const)
    : ({ type: 'text', value, values, description } as const)
}

/**
 * Converts the filters to the form in which stored requests have them; throws a UsageError for a filter that the kind
 * does not have.
 */
function wantedQuery(kind: Kind, given: GivenOptions): Record<string, string> {
  const { endpoint } = endpointByKind[kind]
  const { required, optional } = endpointSpec(endpoint)
  const namedValues = filterNames.flatMap((name) => {
    const value = given[optionOf(name)]
    if (value === undefined || typeof value === 'boolean') return []
    if (![...required, ...optional].includes(name)) throw new UsageError(usageText.notOfKind(optionOf(name), kind))
    return [[name, value] as const]
  })
  const query = queryOf({ endpoint, ...Object.fromEntries(namedValues) } as LiveRequest)
  const queryNames = new Set(namedValues.map(([name]) => parameterSpec(name).query ?? name))
  return Object.fromEntries(Object.entries(query).filter(([name]) => queryNames.has(name)))
}

function nameOf(kind: Kind, { request }: Snapshot): string {
  return String((request as unknown as Record<string, unknown>)[endpointByKind[kind].nameParameter] ?? '')
}

/** Returns when a snapshot was generated, or, where the service does not say, when it was first fetched. */
const takenAt = ({ createdAt, fetchedAt }: Snapshot): number => createdAt ?? fetchedAt

/**
 * Returns the snapshot that was current at a time: the one taken exactly then, else the latest one taken before. Throws
 * if there is none, or if snapshots of several requests match.
 */
function currentAt(kind: Kind, snapshots: readonly Snapshot[], atMs: number): Snapshot {
  const exact = snapshots.filter((each) => takenAt(each) === atMs)
  const before = snapshots.filter((each) => takenAt(each) <= atMs)
  const candidates = exact.length > 0 ? exact : before
  const requests = new Map(candidates.map((each) => [JSON.stringify(queryOf(each.request)), each]))
  if (requests.size === 0) throw new Failure(failureText.noSnapshotAt(new Date(atMs).toISOString()))
  const names = [...new Set([...requests.values()].map((each) => nameOf(kind, each)))]
  if (requests.size > 1 && (exact.length === 0 || names.length > 1)) {
    const options = Object.keys(queryOf(candidates[0].request)).map((name) => `--${name.replace('_', '-')}`)
    throw new UsageError(usageText.severalSnapshots(requests.size, options))
  }
  return candidates[0]
}

const isoTime = (timeMs: number) => new Date(timeMs).toISOString()

export const snapshotsAction = action({
  name: 'snapshots',
  readsOnly: true,
  summary: text.summary,
  options: {
    kind: { type: 'text', value: 'KIND', values: kinds, required: true, description: text.options.kind },
    ...Object.fromEntries(filterNames.map((name) => [optionOf(name), filterOption(name)])),
    at: { type: 'text', value: 'TIME', description: text.options.at },
  },
  async run({ client, connection, options, out, signal }) {
    const given = options as GivenOptions
    const kind = kinds.find((each) => each === given.kind) ?? 'weights'
    const wanted = wantedQuery(kind, given)
    const atMs = typeof given.at === 'string' ? (parseDay(given.at) ?? instantOption('at', given.at)) : null
    const core = await client()
    const { id: connectionId } = await findConnection(core, connection)
    const { endpoint } = endpointByKind[kind]
    const all = await core.call('portfolio.keptSnapshots', { connectionId, endpoint, limit: 10_000 }, { signal })
    const matching = all.filter(({ request }) => {
      const query = queryOf(request)
      return Object.entries(wanted).every(([name, value]) => query[name] === value)
    })
    if (atMs !== null) {
      const current = currentAt(kind, matching, atMs)
      const { request, fetchedAt, source } = current
      const snapshot = await core.call(
        'portfolio.snapshot',
        { connectionId, request, createdAt: takenAt(current) },
        { signal },
      )
      const freshness = { fetchedAt, source, asked: false, dataEndsAt: null, problems: [], trouble: null }
      out.result({ ...liveDocument({ ...snapshot, freshness }), learned: freshness }, () =>
        liveLines({ ...snapshot, freshness }),
      )
      return exit.done
    }
    const rows = matching.map((each) => ({
      kind,
      name: nameOf(kind, each),
      date: isoTime(each.day).slice(0, 10),
      createdAt: each.createdAt === null ? null : isoTime(each.createdAt),
      fetchedAt: isoTime(each.fetchedAt),
    }))
    out.result(rows, () => recordLines(columns, rows))
    if (rows.length === 0) out.note(noteText.noSnapshots(kind))
    return exit.done
  },
})

const columns = fieldColumns({ name: 'Name', date: 'Date', createdAt: 'Created', fetchedAt: 'Fetched' })
