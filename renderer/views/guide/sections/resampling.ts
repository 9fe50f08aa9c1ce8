import type { Resample } from '#shared/catalog/column.ts'
import { resampleText } from '#shared/catalog/columnText.ts'
import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import type { GuideBlock, GuideSection } from '../guideSection.ts'

type Exactness = 'exact' | 'approximate' | 'impossible'

const exactnessOf = (rule: Resample): Exactness =>
  rule.how === 'none' ? 'impossible' : rule.approximation ? 'approximate' : 'exact'

/** Lists the columns whose resampling rule has this exactness, by dataset. */
function columnsOf(exactness: Exactness): GuideBlock {
  const allColumns = metricDatasets.flatMap(({ id, columns }) => columns.map((column) => ({ id, ...column })))
  return {
    terms: allColumns
      .filter(({ resample }) => exactnessOf(resample) === exactness)
      .map(({ id, name, resample }) => [`\`${id}.${name}\``, `${resampleText(resample)}.`] as const),
  }
}

/** This section is generated from the resampling rules, so that it always agrees with them. */
export const resampling: GuideSection = {
  id: 'resampling',
  title: 'Longer intervals',
  keywords: 'resample resampling interval aggregate exact approximation bound hour minute downsample',
  blocks: [
    "`resample(a, '1h')` turns minutes into hours by the rule of the column. Many rules yield exactly the values computed from raw events; some only approximate it, and some columns cannot be resampled at all. An approximate number is marked “approximation” in the legend, in tables and in exports.",
    'The error bounds are measured: minutes of reference days, on both clocks, resampled to hours and compared with hours computed from the events. Reference days are two days of trades, quotes and derivatives from outside this program, and two days of order books from the sandbox. The uneven days are deliberately hard: minutes with bursts of updates beside minutes with none, thin books where updates are many, empty sides, missing prices, and updates at and after midnight.',
    'For averages that may be near 0, such as an imbalance, the error is relative to the mean absolute value of the rows, because the relative error itself has no bound.',
    "A rule that needs another dataset, such as the number of quotes for averages of quotes, needs the files of that dataset. If you choose the method yourself, such as `resample(a, '1h', 'mean')`, the result is marked as not following the column’s own rule.",
    { heading: 'Exact' },
    columnsOf('exact'),
    { heading: 'Approximate, with error bound' },
    columnsOf('approximate'),
    { heading: 'Not possible' },
    columnsOf('impossible'),
  ],
}
