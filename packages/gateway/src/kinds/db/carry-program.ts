/** A session whose program holds a connection of its own, with TLS of ours: what moves on it keeps the session, and with the session it is cut, after the reason was said. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { HostedSession } from '../../sessions/host/hosted-session.ts';
import type { Served } from './served.ts';

const LAST_WORDS_MS = 1_500;
const LOOK_EVERY_MS = 5_000;

/** Since the last look. What a database says by itself is no sign of a person: a sign-in would never rest beside one that talks. */
export function lookAtBytes(client: Pick<TLSSocket, 'bytesRead' | 'bytesWritten'>) {
  let [read, written] = [0, 0];
  return (): { hasSpoken: boolean; hasMoved: boolean } => {
    const hasSpoken = client.bytesRead !== read;
    const hasMoved = hasSpoken || client.bytesWritten !== written;
    [read, written] = [client.bytesRead, client.bytesWritten];
    return { hasSpoken, hasMoved };
  };
}

/** `active`: the person did something. */
export function carryProgram(
  client: TLSSocket,
  hosted: HostedSession,
  active: () => void,
  served: Pick<Served, 'end' | 'isBusy'>,
): void {
  const look = lookAtBytes(client);
  const timer = setInterval(() => {
    const { hasSpoken, hasMoved } = look();
    if (hasSpoken) active();
    if (hasMoved || served.isBusy()) hosted.active(hosted.id);
  }, LOOK_EVERY_MS).unref();
  client.on('close', () => hosted.finish({ cause: 'closed', message: 'the client left' }));
  whenAborted(hosted.signal, () => {
    clearInterval(timer);
    const cut = () => client.destroy();
    void Promise.race([served.end(hosted.end?.message ?? 'the session is over'), sleep(LAST_WORDS_MS)]).then(cut, cut);
  });
}
