/** @jsxImportSource vue */
import { z } from 'zod'
import { readIssuer } from '#fairway/server/domains/oauth-client'
import {
  activateConnection,
  addConnection,
  changeConnection,
  checkActivation,
  type ConnectionRow,
  countServed,
  requireConnection,
  toConnection,
} from '#fairway/server/domains/organizations'
import { testConnection } from '#fairway/server/domains/sign-in'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { parseInput } from '#fairway/server/kernel/http/read-input'
import { errorTitle, fill, messagesOf } from '#fairway/server/kernel/messages'
import { errorCatalog, type ErrorCode } from '#fairway/shared/errors'
import { SETUP_PATH } from '#fairway/shared/paths'
import { CONNECTION_AUTHS, type IdentityConnection } from '#fairway/shared/schemas/identity-connection'
import { nameSchema } from '#fairway/shared/schemas/name'
import { setConnection } from '../links'
import { Copied, Input, Refusal, WaitingNote } from '../parts'
import { propose, withdraw } from '../proposals'
import { type DecidingStep, type StepProps, type Waiting, waitingState } from '../step'
import { actorOf, noteChange, type Setup, type SetupVisit } from '../visit'

/** The name by which the round trip of a test knows the contact. */
export const TESTER = 'setup:'

const text = (most: number) =>
  z
    .string()
    .trim()
    .max(most)
    .transform(typed => typed || null)
const settingsSchema = z.object({
  issuer: text(500),
  clientId: text(500),
  clientSecret: text(2000),
  clientAuth: z.enum(CONNECTION_AUTHS),
})

/** The connection of a link while the contact may change it. */
async function requirePrepared(app: App, { link }: Pick<Setup, 'link'> | SetupVisit): Promise<ConnectionRow> {
  const row = await requireConnection(app, link.orgId, link.connectionId ?? '')
  if (row.state === 'active' || row.state === 'off') throw new AppError('forbidden')
  return row
}

/** A connection to the customer's provider: set up, tested by the contact, then active once an owner confirms it. */
export const connectionStep: DecidingStep = {
  name: 'connection',
  state(setup) {
    const { connection } = setup
    if (!connection) return 'none'
    if (connection.state === 'active') return 'active'
    return waitingState(setup, 'connection') ?? (connection.test ? 'tested' : 'begun')
  },
  body: props => <Body {...props} />,
  intents: {
    async 'add-connection'(app, visit, form) {
      const { name } = parseInput(z.object({ name: nameSchema(80) }), { name: form.name })
      const fixed = { clientAuth: 'secret', domain: null, provision: true, defaultRole: 'member' } as const
      const row = await addConnection(app, actorOf(visit.link), { ...fixed, name, issuer: null, clientId: null })
      await setConnection(app, visit.link, row.id)
      const kept = { id: row.id, name }
      await noteChange(app, visit, { action: 'add-identity-connection', kept, told: 'add-connection' })
      return undefined
    },
    async 'save-connection'(app, visit, form) {
      const row = await requirePrepared(app, visit)
      const { issuer, clientSecret, ...typed } = parseInput(settingsSchema, form)
      const isKnown = issuer === null || issuer === row.issuer
      const settings = {
        name: row.name,
        domain: row.domain,
        provision: row.provision === 1,
        defaultRole: row.defaultRole,
        ...typed,
        issuer: isKnown ? issuer : await readIssuer(app, issuer),
        clientSecret: clientSecret ?? undefined,
      }
      await changeConnection(app, row, settings)
      await withdraw(app, visit.link.id, 'connection')
      const kept = { id: row.id, name: row.name, issuer: settings.issuer }
      await noteChange(app, visit, { action: 'change-identity-connection', kept, told: 'save-connection' })
      return undefined
    },
    async 'test-connection'(app, visit) {
      const row = await requirePrepared(app, visit)
      const { clientAddress, cookieHeader, link } = visit
      const from = { clientAddress, cookieHeader, testedBy: TESTER + link.id, returnPath: SETUP_PATH }
      const { url: location, setCookies } = await testConnection(app, row, from)
      await noteChange(app, visit, { action: 'test-identity-connection', kept: { id: row.id } })
      return { location, setCookies }
    },
    async 'propose-connection'(app, visit) {
      const row = await requirePrepared(app, visit)
      await checkActivation(app, row)
      await propose(app, visit.link.id, 'connection')
      const kept = { step: 'connection', name: row.name }
      await noteChange(app, visit, { action: 'propose-setup-step', kept, told: 'propose-connection' })
      return undefined
    },
  },
  async plan(app, _actor, { setup }) {
    const row = await rowOf(app, setup)
    await checkActivation(app, row)
    return { connection: toConnection(app, row), people: await countServed(app, row) }
  },
  async confirm(app, _actor, waiting: Waiting) {
    await activateConnection(app, await rowOf(app, waiting.setup))
  },
}

const rowOf = (app: App, { link }: Setup) => requireConnection(app, link.orgId, link.connectionId ?? '')

