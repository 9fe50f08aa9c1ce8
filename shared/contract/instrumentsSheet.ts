import type { Instrument } from '#shared/contract/areas/instruments.ts'
import { instrumentColumns } from '#shared/contract/instrumentsFile.ts'
import { exactNumber } from '#shared/units/numbers.ts'
import { column, table } from '../sheet/sheet.ts'

/** Describes a column under the name that it has in a file; its numbers are exact. */
const columnOf = (name: (typeof instrumentColumns)[number]) =>
  name === 'contract_size' || name === 'tick'
    ? column<Instrument>(name, name, 'volume', (row) => row[name], { format: (value) => exactNumber(Number(value)) })
    : column<Instrument>(name, name, 'text', (row) => row[name])

/** Builds the table of typed facts about instruments, with the columns in which some row has a value. */
export const instrumentTable = (rows: readonly Instrument[], empty = '') =>
  table(
    { id: 'instruments', title: 'Instruments', empty },
    instrumentColumns.filter((name) => rows.some((row) => row[name] !== null)).map(columnOf),
    rows,
  )
