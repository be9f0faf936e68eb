/** What is pasted: which of it a shell would run at once, and what of it nobody meant to type. */

/** Controls other than Tab and line ends: an escape could end a bracketed paste and begin commands. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

export interface Paste {
  text: string;
  lines: number;
  /** Characters that nobody sees were in it; they are gone. */
  hadControls: boolean;
}

export function readPaste(given: string): Paste {
  const text = given.replaceAll(CONTROLS, '');
  // Line ends at the very end make no further line. Not by a pattern: one for the last of many is tried from each of them.
  let end = text.length;
  while (end > 0 && '\r\n'.includes(text[end - 1]!)) end -= 1;
  const lines = text.slice(0, end).split(/\r\n|\r|\n/).length;
  return { text, lines, hadControls: text.length !== given.length };
}

/** Whether a person should see it before the shell does. */
export function needsWarning({ lines, hadControls }: Paste): boolean {
  return lines > 1 || hadControls;
}

/** Commands that belong together stay apart by a space; none of them runs before Enter is pressed. */
export function asOneLine(text: string): string {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
}
