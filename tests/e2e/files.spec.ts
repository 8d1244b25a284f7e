import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { pageHeading, signUp } from '../support/people'

test.use({ application: 'author' })

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test('a file field uploads chosen, dropped or pasted files, reports each upload and removes a file', async ({
  page,
  origin,
}) => {
  await signUp(page, origin)
  await page.goto('/papers')
  await expect(pageHeading(page)).toHaveText('Papers')
  const contract = page.getByRole('button', { name: 'Contract' })
  const status = page.getByRole('status')

  // Chooses a file with the keyboard.
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), contract.press('Enter')])
  await chooser.setFiles({ name: 'photo.png', mimeType: 'image/png', buffer: PNG })
  await expect(status.filter({ hasText: 'photo.png was uploaded.' })).toHaveCount(1)
  await expect(page.getByRole('list', { name: 'Files' })).toContainText('photo.png')
  await expectNoViolations(page)

  // Removes the file with the keyboard; the focus stays in the field.
  await page.getByRole('button', { name: 'Remove photo.png' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('list', { name: 'Files' })).toHaveCount(0)
  await expect(contract).toBeFocused()

  // A file of another type is refused with a message.
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'a.zip', mimeType: 'application/zip', buffer: Buffer.from('PK\x03\x04rest') })
  await expect(page.getByRole('alert')).toHaveText('a.zip has a type that is not accepted here.')
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'big.txt', mimeType: 'text/plain', buffer: Buffer.alloc(1024 * 1024 + 1, 'a') })
  await expect(page.getByRole('alert')).toHaveText('big.txt is too large. A file can be up to 1 MB.')
  await expectNoViolations(page)

  // Pastes a file.
  await contract.focus()
  await page.evaluate(() => {
    const data = new DataTransfer()
    data.items.add(new File(['A text.'], 'pasted.txt', { type: 'text/plain' }))
    document.activeElement?.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    )
  })
  await expect(page.getByText('pasted.txt', { exact: true })).toBeVisible()
  await expect(status.filter({ hasText: 'pasted.txt was uploaded.' })).toHaveCount(1)

  // Drops files onto the other field, which accepts several.
  const dropped = await page.evaluateHandle(() => {
    const data = new DataTransfer()
    for (const name of ['first.txt', 'second.txt']) data.items.add(new File([name], name, { type: 'text/plain' }))
    return data
  })
  const attachments = page.getByRole('button', { name: 'Attachments' })
  await attachments.dispatchEvent('dragover', { dataTransfer: dropped })
  await attachments.dispatchEvent('drop', { dataTransfer: dropped })
  await expect(page.getByRole('list', { name: 'Files' })).toHaveText([/pasted\.txt/, /first\.txt[^]*second\.txt/])

  // Both ways store the files with the row, byte for byte.
  await page.getByRole('button', { name: 'Save' }).click()
  const saved = page.getByRole('region', { name: 'A paper' })
  for (const [name, text] of Object.entries({ 'pasted.txt': 'A text.', 'second.txt': 'second.txt' })) {
    const href = await saved.getByRole('link', { name, exact: true }).getAttribute('href')
    expect(await (await page.request.get(`${origin}${href}`)).text()).toBe(text)
  }
})

test('a field for several files shows the progress of each and can cancel one upload', async ({ page, origin }) => {
  await signUp(page, origin)
  await page.goto('/papers')
  let go = () => {}
  const held = new Promise<void>(resolve => (go = resolve))
  await page.route('**/_fw/files/attachment', async route => {
    if (route.request().method() === 'POST') await held
    await route.continue().catch(() => {})
  })
  await page
    .locator('input[type=file]')
    .nth(1)
    .setInputFiles(
      ['one', 'two'].map(name => ({ name: `${name}.txt`, mimeType: 'text/plain', buffer: Buffer.from(name) })),
    )
  await expect(page.getByRole('progressbar', { name: 'Uploading one.txt' })).toBeVisible()
  await expectNoViolations(page)
  await page.getByRole('button', { name: 'Cancel the upload of two.txt' }).click()
  await expect(page.getByRole('progressbar')).toHaveCount(1)
  go()
  await expect(page.getByRole('list', { name: 'Files' })).toHaveText(/one\.txt/)

  await page.getByRole('button', { name: 'Save' }).click()
  const saved = page.getByRole('region', { name: 'A paper' })
  await expect(saved.getByRole('link', { name: 'one.txt', exact: true })).toBeVisible()
  const download = page.waitForEvent('download')
  await saved.getByRole('link', { name: 'Download one.txt' }).click()
  expect((await download).suggestedFilename()).toBe('one.txt')
  await expectNoViolations(page)
})

test('a picture and a sound can be opened directly in a browser tab', async ({ page, origin }) => {
  await signUp(page, origin)
  const headers = { origin, 'sec-fetch-site': 'same-origin' }
  const tickets: string[] = []
  for (const [name, data] of [
    ['photo.png', PNG],
    ['silence.wav', silence(1)],
  ] as const) {
    const sent = await page.request.post('/_fw/files/attachment', {
      data,
      headers: { ...headers, 'x-file-name': name },
    })
    tickets.push((await sent.json()).ticket)
  }
  const made = await page.request.post('/_fw/actions/create-paper', {
    data: { title: 'Sound', attachments: tickets },
    headers,
  })
  const { result } = await made.json()
  const { attachments } = await (await page.request.get(`/paper-list/${result.id}`)).json()
  await page.goto(attachments[0].url)
  await expect(page.locator('img')).toHaveJSProperty('naturalWidth', 1)
  await page.goto(attachments[1].url)
  await expect(page.locator('video')).toHaveJSProperty('readyState', 4)
})

/** So many seconds of silence as WAV: 8,000 one-byte samples a second. */
function silence(seconds: number): Buffer {
  const bytes = Buffer.alloc(44 + seconds * 8000, 128)
  const head = [0x46464952, bytes.length - 8, 0x45564157, 0x20746d66, 16, 0x10001, 8000, 8000, 0x80001, 0x61746164]
  for (const [index, word] of [...head, bytes.length - 44].entries()) bytes.writeUInt32LE(word, index * 4)
  return bytes
}
