/** What a server may make a browser's terminal do: its output is never trusted with the clipboard, the page or the keyboard. */

const MAX_TITLE = 80;
/** Controls, and characters that turn the direction of what follows or are not seen at all. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** A title as it may stand in a tab. */
export function safeTitle(title: string): string {
  const clean = title.replaceAll(UNSEEN, '').trim();
  return clean.length > MAX_TITLE ? `${clean.slice(0, MAX_TITLE - 1)}…` : clean;
}

const MAX_CLIPBOARD = 100_000;
/** As a program names it, with what stands before. */
export const CLIPBOARD_NAMED = 2 * MAX_CLIPBOARD + 64;

/** The text that OSC 52 wants to put on the clipboard; nothing when it wants to read it, or says nonsense. */
export function clipboardText(data: string): string | undefined {
  const [, encoded] = /^[cps0-7]*;([A-Za-z0-9+/=\s]*)$/.exec(data) ?? [];
  if (!encoded || encoded.length > MAX_CLIPBOARD * 2) return undefined;
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text === '' || text.length > MAX_CLIPBOARD ? undefined : text;
  } catch {
    return undefined;
  }
}

/**
 * True for what a terminal answers by itself: where the cursor is, what it is, which colour. Output that is shown once more,
 * or to several people, must not make their terminals type.
 */
export function isReply(data: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: replies begin with one
  return /^\u001b(?:\[[?>=]?[\d;]*(?:[cnR]|\$y|x|t)|[P\]])/.test(data);
}

const OPENED = new Set(['http:', 'https:']);

/** An address that a click may open. */
export function safeLink(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return OPENED.has(protocol) ? href : undefined;
}
