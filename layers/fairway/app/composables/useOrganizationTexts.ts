import texts from '#build/texts/organizations'

/** Loads the texts about organizations. Call it in every component that shows them outside one that already does. */
export const useOrganizationTexts = (): void => useTexts(texts)
