import { expect, it } from 'vitest'
import { useBrowser } from '../e2e/harness.ts'
import {
  clearChanges,
  differenceFrom,
  leftoverNames,
  removeReference,
  showChange,
  writeReference,
} from './references.ts'
import type { Scene } from './scenes/scene.ts'
import { dark } from './scenes/scene.ts'
import { scenes } from './scenes/scenes.ts'
import { openStage, type Stage, type View } from './stage.ts'

useBrowser()

/**
 * `npm run pictures:compare` sets two variables: the mode, and the names of scenes or pictures to take (all if empty).
 */
const isUpdating = process.env.PERPSCOPE_REFERENCES === 'update'
const chosenNames = (process.env.PERPSCOPE_PICTURE_NAMES ?? '').split(',').filter(Boolean)

/**
 * Time for which a changed picture must stay the same before it counts, because a page may still be loading, for
 * seconds on a busy machine. References are taken on a quiet machine, so they need less.
 */
const STEADY_MS = isUpdating ? 700 : 5000

const nameOf = (scene: Scene, { theme, width }: View) => `${scene.name}-${theme}-${width}`
const viewsOf = ({ views = [dark] }: Scene) => views
const isChosen = (scene: Scene, view: View) =>
  chosenNames.length === 0 || chosenNames.includes(scene.name) || chosenNames.includes(nameOf(scene, view))

/**
 * Retakes the picture until it matches its reference or no longer changes, and returns it with the remaining
 * difference.
 */
async function steadyPicture(stage: Stage, scene: Scene, name: string): Promise<{ png: Buffer; difference: string }> {
  let png = await stage.screenshot(scene)
  let sinceMs = performance.now()
  for (;;) {
    const difference = isUpdating ? 'not compared' : differenceFrom(name, png)
    if (difference === '' || performance.now() - sinceMs > STEADY_MS) return { png, difference }
    await new Promise((later) => setTimeout(later, 150))
    const next = await stage.screenshot(scene)
    if (!next.equals(png)) sinceMs = performance.now()
    png = next
  }
}

/** Takes the pictures of a scene and writes or compares them. @returns one line for each picture that has changed */
async function takeScene(stage: Stage, scene: Scene): Promise<string[]> {
  const changes: string[] = []
  await stage.setView(dark)
  await scene.open(stage)
  for (const view of viewsOf(scene)) {
    if (!isChosen(scene, view)) continue
    const name = nameOf(scene, view)
    await stage.setView(view)
    const { png, difference } = await steadyPicture(stage, scene, name)
    if (isUpdating) writeReference(name, png)
    if (isUpdating || difference === '') continue
    showChange(name, png)
    changes.push(`${name}: ${difference}`)
  }
  await scene.close?.(stage)
  return changes
}

/** Handles a scene that cannot be opened: it counts as changed, and the other scenes continue. */
const reportUnopened =
  ({ page }: Stage, { name }: Scene) =>
  async (thrown: unknown): Promise<string[]> => {
    showChange(name, await page.screenshot())
    await page.keyboard.press('Escape')
    return [`${name}: could not be opened: ${String(thrown)}`]
  }

it('shows every screen as its reference does', async () => {
  const names = scenes.flatMap((scene) => viewsOf(scene).map((view) => nameOf(scene, view)))
  expect(new Set(names).size).toBe(names.length)
  const unknown = chosenNames.filter((name) => !names.includes(name) && !scenes.some((scene) => scene.name === name))
  expect(unknown, 'names of no picture').toEqual([])
  clearChanges()
  const stage = await openStage()
  const changes: string[] = []
  for (const scene of scenes) changes.push(...(await takeScene(stage, scene).catch(reportUnopened(stage, scene))))
  if (isUpdating && changes.length === 0) for (const name of leftoverNames(names)) removeReference(name)
  else changes.push(...leftoverNames(names).map((name) => `${name}: no scene makes it`))
  if (changes.length === 0) return
  const summary = `${changes.length} of ${names.length} pictures changed:\n${changes.map((line) => `  ${line}`).join('\n')}`
  const advice =
    'test/artifacts/pictures shows reference, picture and difference side by side. To accept the changes: npm run pictures:compare -- --update [name …]'
  throw new Error(`${summary}\n${advice}`)
})
