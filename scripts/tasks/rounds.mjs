/** What a person does again and again on what the tasks have left, without adding to it. */
const round = [
  async (person) => {
    await person.screen('Workbench')
    await person.page.getByRole('application').first().waitFor()
    await person.press('v')
    await person.page.getByRole('dialog', { name: 'Compare' }).getByRole('option').first().waitFor()
    await person.press('Escape')
    await person.page.getByRole('dialog', { name: 'Compare' }).waitFor({ state: 'hidden' })
    for (const tab of ['Data', 'Relationships', 'Chart'])
      await person.click(person.page.getByRole('main').getByRole('link', { name: tab, exact: true }))
  },
  async (person) => {
    const { page } = person
    await person.screen('Lab')
    const trials = page.getByRole('navigation', { name: 'Trials of this idea' })
    const compare = trials.getByRole('button', { name: 'Compare' })
    await compare.waitFor()
    // The tasks leave two trials compared.
    if ((await compare.getAttribute('aria-pressed')) === 'true') await person.click(compare)
    for (const trial of [/^1 /, /^2 /, /^1 /, /^2 /]) {
      await person.click(trials.getByRole('button', { name: trial }).first())
      await page.getByText(/^It (lost|earned)/).waitFor()
    }
    await person.click(compare)
    await page.getByRole('heading', { name: 'What differs in the recipes' }).waitFor()
    await person.click(compare)
  },
  async (person) => {
    await person.screen('Portfolios')
    await person.click(person.page.getByRole('main').getByRole('link', { name: 'Portfolio', exact: true }))
    await person.page.getByRole('grid', { name: 'Side by side' }).waitFor()
    for (const tab of ['Weights', 'Prices', 'Portfolio'])
      await person.click(person.page.getByRole('main').getByRole('link', { name: tab, exact: true }))
  },
  async (person) => {
    await person.screen('Watch')
    await person.page.getByRole('grid', { name: 'Watched symbols' }).getByRole('gridcell').first().waitFor()
  },
  async (person) => {
    await person.screen('Boards')
    await person.page.getByRole('article').first().waitFor()
    await person.page
      .getByText(/^Computing \d+ part/)
      .first()
      .waitFor({ state: 'hidden' })
  },
  async (person) => {
    await person.screen('SQL')
    await person.page.getByRole('textbox', { name: 'Query' }).waitFor()
    await person.click(person.page.getByRole('button', { name: 'Run', exact: true }))
    await person.page.getByText(/\d+ rows? in/).waitFor()
  },
  async (person) => {
    await person.screen('Data')
    for (const tab of ['Coverage', 'Quality', 'Catalog'])
      await person.click(
        person.page.getByRole('navigation', { name: 'Data' }).getByRole('link', { name: tab, exact: true }),
      )
  },
  async (person) => {
    for (const name of ['Downloads', 'Raw events', 'Guide', 'Settings']) await person.screen(name)
  },
]

/** Memory of the window after everything that nobody uses was collected. */
async function memoryOf(session) {
  for (const _ of [1, 2]) await session.send('HeapProfiler.collectGarbage')
  const { metrics } = await session.send('Performance.getMetrics')
  const { JSHeapUsedSize, Nodes, JSEventListeners } = Object.fromEntries(
    metrics.map(({ name, value }) => [name, value]),
  )
  return { heapMb: JSHeapUsedSize / 1e6, nodes: Nodes, listeners: JSEventListeners }
}

/** Repeats everyday work for some minutes, and returns the memory after each round. */
export async function repeat(person, minutes, print) {
  const session = await person.page.context().newCDPSession(person.page)
  await session.send('Performance.enable')
  await session.send('HeapProfiler.enable')
  const measured = []
  const endMs = Date.now() + minutes * 60_000
  while (Date.now() < endMs) {
    for (const step of round) await step(person)
    const memory = await memoryOf(session)
    measured.push(memory)
    print(memory, measured.length)
  }
  return measured
}
