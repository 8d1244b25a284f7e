import * as z from 'zod/mini'

/** `pending`: not proved yet; `proved`: the record was seen; `lapsed`: it was proved, and the record has gone since. */
export const DOMAIN_STATES = ['pending', 'proved', 'lapsed'] as const

/** Mistakes that a check recognizes in a zone. `alias`: another name answers for the record. */
export const RECORD_HINTS = ['doubled-name', 'at-domain', 'quoted', 'alias'] as const

/** A domain of an organization, with the TXT record that proves it. Times are ISO 8601 UTC. */
export const provedDomainSchema = z.object({
  domain: z.string(),
  status: z.enum(DOMAIN_STATES),
  record: z.object({ name: z.string(), value: z.string() }),
  provedAt: z.nullable(z.string()),
  checkedAt: z.nullable(z.string()),
})
export type ProvedDomain = z.infer<typeof provedDomainSchema>

/** What needs a domain or a connection; `id` and `name` are those of the connection. A problem `in-use` has them as `uses`. */
export const usedBySchema = z.object({
  kind: z.enum(['rule', 'connection', 'directory']),
  id: z.nullable(z.string()),
  name: z.nullable(z.string()),
})
export type UsedBy = z.infer<typeof usedBySchema>

/** What the DNS said. `none`: it gave no answer that counts, such as a time-out. */
export const seenRecordSchema = z.object({
  answer: z.enum(['found', 'missing', 'none']),
  /** The texts at the name of the record. */
  values: z.array(z.string()),
  hint: z.nullable(z.enum(RECORD_HINTS)),
  /** The name that answers for the record, by a CNAME; null without one. */
  alias: z.nullable(z.string()),
})
export type SeenRecord = z.infer<typeof seenRecordSchema>

export const checkedDomainSchema = z.extend(provedDomainSchema, { seen: seenRecordSchema })
