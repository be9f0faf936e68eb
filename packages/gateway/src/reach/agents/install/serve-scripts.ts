/** Serves install scripts and what they download. All of it is public: the token in the address is the secret. */
import { createReadStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { appName, appUri } from '@gatehouse/contract/kinds/app/app-spec';
import { joinTokenId } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ownOrigin } from '../../../platform/http/csrf.ts';
import { AppError, notFound } from '../../../platform/std/app-error.ts';
import { archiveFolder, readAgentArchives } from './agent-archives.ts';
import { installNodeScript, refusalScript, uninstallScript } from './install-script.ts';
import { NOT_YET } from './not-yet.ts';

export interface ScriptDeps {
  clusterName: string;
  /** Where the machine reaches this gateway, given what it came by. */
  originFor(callerOrigin: string): string;
  /** The gateway's own authority in PEM, where no public one vouches for it. */
  authority(): string | undefined;
  sshAuthorities(): Promise<readonly string[]>;
  /** Whether the token is good for such a resource now; looking does not use it up. */
  isGood(token: string, asked: { role: 'Node' | 'App'; app?: string | undefined; address: string }): Promise<boolean>;
  archiveDir?: string;
}

export const BAD_TOKEN =
  'this join token is not valid: it may have expired, been used up or taken back, or be for something else. Make a new one: gatehouse tokens add --type=node';

export const BAD_APP =
  'the address of this script must end with ?name=NAME&uri=URI: a name of lower-case letters, digits and dashes, and an address like http://localhost:8080';

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

  const scriptFor = async (request: FastifyRequest, role: 'Node' | 'App', app?: { name: string; uri: string }) => {
    const token = joinTokenId.safeParse(tokenParam.parse(request.params).token);
    // Refused before it is looked up: what is no token is never put into a script, not even into the refusal.
    if (!token.success || !(await deps.isGood(token.data, { role, app: app?.name, address: request.ip })))
      return refusalScript(BAD_TOKEN);
    return installNodeScript({
      token: token.data,
      gateway: deps.originFor(ownOrigin(request)),
      cluster: deps.clusterName,
      authority: deps.authority(),
      sshAuthorities: await deps.sshAuthorities(),
      archives: readAgentArchives(folder),
      app,
    });
  };

  app.get('/scripts/:token/install-node.sh', async (request, reply) =>
    sendScript(reply, await scriptFor(request, 'Node')),
  );
  app.get('/scripts/:token/install-app.sh', async (request, reply) => {
    const wanted = scriptApp.safeParse(request.query);
    if (!wanted.success) return sendScript(reply, refusalScript(BAD_APP));
    return sendScript(reply, await scriptFor(request, 'App', wanted.data));
  });
  // Said whatever the token is: nobody learns by it whether one is good.
  app.get('/scripts/:token/install-database.sh', (_, reply) => sendScript(reply, refusalScript(NOT_YET.Db)));
}

const tokenParam = z.object({ token: z.string() });
/** Both stand in a shell script and in YAML: only what means nothing in either. */
const scriptApp = z.object({ name: appName, uri: appUri.regex(/^[\w:/.[\]~%+-]+$/) });

function sendScript(reply: FastifyReply, script: string): FastifyReply {
  return reply.header('content-type', 'text/plain; charset=utf-8').header('cache-control', 'no-store').send(script);
}
