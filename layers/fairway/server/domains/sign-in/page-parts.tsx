/** @jsxImportSource vue */
import type { App } from '#fairway/server/kernel/app-context'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import { ErrorDetails } from '#fairway/server/kernel/server-page/note-page'
import { OUTBOX_PATH } from '#fairway/shared/paths'
import { errorTitle, fill, messagesOf, offered } from '#fairway/server/kernel/messages'
import { formatTime, type Language } from '#fairway/shared/languages'
import { providerMark } from '#fairway/shared/provider-marks'

/** Buttons that show the page in another language, each with the language's own name. */
export const LanguageForm = ({ language }: { language: Language }) =>
  offered.languages.length < 2 ? null : (
    <form method="post" class="languages" aria-label={messagesOf(language).signIn.languages}>
      {offered.languages.map(({ code, name, direction }) =>
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

/** Links to the outbox of a development server that sends no mail. */
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
  /** Whether the field is read-only. */
  isFixed?: boolean
  hint?: string
  prefix?: string
  /** The error of this field, if any. */
  error?: AppError
}

/** One labelled form field with its hint and error. A password can be revealed. */
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

/** The field for a code of six digits. */
export const CodeField = ({ id, label }: { id: string; label: string }) => (
  <div class="field">
    <label for={id}>{label}</label>
    <input
      id={id}
      name="code"
      class="code"
      dir="ltr"
      required
      autofocus
      autocomplete="one-time-code"
      inputmode="numeric"
      maxlength={40}
    />
  </div>
)

/** Attributes of line icons. */
export const lineIcon = {
  viewBox: '0 0 24 24',
  fill: 'none',
  stroke: 'currentColor',
  'stroke-width': '2',
  'stroke-linecap': 'round',
  'aria-hidden': 'true',
} as const

/** Reveals the typed password. Its space is always reserved; the page's script makes it visible. */
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

/** The logo of a provider before its name on a button. */
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

/** Whether an error belongs to the field of this name and is shown beside it. */
function isAbout(error: AppError, name: string): boolean {
  const field = error.code === 'invalid-input' ? error.errors?.[0]?.path : FIELDS[error.code]
  return field === name || (field === 'password' && name === 'newPassword')
}

/**
 * The error as a sentence in the page's language; the code is under its details. Empty when one of these fields already shows
 * it.
 */
export function Alert({ error, language, fields = [] }: { error: AppError; language: Language; fields?: string[] }) {
  if (fields.some(field => isAbout(error, field))) return null
  return (
    <div class="alert" role="alert" data-code={error.code}>
      {errorText(error, language)}
      <ErrorDetails text={error.code} language={language} />
    </div>
  )
}

/** The reason and end of a suspension, as far as the error contains them. */
function suspensionTexts({ extra: { reason, until } = {} }: AppError, language: Language): string[] {
  const { suspendedReason, suspendedUntil } = messagesOf(language).signIn
  return [
    ...(typeof reason === 'string' ? [fill(suspendedReason, { reason })] : []),
    ...(typeof until === 'string'
      ? [fill(suspendedUntil, { until: formatTime(new Date(until), language, 'long', 'UTC') })]
      : []),
  ]
}

/** The message of an error. `field` is the field that shows it. */
export function errorText(error: AppError, language: Language, field?: string): string {
  const { signIn, signInFaults } = messagesOf(language)
  const faults: Partial<Record<string, string>> = signInFaults
  const detail = language === 'en' ? (error.errors?.map(fault => fault.message).join(' ') ?? error.detail) : undefined
  if (field && error.code === 'invalid-input') return detail || (faults[field] ?? errorTitle(error.code, language))
  // The titles of other server errors say what is not available.
  const title = error.status === 500 ? signIn.otherError : errorTitle(error.code, language)
  if (error.code === 'account-suspended') return [title, ...suspensionTexts(error, language)].join(' ')
  return [title, detail].filter(Boolean).join(' ')
}
