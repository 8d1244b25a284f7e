// The types of events: `audit.<action>` for rows of the audit log, `security.<kind>` for security events, `webhook.test`.
import { z } from 'zod'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { eventKinds } from '#fairway/server/kernel/security-events/event-kinds'
import type { WebhookScope } from '#fairway/shared/schemas/webhook'

/** The type of the event that is sent to try a webhook, whatever types it names. */
export const TEST_TYPE = 'webhook.test'

const MOST_PATTERNS = 50

/** Names that events had before, with those of now: who names the old one gets the event. */
const RENAMED: Readonly<Record<string, string>> = { 'audit.invite-members': 'audit.invite-member' }

const currentType = (pattern: string): string => RENAMED[pattern] ?? pattern

/** What a webhook may name: all events (`*`), how their types begin (`audit.create-*`), or types. */
export const patternsSchema = z
  .array(
    z
      .string()
      .trim()
      .max(120)
      .regex(
        /^(\*|(audit|security)\.([\w-]*\*|[\w-]+))$/,
        'must be *, or begin with audit. or security. and name a type or end in *',
      ),
  )
  .min(1, 'must name a type; * is all of them')
  .max(MOST_PATTERNS)
  .transform(list => [...new Set(list.map(currentType))])

/** Every type that there is for a scope, in the order of the alphabet; `actions` are the names that audit rows have. */
export function knownTypes(scope: WebhookScope, actions: readonly string[]): string[] {
  const security = Object.keys(eventKinds).map(kind => `security.${kind}`)
  const audit = [...new Set(actions)].map(name => `audit.${name}`)
  return (scope === 'installation' ? security : [...audit, ...security]).toSorted()
}

/** Whether an event of this type is one of those that the patterns name. */
export const matchesTypes = (patterns: readonly string[], type: string): boolean =>
  patterns.some(pattern => (pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern))

/** Throws `invalid-input` for a pattern that no type of this scope fits. */
export function checkPatterns(patterns: readonly string[], known: readonly string[]): void {
  const errors = patterns.flatMap((pattern, index) =>
    known.some(type => matchesTypes([pattern], type))
      ? []
      : [
          {
            path: `types.${index}`,
            message: `no event here is of the type ${pattern}; GET /_fw/webhooks lists all types`,
          },
        ],
  )
  if (errors.length > 0) throw new AppError('invalid-input', { errors })
}
