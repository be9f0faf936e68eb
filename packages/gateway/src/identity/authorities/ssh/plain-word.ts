/** One word in a log, whatever somebody is called. */
export function plainWord(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9._@+-]/gu, (character) => encodeURIComponent(character.toWellFormed()));
}
