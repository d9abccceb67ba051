/** What a user `u` is called: what stands before the @ of their address, as long as they have no name. Null: one who was removed without. */
export const userName = (u: string) => `coalesce(${u}.name, split_part(${u}.email, '@', 1))`
