import { describe, expect, it } from 'vitest'
import { assumedFundingHours, displayChoices, displayUnit } from '#shared/workspace/displayUnit.ts'
import { legendValue, measurementOf, valueText } from '../../../renderer/charts/readout.ts'
import { paneView } from '../../../renderer/charts/paneView.ts'
import type { ChartSeries } from '../../../renderer/charts/model.ts'

const HOUR = 3_600_000
const funding = (patch: Partial<ChartSeries> = {}): ChartSeries => ({
  id: 's1',
  label: 'a Funding rate',
  unit: 'none',
  kind: 'rate',
  times: Float64Array.of(0, HOUR, 2 * HOUR),
  values: Float64Array.of(0.0001, 0.0002, 0.0004),
  valid: null,
  stepMs: HOUR,
  style: 'line',
  axis: 'auto',
  transform: 'none',
  colour: 0,
  ...patch,
})
const range = { startMs: 0, endMs: 3 * HOUR }
const viewOf = (series: ChartSeries) =>
  paneView({ id: 'p1', title: '', scale: 'linear', series: [series] }, range, 600, 200)

describe('the unit in which a series is shown', () => {
  it('annualises funding by the length of period that the person names, and repeats it in the unit', () => {
    const display = displayUnit('annual8h', 'rate', 'none')!
    expect(0.0001 * display.factor).toBeCloseTo(0.0001 * 3 * 365 * 100, 10)
    expect(display.unit).toBe('% a year (8 h periods, simple)')
    expect(0.0001 * displayUnit('annual1h', 'rate', 'none')!.factor).toBeCloseTo(87.6, 10)
  })

  it('shows a rate a year by its period in per cent, and still offers the other units then', () => {
    expect(displayUnit('annual', 'rate', '1/year')).toMatchObject({ factor: 100, unit: '% a year (simple)' })
    expect(displayChoices('rate', '1/year')).toEqual(displayChoices('rate', 'none'))
    expect([assumedFundingHours('annual'), assumedFundingHours('annual8h')]).toEqual([null, 8])
  })

  it('offers only units of the same quantity', () => {
    expect(displayChoices('rate', 'none')).toEqual(['percent', 'bps', 'annual', 'annual8h', 'annual4h', 'annual1h'])
    expect(displayChoices('fraction', 'none')).toEqual(['percent', 'bps'])
    expect(displayChoices('bps', 'bps')).toEqual(['percent'])
    expect(displayChoices('price', 'price')).toEqual([])
    // A service may send a rate in its own unit.
    expect(displayChoices('rate', 'USD')).toEqual([])
  })

  it('shows legend, axis and measure in it alike', () => {
    const view = viewOf(funding({ display: displayUnit('bps', 'rate', 'none') }))
    const [one] = view.series
    expect(legendValue(one, HOUR).text).toBe('2.000 bps per funding period')
    expect(view.axes.left?.units).toEqual(['bps per funding period'])
    expect(view.axes.left!.bounds[1]).toBeGreaterThan(4)
    expect(measurementOf(one, { startMs: 0, endMs: 2 * HOUR }).change).toBeCloseTo(3, 10)
    expect(valueText(one, 3)).toBe('3.000 bps per funding period')
  })

  it('leaves transforms alone, which have no unit of the data', () => {
    const plain = viewOf(funding({ transform: 'indexed' })).series[0]
    const shown = viewOf(funding({ transform: 'indexed', display: displayUnit('bps', 'rate', 'none') })).series[0]
    expect(legendValue(shown, HOUR).text).toBe(legendValue(plain, HOUR).text)
  })

  it('puts two units of one quantity on two axes, so that they never mix', () => {
    const all = [funding(), funding({ id: 's2', display: displayUnit('percent', 'rate', 'none') })]
    const view = paneView({ id: 'p1', title: '', scale: 'linear', series: all }, range, 600, 200)
    expect(view.series.map(({ side }) => side)).toEqual(['left', 'right'])
    expect(view.warnings).toEqual([])
  })
})
