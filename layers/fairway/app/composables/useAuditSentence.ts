import type { AuditEntry } from '#fairway/shared/schemas/audit'
import { type AuditNames, auditSentence } from '../audit/audit-sentence'

/** Audit rows as sentences of the chosen language. */
export function useAuditSentence() {
  const { t, te } = useI18n()
  const { language } = useLanguage()
  const texts = { t: (key: string, values = {}) => t(key, values), has: (key: string) => te(key) || te(key, 'en') }
  return (entry: AuditEntry, names: AuditNames) => auditSentence(entry, names, { code: language.value, ...texts })
}
