import { element, escapeXml, textElement, pictureSvg, plotBox, type Picture } from './svgWriter.ts'

interface HeatPicture extends Picture {
  /** Names of the rows from top to bottom. */
  rows: readonly string[]
  columns: number
  /** Returns the intensity of a cell from −1 to 1; null for an empty cell. */
  value: (row: number, column: number) => number | null
  /** True if the intensities have a sign, so that those above 0 are drawn as rising. */
  isSigned: boolean
  /** Range of the columns, for example `2024-01-01 – 2024-12-31`, shown if the columns have no names. */
  range: string
  columnNames?: readonly string[]
  /** Returns the text of a cell; it is shown if it fits. */
  text?: (row: number, column: number) => string
}

const LEAST_LABEL_PX = 11

/**
 * Writes a heat map as SVG. The cells are an image with one pixel each, because hundreds of thousands of shapes would
 * overload any viewer.
 */
export function heatSvg(picture: HeatPicture): string {
  const { rows, colours, range } = picture
  const box = plotBox(picture)
  const rowPx = box.height / Math.max(1, rows.length)
  const labelStep = Math.max(1, Math.ceil(LEAST_LABEL_PX / rowPx))
  const labels = rows.map((label, row) =>
    row % labelStep === 0
      ? textElement(label, {
          x: box.left - 6,
          y: box.top + (row + 0.5) * rowPx + 4,
          fill: colours.textFaint,
          'text-anchor': 'end',
          'font-size': Math.min(11, Math.max(7, rowPx * labelStep)),
        })
      : '',
  )
  const placeAttributes = `x="${box.left}" y="${box.top}" width="${box.width}" height="${box.height}"`
  const cells = `<image ${placeAttributes} preserveAspectRatio="none" style="image-rendering:pixelated" href="${escapeXml(cellImage(picture))}"/>`
  const rangeAttributes = { x: box.left, y: box.top + box.height + 15, fill: colours.textFaint }
  const heads = columnHeads(picture, box)
  const texts = cellTexts(picture, box)
  return pictureSvg(
    picture,
    element('g', {}, cells) + texts + labels.join('') + (heads || textElement(range, rangeAttributes)),
  )
}

/** Estimated width of a letter; the font of the program that shows the SVG decides the actual width. */
const LETTER_PX = 6.4
type Box = ReturnType<typeof plotBox>

/** Writes the names of the columns below the plot, or of every n-th column if not all names fit. */
function columnHeads({ columns, columnNames = [], colours }: HeatPicture, box: Box): string {
  const columnPx = box.width / Math.max(1, columns)
  const widest = Math.max(0, ...columnNames.map((name) => name.length)) * LETTER_PX + 6
  const labelStep = Math.max(1, Math.ceil(widest / columnPx))
  return columnNames
    .map((name, column) => {
      const x = box.left + (column + 0.5) * columnPx
      const place = { x, y: box.top + box.height + 15, fill: colours.textFaint, 'text-anchor': 'middle' }
      return column % labelStep === 0 ? textElement(name, place) : ''
    })
    .join('')
}

/** Writes the texts of the cells, or none if one of them does not fit. */
function cellTexts({ rows, columns, text, colours }: HeatPicture, box: Box): string {
  const [columnPx, rowPx] = [box.width / Math.max(1, columns), box.height / Math.max(1, rows.length)]
  if (!text || rowPx < LEAST_LABEL_PX) return ''
  const cells = rows.flatMap((_, row) =>
    Array.from({ length: columns }, (_column, column) => ({ row, column, written: text(row, column) })),
  )
  if (cells.some(({ written }) => written.length * LETTER_PX > columnPx)) return ''
  return cells
    .map(({ row, column, written }) => {
      const [x, y] = [box.left + (column + 0.5) * columnPx, box.top + (row + 0.5) * rowPx + 4]
      return written && textElement(written, { x, y, fill: colours.text, 'text-anchor': 'middle' })
    })
    .join('')
}

function cellImage({ rows, columns, value, isSigned, colours }: HeatPicture): string {
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, columns)
  canvas.height = Math.max(1, rows.length)
  const context = canvas.getContext('2d')!
  const image = context.createImageData(canvas.width, canvas.height)
  const [positiveRgb, negativeRgb] = [isSigned ? colours.positive : colours.accent, colours.negative].map(rgbOf)
  for (let row = 0; row < rows.length; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const strength = value(row, column)
      if (strength === null) continue
      const alpha = 0.12 + Math.min(1, Math.abs(strength)) * 0.88
      image.data.set(
        [...(strength < 0 ? negativeRgb : positiveRgb), Math.round(alpha * 255)],
        (row * columns + column) * 4,
      )
    }
  context.putImageData(image, 0, 0)
  return canvas.toDataURL()
}

/** Splits `#rrggbb` into three bytes. */
const rgbOf = (hex: string) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) || 0)
