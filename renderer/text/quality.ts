import { findingKinds, type FindingKind } from '#shared/quality/findings.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { agree, plural } from '#shared/units/plurals.ts'

const kinds: Readonly<Record<FindingKind, string>> = {
  missing: 'Missing',
  stale: 'Stale',
  spike: 'Spike',
  duplicate: 'Duplicate',
  order: 'Out of order',
  impossible: 'Impossible value',
  overlap: 'Monthly ≠ daily',
  computed: 'Served ≠ computed',
  venue: 'Venues differ',
  republished: 'Republished',
}

export const qualityText = {
  title: 'Data quality',
  kinds,
  kindNames: findingKinds,
  kindLabel: 'Kinds of findings',
  kindCount: (kind: FindingKind, count: number) => `${kinds[kind]} ${formatNumber(count, 0)}`,
  range: 'Days',
  ranges: { 30: '30 days', 90: '90 days', 365: '1 year', all: 'All' },
  files: 'Files',
  dataset: 'Dataset',
  venue: 'Venue',
  list: 'List',
  any: (label: string) => `Any ${label.toLowerCase()}`,
  view: 'Show',
  views: { heat: 'Heat map', table: 'Findings' },
  states: { open: 'Open', accepted: 'Accepted', both: 'Both' },
  state: 'State',
  only: (text: string) => `Only ${text}`,
  showAll: ': show all',
  definitions: 'Definitions',
  again: 'Check again',
  cancel: 'Cancel',
  checking: 'Checking …',
  progress: (done: number, total: number) => `${formatNumber(done, 0)} of ${plural(total, 'new file')} checked …`,
  summary: (files: number, days: number, open: number, accepted: number) =>
    `${plural(files, 'file')}, ${plural(days, 'series-day')}: ${open === 0 ? 'no open findings' : plural(open, 'open finding')}${accepted > 0 ? `, ${formatNumber(accepted, 0)} accepted` : ''}`,
  more: (count: number) =>
    `${plural(count, 'more finding')} not shown. Narrow the filters to see ${agree(count, 'it', 'them')}.`,
  unread: (files: readonly { path: string; message: string }[]) =>
    `${plural(files.length, 'file')} could not be read: ${files
      .slice(0, 3)
      .map(({ path, message }) => `${path.split(/[\\/]/).slice(-6).join('/')} (${message})`)
      .join('; ')}${files.length > 3 ? ' …' : ''}`,
  clean: 'All clean',
  filter: 'Filter by symbol or text',
  heat: {
    label: 'Findings by series and day',
    total: 'Findings',
    open: 'Show findings',
    hint: 'Open a cell to see the findings of its day.',
    clean: (series: number) =>
      `Only the ${plural(series, 'series', 'series')} with findings ${agree(series, 'is', 'are')} listed.`,
    empty: 'No findings to show',
  },
  table: {
    label: 'Findings',
    columns: {
      state: 'State',
      note: 'Note',
    },
    open: 'open',
    accepted: 'accepted',
    noMatch: 'No finding matches the filter.',
    empty: 'No findings',
  },
  actions: {
    label: 'Actions on the selected findings',
    chart: 'Show in chart',
    rows: 'Show rows',
    accept: 'Accept …',
    reopen: 'Reopen',
    acceptTitle: (count: number) => `Accept ${plural(count, 'finding')}`,
    note: 'Why is this acceptable?',
    accepted: (count: number) => `Accepted ${plural(count, 'finding')}`,
    reopened: (count: number) => `Reopened ${plural(count, 'finding')}`,
  },
  empty: {
    title: 'Nothing to check yet',
    titleOf: (range: string) => `No files are cached in this range (${range})`,
    allDays: 'Show all days',
    body: 'This page looks for faults in the files that are cached on this machine, those that you imported or computed too: gaps, stale values, spikes, impossible values and more. New files are checked automatically, unless Settings → Downloads switches that off.',
    download: 'Download files',
  },
} as const
