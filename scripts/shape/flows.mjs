/**
 * Defines the three flows that docs/FLOWS.md describes. A flow has several starting points: the function that a user
 * triggers, and each injected function on the way, because the walk cannot follow injection. `folders` are the folders
 * with the flow's logic; `outside` has patterns of files in these folders that do not belong to the flow. A starting
 * point names a folder and a function (`outer.inner` for a nested one) or component rather than a file, so that files
 * may be merged and renamed.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { at } from '../project.mjs'
import { walkFlow } from './flowWalk.mjs'

export const flows = [
  {
    title: 'A click on Download → a file on disk',
    key: 'download',
    target: 24,
    starts: [
      { in: 'renderer/views/downloads', from: 'enqueue' },
      { in: 'renderer/stores', from: 'useDownloads.enqueue' },
      { in: 'electron/core/downloads', from: 'enqueuePlan' },
      { in: 'electron/core/downloads', from: 'createDownloadQueue' },
      { in: 'electron/core/clients', from: 'createMetricsService' },
      { in: 'electron/core/clients', from: 'createHttpClient.open' },
      { in: 'electron/core/downloads', from: 'createValidationPool' },
      { in: 'electron/core/store', from: 'createJobProgress.markEnded' },
      { in: 'electron/core/store', from: 'createFileRecords.record' },
    ],
    folders: [
      'renderer/views/downloads',
      'electron/core/handlers',
      'electron/core/downloads',
      'electron/core/store',
      'electron/core/clients',
      'electron/core/parquet',
    ],
    outside: [
      // Reading Parquet files belongs to the second flow; here they are only checked for damage.
      /core\/parquet\//,
      // Errors, leases and the parsing of JSON belong to every flow.
      /\/(lease|redact|parseResponse|\w*Errors|storedJson)\.ts$/,
    ],
  },
  {
    title: 'A stored series → pixels',
    key: 'pixels',
    target: 38,
    starts: [
      { in: 'renderer/views/workbench', from: 'useSeriesData' },
      { in: 'renderer/stores', from: 'useSeries.overview' },
      { in: 'electron/core', from: 'createSeriesService.overview' },
      { in: 'electron/core', from: 'createSeriesReader' },
      { in: 'renderer/charts', from: 'ChartPanes.vue' },
    ],
    folders: [
      'renderer/views/workbench',
      'electron/core/handlers',
      'electron/core/series',
      'electron/core/parquet',
      'shared/overview',
      'renderer/charts',
    ],
    outside: [
      // Chart interaction and the controls around it do not draw the series.
      /charts\/(usePointer|useKeys|useKeyboardDrawing|drawings|zoomHistory|usePaneHeights|useSize|useColours|chartColours|measured)\.ts$/,
      /charts\/(ChartToolbar|ChartLegend|ShadingLegend|AxisHandle|CoverageStrip|PaneDivider)\.vue$/,
      /charts\/(legend\w*|chart(Words|Text|Labels))\.ts$/,
      // Other tasks of the same threads: statistics, relationships, scans, formulas.
      /(statistics\w*|noStatistics|relationships\w*|scan\w*|evaluateColumns|buffersIn)\.ts$/i,
    ],
  },
  {
    title: 'A portfolio answer → the tear sheet',
    key: 'tearSheet',
    target: 30,
    starts: [
      { in: 'electron/core/clients', from: 'createPortfolioService' },
      { in: 'electron/core/portfolio', from: 'createPortfolio.history' },
      { in: 'electron/core/handlers', from: 'portfolioHandlers' },
      { in: 'renderer/views/portfolios', from: 'PortfolioView.vue' },
    ],
    folders: [
      'electron/core/clients',
      'electron/core/portfolio',
      'electron/core/store',
      'shared/portfolio',
      'renderer/views/portfolios',
    ],
    outside: [
      // Returns that the user loads from a file reach the same page by a separate flow.
      /portfolios\/own\//,
      // Fields and lists only choose what to show, and other files only save or copy it.
      /(DaysField|IdField|PortfolioPicker|PortfolioStart|CompareBar|RevisionsCard)\.vue$/,
      /(useKnownIds|cardExports|changedValues|parseResponse|\w*Errors|storedJson)\.ts$/,
    ],
  },
]

const filesBelow = (folder) =>
  readdirSync(at(folder), { recursive: true })
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .filter((path) => /\.(ts|vue)$/.test(path))
    .sort()

/** Finds the file below a folder that declares a starting point, and the name in it to start from. */
function findStart({ in: folder, from }) {
  const files = filesBelow(folder)
  if (from.endsWith('.vue')) return { file: files.find((path) => posix.basename(path) === from), from: '*' }
  for (const path of from.split('|')) {
    const declarationPattern = new RegExp(`(function|const|class) ${path.split('.')[0]}\\b`)
    const file = files.find((each) => declarationPattern.test(readFileSync(at(each), 'utf8')))
    if (file) return { file, from: path }
  }
  throw new Error(`No file in ${folder} declares ${from}: a flow starts there, see scripts/shape/flows.mjs.`)
}

/** Lists the files of a flow in the order of the walk, each with a line about what it does. */
export function filesOfFlow({ starts, folders, outside }) {
  const isIn = (path, folder) => path === folder || path.startsWith(`${folder}/`)
  const isFollowed = (path) => folders.some((folder) => isIn(path, folder)) && !outside.some((rule) => rule.test(path))
  return walkFlow(starts.map(findStart), isFollowed).map(({ path, name, comment }) => ({
    path,
    line: comment ?? `Here: \`${name}\`.`,
  }))
}
