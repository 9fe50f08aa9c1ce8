import { commonTerms, ownTerms } from '#shared/lab/describeFields.ts'
import { kindName, labKinds } from '#shared/lab/kinds.ts'
import type { GuideBlock, GuideSection } from '../guideSection.ts'

export const labSections: readonly GuideSection[] = [
  {
    id: 'lab',
    title: 'Lab: studies',
    screens: ['lab'],
    keywords:
      'study series spells bucket decile threshold state regime one symbol signal factor alpha rank ic information coefficient quantile decay turnover event lead lag seasonality funding cycle schedule hour liquidity cost slippage impact clock arrival panel attrition survivorship',
    blocks: [
      'The [Lab](/lab) tests an idea, on many symbols at once or on one along time, and says how sure the answer is. A study is a document: it is saved as you type, can be duplicated, renamed, undone, and shared as a file, which `perpscope study run` accepts too.',
      {
        terms: [
          [
            'Signal',
            'a formula ranks the symbols at each time; the study tells how well the ranking predicts their next returns',
          ],
          ['Event', 'the average path of the price around the moments when a condition becomes true'],
          ['Lead–lag', 'the correlation of every pair of symbols, one shifted against the other'],
          ['Seasonality', 'the mean of a value by hour, weekday, day of month or time to funding'],
          ['Schedule', 'the hours at which one symbol is cheap, chosen on the first days and judged on the later ones'],
          [
            'Costs',
            'what a trade in one symbol costs by its size and hour, and how far the model is from what was paid',
          ],
          ['Clocks', 'how far each column of one symbol moves if events are sorted by their arrival'],
          [
            'Series',
            'each symbol by itself along time: does a value tell its next returns, in which tenth, above which threshold',
          ],
          ['Spells', 'when a state is on, and what prices do after it begins and ends'],
          [
            'Screen',
            'which of all columns tells the next returns of one symbol: directions are learnt in a first part of the range, scores come from the later one, and the winner stands beside the best of noise. Everything tried counts in the ledger, so a screen never runs by itself',
          ],
        ],
      },
      'The recipe is on the left, as a sentence whose bold phrases open their fields; the lines below it say what else differs from the usual. Every run is a trial: trials are tabs above the answer, open as they were, and “Compare” lays two or more over each other. The rows come from a panel file (CSV or Parquet with `time`, `symbol` and numeric columns) or from cached data. The answer is on the right. Small studies answer 0.8 s after your last change; run large ones with the button or Ctrl+Enter (Cmd+Enter). A running study shows its stage and can be cancelled. The last answer opens again without a network and without its files.',
      { heading: 'How to read a signal study' },
      {
        terms: [
          [
            'Rank IC',
            'the rank correlation of signal and return over the symbols of one time; the headline is its mean over non-overlapping samples',
          ],
          [
            't, and the naive t struck through',
            'overlapping windows use the same returns many times, so an estimate that treats all times as independent looks too certain; the number struck through is that estimate, Newey–West the corrected one',
          ],
          ['Decay', 'the mean rank IC of each horizon; it shows how quickly the signal loses its value'],
          [
            'Return by quantile',
            'the mean return of the groups from the lowest to the highest signal; with a good signal, it rises steadily',
          ],
          ['Cumulative return', 'what the groups earned over the non-overlapping samples, before any cost'],
          ['Turnover', 'the share of a group that was not in it one sample earlier; high turnover is expensive'],
          ['Coverage', 'how many members have a value; a result from few symbols says little'],
        ],
      },
      'Choose a time in a figure, or the bar of a quantile, month, weekday or hour, to see the symbols behind it; a row opens the symbol’s prices and rows around that time, from which cached symbols also lead to the workbench and the raw events. The question mark beside a title gives the exact definition of its figure. PNG, SVG and CSV carry their provenance. “Why is a symbol missing?” below the attrition lists every symbol at a time that you enter, with the reason why it does not count.',
      { heading: 'How to read the other studies' },
      {
        list: [
          'Events: the inner band is the 95 % interval of the mean by time, the outer one contains the middle half of the events. Point at the chart to see individual events, adjusted in the same way as the average; open a row of the table to see its symbol.',
          'Lead–lag: lag 3 means that the first symbol moves three bars before the second. The band shows where the correlations of independent series would lie. “First leads”, “Second leads” and “Move together” count the pairs whose strongest lag is beyond chance, by the side of 0 on which it lies.',
          'Seasonality: a dot in the heat map marks a cell that is significant after false-discovery control.',
          'Schedule: the colour of an hour is its value over the first days; the difference says how far the chosen hours of later days lie from the mean of their day.',
          'Costs: half the spread plus impact times size. “Use in a test” opens a portfolio test that pays the same.',
          'Clocks: the shift is the mean distance of the two clocks in deviations of the column; the study needs both clocks in the cache.',
          'Series: beside every IC stands the smallest one that the study would have seen with 80 % power; if yours is smaller, the study says nothing. Buckets rank a signal among those before it, so no bucket knows the future; with “Whole range” they do, and a warning says so.',
          'Spells: returns count from the bar at which a spell is known to have begun (it is long enough) or to be over, never from its first or last bar. It is over one bar after its longest bridge: with a bridge of 3 bars, 4 bars after its last bar that was on, whether the state was off or missing in between; without a bridge, one bar after. A spell whose end is not known before the range ends counts under starts only.',
        ],
      },
      { heading: 'Functions across symbols, and ready-made studies' },
      'A signal is a formula in the formula language, over `dataset.column`. `cs_rank(x)`, `cs_zscore(x)`, `cs_demean(x)`, `cs_winsor(x, q)` and `cs_neutral(x, y)` compare the members of the study at each time; they can be nested in other functions, and other functions in them.',
      'Ready-made studies run on the sandbox over 92 days: eight on one symbol along time, and eight of some forty symbols. Two of these find effects that the sandbox adds to symbols below the largest 70: in “Funding hours”, prices rise by 0.2 % in the hour that ends one hour before funding (120 minutes in the table) and fall by as much in the next (60 minutes); in “Spread widening”, prices fall by 0.6 % within six hours after the entry. The others find nothing: the flow, open interest and funding of the sandbox move with the price of the same hour and do not predict later hours. With twenty seeds, each of these studies shows a significant result for at most three, which is to be expected of tests at 5 %.',
      'For studies of one symbol along time, the sandbox adds three effects to one symbol and to no other: the imbalance of its book tells the return of the bar after the next with a rank IC of 0.03, its price falls by a tenth after positions have crowded, and one hour has half the spread. `perpscope sandbox --json` lists all effects under `planted`, with the symbol, the columns and the sizes.',
      { heading: 'The guards' },
      {
        terms: [
          [
            'Attrition',
            'every cell of times × symbols counts once, under the first reason for which it is excluded; nothing disappears silently',
          ],
          [
            'Delay',
            'you enter one bar after the signal by default; with 0 you trade at the price that produced the signal, and a warning says so',
          ],
          ['Look-ahead', 'a signal that correlates with its own return without a delay, or equals it, gets a warning'],
          ['Both clocks', 'with rows on the other clock, the same study runs on both and the difference is tested'],
          [
            'Survivorship',
            'today’s list of symbols leaves out those that have been delisted; a universe by date does not',
          ],
          [
            'False discovery',
            'every scan counts all its tests and controls the false-discovery rate by Benjamini–Hochberg; tests without a result stay in the list',
          ],
          ['Unrecorded', 'the run is not recorded in the ledger; the more you try, the more looks good by chance'],
        ],
      },
      'How far to trust the samples: on 1000 panels of noise, tests of the rank IC at the 5 % level were significant in 5.6 to 6.3 % of cases with non-overlapping samples; with overlapping ones (all times), in 6 % at horizon 1, 9 % at 4 and 13 % at 24.',
    ],
  },
  {
    id: 'lab-fields',
    title: 'Lab: fields of a document',
    keywords: 'json study document field default range study new command line assistant',
    blocks: [
      'A study or portfolio test is a JSON document. The form, `perpscope study run`, the local API and assistants read the same fields. A field that is left out has its default; one that its kind does not have is refused. `perpscope study new signal` prints one that explains each field and runs on the connection as it is, with comments that may stay; `study schema signal` lists the fields, `study explain FILE` says in sentences what a document does, and `study compare A B` shows where two differ, and their figures side by side. The defaults here are those for cached rows, whose columns are named `dataset.column`; such rows also need `start` and `end`.',
      { heading: 'Every kind' },
      { terms: commonTerms() },
      ...labKinds.flatMap((kind): GuideBlock[] => [{ heading: kindName(kind) }, { terms: ownTerms(kind) }]),
    ],
  },
  {
    id: 'lab-tests',
    title: 'Lab: portfolio tests',
    keywords:
      'portfolio test backtest weights rank z-score quantile leverage cap rebalance fee spread slippage funding capacity sharpe deflated probabilistic overfitting pbo walk-forward grid holdout trial ledger',
    blocks: [
      'A portfolio test turns a signal into weights, positions, and profit and loss with the costs of perpetual swaps. Choose “New portfolio test” in the [Lab](/lab), or “Open or save” on a portfolio or a factor. It never runs by itself: the button (Ctrl+Enter, Cmd+Enter) says which trial it becomes.',
      {
        terms: [
          [
            'Net and gross',
            'gross is the profit from prices alone on the same positions; net is after funding, fee, spread and slippage',
          ],
          ['Break-even fee', 'the fee at which the net result is 0; compare it with the fee that you pay'],
          [
            'Deflated Sharpe',
            'the probability that the true Sharpe ratio is above what the best of N trials reaches by luck; above 0.95 is strong',
          ],
          [
            'N and N′',
            'the number of trials of the family, and the number of independent trials that they are equivalent to',
          ],
          [
            'Deflated by all trials',
            'the same probability, counting every trial on this source and interval, because a different formula is a different family',
          ],
          [
            'PBO',
            'how often the best trial in sample (one half of the days) ranks below the median out of sample (the other half)',
          ],
          ['What is not known', 'costs that the data does not contain; they count as unknown, never silently as 0'],
        ],
      },
      { heading: 'Grids' },
      'Write a name in braces in the signal, such as `sma(carry, {n})`, and give its numbers below. Every combination is a trial, recorded before the next one. The result is a walk-forward: each fold uses the combination that was best on its training days. A cancelled grid continues where it stopped.',
      { heading: 'Holdout' },
      '“Sealed from” is the first sealed day: no test of the family reads it or any later day. Opening the sealed days is recorded, cannot be undone, and is shown with every later result.',
      { heading: 'Trials' },
      'Every test is recorded before its result is shown; entries are only ever added. [Trials](/lab/trials) lists the families of tests and studies, the distribution of their Sharpe ratios beside the one expected from noise, and each run. Reset restarts the count and is itself recorded. The plain copy (`ledger.jsonl`) has one line for each entry, so that you can keep it under version control; “Merge a ledger” adds the entries of another machine’s ledger.',
    ],
  },
]
