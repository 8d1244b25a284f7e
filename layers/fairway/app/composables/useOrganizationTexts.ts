import texts from '#build/texts/organizations'

/** The texts about organizations; whatever shows some of them and is not inside something that does calls this. */
export const useOrganizationTexts = (): void => useTexts(texts)
