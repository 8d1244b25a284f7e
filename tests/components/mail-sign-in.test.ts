import { expect, onTestFinished, test } from 'vitest'
import { startSmtp } from '../support/mail'
import { press } from './page'
import { expectNoViolations, screen, startSignedIn, waitFor, within } from './support'

test('inviting people asks for a confirmed address first and continues after the confirmation', async () => {
  const smtp = await startSmtp()
  onTestFinished(smtp.stop)
  const { browser, open, user, person } = await startSignedIn({
    env: { AUTH_SKIP_EMAIL_VERIFICATION: '1', SMTP_URL: smtp.url, EMAIL_FROM: 'no-reply@example.test' },
  })
  const { email } = person
  await open('/team/invitations')
  const pending = await screen.findByRole('region', { name: 'Pending invitations' })
  const notice = await within(pending).findByRole('alert')
  expect(notice.textContent).toMatch(/Confirm your address to invite people/)
  expect(notice.textContent).toContain(email)
  await expectNoViolations(pending)
  await user.click(screen.getAllByRole('button', { name: 'Invite people' })[0] as HTMLElement)
  const dialog = await screen.findByRole('dialog')
  expect((await within(dialog).findByRole('alert')).textContent).toContain('Confirm your address')
  expect(screen.queryByRole('textbox', { name: 'Email addresses' })).toBeNull()

  await press('Send me a link', 'button', dialog)
  await screen.findByText(`A link is on its way to ${email}.`)
  const { link } = await smtp.mailTo(email, /Confirm your address/)
  const token = new URL(link).searchParams.get('token') ?? ''
  await browser.post('/_fw/auth/link', { form: { token, where: 'here' } })
  await browser.post('/_fw/claim', { form: { decision: 'all-mine' } })
  // The person comes back to the tab.
  document.dispatchEvent(new Event('visibilitychange'))
  await user.type(await screen.findByRole('textbox', { name: 'Email addresses' }), 'grace@example.test')
  await press('Invite 1 person')
  await waitFor(() => expect(pending.textContent).toContain('grace@example.test'))
})
