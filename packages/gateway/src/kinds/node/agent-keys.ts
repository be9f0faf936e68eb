/** Lets what runs on a server that an agent holds use the keys of whoever it runs for: a socket of the login's there, and a way back for each connection to it. */
import type { Duplex } from 'node:stream';
import { KEYS_MESSAGE_BYTES, KEYS_TARGET, keysSaid } from '@gatehouse/contract/reach/agents/targets';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { readMessage } from '@gatehouse/tunnel/messages';
import type { Resource } from '../../inventory/resource-store.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { joinStreams } from '../../platform/std/join-streams.ts';
import type { Reach } from '../../reach/reach.ts';
import type { Backward } from '../../sessions/backward.ts';
import { explainOldAgent } from './run-command.ts';

/** Of one session. */
const MAX_OPEN = 32;
const READY_MS = 20_000;

export interface OfferedKeys {
  resource: Resource;
  login: string;
  user: string;
  session: string;
  /** The session is over. */
  signal: AbortSignal;
}

/** Call it before anything is run. What cannot be had is told, and what is run goes on without. */
export async function offerBackward(
  reach: Pick<Reach, 'toAgent'>,
  backward: Backward,
  offered: OfferedKeys,
): Promise<void> {
  const { resource, session } = offered;
  const at = { session, server: resource };
  if (backward.x11)
    backward.begun('x11', at, `the agent on '${resource.name}' forwards no X11: that needs a plain sshd`);
  if (!backward.agent) return;
  try {
    await offerKeys(reach, backward.agent, offered);
    backward.begun('agent', at);
  } catch (error) {
    const told = explainOldAgent(error, resource.name, 'forward keys');
    backward.begun(
      'agent',
      at,
      told instanceof AppError ? told.message : `no keys are forwarded: ${errorMessage(told)}`,
    );
  }
}

async function offerKeys(
  reach: Pick<Reach, 'toAgent'>,
  openNear: () => Promise<Duplex>,
  { resource, login, user, session, signal }: OfferedKeys,
): Promise<void> {
  const dial = (more: Record<string, string>) =>
    reach.toAgent(resource, KEYS_TARGET, { who: { user, session }, metadata: { login, ...more }, signal });
  const control = await dial({});
  control.on('error', () => {});
  const forget = whenAborted(signal, () => control.destroy());
  control.once('close', forget);
  const next = (until: AbortSignal) =>
    readMessage(control, keysSaid, { maxBytes: KEYS_MESSAGE_BYTES, signal: until }).then(({ value }) => value);
  const fail = (error: unknown): never => {
    control.destroy();
    throw error;
  };
  const first = await next(AbortSignal.any([signal, AbortSignal.timeout(READY_MS)])).catch(fail);
  if (first.type !== 'ready') fail(new AppError('unavailable', 'the agent breaks the rules of keys'));

  let open = 0;
  const cuts = new Set<() => void>();
  control.once('close', () => {
    for (const cut of cuts) cut();
  });
  const lead = async (connection: string) => {
    // First the far end: without a near one it is closed, and who waits there hears of it.
    const far = await dial({ take: connection });
    far.on('error', () => {});
    try {
      const near = await openNear();
      const cut = joinStreams(near, far, () => {
        open -= 1;
        cuts.delete(cut);
      });
      cuts.add(cut);
      // Over meanwhile: nobody else would cut it.
      if (control.destroyed) cut();
    } catch (error) {
      far.destroy();
      throw error;
    }
  };
  const hear = async () => {
    for (;;) {
      const said = await next(signal);
      if (said.type !== 'came') return;
      // Told of more than it may have open, it has broken its own bound.
      if (open >= MAX_OPEN) return;
      open += 1;
      lead(said.connection).catch(() => {
        open -= 1;
      });
    }
  };
  hear()
    .catch(() => {})
    .finally(() => control.destroy());
}
