/** @jsxImportSource vue */
import { errorTitle, fill, messagesOf } from '#fairway/server/kernel/messages'
import { errorCatalog, type ErrorCode } from '#fairway/shared/errors'
import { CONNECTION_AUTHS, type IdentityConnection } from '#fairway/shared/schemas/identity-connection'
import { Copied, Input, Refusal, WaitingNote } from '../parts'
import { type StepProps, waitingState } from '../step'

/** The form of a connection, the values to register, its test and the proposal. */
export function ConnectionBody(props: StepProps) {
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
        <>
          <Settings {...props} connection={connection} />
          <NextSteps {...props} connection={connection} />
        </>
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

/** The settings of a connection that the contact may change. */
function Settings(props: StepProps & { connection: IdentityConnection }) {
  const { connection, language, shown } = props
  const { form } = messagesOf(language).sso
  const typed = shown.refused?.intent === 'save-connection' ? shown.refused.form : undefined
  const field = { ...props, intent: 'save-connection' }
  return (
    <form method="post" action="#connection">
      <Refusal {...field} fields={['issuer', 'clientId', 'clientSecret', 'secretEndsOn']} />
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
      <Input
        {...{ ...field, name: 'secretEndsOn', type: 'date', label: form.secretEndsOn, hint: form.secretEndsHelp }}
        value={connection.secretEndsOn ?? undefined}
      />
      <button name="intent" value="save-connection" class={connection.test ? 'quiet' : undefined}>
        {form.save}
      </button>
    </form>
  )
}

/** The test of a connection and its result, then the proposal to the owners. */
function NextSteps(props: StepProps & { connection: IdentityConnection }) {
  const { setup, connection, language } = props
  const texts = messagesOf(language).setup.connection
  const { issuer, clientId, clientAuth, hasSecret } = connection
  const isComplete = issuer !== null && clientId !== null && (hasSecret || clientAuth !== 'secret')
  return (
    <>
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
