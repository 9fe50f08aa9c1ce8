import { expect } from 'vitest'
import { figureValues, returnsView } from '#shared/portfolio/figures.ts'
import { rollingRisk } from '#shared/portfolio/tearSheet.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { provePython } from './peer.ts'

/** Daily returns over three years, irregular but the same in every run; every 19th day is missing. */
const returns = Array.from({ length: 1100 }, (_, at) =>
  at % 19 === 7 ? null : Math.sin(at * at * 0.37) * 0.03 + Math.cos(at / 50) * 0.003,
)
const firstDay = '2022-01-03'
const view = returnsView({
  days: Int32Array.from(returns, (_, at) => dayNumberOf(firstDay) + at),
  values: Float64Array.from(returns, (value) => value ?? 0),
  valid: Uint8Array.from(returns, (value) => Number(value !== null)),
})

const load = `
import json, numpy as np, pandas as pd
r = pd.Series(json.loads("""${JSON.stringify(returns)}"""), dtype=float, index=pd.date_range("${firstDay}", periods=${returns.length})).dropna()
`

function expectClose(found: unknown, ours: Record<string, number | null>): void {
  const theirs = found as Record<string, number>
  for (const [name, value] of Object.entries(theirs)) {
    const own = ours[name] as number
    expect(Math.abs(own - value), `${name}: ${own} and ${value}`).toBeLessThanOrEqual(
      1e-9 * Math.max(1, Math.abs(value)),
    )
  }
}

provePython('pandas', 'the figures of a tear sheet are those of pandas and numpy', async (python) => {
  const found = await python(`${load}
equity = (1 + r).cumprod()
drawdown = equity / np.maximum(equity.cummax(), 1) - 1
below = (drawdown < 0)
print(json.dumps({
    "days": len(r),
    "totalReturn": equity.iloc[-1] - 1,
    "cagr": equity.iloc[-1] ** (365 / len(r)) - 1,
    "volatility": r.std() * np.sqrt(365),
    "sharpe": r.mean() / r.std() * np.sqrt(365),
    "sortino": r.mean() * 365 / (np.sqrt((np.minimum(r, 0) ** 2).mean()) * np.sqrt(365)),
    "maxDrawdown": drawdown.min(),
    "calmar": (equity.iloc[-1] ** (365 / len(r)) - 1) / abs(drawdown.min()),
    "varHistorical": np.quantile(r, 0.05),
    "skewness": r.skew(),
    "kurtosis": r.kurt(),
    "ulcer": np.sqrt((drawdown ** 2).sum() / (len(r) - 1)),
    "winRate": (r > 0).sum() / (r != 0).sum(),
    "omega": r[r > 0].sum() / -r[r < 0].sum(),
    "tailRatio": abs(np.quantile(r, 0.95)) / abs(np.quantile(r, 0.05)),
}, default=float))`)
  expect(Object.keys(found as object).length).toBe(15)
  expectClose(found, figureValues(view))
})

provePython('pandas', 'rolling risk is that of a rolling window', async (python) => {
  const window = 90
  const found = (await python(`${load}
deviation = r.rolling(${window}).std()
print(json.dumps({
    "volatility": (deviation * np.sqrt(365)).dropna().tolist(),
    "sharpe": (r.rolling(${window}).mean() / deviation * np.sqrt(365)).dropna().tolist(),
}))`)) as { volatility: number[]; sharpe: number[] }
  const { volatility, sharpe } = rollingRisk(view, window)
  for (const [ours, theirs] of [
    [volatility, found.volatility],
    [sharpe, found.sharpe],
  ] as const) {
    const present = [...ours.values].filter((_, row) => ours.valid?.[row] !== 0)
    expect(present.length).toBe(theirs.length)
    present.forEach((value, row) => expect(Math.abs(value - theirs[row])).toBeLessThan(1e-8))
  }
})

provePython('vectorbt', 'the figures of a tear sheet are those of vectorbt', async (python) => {
  const found = await python(`${load}
import vectorbt as vbt
a = r.vbt.returns(freq="1D", year_freq="365 days")
print(json.dumps({
    "totalReturn": a.total(),
    "cagr": a.annualized(),
    "volatility": a.annualized_volatility(),
    "sharpe": a.sharpe_ratio(),
    "sortino": a.sortino_ratio(),
    "maxDrawdown": a.max_drawdown(),
    "calmar": a.calmar_ratio(),
    "omega": a.omega_ratio(),
    "tailRatio": a.tail_ratio(),
}, default=float))`)
  expect(Object.keys(found as object).length).toBe(9)
  expectClose(found, figureValues(view))
})
