/** Finds what we wrote in a line of a sink's copy: as it is in files and bodies of webhooks, behind its head in syslog. */
import { type SignedCheckpoint, signedCheckpoint } from '@gatehouse/contract/audit/search';

/** How our JSON begins. What a user chose cannot look like it in a syslog head, where quotes are escaped. */
const BEGINNING = /\{"(?:ei|checkpoint)":/;
const COUNTED = /^(\d{1,8}) </;
const CHECKPOINT = '{"checkpoint":';

/** One line may be a whole stream of counted syslog messages, which have no line ends between them. */
export function textsIn(line: string): string[] {
  if (line.startsWith('{')) return [line];
  if (!COUNTED.test(line)) return [afterHead(line)];
  const texts: string[] = [];
  let rest = Buffer.from(line);
  while (rest.length > 0) {
    const count = COUNTED.exec(rest.subarray(0, 16).toString('latin1'))?.[1];
    if (count === undefined) return [...texts, rest.toString()];
    const [from, to] = [count.length + 1, count.length + 1 + Number(count)];
    texts.push(afterHead(rest.subarray(from, to).toString()));
    rest = rest.subarray(to);
  }
  return texts;
}

export function checkpointIn(text: string): SignedCheckpoint | undefined {
  if (!text.startsWith(CHECKPOINT)) return undefined;
  try {
    return signedCheckpoint.parse((JSON.parse(text) as { checkpoint: unknown }).checkpoint);
  } catch {
    return undefined;
  }
}

function afterHead(line: string): string {
  const at = BEGINNING.exec(line)?.index ?? 0;
  return line.slice(at);
}
