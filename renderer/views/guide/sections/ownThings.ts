import { findingDefinitions, findingKinds } from '#shared/quality/findings.ts'
import { qualityText } from '../../../text/quality.ts'
import type { GuideSection } from '../guideSection.ts'

/** Symbol lists, the documents folder and data quality. */
export const ownThings: readonly GuideSection[] = [
  {
    id: 'own-data',
    title: 'Datasets of your own',
    keywords: 'own data csv parquet file dataset events known after unlocks flows another vendor',
    blocks: [
      'Files that you have, CSV or Parquet, become datasets like those of a service: choose or drop one in [Your datasets](/raw/own), or `perpscope data add NAME FILE`. They stay where they are; their rows are converted once into the data folder.',
      {
        list: [
          'In formulas, charts, studies and checks a column is `own_NAME.column`, in SQL the table is `own.NAME`. A symbol with `:` is that symbol, one without (`BTC`) every symbol with that base; without a column of symbols the rows stand beside every instrument. Capitals count.',
          'A row is known at the end of its interval plus “Known after”, an event at its time plus “Known after”. Formulas and studies read nothing earlier; a value stands for three of its intervals, that of an event for good. Charts draw a row at its own time and events as flags with their labels; “Rows at” in the settings of the series moves them to when they were known.',
          '`events(own_NAME)` counts the events that became known within a row, `since(own_NAME)` the rows since the last one.',
          '`perpscope data refresh NAME` reads the same files again and says what changed by row; `data remove NAME` says what refers to the dataset first. A backup has the rows only with `--with-data`.',
        ],
      },
    ],
  },
  {
    id: 'watch',
    title: 'Watch and symbol lists',
    screens: ['watch'],
    keywords: 'list watchlist group symbols universe morning overview change funding open interest z-score csv',
    blocks: [
      '[Watch](/watch) shows the symbols of a list, or all that have cached candles, using only data on this machine: no service is queried. Values that are not cached are shown as “–”, and rows older than a day are faded with their age. Beside the symbols stands what happened since your last visit. The menu of a cell makes a check of it, and the check says how often it would have hit.',
      {
        terms: [
          ['Last, As of', 'the last cached close and its time'],
          ['Change 24 h, OI change 24 h', 'compared with the value 24 hours earlier'],
          [
            'Funding p.a.',
            'last rate · 24 / hours between payments · 365; the hours come from [Settings → Instruments](/settings/instruments)',
          ],
          ['Volume z', 'the last whole UTC day against the 30 days before, in sample standard deviations'],
          ['Cached 30 d', 'share of the last 30 whole days whose candles are cached'],
          ['Findings', 'open data-quality findings in these days'],
        ],
      },
      {
        list: [
          'Click a header to sort. “Formula columns …” adds columns whose formula names its inputs as `dataset.column`, such as `l1_price.ask_price - l1_price.bid_price`.',
          'A row opens its chart. Select several to compare them, to open them in the Lab, or to save them as a list; the row menu offers the same actions.',
          '“Download what is missing …” offers the candles, funding and open interest of the last 30 days as one download.',
        ],
      },
      { heading: 'Lists' },
      {
        list: [
          'In a list, type symbols into “Add symbols to the list” (`BTC, eth perp, SOL@venue`) and press Enter; a name that means several is asked about. Drag a symbol by its handle, or press Alt with ↑ or ↓ on its row, to move it.',
          '“New list …” and “Edit list …” show a list as text, one symbol per line: `exchange,symbol,group`. Alt with ↑ and ↓ moves lines; symbols without a venue get the one you choose.',
          '“Save as CSV” writes a file for others; “Open CSV …” reads one, including files with several lists and the column `list`.',
          'A symbol that the connection does not know stays in the list and is marked. Renames in Settings → Instruments are followed.',
          'The same lists work in [Downloads](/downloads/new), the Lab, and on the command line with `--list NAME`.',
        ],
      },
      { code: 'perpscope lists import lists.csv\nperpscope watch --list majors', language: 'Shell' },
    ],
  },
  {
    id: 'instruments',
    title: 'Instruments',
    keywords:
      'contract size quote tick funding period offset rate native name listed delisted renamed dates csv json inquote',
    blocks: [
      '[Settings → Instruments](/settings/instruments) and `perpscope instruments import FILE` read what no service says about an instrument: a CSV, or JSON with an array of objects with the same keys. Only `exchange` and `symbol` are needed.',
      {
        terms: [
          [
            'valid_from',
            'UTC day, or an instant such as 2026-08-01T08:00Z, from which the row holds, until the next row of the pair; always if empty',
          ],
          ['contract_size', 'base assets in one contract; inquote(x, price) takes the size of each row’s time'],
          ['quote, tick', 'quote currency and price step'],
          ['funding_every', 'time between payments, such as 8h'],
          ['funding_offset', 'time from 00:00 UTC to the first payment; 0h if empty, shorter than funding_every'],
          ['funding_rate_per', 'period that the published rate refers to; funding_every if empty'],
          ['native', 'the venue’s own name'],
          [
            'listed, delisted',
            'first and last UTC day of trading; plans of downloads skip the other days and count them',
          ],
          ['renamed_from', 'earlier symbol of the instrument; lists follow the rename'],
        ],
      },
      {
        list: [
          'An empty cell of a dated row means “as before”. Only an empty `funding_every` takes back the period of the row before.',
          'An import replaces all rows of the pairs that it names. One bad line refuses the whole file; every bad line is named.',
          'Of two rows with the same `valid_from` the later one stands, and you are told.',
          'Where nothing says how often funding is paid, `perpscope funding set --exchange VENUE --every 8h` types it for a venue, and with `--symbol` for one symbol. Watch and charts have a field for it where a period is missing.',
          '`perpscope funding list` prints the periods that are known, and from where: observed in cached raw `funding_rate` events, announced by this file, inferred from the hours at which cached rates change, or typed. Charts (“% a year”), Watch, SQL (`cache.funding_periods`, `funding_hours`) and the formula functions `fundinghours`, `annual` and `settled` go by them.',
        ],
      },
      {
        code: 'exchange,symbol,valid_from,contract_size,funding_every\nVENUE,perpetual-BTC-USDT:USDT,,0.01,8h\nVENUE,perpetual-BTC-USDT:USDT,2026-08-01,0.001,1h',
        language: 'CSV',
      },
    ],
  },
  {
    id: 'documents',
    title: 'Documents folder',
    screens: [],
    keywords: 'git repository folder share team text files merge conflict sync workspaces lists queries studies boards own recipe',
    blocks: [
      'Workspaces, download sets, symbol lists, queries, studies, boards and how your own datasets are made can be kept as text files in a folder that you choose in [Settings → Documents folder](/settings/documents), such as a Git repository. Each file has one field per line in a fixed order, so that Git can merge what two people changed. Changes on either side are copied to the other immediately; without a window, this happens when a command changes a document, and with `perpscope documents list`.',
      {
        terms: [
          ['conflict', 'both sides changed, or one was deleted: compare them and keep yours, the file, or both'],
          ['Git could not merge', 'the file contains two versions: compare them, keep one, then `git add` the file'],
          ['unreadable', 'a file that cannot be read; it is left alone until you fix it; deleting it is a conflict'],
          ['a file is gone', 'its document stays, and you decide: write the file again, or remove the document too'],
          ['a document is removed', 'its file is deleted too, unless it has changed since'],
        ],
      },
      {
        list: [
          'Documents keep their ids in their files, so links to them work for everyone who uses the folder. Lists and sets are identified by their names; a set names its connection.',
          'You may name files as you like and put them into folders below those of their kind. A copy becomes a document of its own once its `id` is removed.',
          'Of a dataset of your own the folder has the recipe, not the rows: its files, columns, units and when rows are known. A recipe that changed in the folder changes no row; the dataset says so, and its next refresh follows it. Paths inside the folder are relative to it; files that are elsewhere on your machine are named once: `perpscope data refresh NAME FILE…`.',
          'Paths of panels stay on this machine. Keys, settings and downloaded data are never in the folder.',
          'If the folder is unavailable, such as on an unplugged drive, Perpscope waits for it.',
        ],
      },
      { code: 'perpscope documents use ~/team/perpscope\nperpscope documents list', language: 'Shell' },
    ],
  },
  {
    id: 'quality',
    title: 'Data quality',
    screens: ['quality'],
    keywords: 'faults gaps missing stale spike duplicate order impossible republished venue check accept note',
    blocks: [
      '[Quality](/quality) looks for faults in the cached files: metrics of the service, metrics computed here, raw events, imported or downloaded, and datasets of your own. Results are remembered by file content, so each file is checked only once. Files are also checked automatically after a download; [Settings → Downloads](/settings/downloads) turns that off.',
      {
        list: [
          'The heat map counts findings by series and day; a cell opens the findings of its day in the table.',
          'A finding opens the chart at its time. “Show rows” in the row menu opens the rows themselves.',
          '“Accept …” takes a note and closes the finding: here, in Watch and on the command line it stays closed until you reopen it. Notes are part of backups.',
        ],
      },
      { heading: 'Definitions' },
      { terms: findingKinds.map((kind) => [qualityText.kinds[kind], findingDefinitions[kind]] as const) },
      { code: 'perpscope quality --list majors --start 2026-08-01', language: 'Shell' },
    ],
  },
]
