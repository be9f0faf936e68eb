/** The thread that plays the screens of open sessions, so that no terminal waits for a picture. */
import { parentPort } from 'node:worker_threads';
import type { ScreenReply, ScreenRequest } from './screen-messages.ts';
import { type FirstPicture, SessionScreen } from './session-screen.ts';

/** As many lines above the screen as a page keeps through a reload. */
const SCROLLBACK = 1_000;
/** Played on at once; the others are kept as what draws them. */
const MAX_LIVE = 48;
const MAX_KEPT = 1_000;
/** Ends whatever sequence the output before a gap was in. */
const CANCEL = Buffer.from('\x18');

const port = parentPort!;
/** The last used is the last. */
const live = new Map<string, SessionScreen>();
const kept = new Map<string, FirstPicture>();
let working = Promise.resolve();

port.on('message', (request: ScreenRequest | 'close') => {
  if (request === 'close') port.close();
  else if (request.type === 'forget') working = working.then(() => forget(request.sid));
  else working = working.then(() => play(request));
});

function forget(sid: string): void {
  live.get(sid)?.dispose();
  live.delete(sid);
  kept.delete(sid);
}

async function play(request: Extract<ScreenRequest, { type: 'play' }>): Promise<void> {
  const { id, sid, isFresh, isApart, parts, size, want } = request;
  if (isFresh) forget(sid);
  const screen = await open(sid, parts[0] ?? size);
  if (isApart) await screen.write(CANCEL);
  for (const { bytes, ...each } of parts) {
    screen.resize(each);
    await screen.write(bytes);
  }
  screen.resize(size);
  const reply: ScreenReply = { id };
  if (want === 'rows') reply.rows = screen.draw();
  const picture = want === 'picture' ? screen.picture() : undefined;
  if (picture) reply.picture = picture;
  const lost = await makeRoom(sid);
  if (lost !== undefined) reply.lost = lost;
  port.postMessage(reply);
}

async function open(sid: string, size: { cols: number; rows: number }): Promise<SessionScreen> {
  const before = kept.get(sid);
  const known = live.get(sid);
  const screen = known ?? new SessionScreen(before ?? size, SCROLLBACK);
  if (before && !known) await screen.write(Buffer.from(before.ansi));
  kept.delete(sid);
  live.delete(sid);
  live.set(sid, screen);
  return screen;
}

/** In the middle of a sequence it stays: that no drawing tells. */
async function makeRoom(current: string): Promise<string | undefined> {
  if (live.size <= MAX_LIVE) return undefined;
  for (const [sid, screen] of live) {
    if (sid === current) continue;
    const picture = screen.picture();
    if (picture && picture.open > 0) continue;
    live.delete(sid);
    screen.dispose();
    if (!picture) return sid;
    kept.set(sid, picture);
    break;
  }
  if (kept.size <= MAX_KEPT) return undefined;
  const [oldest] = kept.keys();
  if (oldest !== undefined) kept.delete(oldest);
  return oldest;
}
