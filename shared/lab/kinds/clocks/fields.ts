import { isMetricDatasetId, metricDatasetIds } from '#shared/catalog/metricDatasets.ts'
import { ownNameOf } from '#shared/formula/ownData.ts'
import { didYouMean } from '#shared/formula/suggestName.ts'
import { StudyError } from '../../studyError.ts'
import { commonFields } from '../commonFields.ts'
import type { Fields, FieldType, Values } from '../field.ts'
import { listOf, orNull, text } from '../fieldTypes.ts'
import { sourceFields } from '../sourceFields.ts'
import { firstFew } from '#shared/units/plurals.ts'

/** A column of a dataset of the catalog; which columns a dataset has is known from its files. */
const cachedColumn: FieldType<string> = {
  ...text,
  read(value, path) {
    const name = text.read(value, path)
    const [dataset, ...column] = name.split('.')
    if (column.join('.') === '')
      throw new StudyError(path, `${name} names no column; write dataset.column, such as ohlcv.close.`)
    if (isMetricDatasetId(dataset)) return name
    if (ownNameOf(dataset) !== null)
      throw new StudyError(path, `${name}: rows of your own have one clock; the study compares two.`)
    throw new StudyError(path, `${name}: there is no dataset ${dataset}.${didYouMean(dataset, metricDatasetIds)}`)
  },
}

const fields = {
  ...commonFields('clocks', sourceFields),
  columns: {
    type: { ...orNull(listOf(cachedColumn, 1000)), control: 'texts' },
    byDefault: null,
    label: 'Columns',
    phrase: (columns) => (Array.isArray(columns) ? firstFew(columns.map(String)) : 'every column'),
    help: 'Columns to compare, such as flow.volume_delta, separated by commas; null for every number that is cached on both clocks.',
    group: 'main',
  },
} satisfies Fields

export type ClockStudy = Values<typeof fields>

export const clocks = {
  title: 'Clocks',
  description: 'What does it change to sort events by their arrival instead of the exchange’s time?',
  fields,
  recipe: 'Compare {columns} of {source} on both clocks, bars of {interval}, from {start} to {end}.',
  formulas: (_study: ClockStudy) => [],
  treatsSymbolsAlone: true,
  readsBothClocks: true,
}
