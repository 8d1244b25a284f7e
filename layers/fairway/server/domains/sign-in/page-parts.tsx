/** @jsxImportSource vue */
import type { App } from '#fairway/server/kernel/app-context'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import { OUTBOX_PATH } from '#fairway/shared/paths'
import { errorTitle, fill, languages, messagesOf } from '#fairway/server/kernel/messages'
import { formatTime, type Language } from '#fairway/shared/languages'
import { providerMark } from '#fairway/shared/provider-marks'

/** The buttons that show the page in another language, each by its own name. */
export const LanguageForm = ({ language }: { language: Language }) => (
  <form method="post" class="languages" aria-label={messagesOf(language).signIn.languages}>
    {languages.map(({ code, name, direction }) =>
      code === language ? (
        <span lang={code} dir={direction} aria-current="true">
          {name}
        </span>
      ) : (
        <button name="language" value={code} class="link" lang={code} dir={direction}>
          {name}
        </button>
      ),
    )}
  </form>
)

/** Leads to the mails of a development server that sends none. */
export const OutboxLink = ({ app, language }: { app: App; language: Language }) =>
  app.config.mail.showsOutbox ? (
    <p class="foot">
      <a href={OUTBOX_PATH}>{messagesOf(language).signIn.outbox}</a>
    </p>
  ) : null

interface FieldProps {
  name: string
  type: 'text' | 'email' | 'password'
  label: string
  autocomplete: string
  language: Language
  value?: string
  /** Whether the value cannot be changed. */
  isFixed?: boolean
  hint?: string
  prefix?: string
  /** What was refused about this field, if anything was. */
  error?: AppError
}

/** One labelled field of a form, with its hint, and beside it what was refused about it; what is typed into a password can be shown. */
export function Field({
  name,
  type,
  label,
  autocomplete,
  language,
  value,
  isFixed,
  hint,
  prefix = '',
  error,
}: FieldProps) {
  const id = `${prefix}${name}`
  const fault = error && isAbout(error, name) ? error : undefined
  const describedBy = [hint ? `${id}-hint` : '', fault ? `${id}-fault` : ''].filter(Boolean).join(' ')
  const input = (
    <input
      id={id}
      name={name}
      type={type}
      value={value}
      readonly={isFixed}
      required
      autocomplete={autocomplete}
      autofocus={fault ? true : undefined}
      aria-invalid={fault ? 'true' : undefined}
      aria-describedby={describedBy || undefined}
    />
  )
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {type === 'password' ? (
        <span class="secret">
          {input}
          <RevealButton id={id} language={language} />
        </span>
      ) : (
        input
      )}
      {hint ? (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
      {fault ? (
        <p class="fault" role="alert" id={`${id}-fault`} data-code={fault.code}>
          {errorText(fault, language, name)}
        </p>
      ) : null}
    </div>
  )
}

/** How icons are drawn that are made of lines. */
export const lineIcon = {
  viewBox: '0 0 24 24',
  fill: 'none',
  stroke: 'currentColor',
  'stroke-width': '2',
  'stroke-linecap': 'round',
  'aria-hidden': 'true',
} as const

/** Shows what was typed; its room is there always, and the page's script makes it visible. */
function RevealButton({ id, language }: { id: string; language: Language }) {
  const { reveal } = messagesOf(language).signIn
  return (
    <button
      type="button"
      class="reveal"
      aria-controls={id}
      aria-pressed="false"
      aria-label={reveal}
      title={reveal}
      hidden
    >
      <svg {...lineIcon}>
        <path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z" />
        <circle cx="12" cy="12" r="3" />
        <path class="open" d="m4 4 16 16" />
      </svg>
    </button>
  )
}

/** The mark of a provider before its name on a button. */
export function ProviderMark({ id }: { id: string }) {
  const { viewBox, shapes, points } = providerMark(id)
  return (
    <svg viewBox={viewBox} fill="currentColor" class={points ? 'points' : undefined} aria-hidden="true">
      {shapes.map(({ d, fill, stroke, width }) =>
        stroke ? (
          <path d={d} fill="none" stroke={stroke} stroke-width={width} />
        ) : (
          <path d={d} fill={fill ?? 'currentColor'} />
        ),
      )}
    </svg>
  )
}

const FIELDS: Readonly<Record<string, string>> = {
  'account-exists': 'email',
  'password-too-short': 'password',
  'password-too-long': 'password',
  'password-too-common': 'password',
  'password-breached': 'password',
}

/** Whether a refusal is about the field of this name, and stands beside it. */
function isAbout(error: AppError, name: string): boolean {
  const field = error.code === 'invalid-input' ? error.errors?.[0]?.path : FIELDS[error.code]
  return field === name || (field === 'password' && name === 'newPassword')
}

/** What was refused, as a sentence in the page's language; of our own faults also the code. Nothing where it stands beside one of these fields. */
export function Alert({ error, language, fields = [] }: { error: AppError; language: Language; fields?: string[] }) {
  if (fields.some(field => isAbout(error, field))) return null
  return (
    <div class="alert" role="alert" data-code={error.code}>
      {errorText(error, language)}
      {error.status < 500 ? null : <small>{error.code}</small>}
    </div>
  )
}

/** Why an account is suspended and until when, as far as the refusal says so. */
function suspensionTexts({ extra: { reason, until } = {} }: AppError, language: Language): string[] {
  const { suspendedReason, suspendedUntil } = messagesOf(language).signIn
  return [
    ...(typeof reason === 'string' ? [fill(suspendedReason, { reason })] : []),
    ...(typeof until === 'string'
      ? [fill(suspendedUntil, { until: formatTime(new Date(until), language, 'long', 'UTC') })]
      : []),
  ]
}

/** The sentence that says what an error is; `field` where it stands beside one. */
export function errorText(error: AppError, language: Language, field?: string): string {
  const { signIn, signInFaults } = messagesOf(language)
  const faults: Partial<Record<string, string>> = signInFaults
  const detail = language === 'en' ? (error.errors?.map(fault => fault.message).join(' ') ?? error.detail) : undefined
  if (field && error.code === 'invalid-input') return detail || (faults[field] ?? errorTitle(error.code, language))
  const title = error.status < 500 ? errorTitle(error.code, language) : signIn.otherError
  if (error.code === 'account-suspended') return [title, ...suspensionTexts(error, language)].join(' ')
  return [title, detail].filter(Boolean).join(' ')
}
