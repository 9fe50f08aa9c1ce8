// Convention for renderer/text: one file per area of the window (shell, stores, charts, tables, components), one or more per
// screen. Texts are in objects named `<area>Text`, as constants, or as small functions where a text contains a value:
//   export const catalogText = { title: 'Catalog', rowsShown: (shown: number, total: number) => `${shown} of ${plural(total, 'row')}` } as const
// Group by what is on the screen, from top to bottom. Sentence case, present tense, no full stop after a label or a heading;
// counts through `plural()` of #shared/units/plurals.ts, times and numbers formatted here by #shared/units, never by the caller.
// A text used by two areas is in the file of the area that its component belongs to. No Vue, no state; only #shared and
// texts may be imported.

import { formatBytes, formatRate } from '#shared/units/bytes.ts'
import { formatDuration } from '#shared/units/durations.ts'
import { clockTime, formatTime, type Zone } from '#shared/units/instants.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { agree, plural } from '#shared/units/plurals.ts'

const formatCount = (value: number) => formatNumber(value, 0)
/** Formats seconds without decimals, because the remaining time of a download is an estimate. */
const estimateText = (seconds: number) =>
  seconds < 60 ? `${formatCount(Math.ceil(seconds))} s` : formatDuration(seconds * 1000)

export const shellText = {
  skip: 'Skip to content',
  screens: 'Screens',
  screen: (title: string, letter: string) => `${title}  (g ${letter})`,
  pageTitle: (selection: string, screen: string) =>
    `${selection ? `${selection[0].toUpperCase()}${selection.slice(1)} · ` : ''}${screen} · Perpscope`,
  notFound: 'Not found',
  unknownPage: {
    title: 'There is no such screen',
    /** Title for an unknown address that begins with the name of a screen. */
    titleOn: (screen: string) => `${screen} has no such page`,
    notFound: 'Page not found:',
    reason: 'The address may be from another version, or incomplete.',
    toWorkbench: 'Go to the workbench',
    toScreen: (screen: string) => `Go to ${screen}`,
  },
  pane: 'Pane',
  screenNotLoaded: 'The screen could not be loaded.',

  start: {
    refusals: {
      missing: {
        title: 'This address has no token',
        reason: 'Perpscope accepts only windows opened with the whole address that it prints at startup.',
      },
      wrong: {
        title: 'This session link is not valid',
        reason:
          'It is from an earlier start of Perpscope, or it was not copied whole. After a restart, old addresses stop working.',
      },
      expired: {
        title: 'This session link has expired',
        reason: 'Perpscope was started anew. After a restart, old addresses stop working.',
      },
    },
    steps: {
      terminal: 'Go to the terminal in which Perpscope runs.',
      address: 'Open the address it printed, including everything after the',
      restart: 'Not running any more? Restart with',
    },
    unsaved: 'Changes that could not be saved are kept in this browser. They are saved when you open the new address.',
    failed: 'Perpscope could not start',
    starting: 'Starting …',
    retry: 'Try again',
  },

  notices: { label: 'Startup notices', dismiss: 'Dismiss' },

  connection: {
    label: 'Connection',
    none: 'No connection',
    synthetic: 'synthetic data',
    previews: 'previews',
    manage: 'Manage connections …',
  },

  offline: {
    title: 'Offline.',
    body: 'Cached data, charts, tables and exports still work. The catalog and coverage may be out of date. Downloads wait until you are online.',
    goOnline: 'Go online',
  },
  line: {
    title: 'Connection to Perpscope lost.',
    body: 'Reconnecting. Nothing updates until the connection is back. Changes to the open workspace, study, query or board are kept and saved then.',
  },
  unreachable: {
    services: { metrics: 'metrics', portfolios: 'portfolios', catalog: 'raw-event catalog' },
    title: (names: readonly string[]) => `${names.join(', ')} ${agree(names.length, 'has', 'have')} been unreachable`,
    since: (timeMs: number, message: string | null, zone: Zone) =>
      ` since ${clockTime(timeMs, zone)}${message ? `: ${message}` : ''}.`,
    cached: 'Cached data still works.',
    next: (timeMs: number | null, zone: Zone) =>
      timeMs === null ? 'Retrying now.' : `Next attempt at ${clockTime(timeMs, zone)}.`,
    retry: 'Retry now',
  },
  online: {
    label: 'Online',
    state: (isOffline: boolean) => (isOffline ? 'Offline' : 'Online'),
    hint: (isOffline: boolean) =>
      isOffline ? 'Offline: cached data only. Click to go online.' : 'Online. Click to go offline.',
  },

  downloads: {
    label: 'Downloads',
    paused: (files: number) => `${formatCount(files)} paused`,
    progress: (ended: number, total: number) => `${formatCount(ended)} of ${formatCount(total)}`,
    rate: formatRate,
    left: (seconds: number) => `${estimateText(seconds)} left`,
    blocked: 'blocked',
    offline: 'offline',
    pauseAll: 'Pause all downloads',
    resumeAll: 'Resume all downloads',
  },

  drop: { title: 'Drop files to import', body: 'They appear under Raw events.' },

  status: {
    hosts: { desktop: 'Desktop', browser: 'Browser', 'command line': 'Command line' },
    line: { connecting: 'connecting', connected: 'connected', lost: 'disconnected', refused: 'refused' },
    cache: (bytes: number) => `Cache ${formatBytes(bytes)}`,
    rows: (rows: number) => plural(rows, 'row'),
    cursor: (timeMs: number, zone: Zone) => formatTime(timeMs, zone, 'second'),
    now: (timeMs: number, zone: Zone) => formatTime(timeMs, zone, 'minute'),
    zoneHint: (zone: Zone) =>
      zone === 'utc' ? 'Times are UTC. Click for local time.' : 'Times are local. Click for UTC.',
    version: (version: string) => `Perpscope ${version}`,
    about: 'About this version',
  },

  palette: {
    recent: 'Recent',
    commands: 'Commands',
    best: 'Best match',
    charts: 'Charts',
    chartOf: (column: string, symbol: string) => `${column} of ${symbol}`,
    datasets: 'Datasets',
    days: 'Days',
    factor: 'factor',
    inChart: 'in the chart',
    portfolio: 'portfolio',
    portfolios: 'Portfolios',
    guide: 'Guide',
    inGuide: 'in the guide',
    showDay: (day: string) => `Show ${day}`,
    symbols: 'Symbols',
    /** Hint on a command that runs only after a second Enter. */
    again: 'Press Enter again to run',
    results: 'Results',
    prompt: (label: string) => `${label} …`,
    noMatch: (query: string) => `No results for “${query}”`,
  },

  shortcuts: {
    title: 'Keyboard shortcuts',
    list: 'List of shortcuts',
    close: 'Close',
    or: 'or',
    chart: 'In a focused chart',
    table: 'In a focused table',
    queue: 'In the download queue',
    paletteHint: 'Everything else is in the palette:',
    guideHint: 'To learn how things work, see the',
    guide: 'user guide',
  },

  commands: {
    back: 'Back',
    forward: 'Forward',
    settings: (section: string) => `Settings: ${section}`,
    offline: (isOffline: boolean) => (isOffline ? 'Go online' : 'Go offline'),
    importFiles: 'Open raw-event files …',
    theme: (isDark: boolean) => (isDark ? 'Light theme' : 'Dark theme'),
    density: (isCompact: boolean) => (isCompact ? 'Comfortable density' : 'Compact density'),
    zone: (zone: Zone) => (zone === 'utc' ? 'Show local time' : 'Show UTC'),
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    zoomReset: 'Actual size',
    shortcuts: 'Keyboard shortcuts',
    about: 'About Perpscope',
    firstSteps: (isShown: boolean) => (isShown ? 'Hide the first steps' : 'Show the first steps'),
    copyDiagnostics: 'Copy diagnostics',
    diagnosticsCopied: 'Diagnostics copied',
    diagnosticsDetail: 'They contain no API key.',
    useConnection: (name: string) => `Use connection: ${name}`,
    newDownload: 'New download …',
    retryFailed: 'Retry failed downloads',
    openWorkspace: 'Open workspace file …',
    saveWorkspace: 'Save workspace as file …',
    saved: (name: string) => `Saved ${name}`,
  },
} as const
