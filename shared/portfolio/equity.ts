/** Computes the value of 1 after each day. */
export function equityOf(returns: Float64Array): Float64Array {
  let equity = 1
  return returns.map((value) => (equity *= 1 + value))
}

/** Computes the distance below the highest equity so far, as a fraction, at most 0. The starting 1 is a peak too. */
export function drawdownsOf(equity: Float64Array): Float64Array {
  let peak = 1
  return equity.map((value) => {
    if (value > peak) peak = value
    return value / peak - 1
  })
}
