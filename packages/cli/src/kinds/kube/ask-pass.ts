/** Gets a pass for a Kubernetes cluster from the gateway, for all commands of this user that wait for one. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FactorAnswer } from '@gatehouse/contract/identity/webauthn';
import type { KubePass } from '@gatehouse/contract/kinds/kube/kube-pass';
import { printable } from '@gatehouse/contract/std/printable';
import type { Io } from '../../command.ts';
import { sendIn } from '../../gateway/in-cluster.ts';
import { parseOrigin, remoteSend } from '../../gateway/remote-gateway.ts';
import { CURRENT } from '../../gateway/resolve-gateway.ts';
import { EXIT_CODES, type ExitName, exitCode } from '../../runtime/exit-codes.ts';
import { Failure, toFailure } from '../../runtime/failure.ts';
import { LOOK_EVERY_MS, MAX_WAIT_MS } from './credentials.ts';
import {
  failureSince,
  type KeptPass,
  keepPass,
  noteFailure,
  noteQuestion,
  type PassOwner,
  passFile,
  questionTeller,
  readPass,
  takeLock,
} from './pass-cache.ts';
import { noteRefused, programThatAsks } from './refused-programs.ts';

/** So long before its end nobody is given it any more, that no request begins with one that ends on the way. */
const MARGIN_MS = 60_000;

/**
 * `than`: when the one was given that is not good enough. Of those who ask at once one asks the gateway; the others wait, and have what
 * came of it.
 */
export async function askForPass(io: Io, owner: PassOwner, than = 0): Promise<{ file: string; pass: KeptPass }> {
  const file = passFile(io.env, owner);
  const begun = Date.now();
  const tellQuestion = questionTeller(file, (text) => io.stderr(text));
  for (;;) {
    const kept = readPass(file, Date.now());
    if (kept && kept.given > than) return { file, pass: kept };
    const failed = failureSince(file, begun);
    if (failed?.isAnswer) noteRefused(file, programThatAsks(io.env, process.ppid), failed);
    if (failed) throw new Failure(exitName(failed.code), failed.message);
    const lock = takeLock(file);
    if (lock) {
      try {
        // Whoever had it before may just have been done.
        const meanwhile = readPass(file, Date.now());
        if (meanwhile && meanwhile.given > than) return { file, pass: meanwhile };
        const pass = await ask(io, file, owner);
        keepPass(file, pass);
        return { file, pass };
      } catch (error) {
        const { message, exit } = toFailure(error);
        const failure = { message: printable(message), code: exitCode(exit), isAnswer: error instanceof NotApproved };
        noteFailure(file, failure);
        if (failure.isAnswer) noteRefused(file, programThatAsks(io.env, process.ppid), failure);
        throw error;
      } finally {
        lock.release();
      }
    }
    if (Date.now() - begun > MAX_WAIT_MS)
      throw new Failure(
        'failed',
        `another gatehouse command has been asking for '${printable(owner.name)}' for too long`,
      );
    tellQuestion();
    await sleep(LOOK_EVERY_MS);
  }
}

async function ask(io: Io, file: string, { origin: typed, credential, name, cluster }: PassOwner): Promise<KeptPass> {
  const [{ call }, { kubePassRoutes }, { createSecondFactor, NoCode }] = await Promise.all([
    import('@gatehouse/contract/wire/client'),
    import('@gatehouse/contract/kinds/kube/kube-pass'),
    import('../../input/second-factor.ts'),
  ]);
  const origin = parseOrigin(typed);
  const own = remoteSend(origin, credential);
  const send = cluster === undefined ? own : sendIn(cluster, own);
  const more = cluster === undefined ? '' : ` --cluster ${printable(cluster)}`;
  const factor = createSecondFactor({
    ...{ io, send: () => send, what: name, inBrowser: '', signal: new AbortController().signal },
    isElsewhere: true,
    needed: `a role of yours asks for a second factor: gatehouse kube login ${printable(name)}${more} takes one for an hour`,
  });
  const params = { ...CURRENT, name };
  // Not since it was asked for: somebody may have looked for their phone meanwhile.
  let begun = Date.now();
  const give = async (body: { factor?: FactorAnswer | undefined; approval?: string }) => {
    begun = Date.now();
    return await call(send, kubePassRoutes.give, { params, body });
  };
  // That cluster decides by its own; by the gateway's it is known who is led there.
  const lead = async (approval?: string) =>
    await call(own, kubePassRoutes.give, { params, body: { leaf: cluster, ...(approval ? { approval } : {}) } });
  const both = (here: KubePass, there: KubePass) => ({
    token: `${here.token}.${there.token}`,
    seconds: Math.min(here.seconds, there.seconds),
  });
  const giveApproved = async (approval: string) => {
    if (cluster === undefined) return await give({ approval });
    // Devices are known to the gateway alone: it says a word for them.
    const here = await lead(approval);
    return both(here, await give({ factor: { code: here.factor } }));
  };
  const { token, seconds } = await factor
    .with(async (given) => {
      const there = await give({ factor: given });
      return cluster === undefined ? there : both(await lead(), there);
    })
    .catch(async (error: unknown) => {
      if (!(error instanceof NoCode)) throw error;
      const { factorByLink } = await import('./factor-by-link.ts');
      const tellOthers = (text: string) => noteQuestion(file, text);
      const waited = factorByLink({ io, send: own, name, leaf: cluster, tellOthers }, giveApproved);
      return await waited.catch((refused: unknown) => {
        throw isDenied(refused) ? new NotApproved('denied', refused.message) : refused;
      });
    })
    .catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'not_signed_in')) throw error;
      throw notSignedIn(origin);
    });
  const life = seconds * 1000;
  // By the clock of this machine, which may be another than the gateway's.
  return { token, given: begun, until: begun + life - Math.min(MARGIN_MS, life / 2) };
}

/** Whoever was asked said no, or nothing. */
class NotApproved extends Failure {
  override name = 'NotApproved';
}

function isDenied(error: unknown): error is Error {
  return error instanceof Failure
    ? error.exit === 'denied'
    : error instanceof Error && 'code' in error && error.code === 'denied';
}

export function notSignedIn(origin: string | undefined): Failure {
  const where = origin === undefined ? '' : ` ${origin}`;
  return new Failure('failed', `not signed in${where && ` to${where}`}: run gatehouse login${where}`);
}

/** Of another command, which has told its number alone. */
function exitName(code: number): ExitName {
  const found = Object.entries(EXIT_CODES).find(([, [each]]) => each === code);
  return (found?.[0] ?? 'failed') as ExitName;
}
