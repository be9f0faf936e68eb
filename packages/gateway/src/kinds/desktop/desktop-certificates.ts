/** Whether the certificate that a desktop shows is the one it is known by. It is pinned or certified, and never learnt by connecting. */
import { hash, X509Certificate } from 'node:crypto';
import { desktopCertificateChanged } from '@gatehouse/contract/kinds/desktop/desktop-events';
import type { StoredCertificate } from '@gatehouse/contract/kinds/desktop/desktop-spec';
import type { ShownCertificate } from '@gatehouse/contract/kinds/desktop/desktops';
import { findResource, holdNames, putResources } from '../../inventory/resource-store.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Log } from '../../platform/std/log.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';
import { putPin } from './desktop-pins.ts';
import type { DesktopSecrets } from './desktop-secrets.ts';
import { DesktopFailure, type Trust } from './engine/desktop-link.ts';
import { type ListedDesktop, offeredTargetOf, toListedDesktops } from './listed-desktop.ts';
import { type DesktopLogin, loginKey } from './login-name.ts';
import { whyNotCertified } from './why-not-certified.ts';

/** For whom it is looked at. */
export interface Looking {
  user: string;
  signInId?: string;
  address?: string;
  login?: DesktopLogin;
  /** The host must prove that it knows the password before it hears it, bound to this certificate: CredSSP. */
  isNla?: boolean;
  /** The password is one that is stored. What somebody types may be anything: a host of theirs in between knows it too. */
  isStored?: boolean;
}

export interface DesktopCertificates {
  /**
   * Throws DesktopFailure, and tells the audit, where it is another than the desktop is known by. Windows renews its own twice a year: for an
   * account of the machine itself another one passes, where only who knows the password can sign in over it. Call `signedIn` then.
   */
  check(desktop: ListedDesktop, leaf: Buffer, chain: readonly Buffer[], by: Looking): Promise<Trust>;
  /**
   * The host has proved that it knows the password of the login: its certificate, where it is a new one, is pinned from now on. By what was
   * typed it has proved it to whoever typed it, and to nobody else: that is told, and nothing is pinned.
   */
  signedIn(desktop: ListedDesktop, leaf: Buffer, by: Looking): Promise<void>;
  /** By the word of somebody, or of a login. Passwords that were stored for the former are void. False where the desktop is another by now. */
  accept(tx: Tx, desktop: ListedDesktop, pin: string, by: Looking, login?: DesktopLogin): Promise<boolean>;
}

export interface DesktopCertificateDeps {
  db: Db;
  audit: Audit;
  secrets: Pick<DesktopSecrets, 'keep'>;
  log: Log;
  now: () => number;
}

export function createDesktopCertificates(deps: DesktopCertificateDeps): DesktopCertificates {
  const { db, audit, secrets, now } = deps;
  const tell = (tx: Tx, desktop: ListedDesktop, pin: string, by: Looking, came: Came) =>
    audit.emit(
      tx,
      desktopCertificateChanged,
      {
        user: by.user,
        desktop_name: desktop.resource.name,
        desktop_addr: desktop.spec.addr,
        fingerprint: pin,
        ...(desktop.certificate ? { previous: knownBy(desktop.certificate) } : {}),
        ...came,
      },
      { ...(by.signInId ? { signInId: by.signInId } : {}), ...(by.address ? { address: by.address } : {}) },
    );

  const certificates: DesktopCertificates = {
    async check(desktop, leaf, chain, by) {
      const failure = whyRefused(desktop, leaf, chain, { login: by.login, now: now() });
      if (!failure) return undefined;
      if (passesByProof(desktop, by)) return 'unproven';
      await db
        .transaction()
        .execute((tx) => tell(tx, desktop, pinOf(leaf), by, { success: false, error: failure.message }))
        .catch((error: unknown) =>
          deps.log.error({ error }, 'a refused certificate of a desktop is not in the audit log'),
        );
      throw failure;
    },

    async signedIn(desktop, leaf, by) {
      const pin = pinOf(leaf);
      if (!passesByProof(desktop, by) || knownBy(desktop.certificate) === pin) return;
      await db.transaction().execute(async (tx) => {
        if (by.isStored) await certificates.accept(tx, desktop, pin, by, by.login);
        else await tell(tx, desktop, pin, by, { success: false, error: TYPED });
      });
    },

    async accept(tx, desktop, pin, by, login) {
      await holdNames(tx);
      const resource = await findResource(tx, desktop.resource);
      const [before] = resource ? await toListedDesktops(tx, [resource]) : [];
      // It was removed, or is another host by now: what was seen of the former says nothing of it.
      if (!before || offeredTargetOf(before) !== offeredTargetOf(desktop)) return false;
      const certificate = { pin, ...(login ? { provenBy: loginKey(login) } : {}) };
      const isEntered = before.resource.owner === '';
      const spec = isEntered ? { ...before.spec, certificate } : before.spec;
      if (isEntered) await putResources(tx, [{ ...before.resource, spec }], now());
      else await putPin(tx, before.resource, { target: offeredTargetOf(before), certificate }, now());
      if (login) await secrets.keep(tx, before, { ...before, spec, certificate });
      await tell(tx, before, pin, by, { success: true, ...(login ? { windows_user: login.name } : {}) });
      return true;
    },
  };
  return certificates;
}

