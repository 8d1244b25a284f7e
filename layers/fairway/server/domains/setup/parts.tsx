/** @jsxImportSource vue */
// What the steps of the setup page are made of.
import { errorTitle, fill, messagesOf } from '#fairway/server/kernel/messages'
import { ErrorDetails, ONE_CLICK } from '#fairway/server/kernel/server-page/note-page'
import type { AppError } from '#fairway/server/kernel/http/app-error'
import { formatTime, type Language } from '#fairway/shared/languages'
import type { DecidedStep } from '#fairway/shared/schemas/setup-link'
import type { StepProps } from './step'

/** Errors that belong to a field and do not name it. */
const FIELDS: Readonly<Record<string, string>> = {
  'free-mail-domain': 'domain',
  'public-suffix-domain': 'domain',
}
const fieldOf = (error: AppError): string | undefined =>
  error.code === 'invalid-input' ? error.errors?.[0]?.path.split('.')[0] : FIELDS[error.code]

interface InputProps extends StepProps {
  /** The intent of its form. */
  intent: string
  name: string
  label: string
  hint?: string
  /** What is stored. */
  value?: string | number
  type?: 'text' | 'number' | 'password' | 'date'
  isLong?: boolean
  isRequired?: boolean
  placeholder?: string
}

/** One labelled field with what was typed, its hint and its error. */
export function Input(props: InputProps) {
  const { shown, language, intent, name, label, hint, value, type = 'text', isLong, ...more } = props
  const refused = shown.refused?.intent === intent ? shown.refused : undefined
  const fault = refused && fieldOf(refused.error) === name ? refused.error : undefined
  const id = `${intent}-${name}`
  const field = {
    id,
    name,
    dir: name === 'name' ? 'auto' : 'ltr',
    required: more.isRequired,
    placeholder: more.placeholder,
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    value: refused?.form[name] ?? value,
    ...described(id, hint, fault),
  } as const
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {isLong ? <textarea {...field} rows={3} /> : <input {...field} type={type} />}
      <Below id={id} hint={hint} fault={fault} language={language} />
    </div>
  )
}

const described = (id: string, hint?: string, fault?: AppError) => ({
  ...(fault ? { autofocus: true, 'aria-invalid': 'true' as const } : {}),
  'aria-describedby': [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ') || undefined,
})

/** The hint and the error of a field. */
const Below = ({ id, hint, fault, language }: { id: string; hint?: string; fault?: AppError; language: Language }) => (
  <>
    {hint ? (
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    ) : null}
    {fault ? (
      <p class="fault" role="alert" id={`${id}-fault`} data-code={fault.code}>
        {faultText(fault, language)}
      </p>
    ) : null}
  </>
)

/** The text of a field's error. Details are in English; other languages have one sentence for each field. */
function faultText(error: AppError, language: Language): string {
  if (error.code !== 'invalid-input') return errorTitle(error.code, language)
  const faults: Partial<Record<string, string>> = messagesOf(language).setup.faults
  const known = faults[fieldOf(error) ?? ''] ?? errorTitle(error.code, language)
  return language === 'en' ? (error.errors?.[0]?.message ?? known) : known
}

/** The error of a form that belongs to none of its fields. */
export function Refusal({ shown, language, intent, fields = [] }: StepProps & { intent: string; fields?: string[] }) {
  const { error } = shown.refused?.intent === intent ? shown.refused : {}
  if (!error || fields.includes(fieldOf(error) ?? '')) return null
  const detail = language === 'en' ? error.detail : undefined
  return (
    <div class="alert" role="alert" data-code={error.code}>
      {[errorTitle(error.code, language), detail].filter(Boolean).join(' ')}
      <ErrorDetails text={error.code} language={language} />
    </div>
  )
}

/** A value to paste elsewhere. Without scripts it is selected and copied by hand. */
export const Copied = (props: { id: string; label: string; value: string; language: Language }) => (
  <div class="field">
    <label for={props.id}>{props.label}</label>
    <span class="copy">
      <input id={props.id} dir="ltr" readonly value={props.value} />
      <button
        type="button"
        class="quiet"
        hidden
        data-copied={messagesOf(props.language).setup.copied}
        aria-label={fill(messagesOf(props.language).setup.copyOf, { label: props.label })}
      >
        {messagesOf(props.language).setup.copy}
      </button>
    </span>
  </div>
)

/** When the owners were told about a proposal, and that it can change until they confirm it. */
export function WaitingNote({ setup, language, step }: StepProps & { step: DecidedStep }) {
  const proposal = setup.proposals[step]
  if (proposal?.confirmedBy !== null) return null
  const at = formatTime(new Date(proposal.proposedAt), language, 'long', 'UTC')
  return <p class="banner">{fill(messagesOf(language).setup.waits, { at })}</p>
}

export const STYLE =
  'main{max-width:640px}.steps{margin:16px 0 0;padding-inline-start:20px}.steps li{padding:4px 0}.steps a{margin-inline-end:12px}.step{border-top:1px solid var(--ui-border);margin-top:24px;padding-top:8px}.step h2{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:center}' +
  '.step h3{font-size:15px;line-height:1.3;margin:16px 0 8px;overflow-wrap:anywhere}.last.done{color:var(--ui-primary)}.copy{display:flex;gap:8px}.copy input{min-width:0;flex:1}.copy button{width:auto}' +
  'textarea{display:block;width:100%;padding:8px 12px;font:inherit;font-size:14px;color:inherit;background:var(--ui-bg);border:1px solid var(--ui-border-accented);border-radius:var(--fw-radius)}' +
  '.step details:not(.details){margin:0 0 8px;font-size:14px}.step details[open]{margin-bottom:16px}.step form{margin-bottom:16px}@media (pointer:coarse){textarea{font-size:16px}}'

export const SCRIPT = (
  `document.querySelectorAll('.copy button').forEach(function(b){b.hidden=false;b.addEventListener('click',function(){` +
  `navigator.clipboard.writeText(b.previousElementSibling.value).then(function(){b.textContent=b.dataset.copied})})});function remember(){}${ONE_CLICK}`
)
  .trim()
  .replaceAll('\n', '')
