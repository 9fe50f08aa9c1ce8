#!/usr/bin/env node
/**
 * Retakes the README's screenshots and the pictures of the guide: it runs the end-to-end stories that save them, copies
 * the first to resources/screenshots and writes the others, much smaller, beside the guide. `-- guide` retakes only those
 * of the guide.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { build, isBuilt } from './builds.mjs'
import { runProgram } from './processes.mjs'
import { at, findChromium, projectNode, root } from './project.mjs'
import { guidePictures, pictureStories, readmePictures } from './pictures/readmePictures.mjs'

/** Sharp enough to read small text at half the size of a PNG with the fewest colours. */
const QUALITY = 0.8

/** Encodes a PNG as WebP in a page of the browser that took it. */
async function encode(page, png) {
  const url = await page.evaluate(
    async ([source, quality]) => {
      const bitmap = await createImageBitmap(await (await fetch(source)).blob())
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
      canvas.getContext('2d').drawImage(bitmap, 0, 0)
      const reader = new FileReader()
      const read = new Promise((done) => (reader.onload = () => done(reader.result)))
      reader.readAsDataURL(await canvas.convertToBlob({ type: 'image/webp', quality }))
      return read
    },
    [`data:image/png;base64,${png.toString('base64')}`, QUALITY],
  )
  return Buffer.from(url.split(',', 2)[1], 'base64')
}

async function writeGuidePictures(executablePath) {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  const page = await browser.newPage()
  mkdirSync(at(guidePictures.folder), { recursive: true })
  for (const file of readdirSync(at('test', 'artifacts', guidePictures.saved)).filter((name) =>
    name.endsWith('.png'),
  )) {
    const webp = await encode(page, readFileSync(at('test', 'artifacts', guidePictures.saved, file)))
    writeFileSync(at(guidePictures.folder, file.replace(/png$/, 'webp')), webp)
  }
  await browser.close()
}

const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'))

async function pictures() {
  if (!isBuilt() && (await build()).status !== 0) return 1
  const env = { ...process.env, PERPSCOPE_CHROMIUM: findChromium() ?? '', PERPSCOPE_SHOWN_VERSION: version }
  const isGuideOnly = process.argv.includes('guide')
  const stories = (isGuideOnly ? [guidePictures.story] : pictureStories).map((name) => `test/e2e/${name}.test.ts`)
  const vitest = [at('node_modules', 'vitest', 'vitest.mjs'), 'run', '--project', 'e2e', ...stories]
  const { status } = await runProgram(projectNode(), vitest, { cwd: root, env })
  if (status !== 0) return status
  for (const [picture, saved] of Object.entries(isGuideOnly ? {} : readmePictures))
    copyFileSync(at('test', 'artifacts', saved), at('resources', 'screenshots', picture))
  await writeGuidePictures(findChromium())
  return 0
}

process.exitCode = await pictures()