const TYPED =
  'it is not the one it is known by, and was not accepted: the host knew the password that was typed, which proves nothing to others';

type Came = { success: boolean; error?: string; windows_user?: string };

export function pinOf(leaf: Buffer): string {
  return `sha256:${hash('sha256', leaf, 'hex')}`;
}

/** Any member of a domain knows what its accounts are checked with: there only somebody's word or an authority counts. */
function passesByProof({ certificate, spec }: ListedDesktop, { login, isNla }: Looking): boolean {
  return (
    spec.protocol === 'rdp' &&
    certificate !== undefined &&
    'pin' in certificate &&
    isNla === true &&
    login !== undefined &&
    login.domain === '' &&
    spec.domain === ''
  );
}

export function whyRefused(
  { certificate, resource }: ListedDesktop,
  leaf: Buffer,
  chain: readonly Buffer[],
  { login, now }: { login: DesktopLogin | undefined; now: number },
): DesktopFailure | undefined {
  const trust = `look at it on the machine itself, then: gatehouse desktops trust-certificate ${resource.name}`;
  const refuse = (code: string, message: string, next = trust) =>
    new DesktopFailure('certificate', code, message, { next });
  if (!certificate)
    return refuse('unknown_certificate', `nobody has accepted the certificate of '${resource.name}' yet`);
  if ('pin' in certificate) {
    const { pin, provenBy } = certificate;
    if (pinOf(leaf) === pin) {
      if (provenBy === undefined || (login && loginKey(login) === provenBy)) return undefined;
      return refuse('unproven_certificate', `nobody has looked at the new certificate of '${resource.name}' yet`);
    }
    return refuse(
      'other_certificate',
      `'${resource.name}' shows another certificate than the one it is known by: it was renewed, or somebody is in between`,
    );
  }
  const why = whyNotCertified(leaf, chain, certificate, now);
  const next = 'look at the authority and the name in its record, and at what the machine was given';
  return why === undefined ? undefined : refuse('not_certified', `the certificate of '${resource.name}' ${why}`, next);
}

function knownBy(certificate: StoredCertificate | undefined): string {
  if (!certificate) return '';
  return 'pin' in certificate ? certificate.pin : certificate.name;
}

/** What people compare: whom it names, who vouches for it, until when. Undefined where it is no certificate. */
export function describeCertificate(leaf: Buffer): ShownCertificate | undefined {
  try {
    const { subject, issuer, validFromDate, validToDate } = new X509Certificate(leaf);
    return {
      pin: pinOf(leaf),
      subject: oneLine(subject),
      issuer: oneLine(issuer),
      from: validFromDate.toISOString(),
      until: validToDate.toISOString(),
    };
  } catch {
    return undefined;
  }
}

const MAX_NAME = 256;

/** It comes from a stranger, and is read at a terminal. */
function oneLine(name: string | undefined): string {
  const text = (name ?? '').split('\n').reverse().join(', ');
  return text.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '?').slice(0, MAX_NAME);
}
