/** Whose events a webhook is told: those of one organization, or those of the installation. */
export const WEBHOOK_SCOPES = ['organization', 'installation'] as const
export type WebhookScope = (typeof WEBHOOK_SCOPES)[number]

/**
 * `off`: switched off by a person; `gone`: its address answered 410; `failing`: it accepted nothing for too long; `orphaned`: an
 * installation webhook whose creator is no longer an operator.
 */
export const WEBHOOK_STATES = ['on', 'off', 'gone', 'failing', 'orphaned'] as const
export type WebhookState = (typeof WEBHOOK_STATES)[number]

/** Which log an event is from; `test` is from none. */
export const EVENT_SOURCES = ['audit', 'security', 'test'] as const

/** `pending`: it is tried, or tried again; `failed`: it was given up. */
export const DELIVERY_STATES = ['pending', 'sent', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** Why a delivery had no answer. */
export const DELIVERY_FAULTS = ['timeout', 'unreachable', 'secret', 'event-gone'] as const
export type DeliveryFault = (typeof DELIVERY_FAULTS)[number]

/** A webhook as it is listed; never its secret. Times are ISO 8601 UTC. */
export interface Webhook {
  id: string
  scope: WebhookScope
  url: string
  /** Types of events, or how they begin, with `*` at the end. */
  types: string[]
  state: WebhookState
  /** Since when nothing was accepted. */
  failingSince: string | null
  /** Until when the secret before the last change signs too. */
  formerUntil: string | null
  createdAt: string
  /** Deliveries of the last thirty days. */
  pending: number
  failed: number
}

/** `GET /_fw/webhooks`. */
export interface WebhookList {
  webhooks: Webhook[]
  /** Every type of event that there is for this scope. */
  types: string[]
}

/** A webhook with the secret that its deliveries are signed with, which is shown once. */
export interface WebhookSecret {
  id: string
  secret: string
}

/** One event for one webhook. Times are ISO 8601 UTC. */
export interface WebhookDelivery {
  id: string
  /** The `webhook-id` header of every try. */
  messageId: string
  type: string
  eventAt: string
  state: DeliveryState
  tries: number
  queuedAt: string
  lastTryAt: string | null
  /** When it is tried next; null when it is not. */
  nextTryAt: string | null
  /** The HTTP status of the last answer, and the beginning of its text. */
  status: number | null
  answer: string | null
  durationInMs: number | null
  fault: DeliveryFault | null
}

/** `GET /_fw/webhooks/{id}/deliveries`, the latest first. */
export interface DeliveryPage {
  deliveries: WebhookDelivery[]
  totalItems: number
}
