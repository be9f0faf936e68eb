/** Text of one line that stands beside other text: nothing in it breaks the line, or turns round what is read next to it. */

/** Controls, halves of characters, ends of lines and paragraphs, and what embeds, overrides or isolates a direction. */
const STEERS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

export const STEERING = 'holds control characters';

/** The same, and what is not seen, in text of several lines that somebody reads to decide about it: it must be what it looks like. Ends of lines and tabs are. */
const DECEIVES = /(?![\t\n])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

export function isPlainText(text: string): boolean {
  return !DECEIVES.test(text.replaceAll('\r\n', '\n'));
}

export function isLineText(text: string): boolean {
  return !STEERS.test(text);
}
