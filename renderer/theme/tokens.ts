/** Colours of a theme. No other file defines colours, apart from the grey of a chart whose colour is unknown. */
export interface Tokens {
  /** Background of the window. */
  canvas: string
  /** Background of rail, bars and panels. */
  chrome: string
  /** Background of fields, cards and popups. */
  raised: string
  /** Background under the pointer, and of the highlighted entry of a list. */
  hover: string
  /** Hairlines that separate areas, decorative only. */
  line: string
  lineStrong: string
  /** Borders of controls, with a contrast of 3:1 against their background. */
  lineControl: string
  text: string
  textSoft: string
  textFaint: string
  accent: string
  accentHover: string
  accentPressed: string
  /** Text on the accent colour. */
  accentText: string
  /** Background of selected items. */
  accentSoft: string
  /** The colours of up and down, everywhere: candles, trades, heat and changes. People who lack a kind of cone tell them apart. */
  positive: string
  negative: string
  warning: string
  warningSoft: string
  negativeSoft: string
  focus: string
  shadow: string
  /**
   * Series colours in order of use; all twelve can be told apart by everyone, also by people who lack a kind of cone.
   */
  series: readonly string[]
}

export type ThemeName = 'dark' | 'light'

export const tokens: Record<ThemeName, Tokens> = {
  dark: {
    canvas: '#111416',
    chrome: '#171b1e',
    raised: '#1e2327',
    hover: '#283036',
    line: '#2a3136',
    lineStrong: '#3c464d',
    lineControl: '#717d86',
    text: '#ebe8e1',
    textSoft: '#bbbdbb',
    textFaint: '#979ca0',
    accent: '#5cc3c8',
    accentHover: '#7ad4d8',
    accentPressed: '#46acb2',
    accentText: '#062225',
    accentSoft: '#16363a',
    positive: '#35c6b4',
    negative: '#ff8468',
    warning: '#e2b45f',
    warningSoft: '#38301d',
    negativeSoft: '#3d2522',
    focus: '#9be8eb',
    shadow: 'rgba(0, 0, 0, 0.5)',
    series: [
      ...['#47cbff', '#eb9d00', '#22ae75', '#b85c94', '#ffff8e', '#6b83ff', '#b23f16', '#c9e1de'],
      ...['#acffc4', '#9445b5', '#c4a74e', '#407259'],
    ],
  },
  light: {
    canvas: '#fbfaf7',
    chrome: '#f1efe9',
    raised: '#ffffff',
    hover: '#e7e4db',
    line: '#dedacf',
    lineStrong: '#c3beb0',
    lineControl: '#85806f',
    text: '#1b1f22',
    textSoft: '#474d51',
    textFaint: '#5c6061',
    accent: '#0a6872',
    accentHover: '#0c7c88',
    accentPressed: '#08545c',
    accentText: '#ffffff',
    accentSoft: '#d3e8e8',
    positive: '#00695f',
    negative: '#b23a12',
    warning: '#7d5200',
    warningSoft: '#f6e8c8',
    negativeSoft: '#f8dfda',
    focus: '#0a6872',
    shadow: 'rgba(40, 34, 20, 0.18)',
    series: [
      ...['#0c81f9', '#c18000', '#009e6f', '#ab3e90', '#584900', '#1644cd', '#c1513c', '#3d4348'],
      ...['#b482a0', '#4f0077', '#522215', '#9f82d8'],
    ],
  },
}

/** Converts token names to CSS custom properties: `textSoft` → `--text-soft`; series are `--series-1` and so on. */
export function customProperties(theme: Tokens): [name: string, value: string][] {
  const { series, ...colours } = theme
  return [
    ...Object.entries(colours).map(([name, value]): [string, string] => [
      `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      value,
    ]),
    ...series.map((value, index): [string, string] => [`--series-${index + 1}`, value]),
  ]
}
