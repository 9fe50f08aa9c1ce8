import { expect } from 'vitest'
import { cellsOf, input } from '../unit/formula/formulaInputs.ts'
import { provePython } from './peer.ts'

/** Returns values that jump, repeat and are sometimes missing, the same in every run. */
function unevenValues(seed: number, rows: number): (number | null)[] {
  let state = seed
  const next = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
  return Array.from({ length: rows }, () => {
    if (next() < 0.15) return null
    return next() < 0.2 ? Math.round(next() * 4) : 1e4 + (next() - 0.5) * 10 ** Math.floor(next() * 5)
  })
}

/** Pandas expressions by formula; `a` and `b` are series with the same rows. */
const readings: Record<string, string> = {
  'sma(a, 12, 5)': 'a.rolling(12, min_periods=5).mean()',
  'std(a, 12, 5)': 'a.rolling(12, min_periods=5).std()',
  'rollmin(a, 12, 5)': 'a.rolling(12, min_periods=5).min()',
  'rollmax(a, 12, 5)': 'a.rolling(12, min_periods=5).max()',
  'median(a, 12, 5)': 'a.rolling(12, min_periods=5).median()',
  'mad(a, 12, 5)': 'a.rolling(12, min_periods=5).apply(lambda x: (x - x.median()).abs().median())',
  'skew(a, 12, 5)': 'a.rolling(12, min_periods=5).apply(lambda x: x.skew())',
  'kurt(a, 12, 5)': 'a.rolling(12, min_periods=5).apply(lambda x: x.kurt())',
  'ewmstd(a, 12)': 'a.ewm(span=12).std()',
  'logret(a)': 'np.log(a.where(a > 0) / a.shift(1).where(a.shift(1) > 0))',
  'ffill(a, 2)': 'a.ffill(limit=2)',
  'ffill(a)': 'a.ffill()',
  'where(a > 10000, a, b)': 'a.where(a > 10000, b).where(a.notna())',
  'resid(a, b, 12, 5)': `pd.Series([last_residual(a, b, row) for row in range(len(a))])`,
}

provePython('pandas', 'every function of windows, weights and fills is what pandas computes', async (python) => {
  const [a, b] = [unevenValues(7, 400), unevenValues(11, 400)]
  const found = await python(`
import json, numpy as np, pandas as pd
a, b = (pd.Series(x, dtype=float) for x in json.loads(${JSON.stringify(JSON.stringify([a, b]))}))
def last_residual(y, x, row):
    pair = pd.DataFrame({"y": y, "x": x}).iloc[max(0, row - 11):row + 1].dropna()
    if len(pair) < 5 or pair.index[-1] != row or pair.x.nunique() < 2: return np.nan
    line = np.linalg.lstsq(np.c_[np.ones(len(pair)), pair.x - pair.x.mean()], pair.y, rcond=None)[0]
    return pair.y.iloc[-1] - line[0] - line[1] * (pair.x.iloc[-1] - pair.x.mean())
readings = ${JSON.stringify(readings)}
print(json.dumps({formula: [None if pd.isna(v) else v for v in eval(code)] for formula, code in readings.items()}))`)
  const answers = found as Record<string, (number | null)[]>
  for (const formula of Object.keys(readings)) {
    const ours = cellsOf(formula, { a: input(a), b: input(b) })
    ours.forEach((value, row) => {
      const theirs = answers[formula][row]
      const where = `${formula} at row ${row}`
      if (value === null || theirs === null) expect(value, where).toBe(theirs)
      else expect(Math.abs(value - theirs), where).toBeLessThanOrEqual(1e-7 * Math.max(1, Math.abs(theirs)))
    })
  }
})
