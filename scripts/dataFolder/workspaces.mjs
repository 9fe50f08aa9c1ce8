/** Workspaces that together use every field and every possible choice of the document format, version 1. */

const btc = {
  kind: 'column',
  dataset: 'vtwap',
  column: 'vwap',
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1h',
  timestamp: 'exchange',
  resampleTo: '',
  origin: 'service',
}
const day = (text) => Date.parse(`${text}T00:00:00Z`)
const entry = (id, name, source, rest = {}) => ({
  ...{ id, name, label: '', source, style: 'line', axis: 'auto', transform: 'none', colour: 0, hidden: false },
  ...rest,
})
const formula = (text) => ({ kind: 'formula', formula: text })
const styles = ['line', 'step', 'area', 'bar', 'points', 'candles']
const transforms = ['none', 'percentFromStart', 'indexed', 'zscore', 'difference', 'cumulative']

export const workspaces = [
  {
    name: 'Basis study',
    document: {
      version: 1,
      range: { startMs: day('2026-09-01'), endMs: day('2026-09-03') },
      panes: [
        {
          id: 'p1',
          title: 'Price',
          scale: 'log',
          series: [
            entry('s1', 'a', btc, { label: 'VWAP', axis: 'left' }),
            entry('s2', 'b', { ...btc, resampleTo: '4h', origin: 'computed' }, { axis: 'right', colour: 3 }),
            entry('s3', 'c', formula('sma(a, 5) / b - 1'), { hidden: true, colour: 12 }),
          ],
        },
        { id: 'p2', title: '', scale: 'symlog', series: [] },
      ],
      shading: { kind: 'overlay', portfolio: 'momentum_ls.20', overlay: 'trend' },
      zone: 'local',
      notes: [{ id: 'n1', timeMs: day('2026-09-02'), text: 'Funding turned — 龙\nsecond line' }],
      measures: [{ id: 'm1', paneId: 'p1', startMs: day('2026-09-01'), endMs: day('2026-09-02') }],
    },
  },
  {
    name: 'Every style and transform',
    document: {
      version: 1,
      range: null,
      panes: styles.map((style, at) => ({
        id: `p${at}`,
        title: style,
        scale: 'linear',
        series: [
          entry(
            `s${at}`,
            `x${at}`,
            { ...btc, timestamp: at % 2 ? 'true' : 'exchange' },
            { style, transform: transforms[at] },
          ),
        ],
      })),
      shading: { kind: 'regime', overlay: 'trend' },
      zone: 'utc',
      notes: [],
      measures: [],
    },
  },
  {
    name: 'Leer',
    document: { version: 1, range: null, panes: [], shading: null, zone: null, notes: [], measures: [] },
  },
]
