/** Tries a desktop the way a session would, step by step: access, the way, TCP, what it offers, TLS, its certificate, signing in. */
import type { Duplex } from 'node:stream';
import type { AccessControl } from '../../access/create-access.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Reach } from '../../reach/reach.ts';
import { mayNot, requireUnlocked, takeFactor, takeFind } from '../../sessions/connection-tests/access-steps.ts';
import type { ConnectionTest } from '../../sessions/connection-tests/connection-test.ts';
import type { Steps } from '../../sessions/connection-tests/take-steps.ts';
import type { DesktopCertificates } from './desktop-certificates.ts';
import type { DesktopSecrets } from './desktop-secrets.ts';
import { desktopLoginsOf } from './desktop-ways.ts';
import { DesktopFailure, type DesktopStep, type DesktopTerms } from './engine/desktop-link.ts';
import { type TriedRdp, tryRdp } from './engine/rdp/open-rdp.ts';
import { NO_PASSWORD, type TriedVnc, tryVnc, type VncTerms } from './engine/rfb/open-vnc.ts';
import { ENGINE_STEPS, followSteps } from './follow-steps.ts';
import {
  desktopServerName,
  desktopTarget,
  findSeenDesktop,
  type ListedDesktop,
  type SeenDesktopDeps,
  vncTrust,
} from './listed-desktop.ts';
import { type DesktopLogin, readLogin } from './login-name.ts';
import { asAppError } from './look-at-desktop.ts';

export interface TestDesktopDeps extends SeenDesktopDeps {
  access: Pick<AccessControl, 'of' | 'decide' | 'lockFor'>;
  reach: Pick<Reach, 'way'>;
  secrets: Pick<DesktopSecrets, 'of'>;
  certificates: Pick<DesktopCertificates, 'check' | 'signedIn'>;
}

export async function testDesktop(deps: TestDesktopDeps, steps: Steps, test: ConnectionTest): Promise<void> {
  const { actor, session, timeoutMs, signal } = test;
  const { desktop, login } = await passAccess(deps, steps, test);
  const { addr, protocol } = desktop.spec;
  const who = { user: actor.username, session };
  const way = await steps.take({
    step: 'reach',
    type: 'CONNECTIVITY',
    run: () => deps.reach.way(desktopTarget(desktop), { who, signal, timeoutMs }),
    tell: ({ tell }) => `${addr} is reached ${tell}`,
  });
  const stream = await steps.take({
    step: 'tcp',
    type: 'CONNECTIVITY',
    run: () => way.dial(),
    tell: () => `${addr} accepts connections`,
  });
  stream.on('error', () => {});
  try {
    const met = { desktop, login, stream };
    if (protocol === 'rdp') await meet(deps, steps, test, met);
    else await meetVnc(deps, steps, test, met);
  } finally {
    stream.destroy();
  }
}

interface Met {
  desktop: ListedDesktop;
  login: DesktopLogin;
  stream: Duplex;
}

async function meet(
  deps: TestDesktopDeps,
  steps: Steps,
  { actor, timeoutMs, signal }: ConnectionTest,
  { desktop, login, stream }: Met,
): Promise<void> {
  const password = await deps.secrets.of(desktop, login);
  const by = { user: actor.username, signInId: actor.signInId, login };
  const reached = followSteps();
  let isNla = false;
  const terms: DesktopTerms = {
    ...{ user: login.user, domain: login.domain, password: password ?? '', serverName: desktopServerName(desktop) },
    ...{ width: 1_024, height: 768, scale: 100, keyboard: 0, clipboard: false, drives: false },
    async checkCertificate(leaf, chain, chosenNla) {
      isNla = chosenNla;
      // Without a password nothing proves that another certificate is good.
      const proof = isNla && password !== undefined;
      const trust = await deps.certificates.check(desktop, leaf, chain, { ...by, isNla: proof });
      if (password === undefined) throw new Stopped('there is nothing to sign in with');
      return trust;
    },
  };
  const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const tried = tryRdp(stream, terms, within, reached.begin);
  tried.then(reached.finish, reached.fail);
  const result: { tried?: TriedRdp } = {};
  for (const step of ENGINE_STEPS) {
    if (step === 'sign_in' && password === undefined) {
      await tried.catch(() => undefined);
      if (reached.failed() instanceof Stopped) return await withoutPassword(steps, desktop, login);
    }
    await steps.take({
      step: STEP_NAMES[step],
      type: step === 'sign_in' ? 'RBAC_PRINCIPAL' : 'CONNECTIVITY',
      async run() {
        try {
          await reached.past(step);
          if (step === 'sign_in') result.tried = await tried;
        } catch (error) {
          if (error instanceof Stopped && step !== 'sign_in') return;
          throw error instanceof DesktopFailure ? asAppError(error) : error;
        }
      },
      tell: () => tell(step, { isNla, login, name: desktop.resource.name }),
    });
  }
  if (result.tried?.signedIn)
    await deps.certificates.signedIn(desktop, result.tried.certificate.leaf, { ...by, isNla: true, isStored: true });
}

