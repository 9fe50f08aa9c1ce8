import { plural } from '#shared/units/plurals.ts'

export const instrumentsText = {
  hint: 'You enter contract sizes, tick sizes, funding periods and renames yourself: no service provides them. Amounts in contracts need the contract size before they can be compared with amounts in base assets; with it, inquote(x, price) converts them to quote currency in any formula.',
  columns:
    'CSV with the columns exchange and symbol, and any of contract_size, quote, tick, funding_every, renamed_from.',
  title: 'Instruments',
  choose: 'Import a CSV …',
  file: 'CSV of instruments',
  offer:
    'inquote(x, price) converts base assets and contracts to quote currency, with the contract size from Settings → Instruments',
  none: 'No instruments yet',
  imported: (count: number) => `Imported ${plural(count, 'instrument')}`,
} as const
