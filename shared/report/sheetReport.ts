/** Writes a sheet as the parts of a report. */
import {
  columnTitle,
  figureText,
  figureTitle,
  heatTable,
  type Section,
  type SheetFigure,
  type SheetSeries,
  writtenRows,
} from '#shared/sheet/sheet.ts'
import type { ReportCell, ReportPart, ReportSeries } from './reportContent.ts'

export const sheetParts = (sections: readonly Section[]): ReportPart[] => sections.map(sectionPart)

function sectionPart(section: Section): ReportPart {
  const { title } = section
  switch (section.kind) {
    case 'figures':
      return {
        ...{ kind: 'table', title, columns: ['Figure', 'Value', 'Definition'] },
        rows: section.figures.map((figure) => [figureTitle(figure), figureCell(figure), figure.formula]),
      }
    case 'table':
      return {
        ...{ kind: 'table', title, columns: section.columns.map(columnTitle) },
        rows: writtenRows(section).map((row) =>
          row.map(({ value, text }, at): ReportCell =>
            typeof value === 'number' && text !== null && section.columns[at].kind !== 'time' ? { value, text } : text,
          ),
        ),
        ...(section.note && { note: section.note }),
      }
    case 'chart': {
      const { style, names, isLog = false, thinned } = section
      const fullTitle = thinned === undefined ? title : `${title} (${thinned})`
      return {
        kind: 'chart',
        title: fullTitle,
        style,
        names,
        series: section.series.map(reportSeries),
        ...(isLog && { isLog }),
      }
    }
    case 'heat':
      return sectionPart(heatTable(section))
    case 'text':
      return { kind: 'text', title, lines: section.lines }
  }
}

function figureCell(figure: SheetFigure): ReportCell {
  const text = figureText(figure)
  return text === null || figure.value === null ? null : { value: figure.value, text }
}

const reportSeries = ({ label, kind, unit, x, values, valid, interval, style, stepMs }: SheetSeries): ReportSeries => ({
  ...{ label, numberKind: kind, x },
  values: valid?.includes(0) ? values.map((value, row) => (valid[row] === 0 ? NaN : value)) : values,
  ...(unit !== undefined && { unit }),
  ...(interval && { interval }),
  ...(style && style !== 'line' && { style }),
  ...(stepMs !== undefined && { stepMs }),
})
