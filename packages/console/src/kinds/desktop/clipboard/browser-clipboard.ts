/** The clipboard of this machine, as far as the browser lets a page at it. */
import { MAX_CLIPBOARD_BYTES } from '@gatehouse/contract/sessions/desktop-frames';
import type { Copied } from '../../../shared/desktop-picture/picture-client.ts';

/** What somebody pastes into the page, in the forms that go on. */
export async function copiedIn(data: DataTransfer | null): Promise<Copied | undefined> {
  if (!data) return undefined;
  const copied: Copied = {};
  const text = data.getData('text/plain');
  const html = data.getData('text/html');
  if (text) copied.text = text;
  if (html) copied.html = html;
  const picture = [...data.files].find(({ type }) => type === 'image/png');
  if (picture) copied.png = new Uint8Array(await picture.arrayBuffer());
  return Object.keys(copied).length > 0 ? copied : undefined;
}

/** Read without asking: only where somebody has said before that the page may. */
export async function readQuietly(): Promise<Copied | undefined> {
  try {
    const asked = await navigator.permissions?.query({ name: 'clipboard-read' as PermissionName });
    if (asked?.state !== 'granted' || !document.hasFocus()) return undefined;
    const text = await navigator.clipboard.readText();
    return text ? { text } : undefined;
  } catch {
    // Firefox and Safari know no such permission: there the keys for pasting bring it.
    return undefined;
  }
}

/** Asks the person, where the browser wants that. Undefined where they refuse, or where it cannot. */
export async function readAsking(): Promise<string | undefined> {
  try {
    return await navigator.clipboard.readText();
  } catch {
    return undefined;
  }
}

/** Whether it is there now. Browsers refuse without focus, and some without a key just pressed. */
export async function writeCopied({ text, html, png }: Copied): Promise<boolean> {
  try {
    if (html === undefined && png === undefined) {
      if (text === undefined) return false;
      await navigator.clipboard.writeText(text);
      return true;
    }
    const parts = Object.entries({ 'text/plain': text, 'text/html': html, 'image/png': png });
    const blobs = parts.flatMap(([type, part]) =>
      part === undefined ? [] : [[type, new Blob([part], { type })] as const],
    );
    await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))]);
    return true;
  } catch {
    return false;
  }
}

/** The gateway refuses more: said before it is sent, with the size. */
export function bytesOf({ text = '', html = '', png }: Copied): number {
  const encoder = new TextEncoder();
  return Math.max(encoder.encode(text).length, encoder.encode(html).length, png?.length ?? 0);
}

export function isTooLarge(copied: Copied): boolean {
  // Text goes as UTF-16 there.
  return Math.max(bytesOf(copied), 2 * (copied.text?.length ?? 0)) > MAX_CLIPBOARD_BYTES;
}
