/** Things side by side in as many lines as they need, with where each stands from the left. */
export function wrapped<Thing extends object>(
  things: readonly Thing[],
  widthOf: (thing: Thing) => number,
  { roomPx, gapPx }: { roomPx: number; gapPx: number },
): (Thing & { xPx: number })[][] {
  const lines: (Thing & { xPx: number })[][] = [[]]
  let xPx = 0
  for (const thing of things) {
    const widthPx = widthOf(thing)
    if (xPx > 0 && xPx + widthPx > roomPx) {
      lines.push([])
      xPx = 0
    }
    lines.at(-1)!.push({ ...thing, xPx })
    xPx += widthPx + gapPx
  }
  return lines
}
