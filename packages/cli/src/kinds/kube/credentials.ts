/**
 * What `kubectl` and its like ask of `gatehouse kube credentials`, answered from what is kept here. Nothing but Node is imported, and no
 * network is asked: whatever else the command line can do would have to be loaded first, by each of those who ask.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  failureSince,
  type KeptPass,
  noteHanded,
  type PassFailure,
  type PassOwner,
  passFile,
  passFolder,
  questionTeller,
  readPass,
  takeLock,
  wasHandedTo,
} from './pass-cache.ts';
import { noteRefused, programThatAsks, refusalOf } from './refused-programs.ts';

export interface PluginWorld {
  env: Record<string, string | undefined>;
  /** The process that started this one: the program that asks, or a script of somebody's in between. */
  parent: number;
  now: number;
  /** For whoever looks: the output is the program's. */
  tell(text: string): void;
}

export interface AskedPass {
  name: string;
  gateway?: string;
  /** A leaf of it. */
  cluster?: string;
}

const GROUP = 'client.authentication.k8s.io';
/** Clients from 1.20 on take it; who asks for another says so. */
const USUAL_VERSION = `${GROUP}/v1beta1`;
const VERSIONS: ReadonlySet<unknown> = new Set([USUAL_VERSION, `${GROUP}/v1`]);
/** Somebody looks for their phone meanwhile, or opens a browser. */
export const MAX_WAIT_MS = 200_000;
export const LOOK_EVERY_MS = 40;
/** A program that asks again so soon after a pass was given is one that asks each time. */
const MIN_REFUSED_MS = 5_000;

/** As `gatehouse kube login` writes it into kubeconfig files; undefined for whatever else somebody types. */
export function readPluginArgs(args: readonly string[]): AskedPass | undefined {
  const [group, command, ...rest] = args;
  if (group !== 'kube' || command !== 'credentials') return undefined;
  const name = rest.at(-1);
  if (name === undefined || name.startsWith('-')) return undefined;
  const [first, gateway, second, cluster] = rest;
  if (rest.length === 1) return { name };
  if (first !== '--gateway' || gateway === undefined) return undefined;
  if (rest.length === 3) return { name, gateway };
  return rest.length === 5 && second === '--cluster' && cluster !== undefined ? { name, gateway, cluster } : undefined;
}

/**
 * What goes to standard output, or why there is nothing. Undefined: the gateway has to be asked, by this process, which has the lock for
 * it then; of many at once one alone loads what that takes.
 */
export async function keptAnswer(asked: AskedPass, world: PluginWorld): Promise<string | PassFailure | undefined> {
  const owner = ownerOf(asked, world.env);
  if (!owner) return undefined;
  const file = passFile(world.env, owner);
  const first = readPass(file, world.now);
  if (first && !isRefused(file, first, world)) return handOut(file, first, world);
  const program = programThatAsks(world.env, world.parent);
  const refused = refusalOf(file, program);
  if (refused) return refused;
  const begun = Date.now();
  const tellQuestion = questionTeller(file, world.tell);
  while (Date.now() - begun < MAX_WAIT_MS) {
    const lock = takeLock(file);
    const pass = readPass(file, world.now + Date.now() - begun);
    if (pass && pass.given > (first?.given ?? 0)) {
      lock?.release();
      return handOut(file, pass, world);
    }
    if (lock) return undefined;
    const failure = failureSince(file, begun);
    if (failure?.isAnswer) noteRefused(file, program, failure);
    if (failure) return failure;
    tellQuestion();
    await sleep(LOOK_EVERY_MS);
  }
  return { message: `another gatehouse command has been asking for '${owner.name}' for too long`, code: 1 };
}

/** With the note that this process has it. */
export function handOut(
  file: string,
  { token, until }: KeptPass,
  { env, parent }: Pick<PluginWorld, 'env' | 'parent'>,
): string {
  noteHanded(file, programOf(env, parent));
  const expirationTimestamp = new Date(until).toISOString().replace(/\.\d+Z$/, 'Z');
  const answer = { kind: 'ExecCredential', apiVersion: versionFor(env), status: { expirationTimestamp, token } };
  return `${JSON.stringify(answer)}\n`;
}

/**
 * Programs that speak to Kubernetes ask once and keep the answer until its end; one that asks again before was refused with it. Without
 * this a pass that the gateway has voided would be handed out for the rest of its hour. Only who says what it is counts: a shell that
 * runs this twice is no such program.
 */
export function isRefused(file: string, { given }: KeptPass, { env, parent, now }: Omit<PluginWorld, 'tell'>): boolean {
  if (env.KUBERNETES_EXEC_INFO === undefined || now - given < MIN_REFUSED_MS) return false;
  return wasHandedTo(file, programOf(env, parent));
}

function programOf(env: PluginWorld['env'], parent: number): number {
  return programThatAsks(env, parent) ?? parent;
}

/** Undefined where nobody is signed in. */
export function ownerOf({ name, gateway, cluster }: AskedPass, env: PluginWorld['env']): PassOwner | undefined {
  const profile = readSignIns(env);
  const origin = originOf(gateway ?? env.GATEHOUSE_ADDRESS ?? profile.current);
  if (origin === undefined) return undefined;
  const credential = tokenForScripts(env, origin) ?? profile.tokenOf(origin);
  if (credential === undefined) return undefined;
  return { origin, credential, name, ...(cluster === undefined ? {} : { cluster }) };
}

/** One that was given with the address of a gateway is shown to no other. */
function tokenForScripts({ GATEHOUSE_TOKEN, GATEHOUSE_ADDRESS }: PluginWorld['env'], origin: string) {
  if (!GATEHOUSE_TOKEN) return undefined;
  return GATEHOUSE_ADDRESS && originOf(GATEHOUSE_ADDRESS) !== origin ? undefined : GATEHOUSE_TOKEN;
}

/** Of what gateway/profile.ts writes, as much as is needed here. */
function readSignIns(env: PluginWorld['env']): { current: unknown; tokenOf(origin: string): string | undefined } {
  const { current, gateways } = fieldsOf(readJson(join(dirname(passFolder(env)), 'credentials.json')));
  return {
    current,
    tokenOf(origin) {
      const known = fieldsOf(gateways);
      const { token } = fieldsOf(Object.hasOwn(known, origin) ? known[origin] : undefined);
      return typeof token === 'string' && token !== '' ? token : undefined;
    },
  };
}

function originOf(typed: unknown): string | undefined {
  if (typeof typed !== 'string' || typed === '') return undefined;
  return URL.parse(/^[a-z]+:\/\//i.test(typed) ? typed : `https://${typed}`)?.origin;
}

function versionFor({ KUBERNETES_EXEC_INFO }: PluginWorld['env']): string {
  const { apiVersion } = fieldsOf(parsed(KUBERNETES_EXEC_INFO ?? ''));
  return VERSIONS.has(apiVersion) ? String(apiVersion) : USUAL_VERSION;
}

function readJson(file: string): unknown {
  try {
    return parsed(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
