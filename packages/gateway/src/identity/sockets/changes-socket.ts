/** The socket on which a console hears what changes for its user: alerts, resources, its own account, the end of its sign-in. */
import { CHANGES_SOCKET, type ChangeFrame } from '@gatehouse/contract/identity/change-frames';
import { z } from 'zod';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import type { Change } from '../../platform/change-feed/change-store.ts';
import { SparingSocket } from '../../platform/http/sparing-socket.ts';
import { seldom } from '../../platform/std/seldom.ts';
import { HEADLESS_TOPIC } from '../headless/headless-store.ts';
import type { Sockets } from './sockets.ts';

const ofUser = z.object({ user: z.string() });
/** A fleet that starts at once is one notice to each console, not thousands. */
const RESOURCES_EVERY_MS = 1_000;

/** `onAccessChange` calls back once changed roles and locks count: asked sooner, the gateway would answer with the old ones. */
export function serveChangesSocket(
  sockets: Sockets,
  feed: ChangeFeed,
  onAccessChange: (listener: () => void) => () => void,
): void {
  sockets.add(CHANGES_SOCKET, 'hello', ({ socket, caller, asked, onEnd }) => {
    // Coming here is asking: it only listens, and hears of no more than that something of theirs has changed.
    asked();
    const sparing = new SparingSocket(socket);
    // None says more than that something has changed: the newest of each kind is all of them.
    const send = (frame: ChangeFrame) => sparing.latest(frame.type, () => JSON.stringify(frame));
    const resources = seldom(() => send({ type: 'resources' }), RESOURCES_EVERY_MS);
    const subscription = feed.subscribe(['alert', 'user', 'sign-in', 'resource', HEADLESS_TOPIC], {
      change: (change) => {
        if (change.topic === 'resource') return resources.tell();
        const frame = frameFor(change, caller.username);
        if (frame) send(frame);
      },
      gap: () => {
        send({ type: 'alerts' });
        send({ type: 'user' });
        send({ type: 'headless' });
        resources.tell();
      },
    });
    const forget = onAccessChange(() => send({ type: 'user' }));
    onEnd((reason) => send({ type: 'ended', reason }));
    socket.on('close', () => {
      subscription.close();
      resources.stop();
      forget();
    });
    // It only listens; whatever else a client says here is ignored.
    socket.on('message', () => undefined);
    send({ type: 'ready' });
  });
}

/** Notices only: what a user may not see is not asked for here, and each asks for what they may. */
function frameFor({ topic, id, data }: Change, username: string): ChangeFrame | undefined {
  if (topic === 'alert') return { type: 'alerts' };
  if (topic === 'user') return id === username ? { type: 'user' } : undefined;
  if (ofUser.safeParse(data).data?.user !== username) return undefined;
  return { type: topic === HEADLESS_TOPIC ? 'headless' : 'user' };
}
