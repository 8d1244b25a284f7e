import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { setCookies } from '#fairway/server/kernel/server-page/send-answer'
import {
  linkedAccountsSchema,
  passkeySchema,
  twoFactorSecretSchema,
  twoFactorStateSchema,
} from '#fairway/shared/schemas/account'
import { linkedAccountsOf, linkInput, startLinking, unlinkAccount } from './linked-accounts'
import { type creationOptions, passkeyInput } from './passkeys/ceremony'
import { addPasskey, listPasskeys, removePasskey, renamePasskey, startPasskeyRegistration } from './passkeys/passkeys'
import { proveSecondFactor, twoFactorInput } from './two-factor/second-factor'
import { activateTwoFactor, endTwoFactor, renewBackupCodes, startTwoFactor, twoFactorState } from './two-factor/setup'

const onePasskey = z.object({ passkey: passkeySchema })
const backupCodesSchema = z.object({ backupCodes: z.array(z.string()) })

export default defineOperations({
  'list-passkeys': operation({
    description: 'Lists your passkeys, newest first.',
    method: 'GET',
    path: '/_fw/passkeys',
    openIn: ['setup', 'view'],
    output: z.object({ passkeys: z.array(passkeySchema) }),
    run: async (_input, { app, session }) => ({ passkeys: await listPasskeys(app, session.userId) }),
  }),
  'start-passkey': operation({
    description: 'Returns what the browser needs to create a passkey for you.',
    method: 'POST',
    path: '/_fw/passkeys/registration',
    openIn: ['setup'],
    recentSignIn: true,
    output: z.custom<Omit<ReturnType<typeof creationOptions>, 'extensions'>>().meta({ type: 'object' }),
    async run(_input, { app, session, event }) {
      const { options, setCookie } = await startPasskeyRegistration(app, session, event.node.req.headers.cookie)
      setCookies(event, [setCookie])
      return options
    },
  }),
  'add-passkey': operation({
    description: 'Adds the passkey that the browser has created.',
    method: 'PUT',
    path: '/_fw/passkeys/registration',
    openIn: ['setup'],
    recentSignIn: true,
    input: passkeyInput.registration,
    output: onePasskey,
    status: 201,
    audit: [],
    async run(input, { app, session, event }) {
      const { cookie: cookieHeader } = event.node.req.headers
      return { passkey: await addPasskey(app, session, input, { cookieHeader, sessionId: session.id }) }
    },
  }),
  'rename-passkey': operation({
    description: 'Renames one of your passkeys.',
    method: 'PATCH',
    path: '/_fw/passkeys/:id',
    openIn: ['setup'],
    input: passkeyInput.rename,
    output: onePasskey,
    audit: ['id'],
    run: async ({ id, name }, { app, session }) => ({ passkey: await renamePasskey(app, session.userId, id, name) }),
  }),
  'remove-passkey': operation({
    description: 'Removes one of your passkeys.',
    method: 'DELETE',
    path: '/_fw/passkeys/:id',
    openIn: ['setup'],
    recentSignIn: true,
    audit: ['id'],
    run: ({ id }, { app, session }) => removePasskey(app, session.userId, id),
  }),
  'get-two-factor': operation({
    description: 'Returns whether two-factor authentication is on, and how many backup codes are left.',
    method: 'GET',
    path: '/_fw/two-factor',
    openIn: ['setup', 'view'],
    output: twoFactorStateSchema,
    run: (_input, { app, session }) => twoFactorState(app, session.userId),
  }),
  'start-two-factor': operation({
    description: 'Returns a new secret for your authenticator app. It takes effect with the first code.',
    method: 'POST',
    path: '/_fw/two-factor',
    openIn: ['setup'],
    input: twoFactorInput.password,
    output: twoFactorSecretSchema,
    run: ({ password }, { app, session }) => startTwoFactor(app, session, password),
  }),
  'switch-on-two-factor': operation({
    description:
      'Turns on two-factor authentication with a first code, and returns the backup codes once. Ends your other sessions, connected apps and API tokens.',
    method: 'PUT',
    path: '/_fw/two-factor',
    openIn: ['setup'],
    input: twoFactorInput.code,
    output: backupCodesSchema,
    audit: [],
    run: async ({ code }, { app, session: { userId, id: sessionId } }) => ({
      backupCodes: await activateTwoFactor(app, { userId, sessionId }, code),
    }),
  }),
  'prove-second-factor': operation({
    description: 'Proves your second factor in this session, with a code of your app or a backup code.',
    method: 'POST',
    path: '/_fw/two-factor/proof',
    openIn: ['setup'],
    input: twoFactorInput.code,
    run: ({ code }, { app, session: { userId, id: sessionId }, event }) =>
      proveSecondFactor(app, { userId, sessionId }, code, requestInfo(event)),
  }),
  'switch-off-two-factor': operation({
    description: 'Turns off two-factor authentication.',
    method: 'DELETE',
    path: '/_fw/two-factor',
    openIn: ['setup'],
    input: twoFactorInput.password,
    audit: [],
    run: ({ password }, { app, session }) => endTwoFactor(app, session.userId, password),
  }),
  'renew-backup-codes': operation({
    description: 'Returns new backup codes once. The previous ones stop working.',
    method: 'POST',
    path: '/_fw/two-factor/backup-codes',
    openIn: ['setup'],
    input: twoFactorInput.password,
    output: backupCodesSchema,
    audit: [],
    run: async ({ password }, { app, session }) => ({
      backupCodes: await renewBackupCodes(app, session.userId, password),
    }),
  }),
  'list-linked-accounts': operation({
    description: 'Lists the accounts at providers that you sign in with, and the providers that you can add.',
    method: 'GET',
    path: '/_fw/linked-accounts',
    openIn: ['setup', 'view'],
    output: linkedAccountsSchema,
    run: (_input, { app, session }) => linkedAccountsOf(app, session.userId),
  }),
  'link-account': operation({
    description: 'Starts linking an account at a provider, and returns where the browser goes next.',
    method: 'POST',
    path: '/_fw/linked-accounts',
    openIn: ['setup'],
    recentSignIn: true,
    input: linkInput,
    output: z.object({ url: z.string() }),
    async run(input, { app, session: { userId, id: sessionId }, event }) {
      const { url, setCookies: cookies } = await startLinking(app, { userId, sessionId }, input, requestInfo(event))
      setCookies(event, cookies)
      return { url }
    },
  }),
  'unlink-account': operation({
    description: 'Unlinks an account at a provider.',
    method: 'DELETE',
    path: '/_fw/linked-accounts/:id',
    openIn: ['setup'],
    recentSignIn: true,
    audit: ['id'],
    run: ({ id }, { app, session: { userId, id: sessionId } }) => unlinkAccount(app, { userId, sessionId }, id),
  }),
})
