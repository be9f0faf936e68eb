/** A process that draws what hosts of desktops sent, by the client that pages use. What it is fed is hostile: it holds no secret and reaches nobody. */
import { stepBack } from '../../../platform/threads/step-back.ts';
import type { ClientVoice, Picture } from './client-picture.ts';
import { type DrawnPicture, type FromDecoder, type ToDecoder, unpackPdus } from './decoder-messages.ts';
import { lookLikeAPage } from './page-look-alike.ts';
import { RfbPicture } from './rfb-picture.ts';

const MAX_MEMORY_BYTES = 512 * 1024 * 1024;
/** Memory of the client is never given back: with nothing to draw, a new process begins with less. */
const FRESH_MEMORY_BYTES = 320 * 1024 * 1024;

stepBack(Number(process.argv[2]));
lookLikeAPage();
const client = await import('./client-picture.ts');
await client.loadClient();
// It has what it needs.
Reflect.deleteProperty(globalThis, 'fetch');

const pictures = new Map<number, Picture | RfbPicture>();
/** Calls about one picture come one after the other. */
const turns = new Map<number, Promise<void>>();

function voiceOf(picture: number): ClientVoice {
  return {
    said: (bytes) => answer({ type: 'said', picture, bytes }),
    copied: (text) => answer({ type: 'copied', picture, text }),
  };
}

function pictureOf({ size, protocol, speaks }: Extract<ToDecoder, { type: 'begin' }>, picture: number) {
  if (protocol === 'vnc') return new RfbPicture();
  return new client.Picture(size, speaks ? voiceOf(picture) : undefined);
}

async function work(message: ToDecoder): Promise<DrawnPicture | undefined> {
  const { picture: number } = message;
  const picture = pictures.get(number);
  switch (message.type) {
    case 'begin':
      picture?.close();
      pictures.set(number, pictureOf(message, number));
      return undefined;
    case 'feed':
      await picture?.feed(unpackPdus(message.bytes));
      return undefined;
    case 'look':
      if (!picture) throw new Error('nothing was drawn');
      return picture.look(message.form);
    case 'copy':
      if (picture instanceof client.Picture) await picture.copy(message.text);
      return undefined;
    case 'close':
      picture?.close();
      pictures.delete(number);
      return undefined;
    default:
      return message satisfies never;
  }
}

function answer(message: FromDecoder): void {
  process.send?.(message);
}

async function take(message: ToDecoder): Promise<void> {
  try {
    const found = await work(message);
    answer({ type: 'done', id: message.id, ...(found ? { drawn: found } : {}) });
  } catch (error) {
    answer({ type: 'failed', id: message.id, reason: client.reasonOf(error) });
  }
  // A hostile picture must not take the memory of everybody else.
  const most = pictures.size === 0 ? FRESH_MEMORY_BYTES : MAX_MEMORY_BYTES;
  if (process.memoryUsage.rss() > most) process.exit(1);
}

process.on('message', (message: ToDecoder) => {
  const before = turns.get(message.picture) ?? Promise.resolve();
  const turn = before.then(() => take(message));
  turns.set(message.picture, turn);
  if (message.type === 'close') void turn.then(() => turns.delete(message.picture));
});
process.on('disconnect', () => process.exit(0));
