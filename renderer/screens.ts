import {
  BookOpen,
  ChartCandlestick,
  ChartPie,
  Database,
  Download,
  Eye,
  FileStack,
  FlaskConical,
  Grid3x3,
  Inbox,
  LayoutDashboard,
  LibraryBig,
  ShieldCheck,
  SlidersHorizontal,
} from '@lucide/vue'
import type { Component } from 'vue'
import type { ScreenName } from '#shared/contract/screenNames.ts'
import WorkbenchView from './views/workbench/WorkbenchView.vue'

interface Screen {
  /** Route name, and suffix of the command id `go.…`. */
  name: ScreenName
  title: string
  icon: Component
  /** Letter of the shortcut, after `g`. */
  letter: string
  keywords: string
  /** True if returning to the screen restores its last address. */
  keepsAddress: boolean
  load: () => Promise<Component>
}

/** All screens. The first one is bundled with the window, the others load on first use. */
export const screens: readonly Screen[] = [
  {
    name: 'workbench',
    title: 'Workbench',
    icon: ChartCandlestick,
    letter: 'w',
    keywords: 'chart pane series candles formula',
    keepsAddress: false,
    load: () => Promise.resolve(WorkbenchView),
  },
  {
    name: 'watch',
    title: 'Watch',
    icon: Eye,
    letter: 't',
    keywords: 'watchlist symbol lists day overview change funding open interest volume',
    keepsAddress: true,
    load: () => import('./views/watch/WatchView.vue'),
  },
  {
    name: 'inbox',
    title: 'Inbox',
    icon: Inbox,
    letter: 'i',
    keywords: 'checks rules alerts hits findings notifications unread',
    keepsAddress: false,
    load: () => import('./views/inbox/InboxView.vue'),
  },
  {
    name: 'lab',
    title: 'Lab',
    icon: FlaskConical,
    letter: 'l',
    keywords: 'study research signal event lead-lag seasonality factor alpha backtest test trials sharpe',
    keepsAddress: true,
    load: () => import('./views/lab/LabView.vue'),
  },
  {
    name: 'portfolios',
    title: 'Portfolios',
    icon: ChartPie,
    letter: 'p',
    keywords: 'weights returns factors tear sheet universe turnover drawdown sharpe regimes prices',
    keepsAddress: true,
    load: () => import('./views/portfolios/PortfoliosView.vue'),
  },
  {
    name: 'sql',
    title: 'SQL',
    icon: Database,
    letter: 'q',
    keywords: 'query duckdb select table join',
    keepsAddress: true,
    load: () => import('./views/sql/SqlView.vue'),
  },
  {
    name: 'boards',
    title: 'Boards',
    icon: LayoutDashboard,
    letter: 'b',
    keywords: 'dashboard page parts grid morning report',
    keepsAddress: true,
    load: () => import('./views/boards/BoardsView.vue'),
  },
  {
    name: 'catalog',
    title: 'Catalog',
    icon: LibraryBig,
    letter: 'c',
    keywords: 'datasets fields metrics tiers',
    keepsAddress: true,
    load: () => import('./views/catalog/CatalogView.vue'),
  },
  {
    name: 'coverage',
    title: 'Coverage',
    icon: Grid3x3,
    letter: 'v',
    keywords: 'symbols days missing heat map',
    keepsAddress: true,
    load: () => import('./views/coverage/CoverageView.vue'),
  },
  {
    name: 'quality',
    title: 'Quality',
    icon: ShieldCheck,
    letter: 'y',
    keywords: 'data faults gaps missing stale spikes duplicates findings check',
    keepsAddress: true,
    load: () => import('./views/quality/QualityView.vue'),
  },
  {
    name: 'downloads',
    title: 'Downloads',
    icon: Download,
    letter: 'd',
    keywords: 'queue plan files fetch',
    keepsAddress: false,
    load: () => import('./views/downloads/DownloadsView.vue'),
  },
  {
    name: 'raw',
    title: 'Raw events',
    icon: FileStack,
    letter: 'r',
    keywords: 'import parquet trades book',
    keepsAddress: true,
    load: () => import('./views/raw/RawView.vue'),
  },
  {
    name: 'guide',
    title: 'Guide',
    icon: BookOpen,
    letter: 'h',
    keywords: 'help manual documentation user guide troubleshooting formulas',
    keepsAddress: true,
    load: () => import('./views/guide/GuideView.vue'),
  },
  {
    name: 'settings',
    title: 'Settings',
    icon: SlidersHorizontal,
    letter: 's',
    keywords: 'preferences options connections appearance api key tier',
    keepsAddress: true,
    load: () => import('./views/settings/SettingsView.vue'),
  },
]

/** An entry of the rail: a screen, or several that are tabs of one place. */
export interface Place {
  title: string
  icon: Component
  screens: readonly Screen[]
}

const screenNamed = (name: ScreenName): Screen => {
  const found = screens.find((screen) => screen.name === name)
  if (!found) throw new Error(`There is no screen “${name}”.`)
  return found
}

const place = (name: ScreenName): Place => {
  const { title, icon } = screenNamed(name)
  return { title, icon, screens: [screenNamed(name)] }
}

/** Places in the order of the rail: what a person researches with, the data behind it, and the program itself. */
export const placeGroups: readonly { title: string; places: readonly Place[] }[] = [
  {
    title: 'Research',
    places: [
      place('workbench'),
      { ...place('watch'), screens: [screenNamed('watch'), screenNamed('inbox')] },
      place('lab'),
      place('portfolios'),
      place('sql'),
      place('boards'),
    ],
  },
  {
    title: 'Data',
    places: [
      { title: 'Data', icon: LibraryBig, screens: (['catalog', 'coverage', 'quality'] as const).map(screenNamed) },
      place('downloads'),
      place('raw'),
    ],
  },
  { title: 'Program', places: [place('guide'), place('settings')] },
]

/** Finds the place that a screen is a tab of. */
export const placeOf = (name: unknown): Place | null =>
  placeGroups.flatMap(({ places }) => places).find(({ screens }) => screens.some((screen) => screen.name === name)) ??
  null
