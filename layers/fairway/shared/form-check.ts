/** The minimum age of a public form's ticket when the form is sent: people take longer to fill one in. */
export const FORM_TICKET_AGE_IN_MS = 3000
/** The age at which a page requests a new ticket; the server still accepts older ones (server/kernel/limits/form-check). */
export const FORM_TICKET_RENEWED_AFTER_IN_MS = 60 * 60 * 1000
