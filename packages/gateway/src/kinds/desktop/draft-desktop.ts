/** A desktop that is about to be added: what it speaks, and the certificate it shows. Nobody signs in. */
import { desktopSpec } from '@gatehouse/contract/kinds/desktop/desktop-spec';
import { desktopDraft } from '@gatehouse/contract/kinds/desktop/desktops';
import { AppError } from '../../platform/std/app-error.ts';
import { parseInput } from '../../platform/std/parse-input.ts';
import type { Reach } from '../../reach/reach.ts';
import type { Draft } from '../../sessions/connection-tests/draft-test.ts';
import type { Steps } from '../../sessions/connection-tests/take-steps.ts';
import { takeWay } from '../../sessions/connection-tests/take-way.ts';
import { describeCertificate, whyRefused } from './desktop-certificates.ts';
import { DesktopFailure } from './engine/desktop-link.ts';
import { PLAIN_SECURITY } from './engine/rfb/open-vnc.ts';
import { desktopTarget, type ListedDesktop, toListedDesktop } from './listed-desktop.ts';
import { asAppError, type LookedAt, lookOver } from './look-at-desktop.ts';

export interface DraftDesktopDeps {
  reach: Pick<Reach, 'way'>;
  now: () => number;
}

export function readDesktopDraft({ reach, now }: DraftDesktopDeps, given: unknown): Draft {
  const { name = '', labels, ...fields } = parseInput(desktopDraft, given, 'spec');
  // Read whole before anything is dialled.
  const specFor = (through: string) => parseInput(desktopSpec, { ...fields, through }, 'spec');
  specFor('');
  return {
    ...{ rule: 'windows_desktop', name, labels, addr: fields.addr, secrets: [] },
    async run(steps, test) {
      const at = {
        cluster: test.cluster,
        kind: 'desktop',
        id: name,
        name,
        labels,
        owner: '',
        expires: undefined,
      } as const;
      const desktop = toListedDesktop({ ...at, spec: specFor(test.agent ?? '') });
      const { stream } = await takeWay(steps, reach, desktopTarget(desktop), test);
      try {
        const within = AbortSignal.any([test.signal, AbortSignal.timeout(test.timeoutMs)]);
        const looked = lookOver(stream, desktop, within);
        await tellLook(steps, { desktop, looked, now: now() });
      } finally {
        stream.destroy();
      }
    },
  };
}

interface Look {
  desktop: ListedDesktop;
  looked: Promise<LookedAt>;
  now: number;
}

async function tellLook(steps: Steps, { desktop, looked, now }: Look): Promise<void> {
  const { protocol, addr } = desktop.spec;
  const speaks = protocol === 'rdp' ? 'RDP' : 'VNC';
  const failure = await looked.then(
    () => undefined,
    (error: unknown) => error,
  );
  const isPlainVnc = failure instanceof DesktopFailure && failure.code === PLAIN_SECURITY;
  const isLater = failure instanceof DesktopFailure && failure.step !== 'protocol';
  await steps.take({
    step: 'protocol',
    type: 'CONNECTIVITY',
    next: `look at what listens at ${addr}`,
    run() {
      if (failure === undefined || isPlainVnc || isLater) return;
      throw failure instanceof DesktopFailure ? asAppError(failure) : failure;
    },
    tell: () =>
      isPlainVnc ? 'it speaks VNC without TLS: whoever is on the way can read it' : `it speaks ${speaks}, inside TLS`,
    advise: () => (isPlainVnc ? 'turn its TLS on, or let an agent on its own machine dial it' : undefined),
  });
  if (isPlainVnc) return;
  const name = desktop.resource.name || 'NAME';
  await steps.take({
    step: 'tls',
    type: 'CONNECTIVITY',
    async run() {
      const seen = await looked.catch((error: unknown) => {
        throw error instanceof DesktopFailure ? asAppError(error) : error;
      });
      const shown = describeCertificate(seen.leaf);
      if (!shown) throw new AppError('target_unreachable', 'what it shows is no certificate that can be read');
      const refused = desktop.certificate && whyRefused(desktop, seen.leaf, seen.chain, { login: undefined, now });
      if (refused) throw asAppError(refused);
      return shown;
    },
    tell: ({ pin, until }) =>
      desktop.certificate
        ? `its certificate is the one it is to be known by, good until ${until}`
        : `it shows a certificate that nobody has accepted yet: ${pin}, good until ${until}`,
    advise: ({ pin }) =>
      desktop.certificate
        ? undefined
        : `compare it on the machine, then: gatehouse desktops add ${name} ${addr} --fingerprint ${pin}`,
  });
}
