/** A desktop as it is typed, and what of it is not yet right. */
import {
  type DesktopCertificate,
  desktopCertificate,
  desktopName,
  windowsDomain,
} from '@gatehouse/contract/kinds/desktop/desktop-spec';
import type { DesktopDetails, NewDesktop } from '@gatehouse/contract/kinds/desktop/desktops';
import { hostPort } from '@gatehouse/contract/std/resource-fields';
import { labelsOf, wrongPair } from '../../../shared/enrolment/label-pair.ts';
import { pinOf } from './pin-text.ts';

export interface DesktopDraft {
  name: string;
  addr: string;
  protocol: 'rdp' | 'vnc';
  domain: string;
  known: 'pin' | 'ca' | 'later';
  pin: string;
  ca: string;
  tlsName: string;
  askPassword: boolean;
  pairs: readonly string[];
  through: readonly string[];
}

export const NEW_DRAFT: DesktopDraft = {
  ...{ name: '', addr: '', protocol: 'rdp', domain: '', known: 'pin', pin: '', ca: '', tlsName: '' },
  ...{ askPassword: true, pairs: [], through: [] },
};

export function draftOf({
  item,
  addr,
  protocol,
  domain,
  certificate,
  askPassword,
  labels,
  through,
}: DesktopDetails): DesktopDraft {
  const isPin = certificate !== undefined && 'pin' in certificate;
  const isCa = certificate !== undefined && 'ca' in certificate;
  return {
    ...{ name: item.name, addr, protocol, domain, askPassword },
    known: isPin ? 'pin' : isCa ? 'ca' : 'later',
    pin: isPin ? certificate.pin : '',
    ca: isCa ? certificate.ca : '',
    tlsName: isCa ? certificate.name : '',
    pairs: Object.entries(labels).map(([name, value]) => `${name}=${value}`),
    through: through === '' ? [] : [through],
  };
}

/** Of VNC many have no certificate: one is accepted in its panel, and kept. */
export function withProtocol(protocol: DesktopDraft['protocol']): Pick<DesktopDraft, 'protocol' | 'known'> {
  return { protocol, known: protocol === 'vnc' ? 'later' : 'pin' };
}

export type DraftField = 'name' | 'addr' | 'domain' | 'certificate' | 'labels';

const DEFAULT_PORT = { rdp: 3389, vnc: 5900 } as const;

/** A port that everybody uses need not be typed. */
export function addressOf({ addr, protocol }: Pick<DesktopDraft, 'addr' | 'protocol'>): string {
  const typed = addr.trim();
  return typed === '' || /:\d+$/.test(typed) ? typed : `${typed}:${DEFAULT_PORT[protocol]}`;
}

function certificateOf({ known, pin, ca, tlsName }: DesktopDraft): unknown {
  if (known === 'later') return undefined;
  return known === 'pin' ? { pin: pinOf(pin) } : { ca: ca.trim(), name: tlsName.trim().toLowerCase() };
}

/** What is wrong, by field, in the words of the contract where it has some. */
export function faultsOf(draft: DesktopDraft): Partial<Record<DraftField, string>> {
  const faults: Partial<Record<DraftField, string>> = {};
  const name = desktopName.safeParse(draft.name.trim());
  if (!name.success) faults.name = name.error.issues[0]?.message ?? '';
  const addr = hostPort.safeParse(addressOf(draft));
  if (!addr.success) faults.addr = addr.error.issues[0]?.message ?? '';
  const domain = draft.domain.trim() === '' ? undefined : windowsDomain.safeParse(draft.domain.trim());
  if (domain && !domain.success) faults.domain = domain.error.issues[0]?.message ?? '';
  const certificate = certificateOf(draft);
  if (certificate !== undefined && !desktopCertificate.safeParse(certificate).success) faults.certificate = draft.known;
  const wrong = wrongPair(draft.pairs);
  if (wrong !== undefined) faults.labels = wrong;
  return faults;
}

export function desktopOf(draft: DesktopDraft): NewDesktop {
  const certificate = certificateOf(draft) as DesktopCertificate | undefined;
  return {
    name: draft.name.trim(),
    labels: labelsOf(draft.pairs),
    addr: addressOf(draft),
    protocol: draft.protocol,
    domain: draft.domain.trim(),
    askPassword: draft.askPassword,
    through: draft.through[0] ?? '',
    ...(certificate === undefined ? {} : { certificate }),
  };
}
