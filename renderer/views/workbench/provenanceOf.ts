import { COMPUTED_LABEL } from '#shared/workspace/columnLabels.ts'
import { columnUnit } from '#shared/units/measureUnits.ts'
import type { ContractSizes } from '#shared/workspace/checkEntryFormula.ts'
import { transformLabels } from '../../charts/rows.ts'
import { allSeries, type WorkspaceDocument } from '#shared/workspace/workspace.ts'
import type { LoadedSeries } from './loadedSeries.ts'
import { workbenchText } from '../../text/workbench.ts'

const { provenance: text } = workbenchText

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
          : [source.dataset, source.exchange, source.symbol, source.interval, text.time(source.timestamp)].join('/')
      const size = source.kind === 'column' ? contractSize(source) : undefined
      const hashes = files.slice(0, MOST_HASHES).map(({ sha256 }) => sha256.slice(0, 8))
      return [
        `${name}: ${what}`,
        source.kind === 'column' && source.origin === 'computed' ? text.computed(COMPUTED_LABEL) : '',
        transform === 'none' ? '' : transformLabels[transform],
        source.kind === 'column' && source.resampleTo ? text.resampled(source.resampleTo) : '',
        unit === null ? 'unit unknown' : unit === 'none' ? '' : unit.startsWith('mixed units') ? unit : `unit ${unit}`,
        ...(shown?.unitWarnings ?? []).filter((warning) => warning !== unit),
        size === undefined ? '' : text.contractSize(size),
        text.files(files.length),
        hashes.length > 0 ? text.hashes(hashes, files.length > MOST_HASHES) : '',
        fetched.length > 0 ? text.fetched(Math.max(...fetched)) : '',
      ]
        .filter(Boolean)
        .join(', ')
    })
  return [text.app(connection), ...message].join('\n')
}
