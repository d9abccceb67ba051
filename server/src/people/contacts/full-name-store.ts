/** In SQL: the name of the contact `p`; null when it has none. */
export const fullName = (p: string) => `nullif(trim(concat_ws(' ', ${p}.first_name, ${p}.last_name)), '')`
