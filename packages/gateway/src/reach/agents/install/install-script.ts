/** The scripts a machine runs to join: fixed text from files, and above it the values for this token, quoted. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { USUAL_PORTS } from '@gatehouse/contract/kinds/db/db-address';
import { factsOf, MACHINE_KIND, type NamedKind } from '@gatehouse/contract/kinds/kinds';
import type { JoinMethod } from '@gatehouse/contract/reach/join-tokens/iam';
import { installRoot } from '../../../platform/std/install-root.ts';
import type { AgentArchives } from './agent-archives.ts';
import type { LookedAfter, NamedThing } from './installable.ts';
import { assignments, shellQuote } from './shell-quote.ts';

export interface InstallFacts {
  token: string;
  method?: JoinMethod | undefined;
  /** Where the machine finds the gateway: origin without a path. */
  gateway: string;
  cluster: string;
  /** The gateway's own authority, where no public one vouches for it. */
  authority: string | undefined;
  /** Lines for TrustedUserCAKeys. */
  sshAuthorities: readonly string[];
  archives: AgentArchives;
  /** In ms: by it a machine tells that its own clock is wrong. */
  servedAt?: number | undefined;
  /** What its agent offers instead of the machine. */
  named?: NamedThing | undefined;
  /** What it looks after instead. */
  looksAfter?: LookedAfter | undefined;
  /** Its file is there already, and says where things of this kind are found. */
  fromFile?: NamedKind | undefined;
}

/** Values stand in single quotes on purpose: nothing in them expands. */
const HEAD = '#!/bin/sh\n# shellcheck disable=SC2016\nset -eu\n\n';

/** For whoever reads the script before running it. */
const ABOUT = '# Everything below is the same for every machine; what differs stands above, quoted.\n';

/** In the order they run: later ones use what earlier ones have found out. */
const PIECES = ['options', 'machine', 'uninstall', 'prepare', 'openssh', 'unpack', 'start', 'begin'];

/** In a function, of which a download that was cut off runs nothing. */
function body(): string {
  const folder = join(installRoot(), 'packages', 'gateway', 'src', 'reach', 'agents', 'install', 'script');
  const pieces = PIECES.map((name) => readFileSync(join(folder, `${name}.sh`), 'utf8'));
  return `${ABOUT}main() {\n\n${pieces.join('\n')}}\n\nmain "$@"\n`;
}

/** What the script says and writes of the one thing that is offered instead of the machine; empty where it is the machine. */
function namedValues(named: NamedThing | undefined): Record<string, string> {
  if (!named) return { OFFERED_NOUN: '', OFFERED_NAME: '', OFFERED_KEY: '', OFFERED_YAML: '' };
  const { noun, path } = factsOf(named.kind);
  return { OFFERED_NOUN: noun, OFFERED_NAME: named.values.name, OFFERED_KEY: path, OFFERED_YAML: inAgentFile(named) };
}

/** Its item in the agent's file, below the key of its kind. The name comes first: by that line the script finds what is there already. */
function inAgentFile({ kind, values: { name, ...values } }: NamedThing): string {
  const lines = Object.entries({ name, ...values }).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `${factsOf(kind).path}:\n  - ${lines.join('\n    ')}`;
}

/** Networks that belong to somebody, and where databases listen unless somebody moved them. */
const PRIVATE_NETWORKS = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '[fc00::/7]'];
const ALLOWED = PRIVATE_NETWORKS.flatMap((network) => Object.values(USUAL_PORTS).map((port) => `${network}:${port}`));

/** What the script says and writes of an agent that looks after things of the gateway; empty where it does not. */
function servedValues(served: LookedAfter | undefined): Record<string, string> {
  if (!served) return { SERVED_NOUN: '', SERVED_KEY: '', SERVED_YAML: '' };
  const labels = Object.entries(served.labels).map(
    ([name, values]) => `${JSON.stringify(name)}: [${values.map((value) => JSON.stringify(value)).join(', ')}]`,
  );
  const match = labels.length === 0 ? [] : ['databaseMatch:', `  - ${labels.join('\n    ')}`];
  const allow = ['allow:', ...ALLOWED.map((rule) => `  - ${JSON.stringify(rule)}`)];
  return {
    SERVED_NOUN: factsOf(served.kind).noun,
    SERVED_KEY: labels.length === 0 ? 'allow' : 'databaseMatch',
    SERVED_YAML: [...match, ...allow].join('\n'),
  };
}

function fileValues(kind: NamedKind | undefined): Record<string, string> {
  if (!kind) return { FILE_NOUN: '', FILE_KEY: '' };
  const { noun, path } = factsOf(kind);
  return { FILE_NOUN: noun, FILE_KEY: path };
}

function servedTime(at: number | undefined): Record<string, string> {
  if (at === undefined) return { SERVED_AT: '', SERVED_TIME: '' };
  const said = new Date(at).toISOString().slice(0, 19).replace('T', ' ');
  return { SERVED_AT: String(Math.floor(at / 1_000)), SERVED_TIME: said };
}

export function installNodeScript(facts: InstallFacts): string {
  const { archives, missing } = facts.archives;
  const kind = facts.named?.kind ?? facts.looksAfter?.kind ?? facts.fromFile ?? MACHINE_KIND;
  const values = assignments({
    SCRIPT: factsOf(kind).installScript,
    TOKEN: facts.token,
    JOIN_METHOD: facts.method ?? 'token',
    GATEWAY: facts.gateway,
    CLUSTER: facts.cluster,
    ...servedTime(facts.servedAt),
    CA_PEM: facts.authority?.trim() ?? '',
    SSH_AUTHORITIES: facts.sshAuthorities.join('\n'),
    ...namedValues(facts.named),
    ...servedValues(facts.looksAfter),
    ...fileValues(facts.fromFile),
    SHA256_X64: archives.x64?.sha256 ?? '',
    SHA256_ARM64: archives.arm64?.sha256 ?? '',
    MISSING_X64: missing.x64 ?? 'it was not built',
    MISSING_ARM64: missing.arm64 ?? 'it was not built',
  });
  return `${HEAD}${values}\n${body()}`;
}

/** The same script without a token: it can only take away. */
export function uninstallScript(): string {
  const nothing = { gateway: '', cluster: '', authority: undefined, sshAuthorities: [] };
  const script = installNodeScript({ ...nothing, token: '', archives: { archives: {}, missing: {} } });
  return script.replace(/\nmain "\$@"\n$/, '\nmain --uninstall "$@"\n');
}

/** A bad token is told by the script itself, so that `curl | sh` fails where somebody sees it. */
export function refusalScript(reason: string): string {
  return `${HEAD}printf '%s\\n' ${shellQuote(`gatehouse: ${reason}`)} >&2\nexit 1\n`;
}
