const steps = [0.5, 0.67, 0.75, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2]

/** The step above or below; stays at the ends. */
export function nextZoom(zoom: number, direction: -1 | 1): number {
  const next =
    direction === 1 ? steps.find((step) => step > zoom + 0.001) : steps.findLast((step) => step < zoom - 0.001)
  return next ?? zoom
}
