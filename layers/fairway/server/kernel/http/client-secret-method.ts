/** How a client proves itself at a token endpoint: its secret in a header, in the form, or with no secret at all. */
export type ClientAuthentication = 'basic' | 'post' | 'none'

/** How the secret is sent: as declared; else in form fields, unless the issuer announces the header alone (`token_endpoint_auth_methods_supported`). */
export function clientSecretMethod(
  declared: ClientAuthentication | undefined,
  announced: readonly string[] | undefined,
): ClientAuthentication {
  if (declared) return declared
  return announced?.includes('client_secret_basic') && !announced.includes('client_secret_post') ? 'basic' : 'post'
}
