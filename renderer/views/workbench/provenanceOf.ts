import { COMPUTED_LABEL } from '#shared/workspace/columnLabels.ts'
import { zonedTime } from '#shared/units/instants.ts'
import { columnUnit } from '#shared/units/measureUnits.ts'
import type { ContractSizes } from '#shared/workspace/checkEntryFormula.ts'
import { transformLabels } from '../../charts/rows.ts'
import { allSeries, type WorkspaceDocument } from '#shared/workspace/workspace.ts'
import type { LoadedSeries } from './loadedSeries.ts'

const MOST_HASHES = 3

/** Describes the sources of a picture: datasets, clocks, files, fetch times, transforms. A line for each series. */
export function provenanceOf(
  document: WorkspaceDocument,
  of: (seriesId: string) => LoadedSeries,
  connection: string,
  contractSize: ContractSizes = () => undefined,
): string {
  const message = allSeries(document)
    .filter(({ hidden }) => !hidden)
    .map(({ id, name, source, transform }) => {
      const { whole, detail } = of(id)
      const shown = detail ?? whole
      const unit =
        source.kind === 'column' ? columnUnit(source.dataset, source.column, source.exchange) : (shown?.unit ?? null)
      const files = shown?.files ?? []
      const fetched = files.map(({ fetchedAt }) => fetchedAt)
      const what =
        source.kind === 'formula'
          ? source.formula
          : [source.dataset, source.exchange, source.symbol, source.interval, `${source.timestamp} time`].join('/')
      const size = source.kind === 'column' ? contractSize(source) : undefined
      const hashes = files.slice(0, MOST_HASHES).map(({ sha256 }) => sha256.slice(0, 8))
      return [
        `${name}: ${what}`,
        source.kind === 'column' && source.origin === 'computed' ? `${COMPUTED_LABEL} from raw events` : '',
        transform === 'none' ? '' : transformLabels[transform],
        source.kind === 'column' && source.resampleTo ? `put together to ${source.resampleTo}` : '',
        unit === null ? 'unit unknown' : unit === 'none' ? '' : unit.startsWith('mixed units') ? unit : `unit ${unit}`,
        ...(shown?.unitWarnings ?? []).filter((warning) => warning !== unit),
        size === undefined ? '' : `contract size ${size}`,
        `${files.length} ${files.length === 1 ? 'file' : 'files'}`,
        hashes.length > 0 ? `sha256 ${hashes.join(' ')}${files.length > MOST_HASHES ? ' …' : ''}` : '',
        fetched.length > 0 ? `fetched ${zonedTime(Math.max(...fetched), 'utc')}` : '',
      ]
        .filter(Boolean)
        .join(', ')
    })
  return [`Perpscope, ${connection}`, ...message].join('\n')
}
