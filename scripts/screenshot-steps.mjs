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
