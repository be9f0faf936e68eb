/** Serves install scripts and what they download. All of it is public: the token in the address is the secret. */

import { createReadStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { schemasOf } from '@gatehouse/contract/kinds/kind-schemas';
import { factsOf, isNamedKind, type Kind, type NamedKind, rows } from '@gatehouse/contract/kinds/kinds';
import { iamTokenName, type JoinMethod } from '@gatehouse/contract/reach/join-tokens/iam';
import { type JoinRole, joinTokenId, LOOK_HEADER } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import type { MatcherLabels } from '@gatehouse/contract/std/matcher-labels';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ownOrigin } from '../../../platform/http/csrf.ts';
import { AppError, notFound } from '../../../platform/std/app-error.ts';
import { archiveFolder, readAgentArchives } from './agent-archives.ts';
import { installNodeScript, refusalScript, uninstallScript } from './install-script.ts';
import { type NamedThing, notYet } from './installable.ts';

export interface ScriptDeps {
  clusterName: string;
  /** Where the machine reaches this gateway, given what it came by. */
  originFor(callerOrigin: string): string;
  /** The gateway's own authority in PEM, where no public one vouches for it. */
  authority(): string | undefined;
  sshAuthorities(): Promise<readonly string[]>;
  /** Whether the token is good for such a resource now; looking does not use it up. */
  isGood(
    token: string,
    asked: { role: JoinRole; named?: string | undefined; address: string; method?: JoinMethod; looks?: boolean },
  ): Promise<boolean>;
  /** Labels of what agents that join with a token look after. */
  matchersOf(token: string): Promise<MatcherLabels>;
  archiveDir?: string;
  now?: () => number;
}

/** The same whatever is wrong with it, and nothing of what was asked: only which kind the script is for. */
export function badToken(kind: Kind): string {
  const { offeredAt, matched } = factsOf(kind);
  const flag = offeredAt === undefined || matched ? `--type=${kind}` : `--${kind} NAME=${offeredAt.toUpperCase()}`;
  return `this join token is not valid: it may have expired, been used up or taken back, or be for something else. Make a new one: gatehouse tokens add ${flag}`;
}

export function serveScripts(app: FastifyInstance, deps: ScriptDeps): void {
  const folder = deps.archiveDir ?? archiveFolder();

  app.get('/scripts/agent/uninstall.sh', async (_, reply) => sendScript(reply, uninstallScript()));

  app.get<{ Params: { file: string } }>('/scripts/agent/:file', async ({ params: { file } }, reply) => {
    const { archives } = readAgentArchives(folder);
    const archive = Object.values(archives).find((each) => each.file === file);
    if (!archive) throw notFound('archive', file.slice(0, 100));
    const path = join(folder, archive.file);
    // While it is packed anew the file and its sum may differ for a moment; the machine would refuse it anyway.
    if (statSync(path).size !== archive.bytes) throw new AppError('unavailable', 'the archive is being packed anew');
    return reply
      .header('content-type', 'application/gzip')
      .header('content-length', archive.bytes)
      .header('etag', `"${archive.sha256}"`)
      .send(createReadStream(path));
  });

  const scriptFor = async (request: FastifyRequest, kind: Kind, named?: NamedThing) => {
    const role = factsOf(kind).joinRole;
    const method = methodIn(request.query);
    const grammar = method === 'iam' ? iamTokenName : joinTokenId;
    const token = grammar.safeParse(tokenParam.parse(request.params).token);
    // Refused before it is looked up: what is no token is never put into a script, not even into the refusal.
    const asked = { role, named: named?.values.name, address: request.ip, method, looks: looksOnly(request) };
    if (!token.success || !(await deps.isGood(token.data, asked))) return refusalScript(badToken(kind));
    return installNodeScript({
      token: token.data,
      method,
      gateway: deps.originFor(ownOrigin(request)),
      cluster: deps.clusterName,
      authority: deps.authority(),
      sshAuthorities: await deps.sshAuthorities(),
      archives: readAgentArchives(folder),
      servedAt: (deps.now ?? Date.now)(),
      named,
      ...(await withoutName(kind, token.data, named)),
    });
  };

  const withoutName = async (kind: Kind, token: string, named: NamedThing | undefined) => {
    if (named || !isNamedKind(kind)) return {};
    if (factsOf(kind).fromFile) return { fromFile: kind };
    return { looksAfter: { kind, labels: await deps.matchersOf(token) } };
  };

  for (const { kind, installScript, offered, matched, fromFile } of rows) {
    if (installScript === undefined) continue;
    app.get(`/scripts/:token/${installScript}`, async (request, reply) => {
      // Said whatever the token is: nobody learns by it whether one is good.
      if (offered === undefined) return sendScript(reply, refusalScript(notYet(kind)));
      const given = Object.keys(request.query as object).filter((key) => key !== 'method');
      const isNameless = (matched === true || fromFile === true) && given.length === 0;
      if (!isNamedKind(kind) || isNameless) return sendScript(reply, await scriptFor(request, kind));
      const named = namedByQuery(kind, request.query);
      return sendScript(reply, named ? await scriptFor(request, kind, named) : refusalScript(badQuery(kind)));
    });
  }
}

/** Said by the console, for who reads a script before anybody runs it. A machine that says so joins all the same, and is told then. */
export function looksOnly({ headers }: FastifyRequest): boolean {
  return headers[LOOK_HEADER] !== undefined;
}

/** Anything else than the one that has to be asked for is the usual one. */
function methodIn(query: unknown): JoinMethod {
  return z.object({ method: z.literal('iam') }).safeParse(query).success ? 'iam' : 'token';
}

const tokenParam = z.object({ token: z.string() });
/** They stand in a shell script and in YAML: only what means nothing in either. */
const PLAIN = /^[\w:/.[\]~%+-]+$/;

function namedByQuery(kind: NamedKind, query: unknown): NamedThing | undefined {
  const read = schemasOf(kind).named?.strip().safeParse(query);
  return read?.success && Object.values(read.data).every((value) => PLAIN.test(value))
    ? { kind, values: read.data as NamedThing['values'] }
    : undefined;
}

function badQuery(kind: NamedKind): string {
  const keys = Object.keys(schemasOf(kind).named?.shape ?? {});
  return `the address of this script must end with ?${keys.map((key) => `${key}=${key.toUpperCase()}`).join('&')}, as the command of a join token has it`;
}

function sendScript(reply: FastifyReply, script: string): FastifyReply {
  return reply.header('content-type', 'text/plain; charset=utf-8').header('cache-control', 'no-store').send(script);
}
