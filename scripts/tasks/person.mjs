/** A person at the window: real mouse and keys in Chromium, counted. */
export class Person {
  clicks = 0
  keys = 0
  steps = 0

  constructor(page) {
    this.page = page
  }

  async click(target, options) {
    await target.click(options)
    this.clicks += options?.clickCount ?? 1
    this.steps += 1
  }

  open(target) {
    return this.click(target, { clickCount: 2 })
  }

  async press(key) {
    await this.page.keyboard.press(key)
    this.keys += 1
    this.steps += 1
  }

  /** Types into the field that has the focus, in place of what it has. */
  async type(text) {
    await this.page.keyboard.press('Control+A')
    await this.page.keyboard.type(text)
    this.keys += text.length + 1
    this.steps += 1
  }

  /** Types where the cursor is. */
  async write(text) {
    await this.page.keyboard.type(text)
    this.keys += text.length
    this.steps += 1
  }

  /** Chooses a file in the dialog that a button opens. */
  async give(target, file) {
    const [chooser] = await Promise.all([this.page.waitForEvent('filechooser'), this.click(target)])
    await chooser.setFiles(file)
  }

  async screen(name) {
    await this.click(this.page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name, exact: true }))
  }
}
