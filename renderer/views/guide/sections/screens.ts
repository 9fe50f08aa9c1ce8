import type { GuideSection } from '../guideSection.ts'

export const screenSections: readonly GuideSection[] = [
  {
    id: 'workbench',
    title: 'Workbench: charts',
    screens: ['workbench'],
    keywords:
      'chart pane series candles zoom cross-hair workspace notes regime export png svg axis lock robust outlier drawing level trend line second window monitor pop-out portfolio clock lens z-score relationships regression correlation lag scatter',
    blocks: [
      'The [workbench](/workbench) shows charts: panes stacked on one time axis. A series is one column of a dataset for one symbol on one venue; a pane can show several of them.',
      {
        list: [
          'The wheel zooms around the pointer; dragging over a range zooms into it; a double click shows everything again. With Shift held, dragging and the wheel move the chart. On pages that scroll, the wheel zooms with Ctrl held. A chart with more panes than fit scrolls: turn the wheel over a legend, or press Page Up and Page Down.',
          'The cross-hair shows one instant in all panes; the legend shows the values there, with their units.',
          'Drag an axis to scale it, with Shift to move it; a double click makes it automatic again. A locked axis keeps its range; triangles at its edges mark values beyond it. The robust scale, in the menu of a pane (right click or Shift+F10), leaves out the lowest and the highest 1 % of values.',
          'Table, or B in a focused chart, lists the values in view under it. In any table, right click or Shift+F10 opens the menu of a row: chart, download, removal and copy.',
          'Levels, lines and ranges are drawn with the three buttons beside “Measure”, or with L, T and R at the cursor. Click a drawing to name or remove it; all are listed under “Notes” and saved with the workspace.',
          '“Open in its own window” (in a browser “in its own tab”), in the menu of a pane, gives the pane a window for a second screen. Both windows share range and cross-hair; “Bring back” above the chart, or closing the window, brings it back.',
          'A gap in a line means that there are no values. It is never drawn as zero and never bridged.',
          'A shaded range is not cached; click it to download it.',
          'However far you zoom out, the highest and lowest values stay visible.',
          'Formulas make new series from those in the chart; see [Formulas](/guide/formulas).',
          '“Compare clocks”, in the menu of a series, adds the same series on the other clock and their difference below: exchange time against arrival time.',
        ],
      },
      'The tab [Scan](/workbench/scan) lists one metric for all cached symbols of a venue with its trend, its z-score and its percentile among the values in view. Formula columns are computed for every symbol (`(high - low) / close`, `funding.funding_rate * 3`). Scans are saved by name with the workspace; missing data can be downloaded from there; selected rows go to the chart or to a study in the Lab.',
      'Compare (`V`) adds one metric of many symbols or venues at once: type or paste `BTC, ETH`, or tick them in the list, which sorts by last value or by change over the visible range. They are added to one pane, prices indexed to 100, or as small multiples in a grid with one time axis. Arrange in the side panel sorts series and sets the columns.',
      'The tab [Relationships](/workbench/relationships) compares two series of the chart: scatter with its least-squares line (slope, t, t by Newey–West, R²), residual over time, correlation of all series, correlation by lag, and rolling figures that can be added to the chart. It compares values, changes or log returns and counts every row in view; a series of a shorter interval is resampled to the longest first.',
      'Portfolio returns, weights and factors are series too: “Open or save”, “Chart in workbench” on their pages adds them, and the list of series offers those opened before.',
      'From any row of the catalog or the coverage, “Chart” opens its series here. Charts can be saved as pictures (PNG, SVG) and their data as files.',
    ],
  },
  {
    id: 'chart-marks',
    title: 'Workbench: conditions, fills and distributions',
    keywords:
      'shade shading condition spells highlight formula holds state fill area between lines baseline histogram distribution quantiles box plot hour weekday month bucket',
    blocks: [
      { heading: 'Shade where a formula holds' },
      {
        steps: [
          'Press S in a chart, or choose “Shade where a formula holds …” in the menu Marks above the chart, in the menu of a pane (right click or Shift+F10) or in the palette.',
          'Type a condition over the series of the chart (`a > 100 and zscore(b, 288) > 2`) or over any column of the charted instrument (`funding.funding_rate > 0.0001`). The preview shows where it holds.',
          'Below the chart stand the share of the rows in view at which it holds, and the number of spells: unbroken runs of such rows. A row without a value ends a spell and counts in neither.',
          'Click the condition there: a study of spells opens in the Lab with the days in view.',
        ],
      },
      'A condition is a series of the style `shade`: it is hidden, renamed, coloured and removed like any other, and saved with the workspace. From far out, a stretch of many rows has the strength of the share at which it holds.',
      { heading: 'Fill between lines' },
      'In the settings of a series, “Fill” fills the area to zero, to a level or to another series of the pane; the menu of a pane offers the same for its first line. Above and below have colours of their own. Two series are filled only on the same axis, and a level only while the axis shows its unit.',
      { heading: 'Funding paid and running sums' },
      '“Show” in the settings of a series draws its running sum from the start of the data. A funding rate is also shown as what a long pays at each funding time (`settled`), and as the running sum of that; both go by the funding period at each time and are missing where it is not known.',
      { heading: 'Distributions' },
      'In its menu, a pane shows the values in view as a histogram or as boxes by hour, weekday or month (UTC), by series, or by fifths of its first series; the same entry shows the lines again. A histogram counts every row in view between the 0.5 % and the 99.5 % quantile, says how many values are further out, and marks 5 %, 50 % and 95 %. A box reaches from 25 % to 75 % with the median inside, its whiskers from 5 % to 95 %. Each unit has a chart of its own. Funding rates are shown in bps.',
      'Reports, boards and pictures show all of these as the workbench does; a report lists the figures behind them.',
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
          ['open', 'your subscription includes the dataset, as far as documentation and responses say'],
          [
            'locked',
            'your tier is too low for it, or the service refused it; then the message of the service is shown',
          ],
          ['unknown', 'not known until it is requested'],
        ],
      },
      'The page of a dataset shows the tier it needs, its intervals, and how much of it is cached.',
    ],
  },
  {
    id: 'coverage',
    title: 'Coverage',
    screens: ['coverage'],
    keywords: 'symbols venues days missing heat map calendar',
    blocks: [
      '[Coverage](/coverage) answers “what exists, and what do I have?”: for each symbol and venue it shows the first and last day, the number of days, how many are missing, and how much is cached. Where the catalog names the missing days, the timeline and the calendar show their place, and downloads leave them out.',
      'Filter by venue, dataset or a few letters of the symbol; click a heading to sort; select rows to see their days as a calendar. From a selection you can open a chart or a download.',
      'The list comes from the service and is stored for a day. The line above the table shows when it was fetched; “Refresh” fetches it again.',
    ],
  },
  {
    id: 'downloads',
    title: 'Downloads',
    screens: ['downloads'],
    keywords: 'queue plan fetch pause resume retry failed rate monthly daily',
    blocks: [
      'Choose datasets, venues, symbols, intervals and days under [New download](/downloads/new). Before anything is fetched, the plan shows which files that means, which of them are already cached, which your subscription does not include, and roughly how large the rest is.',
      'Files are monthly before August 2026 and daily from then on, as the service publishes them. A day that is not over yet is downloaded again later.',
      {
        terms: [
          [
            'queued',
            'waits for its turn: servers take turns, and so do the requests of one server; drag it up or raise its priority',
          ],
          ['running', 'is being downloaded; the bar shows its bytes'],
          ['waiting', 'failed for now; it is retried automatically after the time shown'],
          ['paused', 'waits until you resume it'],
          ['failed', 'is not retried automatically; the row says why, and what to do'],
          ['done', 'is complete, checked and in the index'],
        ],
      },
      'The queue belongs to the data folder, not to the window. If you close the app or lose the network or power, it continues where it was. If a window, a browser and the command line run at once, one of them does the work and the others show it.',
      'A file counts as cached only once it is complete and has been read successfully. A failure shows the service’s own message.',
    ],
  },
  {
    id: 'portfolios',
    title: 'Portfolios',
    screens: ['portfolios'],
    keywords:
      'weights returns factors tear sheet universe overlay regime prices snapshot as_of live close latest sharpe sortino calmar var cvar drawdown beta',
    blocks: [
      'The [portfolios](/portfolios) screen shows portfolio templates: their weights now and over time, returns with a tear sheet, factors, tickers and universes, overlays, regimes and prices.',
      {
        list: [
          '“close” is the end of the previous day, “latest” the newest intraday snapshot. The app always shows which one you see.',
          'Every live snapshot that was ever shown is stored with the time at which it was generated, so you can look at yesterday’s again.',
          'When the service later changes a past value, both are stored, and the screen marks the revision.',
          'Figures use 365 days a year, because these markets do not close.',
          'The screen reopens at the portfolio and tab that you left; a second click in the sidebar goes to its start.',
        ],
      },
      { heading: 'The tear sheet' },
      'It shows the equity curve, drawdown, rolling volatility and Sharpe ratio, the returns by month, the best and worst days and their distribution. Every figure shows its definition when you point at it. Days without a value are left out, never counted as zero, and their number is shown.',
      { heading: 'Your own returns and weights' },
      'Your file → Open CSV accepts daily returns (`date,return[,benchmark]`) or weights (`date,ticker,weight`, valued with the prices of the service). The app asks whether 1.2 means 1.2 % or 120 %, and never guesses; duplicates, gaps, order, time zones, decimal commas and losses of more than 100 % are listed above the figures with their line numbers. The file is kept as a document and read again when it changes; if it is gone or can no longer be read, the last version stays. Compare puts it beside portfolios of the service.',
    ],
  },
  {
    id: 'raw-events',
    title: 'Raw events',
    screens: ['raw'],
    keywords: 'import parquet trades quotes book compute bucket modelled timestamp served computed',
    blocks: [
      'Raw events are the messages of the venues: trades, quotes, mark and index prices, funding rates and open interest. The [Raw events](/raw) screen shows their catalog: the columns of each dataset, which of them may be empty, units that differ between venues, and notes.',
      'Some timestamps are modelled, that is, estimated rather than received. The catalog says which. Do not use them to study latency.',
      'Drop raw-event Parquet files on the window to import them. The app computes metrics from them by the definitions of the service (except those of the whole order book, which need snapshots), at any interval that divides a day, such as `10s`, `90m` or `2h`. You can compare computed values with those from the service.',
    ],
  },
  {
    id: 'settings',
    title: 'Settings',
    screens: ['settings'],
    keywords: 'theme density zoom time zone csv provenance cache limit requests about diagnostics licences',
    blocks: [
      {
        terms: [
          ['Connections', 'services, keys, tiers; see [Connections and keys](/guide/connections)'],
          ['Appearance', 'dark, light or as the system; density; text size'],
          [
            'Times and exports',
            'UTC or the zone of this machine, for axes and tables, while files stay in UTC; how exports write texts and name files',
          ],
          [
            'Instruments',
            'contract sizes, tick sizes, funding periods, listings and renames by date; see [Instruments](/guide/instruments)',
          ],
          ['Documents folder', 'your documents as text files; see [Documents folder](/guide/documents)'],
          ['Downloads', 'how many files at a time, how many of them from one service, and a rate limit'],
          ['Network', 'proxy, certificates, the local API; see [Network, certificates and policy](/guide/network)'],
          ['Cache', 'its size limit and contents; check it, free up space, move it to another folder'],
          ['Requests', 'every request to a service with its status and duration, without keys and signatures'],
          [
            'About',
            'versions, the self-check, a text for bug reports, the licences of all components; in the desktop app also the update feed, off unless you set one',
          ],
        ],
      },
      'Changes take effect immediately in all windows. They are stored in the data folder.',
    ],
  },
  {
    id: 'guide',
    title: 'This guide',
    screens: ['guide'],
    keywords: 'help manual documentation search',
    blocks: [
      'The guide is part of the app and needs no network. Search it above the list; the words may appear anywhere in a section. It opens from the sidebar, from the palette (“User guide”), with `g h`, and from the sheet of shortcuts that `?` opens.',
    ],
  },
]
