import type { AuditOutcome } from '#fairway/shared/schemas/audit'

/** Only unusual outcomes have a mark: amber for a refusal, red for a failure. */
export const AUDIT_MARKS = {
  asked: { color: 'neutral', icon: 'i-lucide-info' },
  denied: { color: 'warning', icon: 'i-lucide-ban' },
  failed: { color: 'error', icon: 'i-lucide-circle-x' },
} as const satisfies Partial<Record<AuditOutcome, { color: string; icon: string }>>
