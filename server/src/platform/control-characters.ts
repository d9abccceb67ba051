/** Control characters, which a terminal may act on, and those that change the writing direction. */
export const controlCharacters = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu
