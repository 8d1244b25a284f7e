import userEvent from '@testing-library/user-event'
import { test } from 'vitest'
import { confirmAddress } from '../support/query'
import { startReceiver } from '../support/webhook-receiver'
import { find, press, shows } from './page'
import { startSignedIn } from './support'

const { keyboard } = userEvent

test('a webhook is paused, gets a new secret and is deleted, with the keyboard', async () => {
  const receiver = await startReceiver()
  const env = { FW_WEBHOOK_ORIGINS: receiver.origin, FW_OPERATORS: 'ada@example.test' }
  const { server, browser, person, open } = await startSignedIn({ env })
  await confirmAddress(server, person.email)
  await browser.post('/_fw/webhooks', { json: { url: `${receiver.origin}/hook`, types: ['*'] } })
  await open('/team/webhooks')
  const enter = async (role: string, name: string) => {
    ;(await find(role, name)).focus()
    await keyboard('{Enter}')
  }
  const openMenu = () => enter('button', `More for ${new URL(receiver.origin).host}`)
  await openMenu()
  await enter('menuitem', 'Pause')
  await shows('Paused')
  await openMenu()
  await enter('menuitem', 'Renew the secret')
  await press('Renew')
  await shows(/whsec_/)
  await press('I have saved it')
  await shows('The old secret stops signing')
  await openMenu()
  await enter('menuitem', 'Delete')
  await press('Delete', 'button', await find('dialog'))
  await find('heading', 'No webhooks yet')
  await receiver.stop()
})