function Body(props: StepProps) {
  const { setup, language } = props
  const { connection, link } = setup
  const texts = messagesOf(language).setup.connection
  const { form } = messagesOf(language).sso
  if (!connection) {
    return (
      <>
        <p>{texts.text}</p>
        <form method="post" action="#connection">
          <Refusal {...props} intent="add-connection" fields={['name']} />
          <Input
            {...props}
            {...{ intent: 'add-connection', name: 'name', label: form.name, hint: form.nameHelp, isRequired: true }}
            value={link.orgName}
          />
          <button name="intent" value="add-connection">
            {texts.add}
          </button>
        </form>
      </>
    )
  }
  return (
    <>
      <h3>{form.register}</h3>
      <p class="note">{texts.register}</p>
      <Vendors connection={connection} language={language} />
      {connection.state === 'active' || connection.state === 'off' ? (
        <p class="note">{connection.state === 'active' ? texts.active : texts.off}</p>
      ) : (
        <Prepared {...props} connection={connection} />
      )}
    </>
  )
}

/** The consoles' own names of the fields, as they are written there, and the form of the issuer. */
const VENDORS = [
  {
    id: 'okta',
    fields: [
      ['Sign-in redirect URIs', 'redirectUri'],
      ['Initiate login URI', 'loginUri'],
    ],
    issuer: 'https://example.okta.com',
  },
  {
    id: 'entra',
    fields: [['Redirect URI (Web)', 'redirectUri']],
    issuer: 'https://login.microsoftonline.com/<Directory (tenant) ID>/v2.0',
  },
  { id: 'google', fields: [['Authorized redirect URIs', 'redirectUri']], issuer: 'https://accounts.google.com' },
  {
    id: 'keycloak',
    fields: [['Valid redirect URIs', 'redirectUri']],
    issuer: 'https://login.example.com/realms/<realm>',
  },
] as const

function Vendors({ connection, language }: Pick<StepProps, 'language'> & { connection: IdentityConnection }) {
  const { vendors, form } = messagesOf(language).sso
  const plain = [
    'redirectUri',
    'loginUri',
    ...(connection.clientAuth === 'secret' ? [] : ['jwksUri' as const]),
  ] as const
  return (
    <>
      {VENDORS.map(({ id, fields, issuer }) => (
        <details>
          <summary>{vendors[id].name}</summary>
          <p class="note">{vendors[id].text}</p>
          {fields.map(([label, name]) => (
            <Copied {...{ id: `${id}-${name}`, label, value: connection[name], language }} />
          ))}
          <p class="hint">
            {form.issuer}: <code dir="ltr">{issuer}</code>
          </p>
        </details>
      ))}
      <details>
        <summary>{vendors.other.name}</summary>
        <p class="note">{vendors.other.text}</p>
        {plain.map(name => (
          <Copied {...{ id: `other-${name}`, label: form[name], value: connection[name], language }} />
        ))}
      </details>
    </>
  )
}

/** The form of a connection that the contact may change, its test, and the proposal. */
function Prepared(props: StepProps & { connection: IdentityConnection }) {
  const { setup, connection, language, shown } = props
  const { form } = messagesOf(language).sso
  const texts = messagesOf(language).setup.connection
  const typed = shown.refused?.intent === 'save-connection' ? shown.refused.form : undefined
  const isComplete = connection.issuer !== null && connection.clientId !== null
  const field = { ...props, intent: 'save-connection' }
  return (
    <>
      <form method="post" action="#connection">
        <Refusal {...field} fields={['issuer', 'clientId', 'clientSecret']} />
        <Input
          {...field}
          name="issuer"
          label={form.issuer}
          hint={form.issuerHelp}
          value={connection.issuer ?? undefined}
        />
        <Input {...field} name="clientId" label={form.clientId} value={connection.clientId ?? undefined} />
        <div class="field">
          <label for="client-auth">{form.auth}</label>
          <select id="client-auth" name="clientAuth">
            {CONNECTION_AUTHS.map(auth => (
              <option value={auth} selected={auth === (typed?.clientAuth ?? connection.clientAuth)}>
                {form.auths[auth]}
              </option>
            ))}
          </select>
        </div>
        <Input
          {...{ ...field, name: 'clientSecret', type: 'password', label: form.clientSecret }}
          hint={connection.hasSecret ? form.secretKept : form.secretHelp}
        />
        <button name="intent" value="save-connection" class={connection.test ? 'quiet' : undefined}>
          {form.save}
        </button>
      </form>
      <TestResult {...props} />
      <Refusal {...props} intent="test-connection" />
      {isComplete ? (
        <form method="post" action="#connection">
          <p class="hint">{texts.testText}</p>
          <button name="intent" value="test-connection" class={connection.test ? 'quiet' : undefined}>
            {texts.test}
          </button>
        </form>
      ) : null}
      <WaitingNote {...props} step="connection" />
      <Refusal {...props} intent="propose-connection" />
      {connection.test && !waitingState(setup, 'connection') ? (
        <form method="post" action="#connection">
          <button name="intent" value="propose-connection">
            {texts.propose}
          </button>
        </form>
      ) : null}
    </>
  )
}

const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(errorCatalog, text)

/** How the last test ended. */
function TestResult({ connection, language, shown }: StepProps & { connection: IdentityConnection }) {
  const texts = messagesOf(language).setup.connection
  const failure = shown.test !== undefined && isErrorCode(shown.test) ? shown.test : undefined
  if (failure) {
    return (
      <p class="alert" role="alert" data-code={failure}>
        {texts.testFailed} {errorTitle(failure, language)}
      </p>
    )
  }
  if (!connection.test) return null
  const { email, isInDomain, isVerified } = connection.test
  return (
    <p class="banner" role="status">
      {fill(isInDomain ? texts.tested : texts.elsewhere, { email })} {isVerified === false ? texts.unverified : null}
    </p>
  )
}
