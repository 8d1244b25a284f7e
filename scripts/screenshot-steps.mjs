// What leads to a state of a page, for scripts/screenshots.mjs and its lists.

/** Presses the button of this name. */
export const button = name => page => page.getByRole('button', { name }).click()
/** Waits for words. */
export const text = words => page => page.getByText(words).first().waitFor()
/** One step after the other. */
export const inOrder =
  (...steps) =>
  async page => {
    for (const step of steps) await step(page)
  }
/** Lets the server answer with a failure. */
export const answer = (pattern, status) => page => page.route(pattern, route => route.fulfill({ status, body: 'down' }))
/** Lets the server not answer at all. */
export const stall = pattern => page => page.route(pattern, () => undefined)
/** Fills the first field that a selector finds with what it asks for. */
export const fill = selector => page =>
  page
    .locator(selector)
    .first()
    .evaluate(field => (field.type === 'password' ? 'not the password' : 'ada@example.test'))
    .then(value => page.locator(selector).first().fill(value))
/** Presses the first thing that a selector finds. */
export const press = selector => page => page.locator(selector).first().click()
/** Waits for the first thing that a selector finds. */
export const seen = selector => page => page.locator(selector).first().waitFor()
