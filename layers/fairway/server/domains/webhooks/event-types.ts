// The types of events: `audit.<action>` for rows of the audit log, `security.<kind>` for security events, `webhook.test`.
import { z } from 'zod'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { eventKinds } from '#fairway/server/kernel/security-events/event-kinds'
import type { WebhookScope } from '#fairway/shared/schemas/webhook'

/** The type of the test event, which is sent regardless of the webhook's types. */
export const TEST_TYPE = 'webhook.test'

const MOST_PATTERNS = 50

/** Earlier names of events with their current names. A webhook that uses the earlier name still gets the event. */
const RENAMED: Readonly<Record<string, string>> = { 'audit.invite-members': 'audit.invite-member' }

const currentType = (pattern: string): string => RENAMED[pattern] ?? pattern

/** The accepted patterns: all events (`*`), prefixes of types (`audit.create-*`), or types. */
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

/** All types of a scope in alphabetical order. `actions` are the names in audit rows. */
export function knownTypes(scope: WebhookScope, actions: readonly string[]): string[] {
  const security = Object.keys(eventKinds).map(kind => `security.${kind}`)
  const audit = [...new Set(actions)].map(name => `audit.${name}`)
  return (scope === 'installation' ? security : [...audit, ...security]).toSorted()
}

/** Whether the patterns match an event of this type. */
export const matchesTypes = (patterns: readonly string[], type: string): boolean =>
  patterns.some(pattern => (pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern))

/** Throws `invalid-input` for a pattern that matches no type of this scope. */
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
