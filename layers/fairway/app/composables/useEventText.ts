interface EventFacts {
  kind: string
  /** The provider, passkey or token that it is about. */
  subject?: string | null
  reason?: string | null
}

/** Turns a security event into one short sentence, in the language of the interface; what says more stands behind it. */
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
