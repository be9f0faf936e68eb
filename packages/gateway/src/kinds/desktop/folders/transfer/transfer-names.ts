/** Names of files that a page puts into a transfer folder, made into such as every desktop can have. */
import { isFileName, MAX_NAME_CHARACTERS } from '../../engine/rdp/drive/drive-names.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const FORBIDDEN = /[\u0000-\u001f/\\:*?"<>|\u007f]/gu;
/** With room for a number behind it. */
const MAX_KEPT = MAX_NAME_CHARACTERS - 15;

/** One part of a path. What no desktop could have becomes an underscore, and a name of a device gets one before it. */
export function usableName(said: string): string {
  const clean = said.toWellFormed().normalize('NFC').replaceAll(FORBIDDEN, '_');
  const ended = shortened(clean).replace(/[. ]+$/u, '');
  if (isFileName(ended)) return ended;
  const before = `_${ended}`;
  return isFileName(before) ? before : '_';
}

/** `report (2).txt`. */
export function numberedName(name: string, count: number): string {
  const { stem, ending } = apart(name);
  return `${stem} (${count})${ending}`;
}

/** What it is opened with is told by its ending. */
function shortened(name: string): string {
  if (name.length <= MAX_KEPT) return name;
  const { stem, ending } = apart(name);
  const kept = ending.length > 20 ? '' : ending;
  return (
    stem
      .slice(0, MAX_KEPT - kept.length)
      .toWellFormed()
      .replaceAll('\ufffd', '_') + kept
  );
}

function apart(name: string): { stem: string; ending: string } {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? { stem: name, ending: '' } : { stem: name.slice(0, dot), ending: name.slice(dot) };
}
