/** What a form about an application holds, as it is typed; and the way from there to what the gateway takes, and back. */
import { type AppScheme, JWT_CLAIMS, parseAppUri } from '@gatehouse/contract/kinds/app/app-spec';
import { type AppDetails, type NewApp, newApp } from '@gatehouse/contract/kinds/app/apps';
import { labelsOf, wrongPair } from '../../../shared/enrolment/label-pair.ts';
import type { Checked } from '../../../shared/resource-form/use-resource-form.ts';

export type JwtClaims = (typeof JWT_CLAIMS)[number];

export interface HeaderDraft {
  /** For React: rules have no other identity. */
  key: number;
  name: string;
  value: string;
  /** The name under which a value is stored that nobody is shown; it stays unless another is typed. */
  kept?: string;
}

export interface AppDraft {
  name: string;
  uri: string;
  /** What an address without one means: whoever chose a TCP service pastes `db.inside:5432`. */
  scheme: 'http' | 'tcp';
  description: string;
  publicAddr: string;
  labels: readonly string[];
  icon: string;
  /** Names of agents; none: the gateway dials. */
  through: readonly string[];
  insecureSkipVerify: boolean;
  ca: string;
  serverName: string;
  redirect: readonly string[];
  headers: readonly HeaderDraft[];
  jwt: JwtClaims;
  externalId: string;
  /** One is stored that nobody is shown. */
  keepsExternalId: boolean;
}

export const EMPTY_DRAFT: AppDraft = {
  name: '',
  uri: '',
  scheme: 'http',
  description: '',
  publicAddr: '',
  labels: [],
  icon: '',
  through: [],
  insecureSkipVerify: false,
  ca: '',
  serverName: '',
  redirect: [],
  headers: [],
  jwt: JWT_CLAIMS[0],
  externalId: '',
  keepsExternalId: false,
};

export function draftOf(details: AppDetails): AppDraft {
  const { uri, description, publicAddr, icon, through, insecureSkipVerify, ca, serverName, rewrite, aws } = details;
  return {
    name: details.app.name,
    labels: Object.entries(details.labels).map(([name, value]) => `${name}=${value}`),
    headers: rewrite.headers.map(({ name, value, kept }, key) => ({
      key,
      name,
      value,
      ...(kept ? { kept: name } : {}),
    })),
    redirect: rewrite.redirect,
    jwt: rewrite.jwt,
    scheme: 'http',
    externalId: aws.externalId,
    keepsExternalId: aws.kept === true,
    ...{ uri, description, publicAddr, icon, through, insecureSkipVerify, ca, serverName },
  };
}

/** The words are the contract's own, so that form, command line and gateway say the same. Header rules are `header-0-name` and the like. */
export function checkDraft(draft: AppDraft): Checked<NewApp> {
  const wrongLabel = wrongPair(draft.labels);
  const parsed = newApp.safeParse({
    name: draft.name.trim(),
    uri: withScheme(draft),
    description: draft.description.trim(),
    publicAddr: draft.publicAddr.trim(),
    labels: labelsOf(draft.labels),
    icon: draft.icon,
    through: draft.through,
    insecureSkipVerify: draft.insecureSkipVerify,
    ca: draft.ca.trim() === '' ? '' : `${draft.ca.trim()}\n`,
    serverName: draft.serverName.trim(),
    rewrite: {
      redirect: draft.redirect,
      headers: draft.headers.map(({ name, value, kept }) => ({
        name: name.trim(),
        value,
        ...(value === '' && kept === name.trim() ? { kept: true } : {}),
      })),
      jwt: draft.jwt,
    },
    aws: {
      externalId: draft.externalId.trim(),
      ...(draft.externalId.trim() === '' && draft.keepsExternalId ? { kept: true } : {}),
    },
  });
  if (parsed.success && wrongLabel === undefined) return { wanted: parsed.data };
  const faults: Record<string, string> = wrongLabel === undefined ? {} : { labels: wrongLabel };
  for (const issue of parsed.error?.issues ?? []) faults[fieldOf(issue.path)] ??= messageOf(issue);
  return { faults };
}

/** Fields that may be empty are read by two schemas, and only what the second says is worth reading. */
function messageOf(issue: { message: string; code?: string; errors?: { message: string }[][] }): string {
  return issue.errors?.at(-1)?.[0]?.message ?? issue.message;
}

function fieldOf(path: readonly PropertyKey[]): string {
  const [first, second, index, part] = path.map(String);
  if (first !== 'rewrite') return first ?? '';
  return second === 'headers' ? `header-${index}-${part}` : (second ?? '');
}

type TypedAddress = Pick<AppDraft, 'uri' | 'scheme'>;

/** Somebody who types `grafana:3000` means HTTP, unless they said that it is something else. */
export function withScheme({ uri, scheme }: TypedAddress): string {
  const text = uri.trim();
  return text === '' || /^[a-z]+:\/\//i.test(text) ? text : `${scheme}://${text}`;
}

export function schemeOf(typed: TypedAddress): AppScheme | undefined {
  return parseAppUri(withScheme(typed))?.scheme;
}

/** A name to begin with, from the address: `http://grafana.inside:3000` is probably called grafana. */
export function guessName(typed: TypedAddress): string {
  const host = parseAppUri(withScheme(typed))?.host ?? '';
  const [first = ''] = host.split('.', 1);
  return /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/.test(first) && first !== 'localhost' && first !== 'www' ? first : '';
}
