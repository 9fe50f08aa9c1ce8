import { expect, test } from 'vitest'
import { asRefusal } from '#core/handlers/report.ts'
import { NoRowsError, PanelError } from '#shared/lab/panel.ts'

test.each([
  [new NoRowsError('The cache has no rows.'), 'not-here'],
  [new PanelError('the file is empty.'), 'bad-input'],
])('“%s” is told as %s', async (refusal, code) => {
  await expect(asRefusal(() => Promise.reject(refusal))).rejects.toMatchObject({ code, detail: refusal.message })
})
