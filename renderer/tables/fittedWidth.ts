/** Padding of a cell and a little air. */
const AROUND_PX = 20

/** What the header and the cells in view need to show a column whole. */
export function fittedWidth(table: HTMLElement, place: number): number {
  const range = document.createRange()
  const widths = [...table.querySelectorAll(`[data-place="${place}"]`)].map((cell) => {
    range.selectNodeContents(cell)
    return range.getBoundingClientRect().width
  })
  return Math.ceil(Math.max(0, ...widths)) + AROUND_PX
}
