/** Changes that want a proof of the last minutes: where the gateway asks for one, whoever sits at the terminal gives it, and the change is tried again. */
import type { Send } from '@gatehouse/contract/wire/client';
import type { Io } from '../command.ts';
import { Failure } from '../runtime/failure.ts';
import { createSecondFactor } from './second-factor.ts';

const TRIES = 3;

export async function withFreshProof<Result>(io: Io, send: Send, change: () => Promise<Result>): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    if (!isAboutProof(error)) throw error;
    if (error.fields?.reason === 'password') await provePassword(io, send, error);
    else await proveFactor(io, send, error);
  }
  return await change();
}

type AboutProof = Error & { fields?: { reason?: unknown } };

function isAboutProof(error: unknown): error is AboutProof {
  return error instanceof Error && 'code' in error && error.code === 'mfa_required';
}

async function proveFactor(io: Io, send: Send, wanted: AboutProof): Promise<void> {
  const [{ call }, { passwordRoutes }] = await Promise.all([
    import('@gatehouse/contract/wire/client'),
    import('@gatehouse/contract/identity/passwords'),
  ]);
  const factor = createSecondFactor({
    io,
    send: () => send,
    what: 'this change',
    needed: 'the gateway wants a second factor for this change',
    inBrowser: 'make the change in the console, or',
    signal: new AbortController().signal,
  });
  await factor.with(async (given) => {
    if (!given?.code) throw wanted;
    await call(send, passwordRoutes.createPrivilegeToken, { body: { secondFactorToken: given.code } });
  });
}

/** Of somebody who has no device: the gateway asks for what they have. */
async function provePassword(io: Io, send: Send, wanted: AboutProof): Promise<void> {
  const [{ call }, { mfaRoutes }] = await Promise.all([
    import('@gatehouse/contract/wire/client'),
    import('@gatehouse/contract/identity/mfa'),
  ]);
  if (!io.askSecret) throw new Failure('denied', `${wanted.message}: run this in a terminal, where it can ask for it`);
  for (let count = 1; ; count += 1) {
    const pass = await io.askSecret('Your password at the gateway, for this change: ');
    if (pass === '') throw new Failure('denied', 'no password was given');
    try {
      await call(send, mfaRoutes.challengeWithPassword, { body: { pass } });
      return;
    } catch (error) {
      if (count === TRIES || !(error instanceof Error && 'code' in error && error.code === 'bad_request')) throw error;
      io.stderr(`${error.message}\n`);
    }
  }
}
