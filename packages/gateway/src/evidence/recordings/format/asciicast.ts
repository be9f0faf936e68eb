/** A recording as asciicast v2, which other players read: a line with the facts, then one for each thing that happened. */

import type { RecordingSource } from '../stores/recording-store.ts';
import { findFrames, type RecordedItem, readItems, UnreadableFrame } from './read-recording.ts';

/** Ends at the first frame that cannot be read: half of it is better than none. */
export async function* toAsciicast(source: RecordingSource): AsyncGenerator<string> {
  const output = new TextDecoder('utf-8');
  let hasHead = false;
  const held: RecordedItem[] = [];
  for await (const frame of findFrames(source)) {
    const items = await readItems(source, frame).catch((error: unknown) => {
      if (error instanceof UnreadableFrame) return undefined;
      throw error;
    });
    if (!items) break;
    held.push(...items);
    // The head tells the size, which may come in a later frame than the facts.
    if (!hasHead && !held.some(({ type }) => type === 'size') && held.length < 10_000) continue;
    let lines = '';
    if (!hasHead) lines += headOf(held);
    hasHead = true;
    for (const item of held.splice(0)) lines += lineOf(item, output);
    if (lines) yield lines;
  }
  if (!hasHead) yield headOf(held) + held.map((item) => lineOf(item, output)).join('');
}

function headOf(items: readonly RecordedItem[]): string {
  const facts = items.find((item) => item.type === 'facts')?.facts;
  const size = items.find((item) => item.type === 'size');
  return json({
    version: 2,
    width: size?.cols ?? 80,
    height: size?.rows ?? 24,
    ...(facts && {
      timestamp: Math.trunc(facts.started / 1000),
      title: `${facts.user}: ${facts.login}@${facts.resource.name}`,
    }),
  });
}

/** Characters that a frame cuts in two are put together by the decoder. */
function lineOf(item: RecordedItem, output: TextDecoder): string {
  const seconds = item.ms / 1000;
  switch (item.type) {
    case 'output': {
      const text = output.decode(item.bytes, { stream: true });
      return text === '' ? '' : json([seconds, 'o', text]);
    }
    case 'input':
      return json([seconds, 'i', item.bytes.toString('utf8')]);
    case 'size':
      return json([seconds, 'r', `${item.cols}x${item.rows}`]);
    case 'join':
      return json([seconds, 'm', `${item.user} joined as ${item.mode}`]);
    case 'leave':
      return json([seconds, 'm', `${item.user} left`]);
    case 'gap':
      return json([seconds, 'm', `${item.to - item.from} bytes are missing`]);
    case 'end':
      return json([seconds, 'm', `ended: ${item.message}`]);
    case 'facts':
    // Other players have nothing to draw them by; they are taken out in forms of their own.
    case 'asked':
    case 'answered':
    case 'sample':
    case 'pointer':
    case 'segment':
    case 'note':
      return '';
    default:
      return item satisfies never;
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
