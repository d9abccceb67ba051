/** The name of the contact `p` in SQL; null when it has none. */
export const fullName = (p: string) => `nullif(trim(concat_ws(' ', ${p}.first_name, ${p}.last_name)), '')`
