import { sectionOf, type Sheet, shownFigureOf } from '#shared/sheet/sheet.ts'

/** Cards of the figures of a sheet, with notes by the ids of the figures. */
export const cardsOf = (sheet: Sheet, notes: Readonly<Record<string, string>> = {}) =>
  sectionOf(sheet, 'figures', 'figures').figures.map((figure) => {
    const { id, name, formula } = figure
    return { id, name, formula, ...shownFigureOf(figure), note: notes[id] ?? '' }
  })
