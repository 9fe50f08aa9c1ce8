import type { ExportResult } from '#shared/contract/areas/series.ts'
import { type Zone, zoneName } from '#shared/units/instants.ts'
import { expandEntry, hasFileRows } from '#shared/workspace/expandFormula.ts'
import { allSeries } from '#shared/workspace/workspace.ts'
import { MOST_PASSED_LINK_CHARACTERS } from '#shared/workspace/workspaceLimits.ts'
import type { ColumnSource, SeriesEntry } from '#shared/workspace/workspaceSchema.ts'
import { chartColours } from '../../charts/chartColours.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { ChartModel } from '../../charts/model.ts'
import { copyText } from '../../components/copyText.ts'
import type { ChartPicture } from '../../export/chartSvg.ts'
import { exportName, saveFile } from '../../export/saveFile.ts'
import { useConnections } from '../../stores/connections.ts'
import { useFiles } from '../../stores/files.ts'
import { useHost } from '../../stores/host.ts'
import { useInstruments } from '../../stores/instruments.ts'
import { useReports } from '../../stores/reports.ts'
import { useSeries } from '../../stores/series.ts'
import { useSettings } from '../../stores/settings.ts'
import { useToasts } from '../../stores/toasts.ts'
import { useWorkspaces } from '../../stores/workspaces.ts'
import { storesText } from '../../text/stores.ts'
import { workbenchText } from '../../text/workbench.ts'
import { chartProvenance } from './chartProvenance.ts'
import { inputsOf, type LoadedSeries, ownerOf, columnsBySeries, seriesOf, withoutAbsent } from './seriesData.ts'
import { useDiscovery } from '../../stores/discovery.ts'

const { exports: text } = workbenchText

const WIDTH_PX = 1280
const HEAD_PX = 120
const PANE_PX = 260
const LINE_PX = 14
/** Maximum number of missing parts that a message names. */
const MOST_NAMED = 3

/** Says where an export was saved, what it lacks and what to know about its values; null if there is nothing to say. */
function savedDetail(saved: ExportResult, missing: readonly string[]): string | null {
  const { path, duplicates, unitWarnings, modelledTimes } = saved
  const parts = [
    path ?? '',
    duplicates > 0 ? text.duplicates(duplicates) : '',
    ...missing.slice(0, MOST_NAMED).map(text.missing),
    missing.length > MOST_NAMED ? text.moreMissing(missing.length - MOST_NAMED) : '',
    ...[...unitWarnings, ...modelledTimes].map(text.warning),
  ]
  return parts.filter(Boolean).join(' ') || null
}

interface ExportSource {
  model: () => ChartModel
  view: () => TimeRange
  zone: () => Zone
  /** Returns the time at which cumulative sums start. */
  originMs: () => number | null
  loadedOf: (seriesId: string) => LoadedSeries
}

export const exportItems = [
  { id: 'report', title: text.report },
  { id: 'png', title: text.png, hasSeparator: true },
  { id: 'svg', title: text.svg },
  { id: 'csv view', title: text.csvView, hasSeparator: true },
  { id: 'csv whole', title: text.csvWhole },
  { id: 'parquet view', title: text.parquetView },
  { id: 'parquet whole', title: text.parquetWhole },
  { id: 'hive', title: text.hive },
  { id: 'copy link', title: text.copyLink, hasSeparator: true },
  { id: 'copy DuckDB', title: text.copyDuckDb },
  { id: 'copy pandas', title: text.copyPandas },
  { id: 'copy Polars', title: text.copyPolars },
  { id: 'copy Spark', title: text.copySpark },
  { id: 'copy ClickHouse', title: text.copyClickHouse },
  { id: 'copy notebook', title: storesText.reports.copyNotebook },
] as const

