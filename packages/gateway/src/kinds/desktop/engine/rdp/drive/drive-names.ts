/** Paths and names as hosts say them, made into those of a shared folder. What could name anything outside of it, or a device, is none. */
import { MAX_PATH_BYTES } from '@gatehouse/contract/sessions/directory-messages';

export const MAX_NAME_CHARACTERS = 255;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const FORBIDDEN = /[\u0000-\u001f/\\:*?"<>|\u007f]/u;
/** Windows opens a device under these names in every folder, whatever follows a dot. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:[ .].*)?$/iu;

export function isFileName(name: string): boolean {
  if (name === '' || name.length > MAX_NAME_CHARACTERS || name === '.' || name === '..') return false;
  // Windows drops both from the end: two names would be one file.
  if (name.endsWith('.') || name.endsWith(' ')) return false;
  return name.isWellFormed() && !FORBIDDEN.test(name) && !DEVICE.test(name);
}

/** As a host says it: Windows with backslashes, others sometimes with slashes. Undefined: it names nothing that could be there. */
export function readDrivePath(said: string): string | undefined {
  const parts = partsOf(said.replaceAll('/', '\\'));
  if (!parts.every(isFileName)) return undefined;
  const path = parts.join('/');
  return Buffer.byteLength(path) > MAX_PATH_BYTES ? undefined : path;
}

function partsOf(said: string): string[] {
  const inside = said.startsWith('\\') ? said.slice(1) : said;
  const bare = inside.endsWith('\\') ? inside.slice(0, -1) : inside;
  return bare === '' ? [] : bare.split('\\');
}

/** The last part of what a host lists: which names it wants. */
export function readPattern(said: string): string {
  return said.slice(Math.max(said.lastIndexOf('\\'), said.lastIndexOf('/')) + 1);
}

/** `*` and `?`, and the three by which Windows itself says them to drives. In a time that no pattern can stretch. */
export function matchesPattern(name: string, pattern: string): boolean {
  const wanted = pattern === '*.*' ? '*' : pattern.toLowerCase().slice(0, MAX_NAME_CHARACTERS);
  const given = name.toLowerCase();
  let [at, from, star, taken] = [0, 0, -1, 0];
  while (at < given.length) {
    const sign = wanted[from];
    if (sign === '*' || sign === '<') {
      star = from;
      from += 1;
      taken = at;
    } else if (sign !== undefined && isOne(sign, given[at]!)) {
      at += 1;
      from += 1;
    } else if (star >= 0) {
      taken += 1;
      at = taken;
      from = star + 1;
    } else return false;
  }
  return [...wanted.slice(from)].every((sign) => sign === '*' || sign === '<' || sign === '>');
}

function isOne(sign: string, given: string): boolean {
  return sign === given || sign === '?' || sign === '>' || (sign === '"' && given === '.');
}

/** By which old programs know a drive: seven letters. */
export function shortDriveName(name: string): string {
  const letters = name.normalize('NFKD').replace(/[^A-Za-z0-9_-]/gu, '');
  return letters.slice(0, 7).toUpperCase() || 'FOLDER';
}
