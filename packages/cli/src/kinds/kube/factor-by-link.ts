/** A second factor for programs of Kubernetes that cannot ask for a code: a link is shown, and the gateway waits for a yes in the browser. */
import { setTimeout as sleep } from 'node:timers/promises';
import { kubePassRoutes } from '@gatehouse/contract/kinds/kube/kube-pass';
import { printable } from '@gatehouse/contract/std/printable';
import { call, type Send } from '@gatehouse/contract/wire/client';
import type { Io } from '../../command.ts';
import { CURRENT } from '../../gateway/resolve-gateway.ts';
import { loopbackNote } from '../../output/link-text.ts';
import { Failure } from '../../runtime/failure.ts';

/** Shorter than others wait for whoever asks. */
const MAX_MINUTES = 3;

export interface LinkOptions {
  io: Pick<Io, 'stderr'>;
  send: Send;
  /** Of the cluster. */
  name: string;
  /** The leaf that has it. */
  leaf?: string | undefined;
  /** Those who wait for this one show the link too: nobody may look at what this one writes. */
  tellOthers(text: string): void;
  forMs?: number;
}

export async function factorByLink<Result>(
  { io, send, name, leaf, tellOthers, forMs = MAX_MINUTES * 60_000 }: LinkOptions,
  give: (approval: string) => Promise<Result>,
): Promise<Result> {
  const { approval, url, code, pollSeconds } = await call(send, kubePassRoutes.ask, {
    params: { ...CURRENT, name },
    query: { leaf },
  });
  const text = `gatehouse: a role of yours asks for a second factor. Open ${printable(url)}\nand accept with a device if it shows the code ${printable(code)}. This waits for ${MAX_MINUTES} minutes.\n${loopbackNote(url)}`;
  io.stderr(text);
  tellOthers(text);
  const until = performance.now() + forMs;
  for (;;) {
    try {
      return await give(approval);
    } catch (error) {
      if (!isForNow(error)) throw error;
    }
    if (performance.now() > until)
      throw new Failure('denied', 'nobody has accepted it in the browser in time: run it again for another link');
    await sleep(pollSeconds * 1000);
  }
}

/** A gateway that is begun anew meanwhile still has the question. */
function isForNow(error: unknown): boolean {
  if (error instanceof Failure) return error.exit === 'unreachable';
  if (!(error instanceof Error && 'code' in error && 'fields' in error)) return false;
  const { code, fields } = error as { code: unknown; fields: { state?: unknown } };
  return code === 'unavailable' || (code === 'mfa_required' && fields.state === 'pending');
}
