/** Text of one line that stands beside other text: nothing in it breaks the line, or turns round what is read next to it. */

/** Controls, halves of characters, ends of lines and paragraphs, and what embeds, overrides or isolates a direction. */
const STEERS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

export const STEERING = 'holds control characters';

/** The same, and what is not seen, in text of several lines that somebody reads to decide about it: it must be what it looks like. Ends of lines, tabs and plain spaces are; others look like spaces, and servers take them for letters. */
const DECEIVES = /(?![\t\n ])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

export function isPlainText(text: string): boolean {
  return !DECEIVES.test(text.replaceAll('\r\n', '\n'));
}

export function isLineText(text: string): boolean {
  return !STEERS.test(text);
}
