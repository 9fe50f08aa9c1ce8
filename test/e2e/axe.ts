import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Returns the findings of axe-core of any impact, one line each. An open menu or list of choices may lie outside the
 * landmarks, because it has the focus for as long as it is open.
 */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(source)
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') }
    // A page of `pages/` shows one component, without the landmarks of the window.
    const isWindow = document.querySelector('main') !== null
    const ofWindows = ['region', 'landmark-one-main', 'page-has-heading-one']
    // axe leaves the size of targets out unless it is asked for it.
    const rules = {
      ...Object.fromEntries(ofWindows.map((id) => [id, { enabled: isWindow }])),
      'target-size': { enabled: true },
    }
    const { violations } = await axe.run(document, { rules })
    const isPopup = (target: unknown) =>
      document.querySelector(String(target))?.matches(':has([role=menu], [role=listbox])') ?? false
    const visible = [...document.querySelectorAll('h1')].filter((one) => one.checkVisibility())
    const headings =
      isWindow && visible.length > 1 ? visible.map((one) => `second first heading: ${one.outerHTML}`) : []
    return [
      ...headings,
      ...violations.flatMap(({ id, nodes }) =>
        nodes
          .filter(({ target }) => id !== 'region' || !isPopup(target[0]))
          .map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary}`),
      ),
    ]
  })
}

/** Returns what axe finds in the dark and in the light theme; the dark one shows again afterwards. */
export async function findingsInBothThemes(page: Page): Promise<string[]> {
  const findings: string[] = []
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await page.waitForFunction((name) => document.documentElement.dataset.theme === name, theme)
    findings.push(...(await axeFindings(page)).map((finding) => `${theme}: ${finding}`))
  }
  return findings
}
