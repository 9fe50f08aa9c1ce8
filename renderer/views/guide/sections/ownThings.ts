import { findingDefinitions, findingKinds } from '#shared/quality/findings.ts'
import { qualityText } from '../../../text/quality.ts'
import type { GuideSection } from '../guideSection.ts'

/** Lists of one's own and the pages that work on them. */
export const ownThings: readonly GuideSection[] = [
  {
    id: 'watch',
    title: 'Watch and symbol lists',
    screens: ['watch'],
    keywords: 'list watchlist group symbols universe morning overview change funding open interest z-score csv',
    blocks: [
      '[Watch](/watch) shows the symbols of a list, or all with cached candles, from what is on this machine: nothing is asked of a service. Values that are not here are “–”.',
      {
        terms: [
          ['Last, As of', 'the last cached close and its time'],
          ['Change 24 h, OI change 24 h', 'against the value 24 hours before'],
          [
            'Funding p.a.',
            'last rate · 24 / hours between payments · 365; the hours come from [Settings → Instruments](/settings/instruments)',
          ],
          ['Volume z', 'the last whole UTC day against the 30 days before, in sample deviations'],
          ['Cached 30 d', 'share of the last 30 whole days whose candles are cached'],
          ['Findings', 'open findings of data quality in these days'],
        ],
      },
      {
        list: [
          'A header sorts. “Formula columns …” adds columns whose formula names its inputs `dataset.column`, such as `l1_price.ask_price - l1_price.bid_price`.',
          'A row opens its chart. Select several to compare them, to open them in the Lab, or to save them as a list; the row menu has the same.',
          '“Download what is missing …” offers the candles, funding and open interest of the last 30 days as one download.',
        ],
      },
      { heading: 'Lists' },
      {
        list: [
          '“New list …” and “Edit list …” show a list as text, one symbol a line: `exchange,symbol,group`. Alt with ↑ and ↓ moves lines; pasted symbols get the venue you choose.',
          '“Save as CSV” writes a file for others; “Open CSV …” reads one, also files with several lists and the column `list`.',
          'A symbol that the connection does not know stays in the list and is marked. Renames in Settings → Instruments are followed.',
          'The same lists work in [Downloads](/downloads/new), the Lab, and on the command line with `--list NAME`.',
        ],
      },
      { code: 'perpscope lists import lists.csv\nperpscope watch --list majors', language: 'Shell' },
    ],
  },
  {
    id: 'quality',
    title: 'Data quality',
    screens: ['quality'],
    keywords: 'faults gaps missing stale spike duplicate order impossible republished venue check accept note',
    blocks: [
      '[Quality](/quality) looks for faults in the cached metric files. A result is remembered by the bytes that it read, so a file is checked once. Files are also checked by themselves once a download is over; [Settings → Downloads](/settings/downloads) turns that off.',
      {
        list: [
          'The heat map counts findings by series and day; a cell opens the findings of its day in the table.',
          'A finding opens the chart at its time. “Show rows” in the row menu opens the rows themselves.',
          '“Accept …” takes a note and closes the finding until you reopen it, here, in Watch and on the command line. Notes are part of backups.',
        ],
      },
      { heading: 'Definitions' },
      { terms: findingKinds.map((kind) => [qualityText.kinds[kind], findingDefinitions[kind]] as const) },
      { code: 'perpscope quality --list majors --start 2026-08-01', language: 'Shell' },
    ],
  },
]
