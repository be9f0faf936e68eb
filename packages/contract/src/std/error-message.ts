/** What a caught value says: anything can be thrown, and most of it is an Error. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
