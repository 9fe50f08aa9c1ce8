import { plural } from '#shared/units/plurals.ts'

export const boardsText = {
  title: 'Boards',
  heading: (name: string) => `Board: ${name}`,
  group: 'Boards',
  cancel: 'Cancel',

  list: {
    empty: 'No boards yet',
    intro:
      'A board shows charts, tables, tear sheets, studies, SQL results and notes on one page. While it is open, its numbers are computed from the files on this machine. It can be saved as a report.',
    new: 'New board',
    openFile: 'Open from file …',
    firstName: 'Board',
    ready: 'Ready-made boards',
    starters: {
      search: 'Filter by job, name or question',
      none: (search: string) => `No playbook and no ready-made board matches “${search}”.`,
    },
    back: 'All boards',
    columns: { name: 'Name', parts: 'Parts', changed: 'Changed' },
  },

  playbooks: {
    title: 'Playbooks',
    intro: 'Start from a job, run for a venue, symbol and range',
    looking: 'Looking what is missing …',
    missing: (files: number) =>
      files === 0
        ? 'Everything that it needs is on this machine.'
        : `${plural(files, 'file is', 'files are')} not on this machine yet.`,
    howToRead: 'How to read this',
    open: 'Open',
    downloadAndOpen: 'Download and open',
    download: (files: number) => `Download ${plural(files, 'missing file')}`,
    queued: (name: string) => `Downloading what “${name}” needs; it fills as the files arrive.`,
  },

  parameters: {
    label: 'What the board is about',
    venue: 'Venue',
    symbol: 'Symbol',
    interval: 'Interval',
    days: 'Last days',
    wrongDays: 'Enter a number of days, for example 30',
    noSymbol: 'Enter a symbol',
    unknown: (typed: string, nearest: readonly string[]) =>
      `“${typed}” is not a symbol of this venue.${nearest.length > 0 ? ` Did you mean ${nearest.join(' or ')}?` : ''}`,
  },

  ready: {
    morning: {
      name: 'Morning look',
      description: 'A chart, the moves within a day, and the cached files.',
      query: 'Moves within a day',
      note: '# Morning look\n\nWhat moved overnight? Edit this note, and put your own charts and queries beside it.',
    },
    portfolio: {
      name: 'Portfolio review',
      description: 'The tear sheet of the portfolio you opened last, beside the market’s volatility by hour.',
      note: '# Portfolio review\n\nAdd the tear sheets of the portfolios you follow.',
    },
    research: {
      name: 'Study at a glance',
      description: 'The answer of a study next to daily candles of BTC.',
      note: '# Study at a glance\n\nAdd studies from the Lab to see whether their answers still hold.',
    },
  },

  menu: {
    label: 'Board',
    all: 'All boards',
    duplicate: 'Duplicate',
    rename: 'Rename …',
    remove: 'Remove …',
    openFile: 'Open from file …',
    saveFile: 'Save to file …',
    renameTitle: 'Rename board',
    name: 'Name',
    removeLabel: 'Remove board',
    removeTitle: (name: string) => `Remove “${name}”?`,
    removeBody: 'This removes only the board, not the workspaces, studies and queries that its parts were made from.',
    confirmRemove: 'Remove board',
    saved: (name: string) => `Saved ${name}`,
  },

  bar: {
    add: 'Add part',
    refresh: 'Refresh',
    report: 'Save as report',
    parts: (count: number) => plural(count, 'part'),
    computing: (left: number) => `Computing ${plural(left, 'part')} …`,
  },

  add: {
    title: 'Add a part',
    kind: 'Kind',
    which: 'From',
    note: 'Text (Markdown)',
    editNote: 'Edit note',
    save: 'Save',
    add: 'Add',
    none: {
      workbench: 'There is no workspace yet. Save one in the Workbench first.',
      sql: 'There is no saved query yet. Write one on the SQL screen first.',
      study: 'There is no study of cached data yet. Create one in the Lab first.',
      tearsheet: 'No portfolio has been opened yet. Open one under Portfolios first.',
    },
    follows: 'Show later changes of it, too',
  },

  addTo: {
    open: 'Add to board …',
    title: 'Add to a board',
    board: 'Board',
    newBoard: 'New board',
    add: 'Add',
    done: (board: string) => `Added to the board “${board}”.`,
    show: 'Open board',
  },

  kinds: {
    workbench: 'Chart of a workspace',
    sql: 'SQL result',
    tearsheet: 'Tear sheet',
    study: 'Study or tested portfolio',
    text: 'Note',
  },

  part: {
    note: 'Note',
    computing: 'Computing …',
    arriving: (files: number) =>
      `${plural(files, 'file is', 'files are')} being downloaded; this fills as they arrive.`,
    waiting: {
      portfolio:
        'A tested portfolio does not run automatically, because it counts as a trial. Refresh the board to run it.',
      blend: 'A blend does not run automatically, because it counts as a trial. Refresh the board to run it.',
      screen:
        'A screen does not run automatically, because every line that it tries counts in the ledger. Refresh the board to run it.',
    },
    handle: (name: string) =>
      `${name}: arrow keys move this part, Shift with arrow keys changes its size, Delete removes it`,
    resize: (name: string) => `Drag to change the size of ${name}`,
    menu: (name: string) => `Actions on ${name}`,
    edit: 'Edit …',
    open: 'Open what it shows',
    freeze: 'Keep as it is now',
    frozen: (name: string) => `${name} no longer follows what it shows`,
    earlier: 'Move earlier',
    later: 'Move later',
    wider: 'Wider',
    narrower: 'Narrower',
    taller: 'Taller',
    shorter: 'Shorter',
    remove: 'Remove from board',
    moved: (name: string, position: number, parts: number) => `${name}: part ${position} of ${parts}`,
    sized: (name: string, columns: number, rows: number) =>
      `${name}: ${columns} of 12 columns wide, ${plural(rows, 'row')} high`,
    rowsShown: (shown: number, all: number) => `${shown} of ${plural(all, 'row')}`,
    noRows: 'No rows',
  },

  empty: {
    title: 'This board is empty',
    body: 'Add charts, tables and notes; they stay up to date while the board is open.',
  },

  commands: {
    keywords: 'board dashboard parts page',
    run: 'Refresh board',
    cancel: 'Stop refreshing board',
    undo: 'Undo board change',
    redo: 'Redo board change',
    list: 'All boards',
    new: 'New board',
    add: 'Add part to board',
    report: 'Save board as report',
    open: (name: string) => `Open board ${name}`,
    duplicate: 'Duplicate board',
    rename: 'Rename board',
    saveFile: 'Save board to file',
    openFile: 'Open board from file',
  },
} as const
