/** Names of what events are and are about. Labels of the catalogue are the contract's; the rest is ours to translate. */
import { EVENT_TYPES } from '@gatehouse/contract/audit/catalogue';
import { kinds } from '@gatehouse/contract/kinds/kinds';
import { visibleText } from '@gatehouse/contract/std/visible-text';
import { actorWords } from '../../platform/i18n/actor-words.ts';
import type { Translate } from '../../platform/i18n/words.ts';
import type { FilterName } from './audit-search-params.ts';

const SUBJECTS = [
  'user',
  'role',
  'lock',
  'access_request',
  'connector',
  'login_rule',
  'saml_service_provider',
  'recording',
  'token',
  'agent',
  'bot',
  'trusted_cluster',
  'audit_sink',
  'gateway',
  'settings',
  'certificate_authority',
  ...kinds,
] as const;

const SEVERITIES = ['info', 'warning', 'error'] as const;
const NAME_LENGTH = 120;

export function kindWords(t: Translate, kind: string): string {
  const known = SUBJECTS.find((each) => each === kind);
  return known ? t(`audit.kind-${known}`) : visibleText(kind, NAME_LENGTH);
}

export function severityWords(t: Translate, severity: string): string {
  const known = SEVERITIES.find((each) => each === severity);
  return known ? t(`audit.severity-${known}`) : visibleText(severity, NAME_LENGTH);
}

const labels = new Map<string, string>();

/** One name on the wire may stand for several types: then the words they share name it. */
export function typeWords(event: string): string {
  if (labels.size === 0)
    for (const name of new Set(EVENT_TYPES.map((type) => type.event))) labels.set(name, sharedLabel(name));
  return labels.get(event) ?? visibleText(event, NAME_LENGTH);
}

function sharedLabel(event: string): string {
  const all = EVENT_TYPES.filter((type) => type.event === event).map(({ label }) => label);
  const shortest = all.toSorted((a, b) => a.length - b.length)[0] ?? event;
  const shared = shortest.split(' ').filter((word) => all.every((label) => label.split(' ').includes(word)));
  return shared.length === 0 ? shortest : shared.join(' ');
}

/** The value of a filter as a person reads it. */
export function filterWords(t: Translate, name: FilterName, value: string): string {
  if (name === 'severity') return severityWords(t, value);
  if (name === 'include') return typeWords(value);
  if (name === 'resourceKind') return kindWords(t, value);
  if (name === 'user') return visibleText(actorWords(t, value), NAME_LENGTH);
  return visibleText(value, NAME_LENGTH);
}
