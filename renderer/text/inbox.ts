import { shortSymbol } from '#shared/catalog/symbols.ts'
import type { CheckRule } from '#shared/contract/areas/inbox.ts'
import { EVERY } from '#shared/contract/checkNames.ts'
import { plural } from '#shared/units/plurals.ts'

type FormulaRule = Extract<CheckRule, { kind: 'formula' }>

export const inboxText = {
  title: 'Inbox',
  link: (unread: number) => (unread === 0 ? 'Inbox' : `Inbox: ${plural(unread, 'unread entry', 'unread entries')}`),
  added: (check: string) => `The check “${check}” has a new inbox entry`,
  open: 'Open inbox',
  trials: 'Open in Trials',

  bar: {
    run: 'Run checks',
    running: 'Running checks …',
    readAll: 'Mark all as read',
    filter: 'Show',
    unread: 'Unread',
    all: 'All',
  },

  checks: {
    title: 'Checks',
    columns: { name: 'Check', rule: 'Rule', state: 'Last result', actions: 'Actions' },
    notRun: 'Not run yet',
    ranAt: (time: string) => `ran ${time}`,
    formula: ({ formula, exchange, symbol, list, interval, timestamp }: FormulaRule) => {
      const clock = timestamp === 'true' ? 'true' : 'exchange'
      const venue = exchange === EVERY ? 'all venues' : exchange
      const watched = symbol === EVERY ? `all of ${venue}` : `${venue} ${shortSymbol(symbol)}`
      return `${formula} (${list === undefined ? watched : `list ${list}`} ${interval}, ${clock} time)`
    },
    new: 'New check',
    edit: { open: 'Edit …', label: (name: string) => `Edit check ${name}` },
    remove: (name: string) => `Remove check ${name}`,
    removal: {
      open: 'Remove …',
      label: 'Remove check',
      title: (name: string) => `Remove check “${name}”?`,
      body: 'The check is removed; what it found stays in the inbox.',
      cancel: 'Cancel',
      confirm: 'Remove check',
    },
    none: 'There are no checks yet. A check hits if the last value of its formula is present and not 0, or if its query returns a row. Create one here or on the command line:',
    example:
      "perpscope check save hot --formula 'funding.funding_rate > 0.0005' --exchange VENUE --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange",
  },

  dialog: {
    title: (name: string) => (name === '' ? 'New check' : `Edit check “${name}”`),
    name: 'Name',
    kind: 'Rule',
    kinds: { formula: 'Formula', sql: 'SQL' },
    examples: {
      formula: 'funding.funding_rate > 0.0005',
      sql: 'SELECT 1 FROM metrics.funding WHERE funding_rate > 0.0005',
    },
    hints: {
      formula: 'Hits if the last value is present and not 0. Write columns as dataset.column.',
      sql: 'Hits if the query returns a row.',
    },
    past: (hits: number, days: number, known: number, bars: number) =>
      known === 0
        ? `no values in the last ${days} days`
        : `${plural(hits, 'hit')} in the last ${days} days (${plural(bars, 'bar')} of ${plural(known, 'bar')})`,
    wouldHave: (parts: string) => `It would have had ${parts}.`,
    counting: 'Counting past hits …',
    chartLabel: 'What the check compares, over the last 30 days',
    scope: 'Watches',
    scopes: { symbol: 'One symbol', list: 'A list', venue: 'A venue', all: 'Everything cached' },
    list: 'List',
    exchange: 'Venue',
    symbol: 'Symbol',
    interval: 'Interval',
    timestamp: 'Clock',
    timestamps: { exchange: 'Exchange time', true: 'True time' },
    cancel: 'Cancel',
    save: 'Save check',
    saved: (name: string) => `Saved check “${name}”`,
  },

  states: { hit: 'Hit', quiet: 'Quiet', 'not evaluable': 'Could not be evaluated' },

  entries: {
    title: 'Entries',
    columns: { time: 'Found', check: 'Check', state: 'Result', found: 'Finding', actions: 'Actions' },
    none: 'No unread entries. Findings of checks and scheduled downloads appear here.',
    noneAtAll: 'No entries yet. Findings of checks and scheduled downloads appear here.',
    read: 'Mark as read',
    snooze: 'Snooze for a day',
    chart: 'Chart',
    query: 'Open query',
    at: 'at',
  },
} as const
