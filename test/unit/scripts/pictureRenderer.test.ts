import { expect, it } from 'vitest'
import { renderingObstacle } from '../../../scripts/pictures/renderer.mjs'

const here = { chromium: 156, fonts: '0123456789abcdef' }

it('compares pictures only where the same Chromium and the same fonts draw them', () => {
  expect(renderingObstacle(here, here)).toBeNull()
  expect(renderingObstacle(null, here)).toBe('there are no references')
  expect(renderingObstacle(here, { ...here, chromium: 157 })).toMatch(/by Chromium 156, this machine has Chromium 157/)
  expect(renderingObstacle(here, { ...here, chromium: null })).toMatch(/this machine has an unknown version/)
  expect(renderingObstacle(here, { ...here, fonts: null })).toMatch(/other fonts/)
})
