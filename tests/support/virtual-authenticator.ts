import type { Page } from '@playwright/test'

export interface VirtualAuthenticator {
  /** Whether the person answers at once, as if they touched the sensor whenever they are asked. */
  answer(isAnswering: boolean): Promise<void>
  /** How many passkeys it holds. */
  count(): Promise<number>
}

/** Chromium's own authenticator for tests: a platform one that keeps passkeys and verifies its user. */
export async function addVirtualAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const client = await page.context().newCDPSession(page)
  await client.send('WebAuthn.enable')
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    answer: enabled =>
      client.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }).then(() => undefined),
    count: async () => (await client.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
  }
}
