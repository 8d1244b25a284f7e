import { type H3Event, setResponseHeader } from 'h3'
import { z } from 'zod'
import { defineOperations, operation } from '#fairway/server/domains/actions'
import { cancelAddressChange, noteAccountEvent } from '#fairway/server/domains/people'
import { proofOf, requireFreshProof, type ServerSession } from '#fairway/server/domains/sessions'
import { type App, getRequestId } from '#fairway/server/kernel/app-context'
import { signsIn } from '#fairway/server/kernel/config/config'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { requestLanguage } from '#fairway/server/kernel/messages'
import { setCookies } from '#fairway/server/kernel/server-page/send-answer'
import { accountEndSchema, addressStateSchema, pendingAddressSchema } from '#fairway/shared/schemas/account'
import { addressInput, addressState, askForNewAddress, mailAddressLinksAgain } from './account/change-address'
import { deleteAccount, deleteAccountInput, planAccountEnd } from './account/delete-account'
import { exportAccount } from './account/export-account'
import {
  changePassword,
  changePasswordSchema,
  type RenewedSession,
  setPassword,
  setPasswordSchema,
  type SignedInRequest,
  updateUser,
  updateUserSchema,
} from './password-sign-in'

const changeSchema = z.object({ change: pendingAddressSchema })
const doneSchema = z.object({ status: z.literal(true) })

type Change<Input> = (app: App, input: Input, request: SignedInRequest) => Promise<RenewedSession>

/** Runs a change of the account and sets the cookies of the renewed session. */
async function changeAccount<Input>(
  change: Change<Input>,
  input: Input,
  { app, session, event }: { app: App; session: ServerSession; event: H3Event },
): Promise<{ status: true }> {
  const { userId, email, name, id: sessionId, provedSecondFactor } = session
  const person = { userId, email, name, sessionId, provedSecondFactor }
  const changed = await change(app, input, { ...requestInfo(event), ...person })
  setCookies(event, changed.setCookies)
  return { status: true }
}

export default defineOperations({
  'get-account-end': operation({
    description: 'Returns the data that deleting your account would delete and keep.',
    method: 'GET',
    path: '/_fw/account',
    openIn: ['setup', 'view'],
    output: accountEndSchema,
    run: async (_input, { app, session, event }) => ({
      ...(await planAccountEnd(app, session, requestLanguage(event))),
      proof: await proofOf(event),
    }),
  }),
  'delete-account': operation({
    description: 'Deletes your account. Requires a recent sign-in or your password.',
    method: 'DELETE',
    path: '/_fw/account',
    openIn: ['setup'],
    input: deleteAccountInput,
    output: z.object({ deleted: z.literal(true) }),
    audit: [],
    async run(input, { app, event }) {
      const session = await requireFreshProof(event, input.password)
      const ended = await deleteAccount(app, { ...session, sessionId: session.id }, input, getRequestId(event))
      setCookies(event, ended.setCookies)
      return { deleted: true as const }
    },
  }),
  'update-user': operation({
    description: 'Changes your name, or the language of your mails.',
    method: 'POST',
    path: '/_fw/auth/update-user',
    isThere: signsIn,
    openIn: ['setup'],
    input: updateUserSchema,
    output: doneSchema,
    run: (input, context) => changeAccount(updateUser, input, context),
  }),
  'change-password': operation({
    description: 'Changes your password and ends your other sessions.',
    method: 'POST',
    path: '/_fw/auth/change-password',
    isThere: signsIn,
    openIn: ['setup'],
    input: changePasswordSchema,
    output: doneSchema,
    run: (input, context) => changeAccount(changePassword, input, context),
  }),
  'set-password': operation({
    description: 'Sets your first password and ends your other sessions.',
    method: 'POST',
    path: '/_fw/auth/set-password',
    isThere: signsIn,
    openIn: ['setup'],
    recentSignIn: true,
    input: setPasswordSchema,
    output: doneSchema,
    run: (input, context) => changeAccount(setPassword, input, context),
  }),
  'export-account': operation({
    description: 'Returns everything that is stored about you as a file.',
    method: 'GET',
    path: '/_fw/account/export',
    openIn: ['setup'],
    output: 'file',
    audit: [],
    async run(_input, { app, session, event }) {
      const { parts, text } = await exportAccount(app, session, requestLanguage(event))
      noteAccountEvent(app, { kind: 'account-exported', userId: session.userId })
      setResponseHeader(event, 'x-export-parts', parts)
      setResponseHeader(event, 'cache-control', 'no-store')
      return { name: `account-${app.now().toISOString().slice(0, 10)}`, format: 'json' as const, text }
    },
  }),
  'get-address-change': operation({
    description: 'Returns the pending change of your email address.',
    method: 'GET',
    path: '/_fw/account/address',
    openIn: ['setup', 'view'],
    output: addressStateSchema,
    run: async (_input, { app, session, event }) => ({
      ...(await addressState(app, session)),
      proof: await proofOf(event),
    }),
  }),
  'change-address': operation({
    description: 'Sends a link to your old and your new email address. Requires a recent sign-in or your password.',
    method: 'POST',
    path: '/_fw/account/address',
    openIn: ['setup'],
    input: addressInput.ask,
    output: changeSchema,
    status: 202,
    audit: [],
    async run(input, { app, event }) {
      const { id: sessionId, ...session } = await requireFreshProof(event, input.password)
      return { change: await askForNewAddress(app, { ...session, sessionId }, input, requestInfo(event)) }
    },
  }),
  'cancel-address-change': operation({
    description: 'Cancels the change of your email address.',
    method: 'DELETE',
    path: '/_fw/account/address',
    openIn: ['setup'],
    audit: [],
    run: (_input, { app, session }) => cancelAddressChange(app, session.userId),
  }),
  'resend-address-links': operation({
    description: 'Resends the links that confirm the change of your email address.',
    method: 'POST',
    path: '/_fw/account/address/resend',
    openIn: ['setup'],
    input: addressInput.resend,
    output: changeSchema,
    status: 202,
    run: async ({ language }, { app, session, event }) => ({
      change: await mailAddressLinksAgain(app, session.userId, language, requestInfo(event)),
    }),
  }),
})
