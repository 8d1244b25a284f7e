/** Names under which secrets stand: their values are never logged, and never shown in a command to copy. */
export const SECRET_NAME =
  /pass(word|phrase)?|secret|token|cookie|authorization|credential|verifier|assertion|api-?key/i
