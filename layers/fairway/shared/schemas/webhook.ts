import * as z from 'zod/mini'
import { shownPersonSchema } from './person'
import { totalShape } from './total'

/** The events that a webhook receives: those of one organization, or those of the installation. */
export const WEBHOOK_SCOPES = ['organization', 'installation'] as const
export type WebhookScope = (typeof WEBHOOK_SCOPES)[number]

/**
 * `off`: switched off by a person; `gone`: its address returned 410; `failing`: it accepted no delivery for too long; `orphaned`:
 * the person responsible for it may no longer manage it.
 */
export const WEBHOOK_STATES = ['on', 'off', 'gone', 'failing', 'orphaned'] as const

/** The log that an event comes from; `test` is from no log. */
export const EVENT_SOURCES = ['audit', 'security', 'test'] as const

/** `pending`: it waits for its first or next attempt; `failed`: sending was given up. */
export const DELIVERY_STATES = ['pending', 'sent', 'failed'] as const

/** Why a delivery received no response. */
export const DELIVERY_FAULTS = ['timeout', 'unreachable', 'secret', 'event-gone'] as const
export type DeliveryFault = (typeof DELIVERY_FAULTS)[number]

/** The form of the events: the payload of Fairway, or OCSF 1.8.0 for security tools. */
export const WEBHOOK_FORMATS = ['standard', 'ocsf'] as const

/** The longest name of a webhook. */
export const WEBHOOK_NAME_LENGTH = 80

/** A webhook in a list, without its secret. Times are ISO 8601 UTC. */
const webhookSchema = z.object({
  id: z.string(),
  scope: z.enum(WEBHOOK_SCOPES),
  /** Null for a webhook that is shown by the host of its address. */
  name: z.nullable(z.string()),
  url: z.string(),
  /** Types of events, or their prefixes with `*` at the end. */
  types: z.array(z.string()),
  format: z.enum(WEBHOOK_FORMATS),
  state: z.enum(WEBHOOK_STATES),
  /** Since when it has accepted no delivery. */
  failingSince: z.nullable(z.string()),
  /** Until when the previous secret also signs. */
  formerUntil: z.nullable(z.string()),
  /** The person responsible; null once that account is deleted. */
  responsible: z.nullable(shownPersonSchema),
  createdAt: z.string(),
  /** Deliveries of the past thirty days. */
  pending: z.int(),
  failed: z.int(),
  /** The time of the newest attempt among them. */
  lastTryAt: z.nullable(z.string()),
})
export type Webhook = z.infer<typeof webhookSchema>

/** What screens call a webhook: its name, else the host of its address. */
export const titleOfWebhook = ({ name, url }: Pick<Webhook, 'name' | 'url'>): string => name ?? new URL(url).host

export const webhookListSchema = z.object({
  webhooks: z.array(webhookSchema),
  /** Every type of event in this scope. */
  types: z.array(z.string()),
})

/** A webhook with the secret that its deliveries are signed with, which is shown once. */
export const webhookSecretSchema = z.object({ id: z.string(), secret: z.string() })
export type WebhookSecret = z.infer<typeof webhookSecretSchema>

/** One event for one webhook. Times are ISO 8601 UTC. */
const webhookDeliverySchema = z.object({
  id: z.string(),
  /** The `webhook-id` header of every attempt. */
  messageId: z.string(),
  type: z.string(),
  eventAt: z.string(),
  state: z.enum(DELIVERY_STATES),
  tries: z.int(),
  queuedAt: z.string(),
  lastTryAt: z.nullable(z.string()),
  /** The time of the next attempt; null for none. */
  nextTryAt: z.nullable(z.string()),
  /** The HTTP status of the most recent response, and the beginning of its text. */
  status: z.nullable(z.int()),
  answer: z.nullable(z.string()),
  durationInMs: z.nullable(z.number()),
  fault: z.nullable(z.enum(DELIVERY_FAULTS)),
})
export type WebhookDelivery = z.infer<typeof webhookDeliverySchema>

/** The body of the request that a delivery sends in the standard format. */
const webhookPayloadSchema = z.object({
  type: z.string(),
  timestamp: z.string(),
  data: z.record(z.string(), z.unknown()),
})
export type WebhookPayload = z.infer<typeof webhookPayloadSchema>

/** The body in the format `ocsf`: the attributes that every event has, besides those of its class. */
const ocsfEventSchema = z.looseObject({
  activity_id: z.int(),
  category_uid: z.int(),
  class_uid: z.int(),
  type_uid: z.int(),
  severity_id: z.int(),
  /** Milliseconds since 1970. */
  time: z.int(),
  metadata: z.looseObject({ version: z.string(), product: z.looseObject({ name: z.string(), version: z.string() }) }),
})
export type OcsfEvent = z.infer<typeof ocsfEventSchema>

/** One delivery with its payload; null once its event is no longer kept. */
export const deliveryDetailsSchema = z.object({
  delivery: webhookDeliverySchema,
  payload: z.nullable(z.union([webhookPayloadSchema, ocsfEventSchema])),
})
export type DeliveryDetails = z.infer<typeof deliveryDetailsSchema>

/** One page of deliveries, the latest first. */
export const deliveryPageSchema = z.object({ deliveries: z.array(webhookDeliverySchema), ...totalShape })
export type DeliveryPage = z.infer<typeof deliveryPageSchema>
