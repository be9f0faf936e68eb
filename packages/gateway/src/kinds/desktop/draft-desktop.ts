/** A desktop that is about to be added: what it speaks, and the certificate it shows. Over one that nobody has accepted nobody signs in. */
import type { Duplex } from 'node:stream';
import { desktopSpec } from '@gatehouse/contract/kinds/desktop/desktop-spec';
import { desktopDraft } from '@gatehouse/contract/kinds/desktop/desktops';
import { AppError } from '../../platform/std/app-error.ts';
import { parseInput } from '../../platform/std/parse-input.ts';
import type { Reach } from '../../reach/reach.ts';
import type { Draft } from '../../sessions/connection-tests/draft-test.ts';
import type { Steps } from '../../sessions/connection-tests/take-steps.ts';
import { takeWay } from '../../sessions/connection-tests/take-way.ts';
import { describeCertificate, whyRefused } from './desktop-certificates.ts';
import { DesktopFailure, type DesktopTerms } from './engine/desktop-link.ts';
import { tryRdp } from './engine/rdp/open-rdp.ts';
import { PLAIN_SECURITY, tryVnc } from './engine/rfb/open-vnc.ts';
import { desktopServerName, desktopTarget, type ListedDesktop, toListedDesktop, vncTrust } from './listed-desktop.ts';
import { type DesktopLogin, readLogin } from './login-name.ts';
import { asAppError, type LookedAt, lookOver } from './look-at-desktop.ts';
import { tellSignIn, tellVncSignIn } from './test-desktop.ts';

export interface DraftDesktopDeps {
  reach: Pick<Reach, 'way'>;
  now: () => number;
}

export function readDesktopDraft({ reach, now }: DraftDesktopDeps, given: unknown): Draft {
  const { name = '', labels, login: typed = '', password = '', ...fields } = parseInput(desktopDraft, given, 'spec');
  // Read whole before anything is dialled.
  const specFor = (through: string) => parseInput(desktopSpec, { ...fields, through }, 'spec');
  const login = typed === '' ? undefined : readLogin(typed, { spec: specFor('') });
  return {
    ...{ rule: 'windows_desktop', name, labels, addr: fields.addr, login: password === '' ? '' : typed },
    secrets: password === '' ? [] : [password],
    async run(steps, test) {
      const at = {
        cluster: test.cluster,
        kind: 'desktop',
        id: name,
        // What is said of it calls it by where it is, as long as it has no name.
        name: name || fields.addr,
        labels,
        owner: '',
        expires: undefined,
      } as const;
      const desktop = toListedDesktop({ ...at, spec: specFor(test.agent ?? '') });
      const { stream, again } = await takeWay(steps, reach, desktopTarget(desktop), test);
      const within = () => AbortSignal.any([test.signal, AbortSignal.timeout(test.timeoutMs)]);
      try {
        const looked = lookOver(stream, desktop, within());
        const { isPlain } = await tellLook(steps, { desktop, name, looked, now: now() });
        if (!login || password === '') return;
        await takeLogin(steps, { desktop, login, password, isPlain, dial: again, within: within(), now: now() });
      } finally {
        stream.destroy();
      }
    },
  };
}

interface Look {
  desktop: ListedDesktop;
  /** Empty where it has none yet. */
  name: string;
  looked: Promise<LookedAt>;
  now: number;
}

async function tellLook(steps: Steps, { desktop, name, looked, now }: Look): Promise<{ isPlain: boolean }> {
  const { protocol, addr } = desktop.spec;
  const speaks = protocol === 'rdp' ? 'RDP' : 'VNC';
  const failure = await looked.then(
    () => undefined,
    (error: unknown) => error,
  );
  // Hosts of RDP fail with the same word, and are refused.
  const isPlainVnc = protocol === 'vnc' && failure instanceof DesktopFailure && failure.code === PLAIN_SECURITY;
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
  if (isPlainVnc) return { isPlain: true };
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
        : `compare it on the machine, then: gatehouse desktops add ${name || 'NAME'} ${addr} --fingerprint ${pin}`,
    shown: ({ pin }) => (desktop.certificate ? undefined : pin),
  });
  return { isPlain: false };
}

interface SigningIn {
  desktop: ListedDesktop;
  login: DesktopLogin;
  password: string;
  /** Without TLS there is no certificate to compare. */
  isPlain: boolean;
  /** It was left after it was looked at. */
  dial(): Promise<Duplex>;
  within: AbortSignal;
  now: number;
}

async function takeLogin(steps: Steps, signing: SigningIn): Promise<void> {
  const { desktop, login, isPlain } = signing;
  const mayTry = desktop.certificate !== undefined || isPlain;
  await steps.take({
    step: 'login',
    type: 'RBAC_PRINCIPAL',
    async run() {
      if (!mayTry) return 'not tried: nobody signs in over a certificate that is not accepted yet';
      return await signInTo(signing).catch((error: unknown) => {
        throw error instanceof DesktopFailure ? asAppError(error) : error;
      });
    },
    tell: (told) => told,
    advise: () => (mayTry ? undefined : `accept its certificate, then test again as '${login.name}'`),
  });
}

async function signInTo({ desktop, login, password, dial, within, now }: SigningIn): Promise<string> {
  const stream = await dial();
  stream.on('error', () => {});
  const terms: DesktopTerms = {
    ...{ user: login.user, domain: login.domain, password, serverName: desktopServerName(desktop) },
    ...{ width: 1_024, height: 768, scale: 100, keyboard: 0, clipboard: false, drives: false },
    checkCertificate(leaf, chain) {
      // Another host may answer now than the one that was looked at.
      const refused = whyRefused(desktop, leaf, chain, { login, now });
      if (refused) throw refused;
      return undefined;
    },
  };
  try {
    if (desktop.spec.protocol === 'rdp')
      return tellSignIn((await tryRdp(stream, terms, within, () => {})).signedIn, login);
    const { askedFor } = await tryVnc(stream, { ...terms, ...vncTrust(desktop) }, within, () => {});
    return tellVncSignIn(askedFor, login);
  } finally {
    stream.destroy();
  }
}
