import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { Page } from '@playwright/test'
import { findTotpStep, totpCode, totpStep } from '#fairway/server/kernel/crypto/totp'

/** How an authenticator or a browser deviates from a correct one in a test. */
export interface Lie {
  origin?: string
  rpId?: string
  challenge?: string
  type?: string
  userVerified?: boolean
  counter?: number
  userHandle?: string | null
  credentialId?: string
  /** Signs different data. */
  badSignature?: boolean
}

interface RegistrationOptions {
  challenge: string
  rp: { id: string }
  user: { id: string }
}

interface RequestOptions {
  challenge: string
  rpId: string
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()
const base64url = (data: Buffer | string): string => Buffer.from(data).toString('base64url')

/** A software authenticator with one passkey (ES256, attestation "none"), together with its browser. */
export function createAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(32)
  let userHandle = ''
  let counter = 0

  const clientData = (type: string, challenge: string, lie: Lie) =>
    Buffer.from(
      JSON.stringify({
        type: lie.type ?? type,
        challenge: lie.challenge ?? challenge,
        origin: lie.origin ?? origin,
        crossOrigin: false,
      }),
    )

  /** Authenticator data (WebAuthn §6.1); flags: user present, user verified, attested credential data. */
  function authenticatorData(rpId: string, lie: Lie, attested: Buffer = Buffer.alloc(0)): Buffer {
    const flags = 0x01 | (lie.userVerified === false ? 0 : 0x04) | (attested.length > 0 ? 0x40 : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(lie.counter ?? counter)
    return Buffer.concat([sha256(lie.rpId ?? rpId), Buffer.from([flags]), count, attested])
  }

  /** The public key as COSE: `{1: 2, 3: -7, -1: 1, -2: x, -3: y}` in CBOR. */
  function coseKey(): Buffer {
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    return Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ])
  }

  return {
    credentialId: base64url(credentialId),

    /** The result of `navigator.credentials.create()` as JSON. */
    create(options: RegistrationOptions, lie: Lie = {}) {
      userHandle = options.user.id
      const idLength = Buffer.from([0, credentialId.length])
      const attested = Buffer.concat([Buffer.alloc(16), idLength, credentialId, coseKey()])
      const data = authenticatorData(options.rp.id, lie, attested)
      // {"fmt": "none", "attStmt": {}, "authData": <bytes>} in CBOR.
      const head = Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746159', 'hex')
      const length = Buffer.from([data.length >> 8, data.length & 0xff])
      return {
        id: base64url(credentialId),
        rawId: base64url(credentialId),
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(clientData('webauthn.create', options.challenge, lie)),
          attestationObject: base64url(Buffer.concat([head, length, data])),
          transports: ['internal'],
        },
      }
    },

    /** The result of `navigator.credentials.get()` as JSON. */
    get(options: RequestOptions, lie: Lie = {}) {
      counter += 1
      const id = lie.credentialId ?? base64url(credentialId)
      const client = clientData('webauthn.get', options.challenge, lie)
      const data = authenticatorData(options.rpId, lie)
      const signed = Buffer.concat([data, sha256(lie.badSignature ? 'something else' : client)])
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(data),
          signature: base64url(sign('sha256', signed, privateKey)),
          userHandle: lie.userHandle === undefined ? userHandle : lie.userHandle,
        },
      }
    },
  }
}

export type Authenticator = ReturnType<typeof createAuthenticator>

export interface VirtualAuthenticator {
  /** The number of stored passkeys. */
  count(): Promise<number>
}

/** Chromium's virtual authenticator: a platform authenticator that stores passkeys and verifies its user. */
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
    count: async () => (await client.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
  }
}

/** The codes that a server accepts now, oldest first: for the previous, the current and the next time step. */
export function currentCodes(secret: string): [last: string, current: string, next: string] {
  const step = totpStep(new Date())
  return [totpCode(secret, step - 1), totpCode(secret, step), totpCode(secret, step + 1)]
}

/** A six-digit code that is invalid now. */
export function wrongCode(secret: string): string {
  const codes = ['000000', '111111', '222222', '333333']
  return codes.find(code => findTotpStep(secret, code, new Date()) === undefined) ?? '444444'
}

/** If a time step is about to end, waits for the next one, so that codes stay valid during a test. */
export async function waitForEarlyStep(neededInMs = 12_000): Promise<void> {
  const left = 30_000 - (Date.now() % 30_000)
  if (left < neededInMs) await new Promise(resolve => setTimeout(resolve, left + 50))
}
