import type { GuideSection } from '../guideSection.ts'

const exampleStudy = `{
  "version": 1, "kind": "portfolio", "interval": "1h",
  "signal": "-sma(funding, {n})",
  "weights": {"rule": "rank", "leverage": 1, "cap": 0.2},
  "rebalance": {"every": "1d"},
  "costs": {"feeBps": 5, "spreadBps": "spread"},
  "parameters": {"n": [24, 72, 168]},
  "walkForward": {"folds": 4}
}`

/** Tests of portfolios and the ledger that counts them. */
export const portfolioTests: GuideSection = {
  id: 'portfolio-tests',
  title: 'Tested portfolios and the ledger',
  keywords:
    'backtest weights funding fee spread slippage capacity deflated sharpe overfitting pbo walk-forward trial holdout reset merge',
  blocks: [
    'A study of kind `portfolio` turns a signal into weights, positions and profit and loss with the costs of perpetual swaps. It runs on a panel (a CSV or Parquet file with the columns `time` and `symbol`, numeric columns and optionally `member`) or on the cached files that `source` selects.',
    { code: exampleStudy, language: 'JSON' },
    { code: 'perpscope study run carry.json --panel panel.parquet', language: 'Shell' },
    { heading: 'What is computed' },
    {
      list: [
        'Weights by rank, z-score, quantile group or the signal itself; leverage, a cap for each symbol, smoothing and a no-trade band.',
        'A decision at the end of a bar is traded `delayBars` bars later. Units are held in between; price, funding, fee, spread and slippage add up to the change in equity.',
        'Funding, spread or volume that is missing is unknown, never 0: the result shows the share of the held or traded notional that this affects.',
        'A position whose price stays missing is closed at its last price. A portfolio that loses everything stops there.',
        '`capacity` runs the test with other amounts of capital, so that you can see how the result changes as the trades become larger.',
      ],
    },
    { heading: 'Rows of the cache' },
    'With a `source` the formulas name `dataset.column`, such as `ohlcv.close` for the price, `l1_liquidity.spread_bps_avg` for the spread and `ohlcv.volume_notional` for the volume. Files that are not cached are counted and listed with the commands that download them.',
    {
      list: [
        '`funding` stands for the rate that falls due in a bar: 0 between funding times, otherwise the last rate since the previous funding time. The times of each symbol come from the first of these that covers them: `next_funding_timestamp` of cached raw `funding_rate` events (observed), the periods typed with the instruments (announced), the changes of the served rate at an interval of at most 1 h, by month (inferred), and `source.fundingEvery` or a period typed for the symbol or its venue (asked). Where none does, funding is unknown. A bar with several funding times carries the sum of their rates; the result lists the periods it used.',
        '`source.universe` takes the members from the portfolio service’s universe, by date; `source.exposureBy` scales the targets by an overlay or regime, and the result shows the figures with and without it.',
        'A symbol without files of the test’s interval is read at the shortest longer interval that it has: each value counts from the end of its interval.',
        'Sealed days are cut off before the rows are read.',
      ],
    },
    { heading: 'Comparing with something else' },
    '“Compare with” puts another test, a served portfolio or the price of a ticker into the chart and the tear sheet of a test, on the days that both have; `perpscope study compare ID --test ID` prints the same figures.',
    { heading: 'How much is luck' },
    'The best of many tries looks good by luck alone. Changing numbers, dates, costs or caps keeps a test in its family: it counts as one more try. The deflated Sharpe ratio asks whether a result is better than the best of that many tries without skill; the ratio deflated by all trials on the same source and interval is shown beside it.',
    'On noise (400 families of 200 variants over 2 years) the best variant of a family has a deflated Sharpe above 0.95 in 2 % of the families, and a probabilistic Sharpe above 0.95 in 87 %.',
    {
      terms: [
        [
          '`parameters`',
          'each `{n}` in the signal stands for one number of a list; every combination is run and counted',
        ],
        [
          '`walkForward`',
          'each fold uses the combination that was best before it, leaving out the days that its signal reaches into',
        ],
        [
          '`holdout`',
          'seals all days from a given one for the whole family; `--open-holdout` opens them for good, and every later result says so',
        ],
        [
          '`--part 3/8`',
          'runs one part of a grid, for example on another machine; `perpscope ledger merge FILE` combines the parts',
        ],
      ],
    },
    { heading: 'The ledger' },
    'Every study and test is recorded before its result is shown, in `ledger.sqlite` of the [data folder](/guide/data-folder) and in `ledger.jsonl`, a plain copy with one line per entry. Entries are only ever added, and each contains the hash of the previous one. Keep the copy under version control if you like: a damaged database is rebuilt from it, and if entries are lost, every later result says so.',
    'A run that was interrupted keeps what it has recorded; run it again to start over or, for a grid, to continue there. `perpscope ledger reset --reason TEXT` counts trials from that moment on; the reset itself is recorded and shown.',
    { heading: 'The forward record' },
    'Every test and signal study is scored by itself on days that did not exist when it was recorded: days that began after it, of which no file was here before. `perpscope ledger score` and the tab Trials show them. A day is scored once; a file that is published anew later is told and changes no score. Scoring stops before a day of which a file may still come, for 7 days.',
    'A walk-forward goes on with the combination that it chose last. Rows of [own data](/guide/own-data) count from the first time that they were added or refreshed; blends are scored where they read factors, portfolios and prices of the service. A run on a panel, or a blend of files, own weights or tests, is never scored, because nobody can know when its rows came: its row says so.',
    {
      terms: [
        [
          'Registration',
          '`perpscope study register STUDY.json --expect up --kill "sharpe < 0 after 60d"`, or the line above a study: what is expected, and what refutes it, written down before the first run. After a run it is late and does not count.',
        ],
        [
          'Evidence',
          'the fortune of someone who bets one unit against “it earns nothing on average”. It may be looked at every day: by luck alone it ever reaches 20 in at most 5 % of tests. Beside it stands how many years even a true Sharpe ratio of the recorded size needs.',
        ],
        ['Killed', 'the first forward day on which the criterion of the registration was met; it stays killed'],
        [
          'How good are my tests',
          'recorded against forward Sharpe ratio over all trials with at least 60 forward days; also `perpscope ledger calibration` and `perpscope report calibration`',
        ],
      ],
    },
    'With simulated analysts (`npm run calibrate`, seed 1): of 15,000 tests without skill 49.8 % have a forward Sharpe ratio above 0 and fewer than 0.1 % were ever supported, 0.1 % where returns are up on 60 % of days; with true Sharpe ratios from −1 to 3 the slope of 1,000 tests is 0.89, where perfect honesty gives 0.84; a true Sharpe ratio of 3 is supported within two years in 96 %.',
  ],
}
