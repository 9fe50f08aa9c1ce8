/** Left edges of columns of these widths, and at the end the right edge of the last. */
export function edgesOf(widthsPx: readonly number[]): number[] {
  const edges = [0]
  for (const width of widthsPx) edges.push(edges[edges.length - 1] + width)
  return edges
}

/** The columns, half-open, that a view from `leftPx` shows at least in part. */
export function columnsInView(edges: readonly number[], leftPx: number, widthPx: number): { from: number; to: number } {
  const last = edges.length - 1
  let from = 0
  while (from < last && edges[from + 1] <= leftPx) from += 1
  let to = from
  while (to < last && edges[to] < leftPx + widthPx) to += 1
  return { from, to }
}

/** How far to scroll so that `start` to `end` is in a view of `viewPx` that begins at `atPx`; `atPx` where it is. */
export function broughtIntoView(atPx: number, viewPx: number, start: number, end: number): number {
  if (start < atPx) return start
  return end > atPx + viewPx ? end - viewPx : atPx
}