/** Exports the visible picture and the rows behind it. */
export function useExports({ model, view, zone, originMs, loadedOf }: ExportSource) {
  const discovery = useDiscovery()
  const workspaces = useWorkspaces()
  const connections = useConnections()
  const instruments = useInstruments()
  void instruments.load().catch(() => {})
  const series = useSeries()
  const settings = useSettings()
  const host = useHost()
  const toasts = useToasts()
  const savedFiles = useFiles()
  const reports = useReports()

  function picture(): ChartPicture {
    const shown = model()
    const { name: connection, preview: isPreview = false } = connections.active ?? { name: '' }
    return {
      model: shown,
      range: view(),
      colours: chartColours(document.documentElement),
      title: workspaces.name,
      provenance: chartProvenance(
        workspaces.document,
        loadedOf,
        isPreview ? text.fromPreviews(connection) : connection,
        {
          contractSizes: instruments.contractSizes,
          venues: discovery.venueFacts,
        },
        settings.current.provenance,
      ),
      widthPx: WIDTH_PX,
      heightPx: HEAD_PX + PANE_PX * Math.max(1, shown.panes.length) + LINE_PX * allSeries(workspaces.document).length,
    }
  }

  async function exportPicture(kind: 'png' | 'svg'): Promise<void> {
    const name = `${exportName(workspaces.name)}.${kind}`
    saveFile(name, await (kind === 'png' ? pngBlob : svgBlob)(picture()))
    toasts.show({ kind: 'done', message: text.saved(name) })
  }

  const shownEntries = () => allSeries(workspaces.document).filter(({ hidden }) => !hidden)
  const columnSources = (): ColumnSource[] =>
    shownEntries().flatMap(({ source }) => (source.kind === 'column' ? source : []))

  async function exportRows(format: 'csv' | 'parquet', isWholeRange: boolean): Promise<void> {
    const all = allSeries(workspaces.document)
    const entries = shownEntries()
    const absentOf = (id: string) => loadedOf(id).whole?.absentColumns ?? []
    const { present, absent } = withoutAbsent(entries.filter(hasFileRows), absentOf)
    const formulas = entries.filter((entry) => !hasFileRows(entry)).flatMap((entry) => formulaOf(entry, all))
    const { startMs, endMs } = view()
    const saved = await series.exportRows({
      format,
      series: present,
      formulas,
      ...(isWholeRange ? { startMs: null, endMs: null } : { startMs, endMs }),
      originMs: originMs(),
      zone: zoneName(zone()),
      text: settings.current.csvText,
    })
    showSaved(saved, absent)
  }

  async function exportHive(): Promise<void> {
    const all = columnSources()
    const served = all.filter(({ origin }) => origin === 'service')
    // An exported folder contains either only files from the service or only computed files.
    const sources = served.length > 0 ? served : all
    showSaved(
      await series.exportHive({
        connectionId: ownerOf(served.length > 0 ? 'service' : 'computed'),
        series: sources.map(({ dataset, exchange, symbol, interval, timestamp }) => ({
          dataset,
          exchange,
          symbol,
          interval,
          timestamp,
        })),
        startMs: null,
        endMs: null,
      }),
    )
  }

  function showSaved(saved: ExportResult | null, absentColumns: readonly string[] = []): void {
    if (!saved) return
    const { name, path, rows, files, unread } = saved
    const missing = [...absentColumns.map((column) => text.noColumn(column)), ...unread.map(({ message }) => message)]
    toasts.show({
      kind: missing.length > 0 ? 'note' : 'done',
      message: text.savedRows(name, rows, files),
      action: savedFiles.revealAction(path),
      detail: savedDetail(saved, missing),
    })
  }

  async function copyAs(language: string): Promise<void> {
    const all = columnsBySeries(shownEntries())
    const { startMs, endMs } = view()
    const range = { startMs: Math.floor(startMs), endMs: Math.ceil(endMs) }
    const texts = await Promise.all(
      all.map(async ({ name, source, columns }) => {
        const variable = all.length > 1 ? `df_${name.replaceAll(/\W/g, '_')}` : 'df'
        const snippets = await series.snippets({ ...seriesOf(source), columns, ...range, variable })
        return snippets.find((snippet) => snippet.name === language)?.text ?? ''
      }),
    )
    const subjectText = all.length > 1 ? text.severalSeries(all.length) : (all.at(0)?.source.dataset ?? '')
    if (all.length > 0 && (await copyText(texts.join('\n'))))
      toasts.show({ kind: 'done', message: text.copied(subjectText, language) })
  }

  /** Copies an address that opens the chart here, or in another installation with the same data. */
  async function copyLink(): Promise<void> {
    const { writeLinkedDocument } = await import('#shared/workspace/workspaceLink.ts')
    const show = writeLinkedDocument(workspaces.document)
    const route = `workbench?${new URLSearchParams({ show, name: workspaces.name })}`
    const isDesktop = host.connectedHost().kind === 'desktop'
    const address = isDesktop ? `perpscope://${route}` : `${location.origin}${location.pathname}#/${route}`
    if (address.length > MOST_PASSED_LINK_CHARACTERS) toasts.show({ kind: 'problem', message: text.linkTooLong })
    else if (await copyText(address)) toasts.show({ kind: 'done', message: text.copiedLink })
    else toasts.show({ kind: 'problem', message: workbenchText.menu.notCopied })
  }

  return (action: string): Promise<void> => {
    if (action === 'copy link') return copyLink()
    if (action === 'report') return reports.save(reportQuery(workspaces, view()))
    if (action === 'copy notebook') return reports.copyNotebook(reportQuery(workspaces, view()))
    if (action === 'png' || action === 'svg') return exportPicture(action)
    if (action === 'hive') return exportHive()
    const [kind, variant] = action.split(' ')
    if (kind === 'csv' || kind === 'parquet') return exportRows(kind, variant === 'whole')
    return copyAs(variant)
  }
}

async function svgBlob(picture: ChartPicture): Promise<Blob> {
  const { exportedChartSvg } = await import('../../export/chartSvg.ts')
  return new Blob([exportedChartSvg(picture)], { type: 'image/svg+xml' })
}

async function pngBlob(picture: ChartPicture): Promise<Blob> {
  const { chartPng } = await import('../../export/chartPng.ts')
  return chartPng(picture)
}

/** Builds the query for a report on the visible workspace. */
const reportQuery = (
  { name, document: shown }: Pick<ReturnType<typeof useWorkspaces>, 'name' | 'document'>,
  { startMs, endMs }: TimeRange,
) => ({ kind: 'workbench' as const, name, document: shown, startMs, endMs })

function formulaOf(entry: SeriesEntry, all: readonly SeriesEntry[]) {
  const expanded = expandEntry(entry, all)
  if ('problem' in expanded) return []
  return [{ name: entry.label || entry.name, formula: expanded.formula, inputs: inputsOf(expanded.columns) }]
}
