/** How long a password may be, in bytes of UTF-8. Without a schema: the page on which one is chosen carries no zod. */

export const MIN_PASSWORD_BYTES = 6;
export const MAX_PASSWORD_BYTES = 128;
