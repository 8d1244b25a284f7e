/** @jsxImportSource vue */
import type { App } from '#fairway/server/kernel/app-context'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import { OUTBOX_PATH } from '#fairway/shared/paths'
import { errorTitle, languages, messagesOf } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'

/** A button for each other language, which shows the page in it. */
export const LanguageForm = ({ language }: { language: Language }) => (
  <form method="post" class="languages">
    {languages
      .filter(({ code }) => code !== language)
      .map(({ code, name, direction }) => (
        <button name="language" value={code} class="link" lang={code} dir={direction}>
          {name}
        </button>
      ))}
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
  type: string
  label: string
  autocomplete: string
  value?: string
  hint?: string
  prefix?: string
}

/** One labelled field of a form, with its hint. */
export function Field({ name, type, label, autocomplete, value, hint, prefix = '' }: FieldProps) {
  const id = `${prefix}${name}`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        type={type}
        value={value}
        required
        autocomplete={autocomplete}
        aria-describedby={hint ? `${id}-hint` : undefined}
      />
      {hint ? (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
    </div>
  )
}

/** What was refused, as a sentence in the page's language, with its code. */
export function Alert({ error, language }: { error: AppError; language: Language }) {
  const detail = language === 'en' ? (error.errors?.map(fault => fault.message).join(' ') ?? error.detail) : undefined
  return (
    <div class="alert" role="alert">
      {errorText(error, language)} {detail}
      <small>{error.code}</small>
    </div>
  )
}

/** The sentence that says what an error is. */
export const errorText = (error: AppError, language: Language): string =>
  error.status < 500 ? errorTitle(error.code, language) : messagesOf(language).signIn.otherError
