/**
 * Texts about a contact that are kept as they are given. A new one needs a line here and a nullable column of this name:
 * the API takes and shows it, the app has a field for it, and the types fail where the column is missing. Apart from the
 * schemas, so that the app does not load them.
 */
export const contactTextNames = { firstName: 'First name', lastName: 'Last name' }

export type ContactText = keyof typeof contactTextNames
export const contactTexts = Object.keys(contactTextNames) as ContactText[]
