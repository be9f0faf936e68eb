/** The socket on which a console hears what changes for its user: alerts, its own account, the end of its sign-in. */
import { CHANGES_SOCKET, type ChangeFrame } from '@gatehouse/contract/auth/change-frames';
import { z } from 'zod';
import type { ChangeFeed } from '../../changes/change-feed.ts';
import type { Change } from '../../changes/change-store.ts';
import type { SocketDoor } from '../../http/socket-door.ts';
import { acceptWithHello, type SocketSignIns } from './signed-in-socket.ts';

const ofUser = z.object({ user: z.string() });

export function serveChangesSocket(door: SocketDoor, feed: ChangeFeed, signIns: SocketSignIns): void {
  door.add(CHANGES_SOCKET, async (request, accept) => {
    const opened = await acceptWithHello(signIns, request, accept);
    if (!opened) return;
    const { socket, live } = opened;
    const send = (frame: ChangeFrame) => socket.send(JSON.stringify(frame));
    const subscription = feed.subscribe(['alert', 'user', 'sign-in'], {
      change: (change) => {
        const frame = frameFor(change, live.user.name);
        if (frame) send(frame);
      },
      gap: () => {
        send({ type: 'alerts' });
        send({ type: 'user' });
      },
    });
    opened.onEnd((reason) => send({ type: 'ended', reason }));
    socket.on('close', () => subscription.close());
    // It only listens; whatever else a client says here is ignored.
    socket.on('message', () => undefined);
    send({ type: 'ready' });
  });
}

/** Notices only: what a user may not see is not asked for here, and each asks for what they may. */
function frameFor({ topic, id, data }: Change, username: string): ChangeFrame | undefined {
  if (topic === 'alert') return { type: 'alerts' };
  if (topic === 'user') return id === username ? { type: 'user' } : undefined;
  return ofUser.safeParse(data).data?.user === username ? { type: 'user' } : undefined;
}
