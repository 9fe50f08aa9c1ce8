const grey = '#888888'

/** Colours of a theme for pictures in tests. */
export const greyColours = {
  canvas: '#111111',
  line: grey,
  lineStrong: grey,
  text: grey,
  textSoft: grey,
  textFaint: grey,
  accent: grey,
  positive: grey,
  negative: grey,
  warning: grey,
  series: ['#47cbff', '#eb9d00'],
}
