import type { GuideSection } from '../guideSection.ts'

export const screenSections: readonly GuideSection[] = [
  {
    id: 'workbench',
    title: 'Workbench: charts',
    screens: ['workbench'],
    keywords: 'chart pane series candles zoom cross-hair workspace notes regime export png svg',
    blocks: [
      'The [workbench](/workbench) holds charts: panes one below the other with one time axis. A series is a column of a dataset, of one symbol at one venue; any number of them may share a pane.',
      {
        list: [
          'The wheel zooms around the pointer; dragging over a range zooms into it; a double click goes back to everything. With Shift held, dragging and the wheel move it. On pages that scroll, the wheel zooms with Ctrl held.',
          'The cross-hair shows one instant in all panes; the legend shows the values there, with their units.',
          'A gap in a line is a range without values. It is never drawn as zero, and never bridged.',
          'A shaded range is not on this machine; it offers to download it.',
          'However far out you zoom, the highest and the lowest value of every range stay visible.',
          'Formulas make new series of those in the chart; see [Formulas](/guide/formulas).',
        ],
      },
      'From any row of the catalog or the coverage, “Chart” opens its series here. Charts can be saved as pictures (PNG, SVG) and their data as files.',
    ],
  },
  {
    id: 'catalog',
    title: 'Catalog',
    screens: ['catalog'],
    keywords: 'datasets fields columns dictionary search tier',
    blocks: [
      'The [catalog](/catalog) lists the metric datasets by category and the raw-event datasets, with every column: its name, unit and meaning. The search looks through names, labels and descriptions, and finds symbols too.',
      {
        terms: [
          ['open', 'your key opens the dataset, as far as documents and answers tell'],
          ['locked', 'your tier is too low for it, or the service refused; the words of the service are shown'],
          ['unknown', 'not known; trying costs nothing'],
        ],
      },
      'A dataset’s page tells from which tier on it can be had, at which intervals, and how much of it is on this machine.',
    ],
  },
  {
    id: 'coverage',
    title: 'Coverage',
    screens: ['coverage'],
    keywords: 'symbols venues days missing heat map calendar',
    blocks: [
      'The [coverage](/coverage) answers “what is there, and what of it is here?”: for each symbol and venue the first and the last day, the number of days, how many are missing, and how much of it is cached.',
      'Filter by venue, dataset or a few letters of the symbol; click a heading to sort; select rows to see their days as a calendar. From a selection you go on to a chart or a download.',
      'The list comes from the service and is kept for a day. The line above the table says when it was fetched; “Refresh” asks again.',
    ],
  },
  {
    id: 'downloads',
    title: 'Downloads',
    screens: ['downloads'],
    keywords: 'queue plan fetch pause resume retry failed rate monthly daily',
    blocks: [
      'Choose datasets, venues, symbols, intervals and days under [New download](/downloads/new). Before anything is fetched the plan shows which files that means, which of them are here already, which your key does not open, and about how large the rest is.',
      'Files are by the month before August 2026 and by the day from then on, as the service publishes them. A day that is still running is downloaded again later.',
      {
        terms: [
          ['queued', 'waits for its turn; drag it or give it priority to come sooner'],
          ['running', 'is on its way; the bar counts its bytes'],
          ['waiting', 'failed for now and is tried again by itself, after the time shown'],
          ['paused', 'stays until you resume it'],
          ['failed', 'is not tried again by itself; the row says why and what helps'],
          ['done', 'is here: complete, checked and in the index'],
        ],
      },
      'The queue belongs to the data folder, not to the window. Close the app, lose the network or the power: it goes on where it was. If a window, a browser and the command line run at once, one of them does the work and the others show it.',
      'A file counts as here only when it arrived whole and could be read. Whatever the service says about a failure is shown in its own words.',
    ],
  },
  {
    id: 'portfolios',
    title: 'Portfolios',
    screens: ['portfolios'],
    keywords: 'weights returns factors tear sheet universe overlay regime prices snapshot as_of live close latest',
    blocks: [
      'The [portfolios](/portfolios) screen shows portfolio templates: their weights now and through time, returns with a tear sheet, factors, tickers and universes, overlays, regimes and prices.',
      {
        list: [
          '“close” is the end of the previous day, “latest” the newest view within the day. The app always says which one it asked for.',
          'Every live view that was ever shown is kept with the time it was made, so that yesterday’s can be looked at again.',
          'When the service later changes a value of the past, both are kept; the screen tells that there was a revision.',
          'Figures count 365 days a year: these markets do not close.',
          'You come back to the portfolio and the tab that you left; a second press in the rail shows the beginning.',
        ],
      },
      { heading: 'The tear sheet' },
      'It shows the equity curve, drawdown, rolling volatility and Sharpe ratio, the returns by month, the best and worst days and their distribution. Every figure explains how it is made when you point at it. A day without a value is left out, never taken as zero; how many there are is said.',
    ],
  },
  {
    id: 'raw-events',
    title: 'Raw events',
    screens: ['raw'],
    keywords: 'import parquet trades quotes book compute bucket modelled timestamp served computed',
    blocks: [
      'Raw events are what the venues sent: trades, quotes, mark and index prices, funding rates and open interest. The [Raw events](/raw) screen shows their catalog: each dataset’s columns, which of them may be empty, units that differ by venue, and notes.',
      'Some timestamps are modelled: estimated, not received. The catalog says for which. Do not use those to study latency.',
      'Drop raw-event Parquet files on the window to take them in. From them the app computes metrics by the same definitions as the service (all but those of the whole order book, which need snapshots), also at intervals that it does not sell: whatever divides a day, such as `10s`, `90m` or `2h`. Computed and served values can be put side by side.',
    ],
  },
  {
    id: 'settings',
    title: 'Settings',
    screens: ['settings'],
    keywords: 'theme density zoom time zone cache limit requests about diagnostics licences',
    blocks: [
      {
        terms: [
          ['Connections', 'services, keys, tiers; see [Connections and keys](/guide/connections)'],
          ['Appearance', 'dark, light or as the system; how dense; how large'],
          ['Time', 'UTC or the zone of this machine, for axes and tables; files stay in UTC'],
          ['Downloads', 'how many files at a time, how many of them from one service, and a cap on the rate'],
          ['Cache', 'how much room it may take, what takes it, checking, making room, moving it to another folder'],
          ['Requests', 'what was asked of which service, with status and duration; it holds no key and no signature'],
          [
            'About',
            'versions, the self-check, a text for reports, the licences of everything inside; in the desktop app also the feed of updates, off unless you set one',
          ],
        ],
      },
      'Changes take effect at once in all windows. They are stored in the data folder.',
    ],
  },
  {
    id: 'guide',
    title: 'This guide',
    screens: ['guide'],
    keywords: 'help manual documentation search',
    blocks: [
      'The guide is part of the app and needs no network. Search it above the list; words may stand anywhere in a section. It opens from the rail, from the palette (“User guide”), with `g h`, and from the sheet of shortcuts that `?` opens.',
    ],
  },
]
