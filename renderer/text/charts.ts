import type { TimeRange } from '#shared/time/ranges.ts'
import { formatDuration } from '#shared/units/durations.ts'
import { formatTime, zoneName, type Zone } from '#shared/units/instants.ts'
import { commonUnit, parseUnit, unitText } from '#shared/units/measureUnits.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { plural } from '#shared/units/plurals.ts'
import type { ScaleName, Side } from '#shared/workspace/chartStyle.ts'

const rangeText = ({ startMs, endMs }: TimeRange, zone: Zone): string =>
  `${formatTime(startMs, zone, 'minute')} – ${formatTime(endMs, zone, 'minute')}`

const signed = (value: number, text: string) => (value > 0 ? `+${text}` : text)

export const chartsText = {
  clock: { scale: 'Low to high', best: 'chosen as best', worst: 'chosen as worst' },
  /** A range in the title of an exported image: `2026-08-01 00:00 – 2026-09-01 00:00 UTC`. */
  rangeInZone: (range: TimeRange, zone: Zone) => `${rangeText(range, zone)} ${zoneName(zone)}`,

  toolbar: {
    label: 'Chart range',
    presets: {
      '1 min': 'Last minute',
      '15 min': 'Last 15 minutes',
      '1 h': 'Last hour',
      '6 h': 'Last 6 hours',
      '1d': 'Last day',
      '1w': 'Last week',
      '1m': 'Last month',
      '3m': 'Last 3 months',
      '6m': 'Last 6 months',
      YTD: 'Since 1 January',
      '1y': 'Last year',
      '3y': 'Last 3 years',
      '5y': 'Last 5 years',
      all: 'All data',
    },
    back: 'Previous view',
    forward: 'Next view',
    goTo: 'Go to date',
    goToExample: 'Go to 2026-08-01',
    notADate: 'Enter a date or a time, for example 2026-08-01 or 2026-08-01 12:30',
    dataStart: (startMs: number, zone: Zone) => `Data starts ${formatTime(startMs, zone, 'minute')}`,
    dataEnd: (endMs: number, zone: Zone) => `Data ends ${formatTime(endMs, zone, 'minute')}`,
    measure: 'Measure',
    table: 'Table',
    tableHint: 'Show the values in view as a table (b)',
    zoomHint: 'Ctrl + scroll to zoom',
    switchZone: (zone: Zone) => (zone === 'utc' ? 'Show local time' : 'Show UTC'),
  },

  table: {
    label: 'Values in view',
    time: 'Time',
    rows: (shown: number, total: number) =>
      shown === total
        ? `${plural(total, 'row')}, newest first.`
        : `The last ${shown} of ${plural(total, 'row')}, newest first.`,
    reduced: 'These are the points as drawn; the Data tab has every row.',
  },

  empty: 'Nothing to draw yet.',
  legend: 'Legend',
  /** Number of series that do not fit into the legend; `…` if only notes do not. */
  moreCount: ({ series }: { series: number }) => (series > 0 ? `+${series}` : '…'),
  more: ({ series, notes }: { series: number; notes: number }) => {
    const cutCounts = [
      ...(series > 0 ? [plural(series, 'more series', 'more series')] : []),
      ...(notes > 0 ? [plural(notes, 'note')] : []),
    ]
    return `${cutCounts.join(', ')}: scroll here, or make the pane taller`
  },
  noDistribution: 'No values in view.',
  shading: 'Background shading',
  openSpells: 'Study the spells in view',
  toggle: (isHidden: boolean) => (isHidden ? 'Click to show' : 'Click to hide'),
  /** An approximate value, shown until the exact row at the cursor has been read. */
  near: (value: string) => `≈ ${value}`,
  noValueInView: 'no value in view',
  noValueOf: (label: string) => `${label}: no value in view`,
  notOnLogAxis: (labels: readonly string[]) => `${labels.join(', ')}: values ≤ 0 cannot be drawn on a log axis`,
  severalUnits: (side: 'left' | 'right', units: readonly string[]) =>
    `${unitText(commonUnit(units.map((unit) => parseUnit(unit || 'none'))))} on the ${side} axis`,

  badges: {
    undefined: 'not defined here',
    candlesOf: (interval: string) => `${interval} candles`,
    log: 'log',
    robust: 'p1–p99 of drawn values',
    locked: (sides: readonly Side[]) => (sides.length > 1 ? 'locked axes' : `locked ${sides[0]} axis`),
    symlog: (linearBelow: readonly string[]) => `symlog, linear below ${linearBelow.join(' and ')}`,
  },

  missing: {
    download: 'Download',
    redownload: 'Download again',
    queued: 'In the queue',
    inPicture: (label: string) => `${label} (not downloaded)`,
  },
  note: (text: string) => `Note: ${text}`,
  axes: {
    label: (side: Side, pane: string) => `${side === 'left' ? 'Left' : 'Right'} axis of ${pane}`,
    hint: 'Drag to scale, Shift+drag to move, double-click to scale automatically',
    range: (low: string, high: string, cutBy: 'locked' | 'robust' | null) =>
      `${low} to ${high}${cutBy === 'locked' ? ', locked' : ''}`,
  },
  drawings: {
    tools: { level: 'Draw a level', line: 'Draw a line', range: 'Mark a range' },
    line: (change: string, durationMs: number) => `${change} in ${formatDuration(durationMs)}`,
    open: (text: string) => `Drawing: ${text}`,
  },
  activePane: (pane: string) => `Keys act on ${pane}`,
  paneHeight: (pane: string) => `Height of ${pane}`,
  pane: (number: number) => `pane ${number}`,

  coverage: {
    cached: 'cached',
    available: 'available, not downloaded',
    absent: 'not available',
    part: (state: string, range: TimeRange, zone: Zone) => `${state}: ${rangeText(range, zone)}`,
    summary: (parts: readonly string[]) => `Coverage: ${parts.join('; ') || 'unknown in this range'}`,
  },

  /** A measurement: `+120.5 quote · +0.42 % · 3 h 12 min · 192 bars`. */
  measure: {
    near: '≈ ',
    noValue: 'no value at one end',
    outOfView: 'one end is out of view',
    text: (change: string, changePercent: number | null, durationMs: number, bars: number | null) =>
      [
        change,
        ...(changePercent === null ? [] : [signed(changePercent, `${formatNumber(changePercent, 2)} %`)]),
        formatDuration(durationMs),
        ...(bars === null ? [] : [plural(bars, 'bar')]),
      ].join(' · '),
    signed,
  },

  /** Describes the chart for screen readers. */
  spoken: {
    series: (label: string, style: string, unit: string) => `${label} (${style}${unit ? `, ${unit}` : ''})`,
    pane: (title: string, series: readonly string[], scale: ScaleName) =>
      `${title ? `${title}: ` : ''}${series.join(', ')}${scale === 'linear' ? '' : `, ${scale} scale`}`,
    chart: (label: string, panes: readonly string[], { startMs, endMs }: TimeRange, zone: Zone) =>
      `${label}. ${panes.join('. ') || 'No series'}. From ${formatTime(startMs, zone, 'minute')} to ${formatTime(endMs, zone, 'minute')} ${zoneName(zone)}.`,
    value: (label: string, text: string | null) => `${label} ${text ?? 'no value'}`,
    at: (time: string, values: string) => `${time}: ${values}`,
  },
} as const

/** The keys of a focused chart, as the sheet of shortcuts lists them. */
export const chartKeys: readonly (readonly [shortcuts: readonly string[], action: string])[] = [
  [['←', '→'], 'Pan left or right'],
  [['Shift+←', 'Shift+→'], 'Move the cursor to the previous or next row'],
  [['=', '−'], 'Zoom in or out'],
  [['Home', 'End'], 'Go to the start or end of the data'],
  [['0'], 'Show all data'],
  [['⌫', 'Shift+⌫'], 'Previous or next view'],
  [['m'], 'Measure from the cursor'],
  [['n'], 'Add a note at the cursor'],
  [['l'], 'Draw a level at the cursor'],
  [['t', 'r'], 'Draw a line or mark a range: press at both ends'],
  [['PgUp', 'PgDn'], 'Go to the pane above or below'],
  [['Shift+F10'], 'Open the pane menu'],
  [['g'], 'Go to a date'],
  [['b'], 'Show the values as a table'],
  [['Esc'], 'Hide the cursor'],
]
