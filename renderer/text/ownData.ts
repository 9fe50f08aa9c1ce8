import { formatNumber } from '#shared/units/numbers.ts'
import { plural } from '#shared/units/plurals.ts'

const dayOf = (time: string | null) => (time === null ? '–' : time.slice(0, 16).replace('T', ' '))

/** What the form calls the options that the core's sentences name as the command line does. */
const formNames: Record<string, string> = {
  '--time': '“Times”',
  '--symbol': '“Symbols”',
  '--exchange': '“Venues”',
  '--interval': '“Interval”',
  '--events': '“events”',
  '--known-after': '“Known after”',
  '--unit': 'the unit',
  '--label': '“Labels”',
  '--columns': '“Values”',
}

/** Writes a sentence with the names of the form's fields in place of the command line's options. */
export const inFormWords = (sentence: string): string =>
  sentence.replace(/(?<![\w-])--[a-z]+(?:-[a-z]+)*/g, (option) => formNames[option] ?? option)

/** Text of the tab with the user's own datasets, and their names in pickers. */
export const ownDataText = {
  category: 'Your own',
  datasetName: (name: string) => `Your own ${name}`,
  intro:
    'Files that you have become datasets: in charts, formulas, studies and SQL, never earlier than they were known. CSV and Parquet; the files stay where they are.',
  choose: 'Choose a file',
  chooseFolder: 'Choose a folder',
  waiting: 'Files that wait',
  use: (file: string) => `Use ${file} as a dataset`,
  useButton: 'Use as a dataset',
  none: 'No datasets of your own yet. Choose a file, or drop one on the window.',
  table: 'Your datasets',
  columns: {
    name: 'Dataset',
    kind: 'Rows',
    known: 'Known',
    range: 'From – to (UTC)',
    columns: 'Columns',
    references: 'Used by',
    actions: '',
  },
  noRows: 'none here: refresh reads its files',
  newRecipe: 'the documents folder has another recipe: refresh follows it',
  kind: (kind: 'regular' | 'events', interval: string | null, rows: number) =>
    kind === 'events' ? `${formatNumber(rows, 0)} events` : `${formatNumber(rows, 0)}, every ${interval}`,
  known: (kind: 'regular' | 'events', knownAfter: string) =>
    `${knownAfter} after ${kind === 'events' ? 'its time' : 'its end'}`,
  range: (first: string | null, last: string | null) => `${dayOf(first)} – ${dayOf(last)}`,
  column: (name: string, unit: string | null) => `${name} (${unit ?? 'unit not said'})`,
  nothing: '–',
  refresh: 'Refresh',
  refreshLabel: (name: string) => `Read the files of ${name} again`,
  refreshed: (name: string, added: number, changed: number, removed: number) =>
    `${name}: ${plural(added, 'row')} added, ${formatNumber(changed, 0)} changed, ${formatNumber(removed, 0)} removed`,
  remove: 'Remove',
  removeLabel: (name: string) => `Remove ${name}`,
  removal: (name: string, references: readonly string[]) => ({
    label: `Remove ${name}`,
    title: `Remove ${name}?`,
    body:
      references.length === 0
        ? 'Nothing refers to it. The files that it was made of stay.'
        : `It is used by ${references.join(', ')}, which will not find it. The files that it was made of stay.`,
    cancel: 'Cancel',
    confirm: 'Remove',
  }),
  form: {
    title: (file: string, others: number) =>
      others === 0 ? `${file} as a dataset` : `${file} and ${others} more as a dataset`,
    others: 'Further files',
    othersHint: 'Files of one dataset have the same columns; they are read in the order of their names.',
    name: 'Name',
    nameHint: (name: string) => `own_${name || 'NAME'} in formulas and pickers, own.${name || 'NAME'} in SQL`,
    time: 'Times',
    symbol: 'Symbols',
    exchange: 'Venues',
    everyInstrument: 'none: beside every instrument',
    everyVenue: 'none: every venue',
    guessed: (column: string) => `${column} (guessed)`,
    choose: 'choose',
    kind: 'Rows are',
    regular: 'on a grid',
    events: 'events',
    interval: 'Interval',
    knownAfter: 'Known after',
    knownHint:
      'How long after the end of its interval (an event: after its time) a row is published, such as 20m, 36h or 10d.',
    label: 'Labels',
    noLabel: 'none',
    values: 'Values',
    unit: (column: string) => `Unit of ${column}`,
    unitPlaceholder: 'unit not said',
    leftOut: 'Left out',
    timeUnits: {
      instant: 'instants in UTC',
      s: 'seconds since 1970',
      ms: 'milliseconds since 1970',
      us: 'microseconds since 1970',
    },
    reading: (percent: number | null) => (percent === null ? 'Reading …' : `Reading … ${percent} %`),
    venue: (venue: string) => `${venue}: all rows`,
    head: 'First rows of the file',
    add: 'Add dataset',
    cancel: 'Cancel',
  },
  added: (name: string) => `own_${name} was added.`,
} as const