/** By VNC: TLS and its certificate only where the host has them. */
async function meetVnc(
  deps: TestDesktopDeps,
  steps: Steps,
  { actor, timeoutMs, signal }: ConnectionTest,
  { desktop, login, stream }: Met,
): Promise<void> {
  const password = await deps.secrets.of(desktop, login);
  const by = { user: actor.username, signInId: actor.signInId, login, isNla: false };
  const reached = followSteps();
  let isSecure = false;
  const terms: VncTerms = {
    ...{ user: login.user, domain: login.domain, password: password ?? '', serverName: desktopServerName(desktop) },
    ...{ width: 1_024, height: 768, scale: 100, keyboard: 0, clipboard: false, drives: false },
    ...vncTrust(desktop),
    checkCertificate: (leaf, chain) => deps.certificates.check(desktop, leaf, chain, by),
  };
  const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const tried = tryVnc(stream, terms, within, (step) => {
    isSecure ||= step === 'tls';
    reached.begin(step);
  });
  tried.then(reached.finish, reached.fail);
  for (const step of ENGINE_STEPS) {
    if (!isSecure && (step === 'tls' || step === 'certificate')) continue;
    if (step === 'sign_in' && isWithoutPassword(await tried.catch((error: unknown) => error)))
      return await withoutPassword(steps, desktop, login);
    await steps.take({
      step: STEP_NAMES[step],
      type: step === 'sign_in' ? 'RBAC_PRINCIPAL' : 'CONNECTIVITY',
      async run() {
        try {
          await reached.past(step);
          return step === 'sign_in' ? await tried : undefined;
        } catch (error) {
          throw error instanceof DesktopFailure ? asAppError(error) : error;
        }
      },
      tell: (done) => tellVnc(step, { isSecure, login, done, name: desktop.resource.name }),
    });
  }
}

function isWithoutPassword(error: unknown): boolean {
  return error instanceof DesktopFailure && error.code === NO_PASSWORD;
}

function tellVnc(
  step: DesktopStep,
  { isSecure, login, done, name }: { isSecure: boolean; login: DesktopLogin; done: TriedVnc | undefined; name: string },
): string {
  if (step === 'protocol')
    return `it speaks VNC, ${isSecure ? 'inside TLS' : 'without TLS: whoever is on the way can read it'}`;
  if (step === 'tls') return 'TLS is there';
  if (step === 'certificate') return `the certificate of '${name}' is accepted`;
  return tellVncSignIn(done?.askedFor, login);
}

export function tellVncSignIn(askedFor: TriedVnc['askedFor'] | undefined, { name }: DesktopLogin): string {
  if (askedFor === 'none') return 'it lets in whoever comes: no password was asked for';
  return askedFor === 'account'
    ? `it takes the password of '${name}'`
    : 'it takes the password of VNC; it knows no logins';
}

const STEP_NAMES = { protocol: 'offers', tls: 'tls', certificate: 'certificate', sign_in: 'login' } as const;

function tell(
  step: DesktopStep,
  { isNla, login, name }: { isNla: boolean; login: DesktopLogin; name: string },
): string {
  if (step === 'protocol') return 'it speaks RDP, inside TLS';
  if (step === 'tls') return 'TLS is there';
  if (step === 'certificate')
    return `the certificate of '${name}' is accepted; it asks who comes ${isNla ? 'before it draws (NLA)' : 'inside the session (TLS without NLA)'}`;
  return tellSignIn(isNla, login);
}

export function tellSignIn(isNla: boolean, { name }: DesktopLogin): string {
  return isNla
    ? `it takes the password of '${name}' (NLA)`
    : `it asks for the password of '${name}' only inside the session: whether it is right was not tried`;
}

async function withoutPassword(steps: Steps, { resource, spec }: ListedDesktop, login: DesktopLogin): Promise<void> {
  const none = `no password of '${login.name}' is stored`;
  await steps.take({
    step: 'login',
    type: 'RBAC_PRINCIPAL',
    next: `store it: gatehouse desktops password ${resource.name} '${login.name}'`,
    run() {
      if (!spec.askPassword) throw new AppError('conflict', `${none}, and people may not type one`);
    },
    tell: () => `not tried: ${none}, so people are asked for it`,
  });
}

/** There is nothing to try any more. */
class Stopped extends Error {}

async function passAccess(
  deps: TestDesktopDeps,
  steps: Steps,
  test: ConnectionTest,
): Promise<{ desktop: ListedDesktop; login: DesktopLogin }> {
  const { actor, wanted, names } = test;
  const { login: typed = '' } = names;
  const desktop = await takeFind(steps, test, {
    type: 'RBAC_PRINCIPAL',
    listedBy: 'gatehouse desktops ls',
    find: () => findSeenDesktop(deps, actor, wanted),
    tell: ({ resource }) => `you see the desktop '${resource.name}'`,
  });
  test.onFound(desktop.resource);
  const login = await steps.take({
    step: 'access',
    type: 'RBAC_PRINCIPAL',
    run() {
      const read = readLogin(typed, desktop);
      requireBe(deps, test, desktop, read);
      return read;
    },
    tell: ({ name }) => `your roles let you be '${name}' there`,
  });
  await takeFactor(steps, test, deps.access, 'RBAC_PRINCIPAL');
  return { desktop, login };
}

/** Asked of the very record that is dialled afterwards. */
function requireBe(
  { access }: TestDesktopDeps,
  test: ConnectionTest,
  { resource }: ListedDesktop,
  { name: login }: DesktopLogin,
): void {
  const { actor } = test;
  const action = { type: 'connect', kind: 'desktop', resource, login } as const;
  if (access.decide(actor, action).allowed) return;
  requireUnlocked(access, test, action);
  const given = desktopLoginsOf(access.of(actor), resource).join(', ') || 'none';
  throw mayNot(
    `none of your roles lets you be '${login}' on '${resource.name}'`,
    `they give the logins ${given}; an administrator sees why with: gatehouse access explain ${actor.username} ${resource.name} --login '${login}'`,
  );
}
