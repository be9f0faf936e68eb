/** Makes text from elsewhere safe to show: an alert or a name must not be able to steer the reader's terminal. */

/** Control characters, and marks that turn the direction of text round, as visible escapes. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
