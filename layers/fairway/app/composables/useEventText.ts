interface EventFacts {
  kind: string
  /** The provider, passkey or token that the event is about. */
  subject?: string | null
  reason?: string | null
}

/** Describes a security event in one short sentence, in the interface language. Details follow after it. */
export function useEventText() {
  const { t, te } = useI18n()

  const reasonOf = ({ kind, reason }: EventFacts): string => {
    if (kind === 'sessions-revoked') return t('securityEvents.sessions', Number(reason) || 1)
    const key = `securityEvents.reasons.${reason}`
    return kind !== 'new-device' && reason && te(key) ? t(key) : ''
  }

  return (event: EventFacts): string => {
    const key = `securityEvents.kinds.${event.kind}`
    const sentence = te(key) ? t(key) : event.kind
    const more = event.subject || reasonOf(event)
    return more ? t('securityEvents.about', { sentence, more }) : sentence
  }
}
