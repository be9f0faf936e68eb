/** The thread that draws the screens of open sessions, so that no terminal waits for a picture. */
import { parentPort } from 'node:worker_threads';
import { DrawnScreen } from './drawn-screen.ts';
import type { PictureReply, PictureRequest } from './picture-messages.ts';

const port = parentPort!;
const screens = new Map<string, DrawnScreen>();

port.on('message', (request: PictureRequest | 'close') => {
  if (request === 'close') port.close();
  else if (request.type === 'draw') void draw(request);
  else forget(request.sid);
});

function forget(sid: string): void {
  screens.get(sid)?.dispose();
  screens.delete(sid);
}

async function draw({ sid, isFresh, parts, size }: Extract<PictureRequest, { type: 'draw' }>): Promise<void> {
  if (isFresh) forget(sid);
  const screen = screens.get(sid) ?? new DrawnScreen(parts[0] ?? size);
  screens.set(sid, screen);
  for (const { bytes, ...each } of parts) {
    screen.resize(each);
    await screen.write(bytes);
  }
  screen.resize(size);
  port.postMessage({ sid, ...screen.draw() } satisfies PictureReply);
}
