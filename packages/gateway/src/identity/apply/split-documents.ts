/** Takes a text of many YAML documents apart, keeping each as its author wrote it. */
import { MAX_DOCUMENTS } from '@gatehouse/contract/access/apply/apply';
import { AppError } from '../../platform/std/app-error.ts';

export interface DocumentText {
  text: string;
  /** Where it begins in the whole text, from 1. */
  line: number;
}

/** At the beginning of a line these are markers wherever they stand, also within text of several lines. */
const MARKER = /^(---|\.\.\.)(?:\s+|$)/;

export function splitDocuments(text: string): DocumentText[] {
  const found: DocumentText[] = [];
  let lines: string[] = [];
  let begins = 1;
  const close = () => {
    if (lines.some(isContent)) found.push({ text: `${lines.join('\n').trimEnd()}\n`, line: begins });
  };
  for (const [index, line] of text.replaceAll('\r\n', '\n').split('\n').entries()) {
    const marker = MARKER.exec(line);
    if (!marker) {
      lines.push(line);
      continue;
    }
    close();
    const rest = line.slice(marker[0].length);
    lines = rest === '' ? [] : [rest];
    begins = rest === '' ? index + 2 : index + 1;
  }
  close();
  if (found.length === 0) throw new AppError('bad_request', 'there is no document in the text');
  if (found.length > MAX_DOCUMENTS)
    throw new AppError('bad_request', `there are ${found.length} documents: at most ${MAX_DOCUMENTS} at once`);
  return found;
}

function isContent(line: string): boolean {
  return /\S/.test(line) && !/^\s*#/.test(line);
}

/** One document without its marker: what two writings of it are compared by. */
export function bareText(content: string): string {
  try {
    const [only, second] = splitDocuments(content);
    return second === undefined ? (only?.text ?? content) : content;
  } catch {
    return content;
  }
}
