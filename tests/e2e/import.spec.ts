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

test('the preview shows the format of each column, asks where there are two, and names values in another', async ({
  page,
  origin,
}) => {
  await signUp(page, origin)
  await page.goto('/quotes')
  await page.getByRole('button', { name: 'Import' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import quotes' })
  const formatOf = (field: string) => dialog.getByRole('combobox', { name: `Format of ${field}` })
  const chooseFormat = async (field: string, format: string) => {
    await formatOf(field).press('Enter')
    await page.getByRole('option', { name: format }).click()
  }
  const check = dialog.getByRole('button', { name: 'Check' })

  await chooseFile(page, 'sep=;\nTitle;Amount;Due;Paid\nTwo acres;1.234,56;24.12.2026 18:30;ja\n\nThree;12,50;;nein\n')
  await expect(formatOf('Amount')).toHaveText('1.234,56')
  await expect(formatOf('Due')).toHaveText('31.12.2026')
  await expect(formatOf('Paid')).toHaveText('ja / nein')
  await expect(formatOf('Title')).toHaveCount(0)
  await expect(dialog).toContainText('= 1,234.56')
  await expect(dialog).toContainText('= 24 Dec 2026, 18:30')
  await expectNoViolations(page)

  await chooseFormat('Amount', '1,234.56')
  await check.click()
  await expect(dialog.getByRole('listitem')).toHaveText([
    /Row 3\s*Amount\s*1\.234,56.*1,234\.56/,
    /Row 5\s*Amount\s*12,50/,
  ])
  await dialog.getByRole('button', { name: 'Back to the columns' }).click()
  await chooseFormat('Amount', '1.234,56')
  await check.click()
  await expect(dialog).toContainText('2 rows can be imported')

  await chooseFile(page, 'Title,Due\nTwo acres,01/02/2026\nThree acres,03/04/2026\n')
  await expect(dialog).toContainText('These values have two meanings. Choose a format.')
  await expect(check).toBeDisabled()
  await expectNoViolations(page)
  await chooseFormat('Due', '12/31/2026')
  await expect(dialog).toContainText('= 2 Jan 2026, 00:00')
  await check.click()
  await expect(dialog).toContainText('2 rows can be imported')

  await chooseFile(page, 'Title,Due\n\nTwo acres,,North\nThree acres,"\n')
  await expect(dialog.getByRole('listitem')).toHaveText([/Row 3.*more cells/, /Row 4.*quotation marks/])
  await expect(dialog.getByRole('button', { name: 'Check' })).toHaveCount(0)
})
