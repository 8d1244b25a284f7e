const TEXT = "[\\w.!#$%&'*+/=?^`{|}~-]+"
const LABEL = '[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?'

/** A “valid email address” of HTML, which has the characters of RFC 5322 §3.2.3, in a domain with a dot. */
export const EMAIL_ADDRESS = new RegExp(`^${TEXT}@${LABEL}(?:\\.${LABEL})+$`, 'i')
