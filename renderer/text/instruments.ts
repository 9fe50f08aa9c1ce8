import { plural } from '#shared/units/plurals.ts'

export const instrumentsText = {
  hint: 'Contract sizes, ticks, funding periods and renames come from you alone: no service sends them. A venue that counts contracts needs the contract size before its amounts can stand beside those in base assets; inquote(x, price) then converts in any formula.',
  columns: 'CSV with the columns exchange, symbol, and any of contract_size, quote, tick, funding_every, renamed_from.',
  choose: 'Import a CSV …',
  offer: 'inquote(x, price) puts both in quote currency, with the contract size from Settings → Instruments',
  none: 'No instruments yet',
  imported: (count: number) => `Imported ${plural(count, 'instrument')}`,
} as const
