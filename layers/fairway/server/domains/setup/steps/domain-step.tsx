/** @jsxImportSource vue */
import { checkDomain, claimDomain } from '#fairway/server/domains/organizations'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { fill, messagesOf } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'
import type { ProvedDomain, SeenRecord } from '#fairway/shared/schemas/domain'
import { Copied, Input, Refusal } from '../parts'
import type { PlainStep, StepProps } from '../step'
import { actorOf, noteChange } from '../visit'

/** Claims domains and looks for their records. It takes effect at once: a proof alone changes nobody's access. */
export const domainStep: PlainStep = {
  name: 'domain',
  state({ domains }) {
    if (domains.length === 0) return 'none'
    return domains.some(({ status }) => status === 'proved') ? 'proved' : 'dns'
  },
  body: props => <Body {...props} />,
  intents: {
    async 'claim-domain'(app, visit, form) {
      const { domain } = await claimDomain(app, actorOf(visit.link), form.domain ?? '')
      await noteChange(app, visit, { action: 'claim-domain', facts: { domain }, told: 'claim-domain' })
      return undefined
    },
    async 'check-domain'(app, visit, form) {
      await rateLimit(app, limits.domainChecksPerOrg, visit.link.orgId)
      const checked = await checkDomain(app, visit.link.orgId, form.domain ?? '')
      const { domain, status } = checked
      const told = status === 'proved' ? 'check-domain' : undefined
      await noteChange(app, visit, { action: 'check-domain', facts: { domain, status }, told })
      return { checked }
    },
  },
}

function Body(props: StepProps) {
  const { setup, shown, language } = props
  const texts = messagesOf(language).setup.domain
  return (
    <>
      <p>{texts.text}</p>
      <Refusal {...props} intent="check-domain" />
      {setup.domains.map(entry => (
        <Entry
          entry={entry}
          seen={shown.checked?.domain === entry.domain ? shown.checked.seen : undefined}
          {...props}
        />
      ))}
      <form method="post" action="#domain">
        <Refusal {...props} intent="claim-domain" fields={['domain']} />
        <Input
          {...props}
          intent="claim-domain"
          name="domain"
          label={texts.label}
          placeholder="example.com"
          isRequired
        />
        <button name="intent" value="claim-domain" class={setup.domains.length > 0 ? 'quiet' : undefined}>
          {setup.domains.length > 0 ? texts.another : texts.claim}
        </button>
      </form>
    </>
  )
}

function Entry({ entry, seen, language }: StepProps & { entry: ProvedDomain; seen?: SeenRecord }) {
  const { sso, setup } = messagesOf(language)
  const { domain, record, status } = entry
  const copied = (name: 'name' | 'value') => (
    <Copied {...{ id: `${domain}-${name}`, label: sso.proof[name], value: record[name], language }} />
  )
  return (
    <>
      <h3>
        <bdi>{domain}</bdi> · {sso.domains.states[status]}
      </h3>
      {status === 'proved' ? <p class="note">{sso.proof.keep}</p> : <p class="note">{setup.domain.record}</p>}
      {status === 'proved' ? null : [copied('name'), copied('value')]}
      {seen ? <Seen entry={entry} seen={seen} language={language} /> : null}
      {status === 'proved' ? null : (
        <form method="post" action="#domain">
          <input type="hidden" name="domain" value={domain} />
          <button name="intent" value="check-domain" aria-label={`${sso.proof.check}: ${domain}`}>
            {sso.proof.check}
          </button>
        </form>
      )}
    </>
  )
}

/** What the DNS answered. */
function Seen({ entry, seen, language }: { entry: ProvedDomain; seen: SeenRecord; language: Language }) {
  const { proof } = messagesOf(language).sso
  const { answer, hint, values, alias } = seen
  if (answer === 'found') return <p role="status">{fill(proof.proved, { domain: entry.domain })}</p>
  const filled = { domain: entry.domain, name: entry.record.name, alias: alias ?? '' }
  const sentences =
    answer === 'none'
      ? [proof.none, proof.noAnswer]
      : [
          values.length > 0 ? proof.others : proof.empty,
          ...(hint && hint !== 'alias' ? [proof.hints[hint]] : []),
          ...(alias ? [proof.alias] : []),
          proof.wait,
        ]
  return (
    <div class="banner" role="status">
      {sentences.map(sentence => fill(sentence, filled)).join(' ')}
      {values.length > 0 ? <pre dir="ltr">{values.join('\n')}</pre> : null}
    </div>
  )
}
