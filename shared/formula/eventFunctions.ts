import { fixedUnit, type FormulaFunction, series } from './formulaFunction.ts'

/** Says what a function takes that counts events. */
export const ownEventsText = (name: string) =>
  `${name} takes the name of a dataset of your own with events, without a column: ${name}(own_NAME).`

/** Functions that count the events of an own dataset; the parser reads them as columns of that dataset. */
export const ownEventFunctions: readonly FormulaFunction[] = [
  {
    name: 'events',
    parameters: [series('own_NAME')],
    description:
      'Number of events of a dataset of your own that became known within the row, of the instrument or of no instrument; 0 where none did',
    example: 'events(own_unlocks)',
    unit: fixedUnit('events'),
    apply: ({ refuse }) => refuse(ownEventsText('events')),
  },
  {
    name: 'since',
    parameters: [series('own_NAME')],
    description:
      'Rows since the one in which the last event of a dataset of your own became known, 0 in that row; missing before the first',
    example: 'since(own_unlocks)',
    unit: fixedUnit('none'),
    apply: ({ refuse }) => refuse(ownEventsText('since')),
  },
]
