/**
 * Paths on servers as they travel: absolute, canonical, and text. A name on a server is bytes that need not be text:
 * each byte that is not is carried by one character of a range nobody writes in, so that every file can be named.
 */
import { z } from 'zod';
import { visibleText } from '../../../std/visible-text.ts';

/** U+F780 to U+F7FF stand for the bytes 0x80 to 0xFF. */
export const RAW_BYTES = { first: 0xf780, last: 0xf7ff, offset: 0xf700 } as const;

export const MAX_PATH_LENGTH = 4_096;
/** As file systems have it; longer ones are refused before they are sent anywhere. */
export const MAX_NAME_LENGTH = 255;
const MAX_SHOWN = 300;

/** Why a path cannot be taken; undefined when it can. */
export function whyNotPath(path: string): string | undefined {
  if (!path.startsWith('/')) return 'must be absolute: begin with /';
  if (path === '/') return undefined;
  return whyNotNames(path.slice(1).split('/'));
}

/** The same for a path below a folder, as browsers give it for the files of a folder that is uploaded. */
export function whyNotRelative(path: string): string | undefined {
  return path === '' ? 'must not be empty' : whyNotNames(path.split('/'));
}

export function whyNotName(name: string): string | undefined {
  return name.includes('/') ? 'must not hold a slash' : whyNotNames([name]);
}

function whyNotNames(names: readonly string[]): string | undefined {
  for (const name of names) {
    if (name === '') return 'must not have an empty part: no doubled slash, and none at the end';
    if (name === '.' || name === '..') return `must not hold '${name}': it may lead out of its folder`;
    if (name.includes('\0')) return 'must not hold a NUL character';
    if (!name.isWellFormed()) return 'must be well-formed text';
    if (name.length > MAX_NAME_LENGTH) return `has a part of more than ${MAX_NAME_LENGTH} characters`;
  }
  return undefined;
}

function checked(why: (path: string) => string | undefined) {
  return z
    .string()
    .max(MAX_PATH_LENGTH)
    .check((given) => {
      const message = why(given.value);
      if (message !== undefined) given.issues.push({ code: 'custom', message, input: given.value });
    });
}

export const filePath = checked(whyNotPath);
export const relativePath = checked(whyNotRelative);
export const fileName = checked(whyNotName);

export function joinPath(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}

/** Folders and names from the root down, for showing where one is. */
export function stepsTo(path: string): { name: string; path: string }[] {
  const names = path === '/' ? [] : path.slice(1).split('/');
  return names.map((name, index) => ({ name, path: `/${names.slice(0, index + 1).join('/')}` }));
}

/** What somebody typed, resolved against the folder they are in: `..`, `~` and doubled slashes go away here, once. */
export function resolvePath(typed: string, { folder, home }: { folder: string; home: string }): string {
  const fromHome = typed === '~' || typed.startsWith('~/');
  const text = fromHome ? `${home}/${typed.slice(1)}` : typed;
  const names: string[] = [];
  for (const part of (text.startsWith('/') ? text : `${folder}/${text}`).split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') names.pop();
    else names.push(part);
  }
  return `/${names.join('/')}`;
}

/** A name as it may be shown: nothing in it turns the direction of text, hides, or breaks the line. */
export function shownName(name: string): string {
  const raw = name.replaceAll(/[\uf780-\uf7ff]/g, (character) => {
    const byte = character.charCodeAt(0) - RAW_BYTES.offset;
    return `\\x${byte.toString(16)}`;
  });
  return visibleText(raw, MAX_SHOWN);
}
