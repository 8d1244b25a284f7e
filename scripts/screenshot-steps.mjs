// Steps that lead to a state of a page, for scripts/screenshots.mjs and its lists.

/** Presses the button of this name. */
export const button = name => page => page.getByRole('button', { name }).click()
/** Waits for a text. */
export const text = words => page => page.getByText(words).first().waitFor()
/** Runs the steps in order. */
export const inOrder =
  (...steps) =>
  async page => {
    for (const step of steps) await step(page)
  }
/** Makes the server return a failure. */
export const answer = (pattern, status) => page => page.route(pattern, route => route.fulfill({ status, body: 'down' }))
/** Makes the server never respond. */
export const stall = pattern => page => page.route(pattern, () => undefined)
/** Fills the first matching field with the text that it expects. */
export const fill = selector => page =>
  page
    .locator(selector)
    .first()
    .evaluate(field => (field.type === 'password' ? 'not the password' : 'ada@example.test'))
    .then(value => page.locator(selector).first().fill(value))
/** Clicks the first element that matches a selector. */
export const press = selector => page => page.locator(selector).first().click()
/** Waits for the first element that matches a selector. */
export const seen = selector => page => page.locator(selector).first().waitFor()
