import type { Page } from '@playwright/test'
import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { signUp } from '../support/people'

test.use({ application: 'author' })

const chooseFile = (page: Page, text: string, name = 'quotes.csv') =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

test('rows of a file are checked, corrected and imported, either all of them or none', async ({ page, origin }) => {
  await signUp(page, origin)
  await page.goto('/quotes')
  await page.getByRole('button', { name: 'Import' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import quotes' })
  await expect(dialog).toContainText('You can import up to')
  await expectNoViolations(page)

  // No column has the field's name, so the person must choose one.
  await chooseFile(page, 'What,Where\nTwo acres,North\n,South\n')
  await expect(dialog).toContainText('Choose a column for: Title')
  await expect(dialog.getByRole('button', { name: 'Check' })).toBeDisabled()
  await dialog.getByRole('combobox', { name: 'Column for Title' }).press('Enter')
  await page.getByRole('option', { name: 'What' }).click()
  await expect(dialog).toContainText('Two acres')
  await expectNoViolations(page)
  await dialog.getByRole('button', { name: 'Check' }).click()
  await expect(dialog.getByRole('listitem').filter({ hasText: 'Row 3' })).toContainText('Title')
  await expect(dialog).toContainText('Nothing was imported.')
  await expectNoViolations(page)

  // A file that is not a table is refused with a message.
  await chooseFile(page, 'Title\n', 'empty.csv')
  await expect(dialog).toContainText('The file has no rows below the column names.')

  // An import beyond the plan's limit writes no rows.
  await chooseFile(page, 'Title\nTwo acres\nThree acres\nFour acres\n')
  await dialog.getByRole('button', { name: 'Check' }).click()
  await expect(dialog).toContainText('Your organization has reached a limit of its plan.')
  await expectNoViolations(page)

  await chooseFile(page, 'Title\nTwo acres\nThree acres\n')
  await dialog.getByRole('button', { name: 'Check' }).press('Enter')
  await expect(dialog).toContainText('2 rows can be imported')
  await dialog.getByRole('button', { name: 'Import 2 rows' }).press('Enter')
  await expect(page.getByText('2 rows were imported.').first()).toBeVisible()
  await expect(page.getByRole('list', { name: 'Quotes' }).getByRole('listitem')).toHaveText([
    'Two acres',
    'Three acres',
  ])
})
