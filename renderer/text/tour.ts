interface TourStep {
  title: string
  body: string
  /** Address of the screen that the step is about. */
  path: string
}

const steps: readonly TourStep[] = [
  {
    title: 'Chart',
    path: '/workbench',
    body: 'Panes share one time axis: scroll to zoom, drag to pan, double-click to show all data. Press A to add a series, F to add a formula and M to measure. If the workbench is empty, open the sample.',
  },
  {
    title: 'Compare',
    path: '/workbench',
    body: 'Press V to compare: type or paste “BTC, ETH”, and add all of them to one pane, or as small multiples side by side. To sort them, choose Arrange in the side panel.',
  },
  {
    title: 'Scan',
    path: '/workbench/scan',
    body: 'One metric across every cached symbol, with z-score, percentile and formula columns. Send the rows to the chart, to a download or to a study.',
  },
  {
    title: 'Relationships',
    path: '/workbench/relationships',
    body: 'Regression, correlation matrix, correlation by lag and rolling figures for the series in the chart, over all rows in view.',
  },
  {
    title: 'Data: coverage',
    path: '/coverage',
    body: 'Data has three tabs: the catalog of columns, coverage (what exists, and how much of it is cached) and quality. The pivot table has a row for each symbol and a column for each dataset on each venue. Choose a row to see its days.',
  },
  {
    title: 'Downloads',
    path: '/downloads/new',
    body: 'Choose datasets, symbols by turnover, and days. The plan shows files and size before anything is downloaded; the queue survives a restart.',
  },
  {
    title: 'Watch',
    path: '/watch',
    body: 'The morning screen: your list of symbols with their changes, funding and basis, and beside it what checks found since your last visit. A right click on a cell makes a check of it.',
  },
  {
    title: 'Portfolios',
    path: '/portfolios',
    body: 'Tear sheets with benchmark and risk, weights and turnover, factors and universes. Open a CSV of your own returns to see it beside them.',
  },
  {
    title: 'Lab',
    path: '/lab',
    body: 'Test an idea: signal and event studies, lead–lag, seasonality, and portfolios with costs. Each run is a trial with its own tab; a ledger counts them all.',
  },
  {
    title: 'Boards and playbooks',
    path: '/boards',
    body: 'A playbook is a board for a job, such as order flow or slippage, run for a symbol of yours; the guide has a page on how to read each. Ctrl+K finds every command, symbol and page from here on.',
  },
]

export const tourText = {
  steps,
  label: 'Guided tour',
  command: 'Take the guided tour',
  keywords: 'help introduction start learn walkthrough',
  progress: (step: number, all: number) => `Step ${step} of ${all}`,
  back: 'Back',
  next: 'Next',
  done: 'Done',
  close: 'End the tour',
} as const
