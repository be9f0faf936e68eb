/** Text of one line that stands beside other text: nothing in it breaks the line, or turns round what is read next to it. */

/** Controls, halves of characters, ends of lines and paragraphs, and what embeds, overrides or isolates a direction. */
const STEERS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

export const STEERING = 'holds control characters';

export function isLineText(text: string): boolean {
  return !STEERS.test(text);
}
