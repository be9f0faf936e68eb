/** A second factor at the terminal, where the gateway wants one: asked for when it is needed, and by one at a time. */
import type { FactorAnswer } from '@gatehouse/contract/identity/webauthn';
import { printable } from '@gatehouse/contract/std/printable';
import type { Send } from '@gatehouse/contract/wire/client';
import type { Io } from '../command.ts';
import { Failure } from '../runtime/failure.ts';

export interface SecondFactorOptions {
  io: Pick<Io, 'ask' | 'stderr'>;
  /** The user's own calls. */
  send: () => Send;
  /** What it is for: the name of an application, or a change. */
  what: string;
  /** Why it is wanted. */
  needed: string;
  /** What to do where only a browser can ask: keys are not read by a command line. */
  inBrowser: string;
  /** There is a way to give others: Enter alone takes it. */
  isElsewhere?: boolean;
  signal: AbortSignal;
}

export interface SecondFactor {
  /** Tries without one; where the gateway wants one, asks for it and tries again with that. */
  with<Result>(attempt: (factor: FactorAnswer | undefined) => Promise<Result>): Promise<Result>;
}

/** Nobody sits there who could type a code, or whoever does gives another device, and no command line reads those. */
export class NoCode extends Failure {
  override name = 'NoCode';
}

const TRIES = 3;

export function createSecondFactor(options: SecondFactorOptions): SecondFactor {
  const { io, what, signal, needed, inBrowser, isElsewhere } = options;
  const orEnter = isElsewhere ? ', or Enter alone for another device' : '';
  let queue: Promise<unknown> = Promise.resolve();

  async function askFor<Result>(attempt: (factor: FactorAnswer) => Promise<Result>): Promise<Result> {
    await requireCodes(options);
    for (let count = 1; ; count += 1) {
      const typed = await question(io, `Code of your authenticator app, for ${printable(what)}${orEnter}: `, signal);
      if (isElsewhere && typed.trim() === '') throw new NoCode('denied', `${needed}: ${inBrowser} give a code`);
      try {
        return await attempt({ code: typed.replaceAll(/\s/g, '') });
      } catch (error) {
        if (codeOf(error) !== 'bad_request' || count === TRIES) throw error;
        io.stderr(`${printable((error as Error).message)}\n`);
      }
    }
  }

  return {
    async with(attempt) {
      const first = () =>
        attempt(undefined).catch((error: unknown) => {
          if (codeOf(error) !== 'mfa_required') throw error;
          return askFor(attempt);
        });
      // One question at a time: whoever comes second may find that the answer to the first serves them as well.
      const turn = queue.then(first, first);
      queue = turn.catch(() => undefined);
      return await turn;
    },
  };
}

async function requireCodes({ io, send, needed, inBrowser }: SecondFactorOptions): Promise<void> {
  const [{ call }, { mfaRoutes }] = await Promise.all([
    import('@gatehouse/contract/wire/client'),
    import('@gatehouse/contract/identity/mfa'),
  ]);
  if (!io.ask) throw new NoCode('denied', `${needed}: run this in a terminal, where it can ask for one`);
  // A token for scripts is not told what devices its owner has; a code serves it all the same.
  const hasCodes = await call(send(), mfaRoutes.challenge, {}).then(
    ({ totp_challenge }) => totp_challenge,
    (error: unknown) => codeOf(error) === 'denied' || Promise.reject(error),
  );
  if (hasCodes) return;
  throw new NoCode(
    'denied',
    `${needed}, and yours is a key, which only browsers read: ${inBrowser} add an authenticator app to your account for the command line`,
  );
}

async function question(io: Pick<Io, 'ask'>, text: string, signal: AbortSignal): Promise<string> {
  try {
    return (await io.ask?.(text, signal)) ?? '';
  } catch {
    throw new Failure('denied', 'no second factor was given');
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
